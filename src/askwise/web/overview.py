"""A study at a glance: its state, its people, what is known. Nothing is computed for it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel, Field

from askwise.errors import AskwiseError
from askwise.goals import goal_class
from askwise.goals.base.registry import goal_from
from askwise.session.log_state import LogState
from askwise.simulate.plan import BASELINE_RULE, PLAN_KEY
from askwise.simulate.populations import PopulationSaving, load_saving
from askwise.stopping import StopReason
from askwise.storage.crowd import now, settings_from
from askwise.storage.exclusion import NOT_COUNTED
from askwise.storage.items import current_recipe
from askwise.storage.participants import (
    Participant,
    StudySettings,
    people,
    respondent_name,
    settled,
    study_settings,
    token_of,
)
from askwise.storage.populations import logs_before_next
from askwise.storage.store import Record, Store
from askwise.storage.usage import AnswerCount, answer_counts
from askwise.web.log_service import LogService
from askwise.web.schemas import PeopleBefore
from askwise.web.studies import ServedStudies

UNREADABLE = "It cannot be read at the moment. The server's log says why."
logger = logging.getLogger("askwise.web")


class PersonOverview(BaseModel):
    """Somebody who was invited, and how far they are."""

    participant: str
    name: str
    created: str
    log: int
    quota: int | None
    paused: bool
    status: str | None
    joined: bool
    language: str | None
    consent: str | None
    answers: int
    skips: int
    last: str | None
    diameter: float | None
    done: str | None
    settled: bool  # whether it is done because the goal is reached
    guess: str | None
    trusted: float | None
    link: str


class LogOverview(BaseModel):
    """What the study's own log says so far."""

    answers: int
    diameter: float
    done: str | None
    estimate: Any
    certificate: str | None


class SavedQuestions(BaseModel):
    """The median number of questions that simulated people needed, with the study's strategy and at random; None: more
    than the limit. Where too little is `known`, `advice` says why. `share` of the random questions is saved, or more if
    those people did not finish."""

    people: int
    rule: str
    own: float | None
    random: float | None
    limit: int
    share: float | None
    at_least: bool
    known: bool  # whether enough people were simulated to say so
    advice: list[str]


class ListedStudy(BaseModel):
    """A study in the list of all."""

    study: str
    goal: str | None
    aim: str
    state: str
    answers: int
    people: int


class StudyOverview(BaseModel):
    """A study."""

    study: str
    goal: str
    aim: str
    state: str  # open, settled, finished, paused or closed
    mode: str
    why: bool
    beyond: bool
    wording: dict[str, Any] = Field(description="What people read, as far as it is not as usual")
    may_continue: bool = Field(description="Whether a study that has ended has questions left")
    log: int
    created: str
    epsilon: float
    answers: int
    last: str | None
    participants: list[PersonOverview]
    next_person: str | None = Field(description="Who should answer next, in a group that decides together")
    to_invite: list[str] = Field(description="Who of such a group has no link yet, if their names are known")
    progress: LogOverview | None
    saved: SavedQuestions | None
    saved_by_people: PeopleBefore | None
    simulating: tuple[int, int] | None
    fallbacks: int
    behind: bool


async def list_study(studies: ServedStudies, study: str) -> ListedStudy:
    """A study in short. One that cannot be read says why."""

    def read() -> ListedStudy:
        try:
            store = studies.store(study)
            record = store.record()
            answers = sum(one.answers for one in answer_counts(store, record.study))
            goal, invited = record.recipe["goal"], people(store, record.study)
            aim = goal_sentence(current_recipe(store, record))
            state = state_of(record, invited, study_settings(store, record.study), settled(store, record.study))
        except AskwiseError as error:
            logger.error("a study cannot be used: %s", error)
            why = UNREADABLE if studies.folder is None else f"{error}.".replace(f"{studies.folder}/", "")
            return ListedStudy(study=study, goal=None, aim=why, state="unreadable", answers=0, people=0)
        return ListedStudy(study=study, goal=goal, aim=aim, state=state, answers=answers, people=len(invited))

    return await asyncio.to_thread(read)


