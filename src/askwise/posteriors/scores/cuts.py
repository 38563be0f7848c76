"""The cuts between grades that a posterior weighs against each other, and what is held likely of them at first.

The cuts of a graded answer (`OrderedLogit`) are multiples 1, 2, ... of a unit, or 1, 4, 9, ... where stronger grades
are kept for the extremes: powers of 1, 2, .... Unit and power are learned, on a grid. People use all grades, so a unit
near a share of the prior scale is held to be likely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from askwise.types import Bools, Floats

UNITS = 0.6 * np.geomspace(0.5, 32.0, 7)  # of the cuts: this share of each prior scale
UNIT_SHARE = 0.6  # of the prior scale: so differences of scores use three grades about equally often
UNIT_SPREAD = np.log(3.0)  # standard deviation of the logarithm of a unit
POWERS = (1.0, 2.0)  # of 1, 2, ..., which the cuts are multiples of
TIE_CUT = 1 / 3  # of the first cut, within which items are about equal


@dataclass(frozen=True)
class CutGrid:
    """J sets of cuts for G grades.

    >>> grid = cut_grid(3, ties=False)
    >>> grid.cuts[:2]
    array([[0. , 0.3, 0.6],
           [0. , 0.6, 1.2]])
    """

    cuts: Floats  # (J, G)
    units: Floats  # (J,)
    neighbours: Bools  # (J, J): which to look at when one gains weight

    def log_prior(self, scales: Floats) -> Floats:
        """(J, C): the log weight of each set of cuts at each of the prior `scales`; weights at a scale sum to one."""
        off = (np.log(self.units)[:, None] - np.log(UNIT_SHARE * scales)) / UNIT_SPREAD
        logs = -np.square(off) / 2
        return np.asarray(logs - np.log(np.exp(logs).sum(axis=0)))


def cut_grid(grades: int, ties: bool, powers: Sequence[float] = POWERS) -> CutGrid:
    """The sets of cuts for so many grades, with or without "about equal"; see `CutGrid`."""
    steps = np.arange(1.0, grades)
    patterns = [steps] if grades == 2 else [steps**power for power in powers]
    first = [TIE_CUT] if ties else [0.0]
    cuts = np.array([unit * np.append(first, pattern) for pattern in patterns for unit in UNITS])
    units, pattern = np.tile(np.arange(len(UNITS)), len(patterns)), np.repeat(np.arange(len(patterns)), len(UNITS))
    apart = np.abs(units[:, None] - units) + np.abs(pattern[:, None] - pattern)
    return CutGrid(cuts, np.tile(UNITS, len(patterns)), apart == 1)


def mean_cuts(cuts: Floats, weights: Sequence[float] | Floats) -> tuple[float, ...]:
    """The cuts (J, G) that these weights (J,) expect, on a logarithmic scale; the first stays 0 if it is.

    >>> mean_cuts(np.array([[0.0, 1.0], [0.0, 4.0]]), [0.5, 0.5])
    (0.0, 2.0)
    """
    with np.errstate(divide="ignore"):
        found = np.exp(np.asarray(weights) @ np.maximum(np.log(cuts), -700.0))
    return tuple(float(cut) if cut > 1e-200 else 0.0 for cut in found)
