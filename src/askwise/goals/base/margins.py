"""The options `noise` and `margin` of goals with the 0-1 loss. With a margin, wrong answers may come in any way, if the
right one leads."""

from __future__ import annotations

from functools import partial
from typing import Any

from askwise.distances import Distance
from askwise.goals.base.options import option
from askwise.losses import zero_one
from askwise.options import number
from askwise.problem import Problem, margin_beta
from askwise.structures import Family

NOISE = (
    "The share of wrong answers. Goals about preferences and labels learn it, or take 0: no answer is ever wrong, "
    "scores are linear, and an answer that contradicts others is refused."
)


def margin_option() -> Any:
    """The option itself, for the goals that have it."""
    return option(
        default=None, parse=partial(number, above=0, at_most=1), typed=float,
        help="By how much the right answer to any question is likelier than any other, at least, from 0 to 1; wrong "
        "answers may then come in any way. In place of noise, for many more questions.",
    )  # fmt: skip


def zero_one_problem(family: Family, distance: Distance, beta: float, margin: float | None) -> Problem:
    """The problem of a goal with the 0-1 loss: with `beta`, or with the cautious one of a `margin`.

    >>> from askwise.distances.clusterings import ClusterPairs
    >>> from askwise.structures.clusterings import Clusterings
    >>> zero_one_problem(Clusterings(4), ClusterPairs(), 3.0, margin=0.5).beta
    0.05
    """
    return Problem(family, distance, zero_one, beta if margin is None else margin_beta(margin), margin)


def repeats_questions(repeat: bool | None, margin: float | None, few: bool = False) -> bool:
    """Whether the same question may be asked again: with a margin no answer counts for much, so it must be; so it must
    where questions are `few` and answers may be wrong.

    >>> repeats_questions(None, 0.5), repeats_questions(None, None), repeats_questions(False, 0.5)
    (True, False, False)
    """
    return few or margin is not None if repeat is None else repeat
