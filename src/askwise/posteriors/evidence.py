"""The answers so far, merged, in the coordinates of the weights that they can say something about.

An answer depends on the weights only through one linear score, so T answers speak about the span of their feature rows,
of dimension R <= min(T, D). Everything outside that span keeps its prior, exactly; samplers work inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askwise.errors import AnswerError, SettingError
from askwise.losses import Loss, value_and_slope
from askwise.structures import LinearFamily
from askwise.types import Answer, Floats

WIDEST = 1024  # answers handled at a time
BLOCK = 1 << 14  # scores handled at a time: larger temporaries leave the cache and are paged in anew each time


def checked(family: LinearFamily, answer: Answer) -> tuple[Floats, float]:
    """The features (D,) and the response of an answer, refused unless they are finite numbers."""
    features = np.asarray(family.features(np.asarray(answer.atom)[None]), dtype=float)[0]
    try:
        response = float(answer.response)
    except ValueError:
        raise AnswerError(f"response {answer.response!r} is not a number; say one of the family's responses") from None
    if not (np.isfinite(response) and np.isfinite(features).all()):
        raise AnswerError(f"response {response} to an atom with features {features}: expected finite numbers")
    return features, response


def working_precision(loss: Loss) -> type[np.floating[Any]]:
    """32 bits where slopes are bounded: potentials are then off by far less than they vary, and much faster."""
    return np.float32 if np.isfinite(loss.bend) else np.float64


@dataclass(frozen=True)
class Evidence:
    """Answers with a potential strength * loss(row @ point, response), for points (S, R) in the span of the rows.

    >>> from askwise.losses import logistic
    >>> evidence = Evidence.none(logistic, 3).add(np.array([0.0, 2.0, 0.0]), 1.0, 1.0)
    >>> evidence.rows, evidence.basis.T
    (array([[2.]]), array([[0., 1., 0.]]))
    >>> evidence.add(np.array([0.0, 2.0, 0.0]), 1.0, 1.0).strengths  # the same answer again counts twice
    array([2.])
    """

    loss: Loss
    basis: Floats  # (D, R), orthonormal columns
    rows: Floats  # (T, R)
    responses: Floats  # (T,)
    strengths: Floats  # (T,) beta times the number of equal answers

    @staticmethod
    def none(loss: Loss, dimension: int) -> Evidence:
        if loss.decides or loss.name == "softmax":
            raise SettingError(f"the {loss.name} loss is not a convex function of one score; use logistic or davidson")
        return Evidence(loss, np.zeros((dimension, 0)), np.zeros((0, 0)), np.zeros(0), np.zeros(0))

    @property
    def rank(self) -> int:
        return self.basis.shape[1]

    def add(self, features: Floats, response: float, strength: float) -> Evidence:
        """One more answer; the basis grows if its features (D,) point somewhere new."""
        if not features.any():
            return self  # the score is 0 whatever the weights are: nothing is learned
        basis, inside = self._extended(features)
        rows = np.pad(self.rows, ((0, 0), (0, basis.shape[1] - self.rank)))
        close = np.abs(rows - inside).max(axis=1, initial=0.0) <= 1e-12 * np.abs(inside).max()
        same = np.flatnonzero(close & (self.responses == response))
        if same.size:
            strengths = self.strengths.copy()
            strengths[same[0]] += strength
            return Evidence(self.loss, basis, rows, self.responses, strengths)
        return Evidence(
            self.loss,
            basis,
            np.vstack([rows, inside]),
            np.append(self.responses, response),
            np.append(self.strengths, strength),
        )

    def _extended(self, features: Floats) -> tuple[Floats, Floats]:
        inside = features @ self.basis
        outside = features - self.basis @ inside
        correction = outside @ self.basis  # a second pass keeps the columns orthogonal to rounding
        inside, outside = inside + correction, outside - self.basis @ correction
        length = float(np.linalg.norm(outside))
        if self.rank == len(features) or length <= 1e-10 * float(np.linalg.norm(features)):
            return self.basis, inside
        return np.column_stack([self.basis, outside / length]), np.append(inside, length)

    @property
    def precision(self) -> type[np.floating[Any]]:
        return working_precision(self.loss)

    @cached_property
    def _fast(self) -> tuple[NDArray[Any], ...]:
        rows = self.rows.astype(self.precision)
        strengths = self.strengths.astype(self.precision)
        said = self.responses.astype(self.precision)
        return np.ascontiguousarray(rows.T), strengths[:, None] * rows, said, strengths

    def potential(self, points: Floats) -> Floats:
        """(S, R) -> (S,): minus the log-likelihood of all answers."""
        columns, _, said, strengths = self._fast
        points = points.astype(self.precision, copy=False)
        total = np.zeros(len(points), self.precision)
        for part, told in self._tiles(len(points)):
            scores = points[part] @ columns[:, told]
            value, _ = value_and_slope(self.loss, scores, said[told])
            total[part] += value @ strengths[told]
        return total

    def gradient(self, points: Floats) -> Floats:
        """(S, R) -> (S, R): the gradient of the potential."""
        columns, weighted, said, _ = self._fast
        slopes = np.zeros(points.shape, self.precision)
        for part, told in self._tiles(len(points)):
            scores = points[part] @ columns[:, told]
            slopes[part] += self.loss.slope(scores, said[told]) @ weighted[told]
        return slopes

    def potential_and_gradient(self, points: Floats) -> tuple[Floats, Floats]:
        """Both in one pass."""
        columns, weighted, said, strengths = self._fast
        total, slopes = np.zeros(len(points), self.precision), np.zeros(points.shape, self.precision)
        for part, told in self._tiles(len(points)):
            scores = points[part] @ columns[:, told]
            value, slope = value_and_slope(self.loss, scores, said[told])
            total[part] += value @ strengths[told]
            slopes[part] += slope @ weighted[told]
        return total, slopes

    def _tiles(self, count: int) -> Iterator[tuple[slice, slice]]:
        """Parts of `count` points and of the answers, BLOCK scores each."""
        answers = len(self.rows)
        wide = max(1, min(answers, WIDEST))
        high = BLOCK // wide
        for left in range(0, answers, wide):
            for top in range(0, count, high):
                yield slice(top, top + high), slice(left, left + wide)
