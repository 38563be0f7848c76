"""What participants may do: see a question, answer, skip, take back, look at their own answers."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from math import inf
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request, Response

from askwise.data.media import media_type
from askwise.goals import goal_class
from askwise.session.log_state import LogState
from askwise.simulate.forecast import forecast
from askwise.simulate.populations import people_before
from askwise.simulate.runs import SimulatedRun
from askwise.storage.participants import Participant, StudySettings
from askwise.storage.store import Record
from askwise.web.learner.learner import explain_question
from askwise.web.log_service import LogService
from askwise.web.respondent import NextQuestion, Respondent
from askwise.web.schemas import (
    AnswerRequest,
    OwnAnswer,
    ParticipantState,
    QuestionsToCome,
    SkipRequest,
    UndoRequest,
    asked_text,
    next_images,
    shown_question,
)
from askwise.web.security import VERIFIED_LINK
from askwise.web.sentences import NOT_YOURS, STUDY_CLOSED, STUDY_PAUSED, ending
from askwise.web.studies import ServedStudies

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

    def state(self, next_question: NextQuestion) -> ParticipantState:
        """What the participant's page shows."""
        service, state = self.service, self.service.states.latest
        # a reason to stop counts only if it is about the answers that are now in force, and about the present items
        final = state if state and state.done and service.event_log.is_current(state.position, state.answers) else None
        count = service.closed_count(self.respondent)
        kind = "quota" if count >= self.respondent.quota else final.done.kind if final and final.done else None
        changes = service.event_log.goal_events
        goal = goal_class(changes[-1]["goal"] if changes else self.record.recipe["goal"])
        seen = self.settings.shown, len(changes), service.event_log.shown_options
        if service.presented[0] != seen:
            service.presented = seen, self.studies.presentation(self.study, service.event_log, self.settings.shown)
        before = people_before(service.log.journal.record.recipe)
        runs = [] if state is None or state.done else self.studies.simulated_runs(self.study, before)
        # the first question may have come while the learner was behind, and then its event has no diameter
        diameters = [service.event_log.counts.first_diameter, *(run.diameters[0] for run in runs[:1])]
        return ParticipantState(
            study=self.study,
            title=self.study,
            goal=goal.goal_name,
            instructions=self.respondent.wording.instructions,
            state="paused" if self.person.paused else self.settings.state,
            question=shown_question(next_question.event, service.presented[1]),
            done=None if kind is None else ending(kind, count, self.respondent.quota, service.log.pooled),
            done_kind=kind,
            answers=count,
            quota=self.person.quota,
            diameter=None if state is None else state.diameter,
            start=max((each for each in diameters if each is not None), default=None),
            forecast=self._questions_to_come(state, runs) if state and runs else None,
            estimate=final.estimate if final else None,
            result=goal.lines(final.estimate) if final else None,
            ordered=goal.ordered,
            certainty=final.certainty if final else None,
            shared=service.log.pooled,
            behind=next_question.behind,
            held=next_question.held,
            catching_up=state is None or state.position != len(service.event_log.events),
            why=self.settings.why,
            preload=next_images(service),
        )

    def _questions_to_come(self, state: LogState, runs: list[SimulatedRun]) -> QuestionsToCome | None:
        """How many questions are left, as for the people simulated for the study, within quota and budget."""
        left = int(self.record.recipe["options"].get("budget", 10**6)) - state.answers
        if self.person.quota is not None:
            left = min(left, self.person.quota - self.service.closed_count(self.respondent))
        found = forecast(runs, state.diameter, state.answers, max(1, left))
        return None if found is None else QuestionsToCome(**vars(found), text=str(found))


