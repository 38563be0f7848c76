"""Distances between matrices by the column that one would pick."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from askwise.distances.items import ItemRegret
from askwise.errors import DistanceError
from askwise.options import choice, number, parts, refusal, whole_number
from askwise.structures.matrices import MAX_ENTRY, matrices_of
from askwise.types import Floats, Ints, Structures

MIN_ENTRY_RANGE = 1e-100  # one over it is still a number
SCORES: dict[str, Callable[[Floats], Floats]] = {
    "mean": lambda matrices: matrices.mean(axis=1),
    "max": lambda matrices: matrices.max(axis=1),
    "min": lambda matrices: matrices.min(axis=1),
}


class BestColumn(ItemRegret):
    """How much worse one matrix's best column scores under the other, as a share of the range of scores there.

    The larger of both ways (the paper's column-selection distance); a matrix whose columns all score alike loses
    nothing. The score is "mean", "max" or "min" over the rows (all, or the `rows` that matter), or a function from
    matrices (S, R, M) to scores (S, M).

    With an `entry_range`, the loss is a share of this constant in place of each matrix's own range of scores. A larger
    loss counts as 1.

    :param score: What makes a column good: "mean", "max", "min" or a function.
    :param rows: The rows that matter; by default all.
    :param entry_range: The range of the entries, if losses are to be shares of this.

    >>> left, right = np.array([[[1.0, 0.9, 0.0]]]), np.array([[[0.5, 1.0, 0.0]]])
    >>> BestColumn().paired(left, right).round(4)
    array([0.5])
    >>> BestColumn(entry_range=2).paired(left, right).round(4)
    array([0.25])
    """

    def __init__(
        self,
        score: str | Callable[[Floats], Any] = "mean",
        rows: Sequence[int] | None = None,
        entry_range: float | None = None,
    ):
        self.score = score if callable(score) else SCORES[choice("score", score, SCORES)]
        self.rows = checked_rows(rows)
        self.entry_range = None if entry_range is None else checked_range(entry_range)
        self.unit = 1.0 if self.entry_range is None else self.entry_range
        self.phrase = "choosing {what} gives up " + (
            "{loss:.3f} of the range from the best to the worst column"
            if self.entry_range is None
            else "{loss:.3g} of the score of the best column"
        )

    def utilities(self, structures: Structures) -> Floats:
        """(S, M): the score of each column."""
        matrices = matrices_of(structures)
        chosen = matrices if self.rows is None else matrices[:, self.rows]
        scores: Floats = np.asarray(self.score(chosen), dtype=float)
        if scores.shape != (len(matrices), matrices.shape[2]) or not np.isfinite(scores).all():
            raise DistanceError(
                f"the score gave shape {scores.shape} for matrices of shape {chosen.shape}; expected one finite number "
                f"a column, {(len(matrices), matrices.shape[2])}"
            )
        return scores

    def regrets(self, structures: Structures) -> Floats:
        """(S, M): what is lost by taking each column instead of the best; 0 to 1.

        :param structures: Matrices, `(S, N, M)` or as `pack` makes them.
        """
        if self.entry_range is None:
            return super().regrets(structures)
        scores = self.utilities(structures)
        return np.minimum((scores.max(axis=1, keepdims=True) - scores) / self.entry_range, 1.0)


def checked_rows(rows: Sequence[int] | None) -> Ints | None:
    """The numbers of the rows that matter; None: all.

    >>> checked_rows([0, 2])
    array([0, 2])
    """
    if rows is None:
        return None
    expected = "a list of row numbers from 0"
    chosen = [whole_number("rows", row, at_least=0) for row in parts("rows", rows, expected)]
    if not chosen:
        raise refusal("rows", rows, expected)
    return np.array(chosen)


def checked_range(entry_range: float) -> float:
    """The range of the entries.

    >>> checked_range(4)
    4.0
    """
    return number("entry_range", entry_range, at_least=MIN_ENTRY_RANGE, at_most=2 * MAX_ENTRY)
