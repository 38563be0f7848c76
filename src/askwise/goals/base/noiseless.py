"""The option `noise` of goals that learn scores: 0 where no answer is ever wrong."""

from __future__ import annotations

from math import inf
from typing import Any

from askwise.distances import Distance
from askwise.errors import SettingError
from askwise.goals.base.margins import NOISE
from askwise.goals.base.options import option
from askwise.goals.base.shapes import is_straight
from askwise.losses import zero_one
from askwise.options import number, shown
from askwise.posteriors.scores.kernels import ShapeChoice
from askwise.posteriors.scores.version_space import VersionSpace
from askwise.problem import Problem
from askwise.structures.choice import ItemScores

MAX_WEIGHTS, MAX_SCORES = 40, 300  # of features, of items; beyond, a question takes longer than people wait
NO_MISTAKES = "Answers are taken to be right: one that contradicts others is refused."


def check_noise(name: str, value: Any) -> float:
    """0, the only noise that is not learned.

    >>> check_noise("noise", 0)
    0.0
    """
    if number(name, value) != 0:
        raise SettingError(f"{name} is {shown(value)}; expected 0 (no answer is wrong), or nothing: then it is learned")
    return 0.0


def noise_option() -> Any:
    """The option itself, for the goals that have it."""
    return option(default=None, parse=check_noise, typed=float, help=NOISE)


def check_noiseless(shape: ShapeChoice, prior_scale: float | None, *allowed: str) -> None:
    """Refuses what makes no sense where no answer is wrong. The shape "learned" is "linear" there.

    - `allowed`: shapes that do beside these two.

    >>> check_noiseless("smooth", None)
    Traceback (most recent call last):
    askwise.errors.SettingError: shape is 'smooth', and with noise=0 scores are linear; leave out one of the two
    """
    if not (is_straight(shape) or shape in ("learned", *allowed)):
        raise SettingError(f"shape is {shown(shape)}, and with noise=0 scores are linear; leave out one of the two")
    if prior_scale is not None:
        raise SettingError("prior_scale says how decided people are, and with noise=0 all are; leave out one of them")


def noiseless(family: Any, distance: Distance, chains: int) -> tuple[Problem, VersionSpace]:
    """The problem of a linear family in which no answer is wrong, and what is believed before any answer.

    - `chains`: draws that are kept.

    >>> from askwise.distances.labels import Angle
    >>> from askwise.structures.linear import LinearSphere
    >>> noiseless(LinearSphere(3), Angle(), 100)[0].beta
    inf
    """
    if isinstance(family, ItemScores):
        most, what = MAX_SCORES, "items without features"
    else:
        most, what = MAX_WEIGHTS, "weights, one for each feature (and label)"
    if family.dimension > most:
        raise SettingError(f"noise=0 takes up to {most} {what}, got {family.dimension}; leave out noise, or give fewer")
    return Problem(family, distance, zero_one, inf), VersionSpace.prior(family, chains)
