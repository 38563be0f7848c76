"""What participants may do: see a question, answer, skip, take back, look at their own answers."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request, Response

from askwise.server.desk import Desk, Shown
from askwise.server.hub import Hub
from askwise.server.learner import Standing, why
from askwise.server.openlog import Asker
from askwise.server.shapes import Coming, Mine, Skipped, State, Told, Undone, asked, coming, first_diameter, pictures
from askwise.simulate.plan import forecast
from askwise.study.participants import Participant, Rules, holder
from askwise.study.store import Record

CLOSED = "the study takes no answers at the moment; what you answered before is kept"
PATIENCE = 5.0  # seconds for what somebody would like to know beside
router = APIRouter(prefix="/api/v1/s/{study}/p/{token}", tags=["answering"])


class Seat:
    """A participant at their desk."""

    def __init__(self, hub: Hub, study: str, record: Record, person: Participant, rules: Rules, desk: Desk):
        self.hub = hub
        self.study = study
        self.record = record
        self.person = person
        self.rules = rules
        self.desk = desk

    @property
    def asker(self) -> Asker:
        """Refuses answers that nobody waits for."""
        closed = self.rules.state != "open" or self.person.paused
        return Asker(self.person.participant, CLOSED if closed else None, self.person.quota, self.rules.beyond)

    def state(self, shown: Shown) -> State:
        standing, talk = shown.standing, self.desk.talk
        full = self.desk.log.full(self.asker)
        told = sum(status == "answered" for status in talk.status.values())
        final = standing if standing and standing.done and standing.answers == told else None  # of the last answer
        done = "your quota of answers is reached" if full else final.done if final else None
        return State(
            study=self.study,
            title=self.study,
            goal=self.record.recipe["goal"],
            instructions=self.record.recipe.get("instructions"),
            state="paused" if self.person.paused else self.rules.state,
            question=None if shown.question is None else asked(shown.question),
            done=done,
            answers=shown.answers,
            quota=self.person.quota,
            diameter=None if standing is None else standing.diameter,
            start=first_diameter(talk.log),
            forecast=None if standing is None or standing.done else self._coming(standing),
            estimate=final.estimate if final else None,
            certificate=final.certificate if final else None,
            behind=shown.behind,
            why=self.rules.why,
            preload=pictures(self.desk.view),
        )

    def _coming(self, standing: Standing) -> Coming | None:
        """Questions still to come: as people took who were simulated for the study, within quota and budget."""
        options = self.record.recipe["options"]
        left = [int(options.get("budget", 10**6)) - standing.answers]
        if self.person.quota is not None:
            left.append(self.person.quota - len(self.desk.log.mine(self.person.participant)))
        trips = self.hub.trips(self.study)
        return coming(forecast(trips, standing.diameter, standing.answers, max(1, min(left))))


async def seated(request: Request, study: str, token: str) -> Seat:
    """The participant of a link; a forged token and an unknown study give the same error."""
    hub: Hub = request.app.state.hub

    def find() -> tuple[Record, Participant, Rules] | None:
        if not hub.has(study):
            return None
        store, known = hub.store(study), hub.known(study)
        found = holder(store, known.study, token)
        return None if found is None else (known, *found)

    found = await asyncio.to_thread(find)
    if found is None:
        raise HTTPException(404, "this link is not valid; ask whoever sent it for another one")
    return Seat(hub, study, *found, await hub.desk(study, found[1]))


Who = Annotated[Seat, Depends(seated)]


@router.get("")
async def current(seat: Who) -> State:
    """The question before this person, and where they are. Asking again changes nothing."""
    return seat.state(await seat.desk.show(seat.asker))


@router.post("/answers")
async def tell(seat: Who, told: Told) -> State:
    """Takes an answer; the reply carries the next question."""
    return seat.state(await seat.desk.tell(seat.asker, told.question, told.response, told.key, told.seconds))


@router.post("/skips")
async def skip(seat: Who, skipped: Skipped) -> State:
    """Can't tell: noted, not asked again, nothing concluded."""
    return seat.state(await seat.desk.skip(seat.asker, skipped.question, skipped.reason, skipped.key, skipped.seconds))


@router.post("/undo")
async def undo(seat: Who, undone: Undone) -> State:
    """Takes one's last answer back, or that to the question named."""
    return seat.state(await seat.desk.undo(seat.asker, undone.question, undone.key))


@router.get("/answers")
async def mine(seat: Who) -> list[Mine]:
    """One's own answers in force, the last first."""
    await seat.desk.log.take_in()
    asked_of = seat.desk.talk.asked
    return [
        Mine(
            question=event["question"],
            kind=asked_of[event["question"]]["kind"],
            text=asked_of[event["question"]]["text"],
            options=asked_of[event["question"]]["options"],
            response=event.get("response"),
            skipped=event["event"] == "skip",
            time=event["time"],
        )
        for event in reversed(seat.desk.log.mine(seat.person.participant))
    ]


@router.get("/why/{question}")
async def reasons(seat: Who, question: str) -> list[dict[str, object]]:
    """What each answer to the open question would settle, if the owner lets people see that."""
    desk = seat.desk
    if not seat.rules.why:
        raise HTTPException(403, "whoever made this study does not show what is expected of your answers")
    await desk.log.take_in()
    if not desk.log.shows(seat.asker, question):
        raise HTTPException(404, "there is no such question before you")
    desk.talk.to_answer(question)
    try:
        found: list[dict[str, object]] = await asyncio.wait_for(desk.learner.run(why, desk.job, question), PATIENCE)
    except TimeoutError:
        raise HTTPException(503, "the learner is busy; answer, or ask again in a moment") from None
    return found


@router.get("/image/{name:path}")
async def image(seat: Who, name: str) -> Response:
    """A picture of the study."""
    store = seat.hub.store(seat.study)
    content = await asyncio.to_thread(store.image, seat.record.study, name)
    if content is None:
        raise HTTPException(404, "there is no such picture")
    return Response(content, media_type=media(content), headers={"Cache-Control": "private, max-age=86400"})


def media(content: bytes) -> str:
    """The kind of a picture by its first bytes; what is not known is only ever downloaded."""
    kinds = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif", b"RIFF": "image/webp"}
    found = next((kind for magic, kind in kinds.items() if content.startswith(magic)), None)
    if found is None and content[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    if found is None and b"<svg" in content[:1000]:
        return "image/svg+xml"  # the page shows it as a picture, where scripts in it do not run
    return found or "application/octet-stream"
