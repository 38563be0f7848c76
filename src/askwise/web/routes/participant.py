"""What participants may do: see a question, answer, skip, take back, look at their own answers."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from math import inf
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Request, Response

from askwise.data.media import media_type
from askwise.errors import AnswerError
from askwise.goals import goal_class
from askwise.session.config import Present
from askwise.session.log_state import LogState
from askwise.simulate.forecast import forecast
from askwise.simulate.populations import people_before
from askwise.simulate.runs import SimulatedRun
from askwise.storage.checks import DueCheck, due_check, is_check, past_checks, record_check
from askwise.storage.consent import completion_code
from askwise.storage.crowd import CrowdSettings, settings_from
from askwise.storage.finishing import EndKind, note_finished
from askwise.storage.joining import keep_place
from askwise.storage.participants import Participant, StudySettings, person, respondent_name
from askwise.storage.permission import NotNow, Reason, reason_against
from askwise.storage.places import held_since
from askwise.storage.store import Record
from askwise.web.learner.learner import explain_question
from askwise.web.log_service import LogService
from askwise.web.request_language import choose_language
from askwise.web.respondent import NextQuestion, Respondent
from askwise.web.schemas import (
    AnswerRequest,
    OwnAnswer,
    ParticipantState,
    QuestionsToCome,
    SkipRequest,
    UndoRequest,
    described,
    next_images,
    own_answer,
    shown_question,
)
from askwise.web.security import VERIFIED_LINK
from askwise.web.sentences import NOT_YOURS, certainty_text, ending, forecast_text, instructed_check, shown_first
from askwise.web.studies import ServedStudies
from askwise.web.texts import Catalogue, Told

WAITING = ("paused", "early")  # reasons against an answer that pass
WHY_SECONDS = 5.0  # that a person waits to see why a question is asked
router = APIRouter(prefix="/api/v1/s/{study}/p/{token}", tags=["answering"])


@dataclass(frozen=True)
class ParticipantContext:
    """A participant of a study, and the service of their log."""

    studies: ServedStudies
    study: str
    record: Record
    person: Participant
    settings: StudySettings
    service: LogService
    respondent: Respondent
    crowd: CrowdSettings
    texts: Catalogue
    reason: Reason | None  # why they may not answer now

    @property
    def may_ask_why(self) -> bool:
        """Whether they may see what is expected of their answers."""
        return self.crowd.why if self.person.joined else self.settings.why

    @property
    def sees_results(self) -> bool:
        return self.crowd.results or not self.person.joined

    async def due_check(self) -> DueCheck | None:
        """The check that comes before the next question, if one is due."""
        if self.reason is not None or not (self.crowd.check_every or self.crowd.repeat_every):
            return None
        who, store = self.person.participant, self.studies.store(self.study)
        past = await asyncio.to_thread(past_checks, store, self.record.study, who)
        log, instructed = self.service.event_log, instructed_check(self.texts, who, len(past))
        return due_check(self.crowd, who, self.service.closed(self.respondent), log.ask_events, past, instructed)

    async def answer_check(self, question: str, response: Any, key: str, seconds: float | None) -> ParticipantState:
        """Takes an answer to a check, which goes into no log."""
        await self.service.log.catch_up()
        store, study, who = self.studies.store(self.study), self.record.study, self.person.participant
        if not any(check.key == key for check in await asyncio.to_thread(past_checks, store, study, who)):
            due = await self.due_check()
            if self.reason is not None:
                raise NotNow(self.reason)
            if due is None or due.question != question:
                raise AnswerError(NOT_YOURS)
            given = due, response, key, seconds, self.crowd.max_failed
            await asyncio.to_thread(record_check, store, study, who, *given)
            self.studies.changed(self.study)
        found = await asyncio.to_thread(person, store, study, who)
        if found is None or found.status is None:
            return await self.state(await self.service.show(self.respondent))
        refused = replace(self.respondent, refusal=Told(f"refused.{found.status}"))
        now = replace(self, person=found, reason=found.status, respondent=refused)  # type: ignore[arg-type]
        return await now.state(await self.service.show(refused))

    async def state(self, next_question: NextQuestion) -> ParticipantState:
        """What the participant's page shows."""
        due = await self.due_check() if self.crowd.check_every or self.crowd.repeat_every else None
        if due is not None:
            next_question = next_question._replace(event=due.event)
        service, present = self.service, await self.presentation()
        question = await asyncio.to_thread(shown_question, next_question.event, present, self.texts)
        state = service.states.latest
        # a reason to stop counts only if it is about the answers that are now in force, and about the present items
        final = state if state and state.done and service.event_log.is_current(state.position, state.answers) else None
        count = service.closed_count(self.respondent)
        kind = "quota" if count >= self.respondent.quota else final.done.kind if final and final.done else None
        takes_part = self.person.status is None and (self.reason != "consent" or self.person.consent is not None)
        kind = kind if due is None and takes_part else None
        changes = service.event_log.goal_events
        goal = goal_class(changes[-1]["goal"] if changes else self.record.recipe["goal"])
        before = people_before(service.recipe)
        runs = [] if state is None or state.done else self.studies.simulated_runs(self.study, before)
        # the first question may have come while the learner was behind, and then its event has no diameter
        diameters = [service.event_log.counts.first_diameter, *(run.diameters[0] for run in runs[:1])]
        known = final if final and self.sees_results else None
        return ParticipantState(
            study=self.study,
            title=self.study,
            goal=goal.goal_name,
            instructions=shown_first(self.respondent.wording.instructions, self.crowd, self.texts),
            state="open" if self.reason is None else "paused" if self.reason in WAITING else "closed",
            question=question,
            done=None if kind is None else self._ending(kind, count),
            done_kind=kind,
            answers=count,
            quota=self.person.quota,
            diameter=None if state is None else state.diameter,
            start=max((each for each in diameters if each is not None), default=None),
            forecast=self._questions_to_come(state, runs) if state and runs else None,
            estimate=known.estimate if known else None,
            result=goal.lines(known.estimate) if known else None,
            ordered=goal.ordered,
            certainty=certainty_text(known.certainty, self.texts) if known else None,
            shared=service.log.pooled,
            behind=next_question.behind,
            held=next_question.held,
            catching_up=state is None or state.position != len(service.event_log.events),
            why=self.may_ask_why and due is None,
            preload=next_images(service),
            refused=None if self.reason is None else self.texts.text(f"refused.{self.reason}"),
            opens=self.crowd.opens if self.reason == "early" else None,
            leaves=self.person.status is not None or self.reason in ("consent", "full"),
            **(await asyncio.to_thread(self._farewell, kind) if kind is not None else {}),
        )

    async def presentation(self) -> Present | None:
        """What completes the questions with what this person sees."""
        service, log = self.service, self.service.event_log
        seen = self.settings.shown, len(log.changes), log.shown_options
        if service.presented[0] != seen:
            made = await self.studies.presentation(self.study, service.recipe, log, self.settings.shown)
            service.presented = seen, made
        return service.presented[1]

    def _ending(self, kind: str, count: int) -> str:
        """Why the questions end."""
        if kind == "settled" and not self.sees_results:
            return self.texts.text("done.enough")
        return ending(kind, count, self.respondent.quota, self.service.log.pooled).in_language(self.texts)

    def _farewell(self, kind: EndKind) -> dict[str, Any]:
        """What somebody reads and gets at the end. That they got it is noted."""
        store = self.studies.store(self.study)
        note_finished(store, self.record.study, self.person.participant, kind)
        if not self.person.joined:
            return {"thanks": self.crowd.thanks}
        code = completion_code(store, self.record.study, self.person.participant, self.crowd)
        return {"thanks": self.crowd.thanks, "code": code, "returns": self.crowd.return_done is not None}

    def _questions_to_come(self, state: LogState, runs: list[SimulatedRun]) -> QuestionsToCome | None:
        """How many questions are left, as for the people simulated for the study, within quota and budget."""
        left = int(self.record.recipe["options"].get("budget", 10**6)) - state.answers
        if self.person.quota is not None:
            left = min(left, self.person.quota - self.service.closed_count(self.respondent))
        found = forecast(runs, state.diameter, state.answers, max(1, left))
        return None if found is None else QuestionsToCome(**vars(found), text=forecast_text(found, self.texts))