async def overview(studies: ServedStudies, study: str) -> StudyOverview:
    """A study as it is now."""
    store = await asyncio.to_thread(studies.store, study)

    def read() -> tuple[
        Record, str, list[Participant], list[str], list[AnswerCount], Any, PopulationSaving | None, StudySettings,
        dict[int, StopReason | None],
    ]:  # fmt: skip
        record = store.record()
        invited = people(store, record.study)
        links = [studies.root_path + participant_link(store, study, record.study, one.participant) for one in invited]
        done = answer_counts(store, record.study), store.forecast(record.study, PLAN_KEY)
        known = load_saving(store, record.study), study_settings(store, record.study), settled(store, record.study)
        return record, goal_sentence(current_recipe(store, record)), invited, links, *done, *known

    record, aim, invited, links, done, plan, saving, decided, reasons = await asyncio.to_thread(read)
    await studies.follow_edition(study, decided.edition)
    unused = {one.log for one in invited if one.status in NOT_COUNTED}
    if before := logs_before_next(record, done, unused):
        studies.simulated_runs(study, len(before))  # for the next person, in the background
    services = {service.states.job[1]: service for service in studies.services(study)}
    own = services.get(record.study)
    counts = _by_person(done, record)
    return StudyOverview(
        study=study,
        goal=record.recipe["goal"],
        aim=aim,
        state=state_of(record, invited, decided, reasons),
        mode=record.mode,
        why=decided.why,
        beyond=decided.beyond,
        wording=studies.wording(study, decided.wording).as_dict(),
        may_continue=_may_continue(record, invited, reasons, services),
        log=record.study,
        created=record.created,
        epsilon=record.recipe["options"]["epsilon"],
        answers=sum(one.answers for one in done),
        last=max((one.last for one in done if one.last), default=None),
        participants=[
            _person(
                one,
                where,
                record.recipe["goal"],
                services.get(one.log),
                counts.get(_counted_as(one, record), []),
                reasons.get(one.log),
            )
            for one, where in zip(invited, links, strict=True)
        ],
        next_person=_next_person(own),
        to_invite=_to_invite(record, invited),
        progress=None if own is None or own.states.latest is None else _log_overview(own.states.latest),
        saved=None if plan is None else saved(plan),
        saved_by_people=None if saving is None else PeopleBefore(**asdict(saving), text=str(saving)),
        simulating=studies.plans.get(study),
        fallbacks=sum(service.fallback_count for service in services.values()),
        behind=any(service.states.failures for service in services.values()),
    )


def without_links(seen: StudyOverview) -> StudyOverview:
    """The same without the links of participants, for viewers: whoever has a link answers as that person."""
    return seen.model_copy(update={"participants": [one.model_copy(update={"link": ""}) for one in seen.participants]})


def state_of(
    record: Record, invited: Sequence[Participant], decided: StudySettings, reasons: Mapping[int, StopReason | None]
) -> str:
    """The state that the owner set. An open study in which nobody has a question left to answer is settled, or finished
    if something stayed undecided; it stays open if the owner lets it continue, or if its link takes more people who
    answer for themselves.

    >>> record = Record(1, "cars", "", "", {}, "", state="open")
    >>> [state_of(record, [], StudySettings("open", True, False), {1: reason})
    ...  for reason in (None, StopReason("undecided is below 0.1", "settled"), StopReason("no more answers", "budget"))]
    ['open', 'settled', 'finished']
    """
    found = [reasons.get(log) for log in _logs_in_use(record, invited)]
    if record.state != "open" or decided.beyond or not all(found) or _takes_people(record, invited, decided):
        return record.state
    return "settled" if all(reason.kind == "settled" for reason in found if reason) else "finished"


def _takes_people(record: Record, invited: Sequence[Participant], decided: StudySettings) -> bool:
    """Whether people who answer for themselves may still join by the open link."""
    door = settings_from(decided.crowd)
    came = sum(one.joined and one.status is None for one in invited)
    has_room = door.people is None or came < door.people
    return record.mode == "own" and door.open and not door.is_too_late(now()) and has_room


def _logs_in_use(record: Record, invited: Sequence[Participant]) -> set[int]:
    """Those of the people invited; before anybody is, the study's own."""
    return {one.log for one in invited} or {record.study}


def _may_continue(
    record: Record,
    invited: Sequence[Participant],
    reasons: Mapping[int, StopReason | None],
    services: Mapping[int, LogService],
) -> bool:
    """Whether a log has questions left, as far as is known."""

    def has_questions(log: int) -> bool:
        reason, state = reasons.get(log), services[log].states.latest if log in services else None
        return not (reason is not None and reason.kind == "exhausted") and (state is None or state.questions_left)

    return any(map(has_questions, _logs_in_use(record, invited)))


