"""Clustering on the line: how many questions exact NDBAL asks for whole clusterings (d_c) and for the cluster of a
known interval only (d_I), on the clusterings of `hard_clusterings` (theorem clustering separation).

Everything is exact, in whole numbers. A clustering is (end, cut): the known interval's cluster takes the first `end` of
k cells, the others are clusters of their own, and cell `cut` is halved or (cut = k) none is. What makes this quick:

- A pair of points in different cells is together exactly if `end` lies beyond the later cell; a pair in the two halves
  of a cell exactly if that cell is not the one that is cut. So the 2k + 1 points have k (2k + 1) pairs but only 2k
  different questions, and the first pair of each comes in the order used here: ties are broken as among all of them.
- d_I is the number of cells between two ends. d_c is |h(end) - h(end')|, with h the squared mass of the known cluster
  less the squares of its cells, plus half a squared cell for each cut that the two do not share. So a set's sum of
  distances follows from how many of its members have each end and each cut.
- The strategy is deterministic, so its questions depend only on what survives: one walk through the tree serves all
  truths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from askwise.errors import SettingError
from askwise.types import Bools, Floats, Ints

CELL_COUNTS = (8, 16, 32, 64, 128)
KNOWN_MASS = 0.5  # of the known interval; with STOP_SHARE = 1/2, epsilon is 1 / (8 k^2), as in the lower bound
STOP_SHARE = 0.5


class QuestionCounts(NamedTuple):
    """Questions until the average diameter is below epsilon: for the truth that takes longest, and on average."""

    k: int
    questions_dc: int
    questions_dI: int
    mean_dc: float
    mean_dI: float
    median_dc: float
    median_dI: float


@dataclass(frozen=True)
class LineDistance:
    """The surviving diameters of one goal, in squared units of mass (half a cell is q - p units for alpha = p / q)."""

    gaps: Ints  # (k - 1,): the distance between neighbouring ends
    cut: int  # what a cut adds that two clusterings do not share

    @staticmethod
    def of(k: int, goal: str, alpha: float) -> LineDistance:
        share = Fraction(alpha).limit_denominator(1000)
        known, cell = 2 * k * share.numerator, cell_units(alpha)
        ends = np.arange(k)
        if goal == "d_c":
            return LineDistance(np.diff((known + cell * ends) ** 2 - ends * cell**2), cell**2 // 2)
        return LineDistance(np.full(k - 1, cell * (known + k * cell)), 0)

    def diameter(self, ends: Ints, cuts: Ints, rows: Ints) -> Ints:
        """The sum of all distances in sets with so many members at each end (..., R) and cut (..., C)."""
        total = ends.sum(axis=-1)[..., None]
        below = np.cumsum(ends, axis=-1)[..., :-1]
        between = np.add.reduceat(np.append(self.gaps, 0), rows)[:-1]  # from each surviving end to the next
        apart = (between * below * (total - below)).sum(axis=-1)
        return 2 * (apart + self.cut * (cuts * (total - cuts)).sum(axis=-1))


def count_questions(k: int, goal: str, alpha: float = KNOWN_MASS, share: float = STOP_SHARE) -> Ints:
    """(k, k + 1): the questions NDBAL asks when the truth is (end, cut), -1 where that is no clustering of the set.

    It stops when the average diameter is below `share` * ((1 - alpha) / k)^2; a share of 1 or more would end it before
    the cuts matter. alpha is taken as the nearest fraction with a denominator of at most 1,000.

    >>> count_questions(8, "d_c").max(), count_questions(8, "d_I").max()
    (np.int64(8), np.int64(4))
    """
    if goal not in ("d_c", "d_I") or k < 2 or not 0 < alpha < 1 or not 0 < share < 1:
        raise SettingError(
            f"k must be at least 2, the goal d_c or d_I, alpha and share between 0 and 1; got {k}, {goal!r}, "
            f"{alpha}, {share}"
        )
    line, cell = LineDistance.of(k, goal, alpha), cell_units(alpha)
    asked = np.full((k, k + 1), -1)
    all_clusterings = np.triu(np.ones((k, k + 1), dtype=bool))
    pending = [(all_clusterings, np.arange(k), np.arange(k + 1), 0)]
    while pending:
        alive, rows, columns, count = pending.pop()
        size = int(alive.sum())
        now, left = surviving(line, alive, rows, columns)
        if now < share * cell**2 * size**2:
            asked[np.ix_(rows, columns)] = np.where(alive, count, asked[np.ix_(rows, columns)])
            continue
        for kept in _answers(alive, int(left.argmin())):
            held_rows, held_columns = kept.any(axis=1), kept.any(axis=0)
            held = kept[np.ix_(held_rows, held_columns)]
            pending.append((held, rows[held_rows], columns[held_columns], count + 1))
    return asked


def surviving(line: LineDistance, alive: Bools, rows: Ints, columns: Ints) -> tuple[int, Ints]:
    """The sum of distances among the survivors, and what the least helpful answer to each question leaves of it.

    Questions: does the known cluster reach beyond the first, second, ... surviving end (R - 1 of them); is this cell
    cut (C of them, the last being the trivial one about no cut).
    """
    table = alive.astype(np.int64)  # (R, C)
    ends, cuts = table.sum(axis=1), table.sum(axis=0)
    real = np.where(columns <= len(line.gaps), 1, 0)  # being uncut is not a cut that others lack
    upto = np.cumsum(table, axis=0)[:-1]
    low = np.tri(len(rows), dtype=np.int64)[:-1] * ends
    only = np.diag(cuts)
    pairs = [(low, upto), (ends - low, cuts - upto), (table.T, only), (ends - table.T, cuts - only)]
    left = [line.diameter(members, marks * real, rows) for members, marks in pairs]
    now = int(line.diameter(ends, cuts * real, rows))
    cells = np.maximum(left[2], left[3]) + np.where(real, 0, now)  # no pair of points asks whether nothing is cut
    return now, np.concatenate([np.maximum(left[0], left[1]), cells])


def table(
    sizes: Sequence[int] = CELL_COUNTS, alpha: float = KNOWN_MASS, share: float = STOP_SHARE
) -> list[QuestionCounts]:
    """One row for each k.

    >>> table([8])[0][:3]
    (8, 8, 4)
    """
    rows = []
    for k in sizes:
        whole, known = (_asked_counts(count_questions(k, goal, alpha, share)) for goal in ("d_c", "d_I"))
        means, medians = (whole.mean(), known.mean()), (np.median(whole), np.median(known))
        rows.append(QuestionCounts(k, int(whole.max()), int(known.max()), *map(float, means), *map(float, medians)))
    return rows


def cell_units(alpha: float) -> int:
    """The mass of a cell in units."""
    share = Fraction(alpha).limit_denominator(1000)
    return 2 * (share.denominator - share.numerator)


def _answers(alive: Bools, question: int) -> tuple[Bools, Bools]:
    """The survivors of either answer."""
    yes = np.zeros_like(alive)
    if question < len(alive) - 1:
        yes[question + 1 :] = alive[question + 1 :]
    else:
        cell = question - len(alive) + 1
        yes[:, cell] = alive[:, cell]
    return alive & ~yes, yes


def _asked_counts(asked: Ints) -> Floats:
    return asked[asked >= 0].astype(float)
