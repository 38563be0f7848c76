"""A study at a glance: its state, its people, what is known. Read from the store and the desks; nothing is computed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel

from askwise.errors import AskwiseError
from askwise.server.desk import Desk
from askwise.server.hub import Hub
from askwise.server.learned import headline
from askwise.server.replies import said
from askwise.study.new import SPOKEN
from askwise.study.participants import Participant, Rules, people, rules, settled, token_of
from askwise.study.planning import BASELINE, KEPT
from askwise.study.store import Record, Store
from askwise.study.work import Work, work

UNDECIDED = ("the budget", "every question")  # how reasons to stop begin that settle nothing


class Person(BaseModel):
    """Somebody who was invited, and how far they are."""

    participant: str
    name: str
    created: str
    log: int
    quota: int | None
    paused: bool
    answers: int
    skips: int
    last: str | None
    diameter: float | None
    done: str | None
    guess: str | None
    trusted: float | None
    link: str


class Known(BaseModel):
    """What the study's own log says so far."""

    answers: int
    diameter: float
    done: str | None
    estimate: Any
    certificate: str | None


class Saved(BaseModel):
    """Questions that half of the simulated people needed at most, by the study's rule and at random; None: more than
    the limit. `share` of the random ones is saved; at least that if they did not come to an end."""

    people: int
    rule: str
    own: float | None
    random: float | None
    limit: int
    share: float | None
    at_least: bool
    advice: list[str]


class Listed(BaseModel):
    """A study in the list of all."""

    study: str
    goal: str | None
    aim: str
    state: str
    answers: int
    people: int


class Overview(BaseModel):
    """A study."""

    study: str
    goal: str
    aim: str
    state: str  # open, settled, finished, paused or closed
    mode: str
    why: bool
    beyond: bool
    log: int
    created: str
    epsilon: float
    answers: int
    last: str | None
    participants: list[Person]
    standing: Known | None
    saved: Saved | None
    simulating: tuple[int, int] | None
    fallbacks: int
    behind: bool


async def listed(hub: Hub, study: str) -> Listed:
    """A study in short; one that cannot be read says why."""

    def read() -> Listed:
        try:
            store = hub.store(study)
            record = store.record()
            answers = sum(one.answers for one in work(store, record.study))
            goal, invited = record.recipe["goal"], people(store, record.study)
            state = state_of(record, invited, rules(store, record.study), settled(store, record.study))
        except AskwiseError as error:
            sentence = said(error)[1]
            return Listed(study=study, goal=None, aim=sentence, state="unreadable", answers=0, people=0)
        return Listed(study=study, goal=goal, aim=aim(record.recipe), state=state, answers=answers, people=len(invited))

    return await asyncio.to_thread(read)


async def overview(hub: Hub, study: str) -> Overview:
    """A study as it is now."""
    store = await asyncio.to_thread(hub.store, study)

    def read() -> tuple[Record, list[Participant], list[str], list[Work], Any, Rules, dict[int, str | None]]:
        record = store.record()
        invited = people(store, record.study)
        links = [link(store, study, record.study, one.participant) for one in invited]
        done = work(store, record.study), store.forecast(record.study, KEPT)
        return record, invited, links, *done, rules(store, record.study), settled(store, record.study)

    record, invited, links, done, plan, decided, reasons = await asyncio.to_thread(read)
    desks = {desk.job[1]: desk for desk in hub.desks(study)}
    own = desks.get(record.study)
    return Overview(
        study=study,
        goal=record.recipe["goal"],
        aim=aim(record.recipe),
        state=state_of(record, invited, decided, reasons),
        mode=record.mode,
        why=decided.why,
        beyond=decided.beyond,
        log=record.study,
        created=record.created,
        epsilon=record.recipe["options"]["epsilon"],
        answers=sum(one.answers for one in done),
        last=max((one.last for one in done if one.last), default=None),
        participants=[
            _person(one, where, record.recipe["goal"], desks.get(one.log), _of(done, one, record), reasons.get(one.log))
            for one, where in zip(invited, links, strict=True)
        ],
        standing=None if own is None or own.standing is None else _known(own),
        saved=None if plan is None else saved(plan),
        simulating=hub.plans.get(study),
        fallbacks=sum(desk.fallbacks for desk in desks.values()),
        behind=any(desk.failures for desk in desks.values()),
    )