def goal_sentence(recipe: Mapping[str, Any]) -> str:
    """What is sought, in a sentence.

    >>> goal_sentence({"goal": "top_k", "options": {"k": 2}, "data": {"name": ["tea", "milk", "water"]}})
    'Find the best 2 of the 3 items.'
    """
    goal = goal_from(recipe)
    return goal.sentence(goal.total_rows(recipe["data"]))


def saved(plan: Mapping[str, Any]) -> SavedQuestions:
    """How many questions a plan says are saved.

    >>> rows = {"expected": {"people": 9, "limit": 40, "spread": [4.0, 10.0, 15.0]},
    ...         "random": {"people": 9, "limit": 40, "spread": [20.0, None, None]}}
    >>> found = saved({"rules": rows, "advice": []})
    >>> found.share, found.at_least
    (0.75, True)
    """
    rule = next(iter(plan["rules"]), BASELINE_RULE)
    own, other = plan["rules"].get(rule, {"people": 0, "limit": 0, "spread": None}), plan["rules"].get(BASELINE_RULE)
    needed = None if own["spread"] is None else own["spread"][1]
    other = None if other is None or other["spread"] is None else other  # too few people
    beside = None if other is None else other["spread"][1]
    most = own["limit"] if other is None else other["limit"]
    share = None if needed is None or other is None else 1 - needed / (beside or most)
    return SavedQuestions(people=own["people"], rule=rule, own=needed, random=beside, limit=most, share=share,
                 at_least=beside is None, known=own["spread"] is not None, advice=plan["advice"])  # fmt: skip


@lru_cache(maxsize=10_000)
def participant_link(store: Store, study: str, number: int, participant: str) -> str:
    """The path of a participant's page. It never changes, so it is signed once."""
    return f"/s/{quote(study, safe='')}/p/{token_of(store, number, participant)}"


def join_link(study: str) -> str:
    """The path of the open link of a study.

    >>> join_link("my cars")
    '/s/my%20cars/join'
    """
    return f"/s/{quote(study, safe='')}/join"


def _by_person(done: list[AnswerCount], record: Record) -> dict[tuple[int, str | None], list[AnswerCount]]:
    """What was done, by log and in the shared one also by name."""
    counts: dict[tuple[int, str | None], list[AnswerCount]] = {}
    for one in done:
        counts.setdefault((one.log, one.who if one.log == record.study else None), []).append(one)
    return counts


def _counted_as(person: Participant, record: Record) -> tuple[int, str | None]:
    """Where to find what this person did: all of a log of their own, their part of a shared one."""
    return person.log, respondent_name(record, person) if person.log == record.study else None


def _next_person(service: LogService | None) -> str | None:
    """Whom the best question asks; None where it asks anybody, or where the study is done."""
    state = service.states.latest if service else None
    return None if state is None or state.done or state.question is None else state.question.get("who")


def _to_invite(record: Record, invited: Sequence[Participant]) -> list[str]:
    people = record.recipe["options"].get("people")
    return [name for name in people if name not in {one.name for one in invited}] if isinstance(people, list) else []


def _person(
    person: Participant,
    where: str,
    goal: str,
    service: LogService | None,
    done: list[AnswerCount],
    reason: StopReason | None,
) -> PersonOverview:
    state = service.states.latest if service else None
    reason = state.done if state else reason
    trusted = state.reliability if state else {}
    return PersonOverview(
        **vars(person),
        answers=max(0, sum(one.answers for one in done)),
        skips=sum(one.skips for one in done),
        last=max((one.last for one in done if one.last), default=None),
        diameter=state.diameter if state else None,
        done=reason,
        settled=reason is not None and reason.kind == "settled",
        guess=goal_class(goal).headline(state.estimate) if state else None,
        trusted=trusted.get(person.participant, trusted.get(person.name)),  # the log calls an anchor by their name
        link=where,
    )


def _log_overview(state: LogState) -> LogOverview:
    parts = ("answers", "diameter", "done", "estimate", "certificate")
    return LogOverview(**{part: getattr(state, part) for part in parts})