async def current_participant(request: Request, study: str, token: str) -> ParticipantContext:
    """The participant of a link. A forged token and an unknown study give the same error."""
    studies: ServedStudies = request.app.state.studies
    verified = request.scope.get(VERIFIED_LINK) == (study, token)
    found = await asyncio.to_thread(studies.participant, study, token, verified)
    if found is None:
        raise HTTPException(404, Told("error.link"))
    record, someone, settings = found
    crowd = settings_from(settings.crowd)
    texts = choose_language(request, someone.language, crowd.language)
    reason = reason_against(settings.state, someone.paused, someone.status, someone.consent, someone.joined, crowd)
    quota = inf if someone.quota is None else someone.quota
    wording = studies.wordings.get((study, settings.wording)) or studies.wording(study, settings.wording)
    chosen = record.recipe["options"]
    group, named = chosen.get("people"), chosen.get("people") is not None or chosen.get("anchor") is not None
    who = respondent_name(record, someone) if named else someone.participant
    service = await studies.service(study, someone, settings.edition)
    if reason in (None, "consent") and someone.joined and crowd.people is not None:
        waited = someone.created <= held_since(crowd) and not service.closed_count(Respondent(who))
        if waited and not await asyncio.to_thread(keep_place, studies.store(study), record.study, someone.participant):
            reason = "full"
    refusal = None if reason is None else Told(f"refused.{reason}")
    respondent = Respondent(who, refusal, quota, settings.beyond, wording, joins=isinstance(group, int))
    more = service, respondent, crowd, texts, reason
    return ParticipantContext(studies, study, record, someone, settings, *more)


