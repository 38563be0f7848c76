"""What is known at one position of a log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from askwise.session.events import Event
from askwise.session.round import Round
from askwise.stopping import StopReason
from askwise.types import Response


@dataclass(frozen=True)
class LogState:
    """What is known after the first `position` events of a log. Plain values, so that processes can exchange it.

    >>> state = LogState(position=4, answers=2, diameter=0.3, estimate="tea")
    >>> state.done is None, state.question is None
    (True, True)
    """

    position: int
    answers: int  # in force
    diameter: float
    estimate: Any
    done: StopReason | None = None  # the reason to stop; None: there are more questions
    settled: StopReason | None = None  # the same, also where the owner lets the study continue
    beyond: bool = False  # whether they do
    question: Event | None = None  # the next one to ask
    open_question: str | None = None  # the first open one, once that question is asked
    likely: tuple[Response, ...] = ()  # responses to the open question, the likeliest first
    certificate: str | None = None  # once it is time to stop
    certainty: str | None = None  # the same in a plain sentence, for those who answered
    reliability: Mapping[str, float] = field(default_factory=dict)  # of each of several people
    fallback: tuple[Event, ...] = ()  # questions to ask when the next one is not ready
    budget: int | None = None  # answers at most
    questions_left: bool = True  # False: every question was asked or skipped


def state_of_round(round: Round, position: int, open_question: Event | None, **more: Any) -> LogState:
    """The state with what the round has computed. `open_question` is open then, or will be once it is asked."""
    return LogState(
        position=position,
        answers=len(round.beliefs.told),
        diameter=float(round.diameter),
        estimate=round.estimate.value,
        open_question=None if open_question is None else open_question["question"],
        likely=() if open_question is None else tuple(round.likely(open_question)),
        reliability=round.reliability,
        **more,
    )
