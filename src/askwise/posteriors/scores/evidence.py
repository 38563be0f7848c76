"""The answers so far, merged, in the coordinates of the weights that they inform.

An answer depends on the weights only through one linear score. So T answers inform the span of their feature rows, of
dimension R <= min(T, D). Outside that span the weights keep their prior exactly; samplers work inside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askwise.errors import AnswerError, SettingError
from askwise.losses import Loss, value_and_slope
from askwise.structures import LinearFamily
from askwise.types import Answer, Floats, Ints

MAX_ANSWERS_PER_TILE = 1024
SCORES_PER_TILE = 1 << 14  # larger temporaries leave the cache and are paged in each time


def checked_answers(family: LinearFamily, answers: Sequence[Answer]) -> tuple[Floats, Floats]:
    """The features (N, D) and responses (N,) of answers; refused unless they are finite numbers.

    >>> from askwise.structures.linear import LinearPool
    >>> checked_answers(LinearPool([[1.0], [2.0]]), [Answer(1, -1)])
    (array([[2.]]), array([-1.]))
    """
    features = np.asarray(family.features(np.asarray([answer.atom for answer in answers])), dtype=float)
    try:
        responses = np.array([float(answer.response) for answer in answers])
    except ValueError as error:
        raise AnswerError(f"a response is not a number ({error}); say one of the family's responses") from None
    bad = np.flatnonzero(~(np.isfinite(responses) & np.isfinite(features).all(axis=1)))
    if bad.size:
        first = bad[0]
        raise AnswerError(
            f"response {responses[first]} to an atom with features {features[first]}: expected finite numbers"
        )
    return features, responses


def working_precision(loss: Loss) -> type[np.floating[Any]]:
    """32 bits where slopes are bounded: much faster, and potentials are off by far less than they vary.

    >>> from askwise.losses import logistic, squared
    >>> working_precision(logistic).__name__, working_precision(squared).__name__
    ('float32', 'float64')
    """
    return np.float32 if np.isfinite(loss.flat_beyond) else np.float64


@dataclass(frozen=True)
class Evidence:
    """Answers with a potential strength * loss(row @ point, response), for points (S, R) in the span of the rows.

    >>> from askwise.losses import logistic
    >>> answer = np.array([[0.0, 2.0, 0.0]]), np.ones(1), np.ones(1)
    >>> evidence = Evidence.empty(logistic, 3).add(*answer)
    >>> evidence.rows, evidence.basis.T
    (array([[2.]]), array([[0., 1., 0.]]))
    >>> evidence.add(*answer).strengths  # the same answer again counts twice
    array([2.])
    """

    loss: Loss
    basis: Floats  # (D, R), orthonormal columns
    rows: Floats  # (T, R)
    responses: Floats  # (T,)
    strengths: Floats  # (T,) beta times the number of equal answers

    @staticmethod
    def empty(loss: Loss, dimension: int) -> Evidence:
        """No answers yet, about weights of this `dimension`."""
        if loss.takes_decision or loss.name == "softmax":
            raise SettingError(f"the {loss.name} loss is not a convex function of one score; use logistic or davidson")
        return Evidence(loss, np.zeros((dimension, 0)), np.zeros((0, 0)), np.zeros(0), np.zeros(0))

    @property
    def rank(self) -> int:
        """R, the dimension of the span of the rows."""
        return self.basis.shape[1]

    def add(self, features: Floats, responses: Floats, strengths: Floats) -> Evidence:
        """More answers, (N, D), (N,) and (N,); the basis grows where features point somewhere new."""
        telling = features.any(axis=1)  # a row of zeros has score 0 under all weights: nothing is learned
        if not telling.any():
            return self
        basis = self._extended(features[telling])
        before = np.hstack([self.rows, np.zeros((len(self.rows), basis.shape[1] - self.rank))])
        rows = np.vstack([before, features[telling] @ basis])
        responses = np.append(self.responses, responses[telling])
        first = first_equal(rows, responses)
        kept = np.flatnonzero(first == np.arange(len(first)))
        total = np.bincount(first, np.append(self.strengths, strengths[telling]))[kept].astype(float)
        return Evidence(self.loss, basis, rows[kept], responses[kept], total)

    def _extended(self, features: Floats) -> Floats:
        """The basis with one more column for each row outside the span of those before it."""
        basis, small = self.basis, 1e-10 * np.linalg.norm(features, axis=1)
        outside = features - (features @ basis) @ basis.T
        while basis.shape[1] < len(basis):
            lengths = np.linalg.norm(outside, axis=1)
            new = int(np.argmax(lengths > small))
            if not lengths[new] > small[new]:  # which also ends where a length is not a number
                break
            column = outside[new] / lengths[new]
            column -= basis @ (column @ basis)  # a second pass keeps the columns orthogonal to rounding
            column /= np.linalg.norm(column)
            basis = np.column_stack([basis, column])
            outside, small = outside[new:] - np.outer(outside[new:] @ column, column), small[new:]
        return basis

    @property
    def precision(self) -> type[np.floating[Any]]:
        """The number type that samplers work in."""
        return working_precision(self.loss)

    @cached_property
    def _design(self) -> tuple[NDArray[Any], ...]:
        rows = self.rows.astype(self.precision)
        strengths = self.strengths.astype(self.precision)
        responses = self.responses.astype(self.precision)
        return np.ascontiguousarray(rows.T), strengths[:, None] * rows, responses, strengths

    def potential(self, points: Floats) -> Floats:
        """(S, R) -> (S,): minus the log-likelihood of all answers."""
        columns, _, responses, strengths = self._design
        points = points.astype(self.precision, copy=False)
        total = np.zeros(len(points), self.precision)
        for part, some in self._tiles(len(points)):
            scores = points[part] @ columns[:, some]
            value, _ = value_and_slope(self.loss, scores, responses[some])
            with np.errstate(invalid="ignore"):  # BLAS now and then raises the flag for finite numbers
                total[part] += value @ strengths[some]
        return total

    def gradient(self, points: Floats) -> Floats:
        """(S, R) -> (S, R): the gradient of the potential."""
        columns, weighted, responses, _ = self._design
        slopes = np.zeros(points.shape, self.precision)
        for part, some in self._tiles(len(points)):
            scores = points[part] @ columns[:, some]
            slopes[part] += self.loss.slope(scores, responses[some]) @ weighted[some]
        return slopes

    def potential_and_gradient(self, points: Floats) -> tuple[Floats, Floats]:
        """(S, R) -> (S,), (S, R): both in one pass."""
        columns, weighted, responses, strengths = self._design
        total, slopes = np.zeros(len(points), self.precision), np.zeros(points.shape, self.precision)
        for part, some in self._tiles(len(points)):
            scores = points[part] @ columns[:, some]
            value, slope = value_and_slope(self.loss, scores, responses[some])
            with np.errstate(invalid="ignore"):  # BLAS now and then raises the flag for finite numbers
                total[part] += value @ strengths[some]
            slopes[part] += slope @ weighted[some]
        return total, slopes

    def _tiles(self, count: int) -> Iterator[tuple[slice, slice]]:
        """Slices of `count` points and of the answers, SCORES_PER_TILE scores each."""
        answers = len(self.rows)
        wide = max(1, min(answers, MAX_ANSWERS_PER_TILE))
        high = SCORES_PER_TILE // wide
        for left in range(0, answers, wide):
            for top in range(0, count, high):
                yield slice(top, top + high), slice(left, left + wide)


def first_equal(rows: Floats, responses: Floats) -> Ints:
    """(T,): the place of the first answer with the same features, to rounding, and the same response.

    >>> first_equal(np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]]), np.ones(3))
    array([0, 1, 0])
    """
    # puts equal rows side by side; with these irrational weights, different rows almost never share a place
    order = np.lexsort((rows @ np.cos(np.arange(1.0, rows.shape[1] + 1)), responses))
    ordered, ordered_responses = rows[order], responses[order]
    apart = np.abs(ordered[1:] - ordered[:-1]).max(axis=1) > 1e-12 * np.abs(ordered[1:]).max(axis=1)
    group = np.cumsum(np.append(0, apart | (ordered_responses[1:] != ordered_responses[:-1])))
    first = np.full(group[-1] + 1, len(rows))
    np.minimum.at(first, group, order)
    result = np.empty(len(rows), dtype=int)
    result[order] = first[group]
    return result