def state_of(record: Record, invited: Sequence[Participant], decided: Rules, reasons: Mapping[int, str | None]) -> str:
    """As the owner decided; but an open study whose people all came to an end is settled, or finished if what was left
    undecided could not be asked, unless it goes on all the same.

    >>> record = Record(1, "cars", "", "", {}, "", state="open")
    >>> [state_of(record, [], Rules("open", True, False), {1: reason})
    ...  for reason in (None, "the average diameter is below 0.05", "the budget of 9 answers is used up")]
    ['open', 'settled', 'finished']
    """
    found = [reasons.get(log) for log in {one.log for one in invited} or {record.study}]
    if record.state != "open" or decided.beyond or not all(found):
        return record.state
    return "finished" if any(str(reason).startswith(UNDECIDED) for reason in found) else "settled"


def aim(recipe: Mapping[str, Any]) -> str:
    """What is sought, in a sentence.

    >>> aim({"goal": "top_k", "options": {"k": 2}, "data": {"name": ["tea", "milk", "water"]}})
    'Find the best 2 of the 3 items.'
    """
    options = recipe["options"]
    pool = options.get("pool")
    rows = len(next(iter(recipe["data"].values()), ())) if pool is None else pool["rows"]
    return SPOKEN[recipe["goal"]].format(
        **{**options, "rows": rows, "labels": " or ".join(map(str, options.get("labels") or ()))}
    )


def saved(plan: Mapping[str, Any]) -> Saved:
    """How many questions a plan says are saved.

    >>> rows = {"expected": {"people": 9, "limit": 40, "spread": [4.0, 10.0, 15.0]},
    ...         "random": {"people": 9, "limit": 40, "spread": [20.0, None, None]}}
    >>> found = saved({"rules": rows, "advice": []})
    >>> found.share, found.at_least
    (0.75, True)
    """
    rule = next(iter(plan["rules"]))
    own, other = plan["rules"][rule], plan["rules"].get(BASELINE)
    needed = own["spread"][1]
    beside = None if other is None else other["spread"][1]
    most = own["limit"] if other is None else other["limit"]
    share = None if needed is None or other is None else 1 - needed / (beside or most)
    return Saved(people=own["people"], rule=rule, own=needed, random=beside, limit=most, share=share,
                 at_least=beside is None, advice=plan["advice"])  # fmt: skip


@lru_cache(maxsize=10_000)
def link(store: Store, study: str, number: int, participant: str) -> str:
    """The path of a participant's page. It never changes, so it is signed once."""
    return f"/s/{quote(study, safe='')}/p/{token_of(store, number, participant)}"


def _of(done: list[Work], person: Participant, record: Record) -> list[Work]:
    """What this person did: all of a log of their own, their part of a shared one."""
    shared = person.log == record.study
    return [one for one in done if one.log == person.log and (not shared or one.who == person.participant)]


def _person(
    person: Participant, where: str, goal: str, desk: Desk | None, done: list[Work], reason: str | None
) -> Person:
    standing = desk.standing if desk else None
    return Person(
        **vars(person),
        answers=max(0, sum(one.answers for one in done)),
        skips=sum(one.skips for one in done),
        last=max((one.last for one in done if one.last), default=None),
        diameter=standing.diameter if standing else None,
        done=standing.done if standing else reason,
        guess=headline(goal, standing.estimate) if standing else None,
        trusted=standing.people.get(person.participant) if standing else None,
        link=where,
    )


def _known(desk: Desk) -> Known:
    standing = desk.standing
    assert standing is not None
    return Known(
        answers=standing.answers,
        diameter=standing.diameter,
        done=standing.done,
        estimate=standing.estimate,
        certificate=standing.certificate,
    )