async def current_participant(request: Request, study: str, token: str) -> ParticipantContext:
    """The participant of a link. A forged token and an unknown study give the same error."""
    studies: ServedStudies = request.app.state.studies
    verified = request.scope.get(VERIFIED_LINK) == (study, token)
    found = await asyncio.to_thread(studies.participant, study, token, verified)
    if found is None:
        raise HTTPException(404, "this link is not valid; ask whoever sent it for another one")
    record, person, settings = found
    paused = settings.state != "open" or person.paused
    refusal = STUDY_CLOSED if settings.state == "closed" else STUDY_PAUSED if paused else None
    quota = inf if person.quota is None else person.quota
    wording = studies.wordings.get((study, settings.wording)) or studies.wording(study, settings.wording)
    group = record.recipe["options"].get("people")  # in whose log everybody has their own name
    who = person.participant if group is None else person.name
    respondent = Respondent(who, refusal, quota, settings.beyond, wording, joins=isinstance(group, int))
    service = await studies.service(study, person)
    return ParticipantContext(studies, study, record, person, settings, service, respondent)


CurrentParticipant = Annotated[ParticipantContext, Depends(current_participant)]


@router.get("")
async def current(context: CurrentParticipant) -> ParticipantState:
    """The question before this person, and where they are. Asking again changes nothing."""
    return context.state(await context.service.show(context.respondent))


@router.post("/answers")
async def tell(context: CurrentParticipant, told: AnswerRequest) -> ParticipantState:
    """Takes an answer; the reply carries the next question."""
    return context.state(
        await context.service.tell(context.respondent, told.question, told.response, told.key, told.seconds)
    )


@router.post("/skips")
async def skip(context: CurrentParticipant, skipped: SkipRequest) -> ParticipantState:
    """Can't tell: noted, not asked again, nothing concluded."""
    return context.state(
        await context.service.skip(context.respondent, skipped.question, skipped.reason, skipped.key, skipped.seconds)
    )


@router.post("/undo")
async def undo(context: CurrentParticipant, undone: UndoRequest) -> ParticipantState:
    """Takes one's last answer back, or that to the question named."""
    return context.state(await context.service.undo(context.respondent, undone.question, undone.key))


@router.get("/answers")
async def mine(context: CurrentParticipant) -> list[OwnAnswer]:
    """One's own answers in force, the last first."""
    await context.service.log.catch_up()
    asked_of = context.service.event_log.ask_events
    return [
        OwnAnswer(
            question=event["question"],
            kind=asked_of[event["question"]]["kind"],
            text=asked_text(asked_of[event["question"]]),
            options=asked_of[event["question"]]["options"],
            answer_names=asked_of[event["question"]].get("answer_names", {}),
            response=event.get("response"),
            skipped=event["event"] == "skip",
            time=event["time"],
        )
        for event in reversed(context.service.closed(context.respondent))
    ]


@router.get("/why/{question}")
async def reasons(context: CurrentParticipant, question: str) -> list[dict[str, object]]:
    """What each answer to the open question would settle, if the owner lets people see that."""
    service = context.service
    if not context.settings.why:
        raise HTTPException(403, "whoever made this study does not show what is expected of your answers")
    await service.log.catch_up()
    if not service.shows(context.respondent, question):
        raise HTTPException(404, "there is no such question before you")
    if service.event_log.status[question] != "open":
        raise HTTPException(409, NOT_YOURS)
    try:
        found: list[dict[str, object]] = await asyncio.wait_for(
            service.states.learner.run(explain_question, service.states.job, question), WHY_SECONDS
        )
    except TimeoutError:
        raise HTTPException(503, "the learner is busy; answer, or ask again in a moment") from None
    return found


@router.get("/image/{name:path}")
async def image(context: CurrentParticipant, name: str) -> Response:
    """A picture of the study."""
    store = context.studies.store(context.study)
    content = await asyncio.to_thread(store.image, context.record.study, name)
    if content is None:
        raise HTTPException(404, "there is no such picture")
    kind = media_type(content) or "application/octet-stream"  # what is no image is only ever downloaded
    return Response(content, media_type=kind, headers={"Cache-Control": "private, max-age=86400"})
