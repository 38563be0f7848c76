"""Who answers, and what they are asked next."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from askwise.session.events import Event
from askwise.session.wording import USUAL, Wording


@dataclass(frozen=True)
class Respondent:
    """Somebody who answers, and what they may do."""

    who: str
    refusal: str | None = None  # why no answer is taken from them now
    quota: float = inf  # answers and skips at most
    beyond: bool = False  # whether they are asked although the goal is settled
    wording: Wording = USUAL  # what they read
    joins: bool = False  # whether they may take a place in a group of which only the size is known
    for_everybody: bool = False  # whether they pass on the answers of everybody in a group, as its owner does


class NextQuestion(NamedTuple):
    """What a person is asked now."""

    event: Event | None
    behind: bool  # whether the learner is: the question is a fallback, or there is none yet
    held: bool = False  # whether others are answering all that is left