CurrentParticipant = Annotated[ParticipantContext, Depends(current_participant)]


@router.get("")
async def current(context: CurrentParticipant) -> ParticipantState:
    """The question before this person, and where they are. Asking again changes nothing."""
    return await context.state(await context.service.show(context.respondent))


@router.post("/answers")
async def tell(context: CurrentParticipant, told: AnswerRequest) -> ParticipantState:
    """Takes an answer; the reply carries the next question."""
    if is_check(told.question):
        return await context.answer_check(told.question, told.response, told.key, told.seconds)
    return await context.state(
        await context.service.tell(context.respondent, told.question, told.response, told.key, told.seconds)
    )


@router.post("/skips")
async def skip(context: CurrentParticipant, skipped: SkipRequest) -> ParticipantState:
    """Can't tell: noted, not asked again, nothing concluded."""
    if is_check(skipped.question):
        return await context.answer_check(skipped.question, None, skipped.key, skipped.seconds)
    return await context.state(
        await context.service.skip(context.respondent, skipped.question, skipped.reason, skipped.key, skipped.seconds)
    )


@router.post("/undo")
async def undo(context: CurrentParticipant, undone: UndoRequest) -> ParticipantState:
    """Takes one's last answer back, or that to the question named."""
    return await context.state(await context.service.undo(context.respondent, undone.question, undone.key))


@router.get("/answers")
async def mine(context: CurrentParticipant) -> list[OwnAnswer]:
    """One's own answers in force, the last first."""
    await context.service.log.catch_up()
    asked, present = context.service.event_log.ask_events, await context.presentation()
    texts = context.texts
    closed = reversed(context.service.closed(context.respondent))
    more = present, texts
    return await asyncio.to_thread(lambda: [own_answer(event, asked[event["question"]], *more) for event in closed])


@router.get("/why/{question}")
async def reasons(context: CurrentParticipant, question: str) -> list[dict[str, object]]:
    """What each answer to the open question would settle, if the owner lets people see that."""
    service = context.service
    if not context.may_ask_why:
        raise HTTPException(403, Told("refused.no_why"))
    await service.log.catch_up()
    if not service.shows(context.respondent, question):
        raise HTTPException(404, Told("refused.no_question"))
    if service.event_log.status[question] != "open":
        raise HTTPException(409, NOT_YOURS)
    try:
        found: list[dict[str, object]] = await asyncio.wait_for(
            service.states.learner.run(explain_question, service.states.job, question), WHY_SECONDS
        )
    except TimeoutError:
        raise HTTPException(503, Told("refused.why_busy")) from None
    return found


@router.get("/image/{name:path}", response_class=Response, responses={200: described("image/*")})
async def image(context: CurrentParticipant, name: str) -> Response:
    """A picture of the study."""
    store = context.studies.store(context.study)
    content = await asyncio.to_thread(store.image, context.record.study, name)
    if content is None:
        raise HTTPException(404, "there is no such picture")
    kind = media_type(content) or "application/octet-stream"  # what is no image is only ever downloaded
    return Response(content, media_type=kind, headers={"Cache-Control": "private, max-age=86400"})
