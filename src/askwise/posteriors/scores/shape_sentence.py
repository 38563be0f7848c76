"""What the answers say about straight lines and curves, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from askwise.posteriors.scores.kernels import Shape
from askwise.posteriors.scores.population import POPULATION
from askwise.types import Floats

TELLING_ODDS = 3.0  # from which on the answers tell between straight lines and curves


def sentence_about_shapes(shapes: Sequence[Shape], prior: Floats, now: Floats) -> str | None:
    """Compares the weights (H,) of shapes before the answers and now; None where there is nothing to choose between.

    >>> from askwise.posteriors.scores.kernels import LINEAR
    >>> sentence_about_shapes([LINEAR, Shape("bent", smooth=1.0)], np.array([0.5, 0.5]), np.array([0.1, 0.9]))
    'Features act in curves: straight lines explain the answers 9 times less well.'
    """
    bends = np.array([shape.bends for shape in shapes])
    straight = np.array([not shape.bends and shape is not POPULATION for shape in shapes])
    if not (bends.any() and straight.any()):
        return None
    odds = (now[bends].sum() / prior[bends].sum()) / max(now[straight].sum() / prior[straight].sum(), 1e-12)
    if odds >= TELLING_ODDS:
        return f"Features act in curves: straight lines explain the answers {times_in_words(odds)} times less well."
    if odds <= 1 / TELLING_ODDS:
        return f"Features act in straight lines: curves explain the answers {times_in_words(1 / odds)} times less well."
    return "The answers do not tell whether features act in straight lines or in curves; the result allows for both."


def times_in_words(odds: float) -> str:
    """How many times, as people say it.

    >>> times_in_words(4.2), times_in_words(41.0), times_in_words(1e7)
    ('4', '41', 'more than 1,000')
    """
    return f"{odds:.0f}" if odds <= 1000 else "more than 1,000"
