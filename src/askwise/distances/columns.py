"""Distances between matrices by the column that one would pick."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from askwise.distances.items import ItemRegret
from askwise.errors import DistanceError
from askwise.options import choice, parts, refusal, whole_number
from askwise.structures.matrices import matrices_of
from askwise.types import Floats, Structures

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

    >>> left, right = np.array([[[1.0, 0.9, 0.0]]]), np.array([[[0.5, 1.0, 0.0]]])
    >>> BestColumn().paired(left, right).round(4)
    array([0.5])
    """

    phrase = "choosing {what} gives up {loss:.3f} of the range from the best to the worst column"

    def __init__(self, score: str | Callable[[Floats], Any] = "mean", rows: Sequence[int] | None = None):
        self.score = score if callable(score) else SCORES[choice("score", score, SCORES)]
        expected = "a list of row numbers from 0"
        chosen = (
            None if rows is None else [whole_number("rows", row, at_least=0) for row in parts("rows", rows, expected)]
        )
        if chosen == []:
            raise refusal("rows", rows, expected)
        self.rows = None if chosen is None else np.array(chosen)

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
