"""Answers that name one of K labels, and their softmax potential.

The weights are K x D. Answers do not inform what is common to all labels, since only differences of scores count, nor
what lies outside the span of the rows asked. Both keep their prior exactly. The rest has R (K - 1) coordinates: R
directions of the span times K - 1 contrasts of the labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askwise.losses import logistic, softmax
from askwise.posteriors.scores.evidence import SCORES_PER_TILE, Evidence
from askwise.types import Floats, Ints


@dataclass(frozen=True)
class LabelEvidence(Evidence):
    """T answers about K labels; points are (S, R (K - 1)), directions first.

    >>> evidence = LabelEvidence.of_labels(2, 3).add(np.array([[0.0, 2.0]]), np.ones(1), np.ones(1))
    >>> evidence.rank, evidence.potential(np.zeros((1, 2))).round(4)
    (2, array([1.0986], dtype=float32))
    """

    answers: Evidence  # the same answers as if of one score: their rows and basis (D, R)
    contrasts: Floats  # (K, K - 1), orthonormal columns that sum to zero

    @staticmethod
    def of_labels(features: int, labels: int) -> LabelEvidence:
        """No answers yet, about classifiers with that number of `features` and `labels`."""
        answers = Evidence.empty(logistic, features)  # its loss is not used
        square = np.linalg.qr(np.column_stack([np.ones(labels), np.eye(labels)[:, 1:]]))[0]
        return LabelEvidence._of_answers(answers, square[:, 1:])

    @staticmethod
    def _of_answers(answers: Evidence, contrasts: Floats) -> LabelEvidence:
        basis = np.einsum("kj,dr->kdrj", contrasts, answers.basis)
        whole = basis.reshape(len(contrasts) * len(answers.basis), answers.rank * contrasts.shape[1])
        return LabelEvidence(softmax, whole, answers.rows, answers.responses, answers.strengths, answers, contrasts)

    def add(self, features: Floats, responses: Floats, strengths: Floats) -> LabelEvidence:
        """More answers, (N, D), (N,) and (N,); a response is the place of its label."""
        answers = self.answers.add(features, responses, strengths)
        return self if answers is self.answers else LabelEvidence._of_answers(answers, self.contrasts)

    @property
    def places(self) -> Ints:
        """(T,): the place of the label of each answer."""
        return self.responses.astype(int)

    @cached_property
    def _design(self) -> tuple[NDArray[Any], ...]:
        """Design (K, rank, T), the same with strengths (K, T, rank), the sum of the labels' rows (rank,), strengths."""
        design = np.einsum("tr,kj->krjt", self.rows, self.contrasts)
        design = design.reshape(len(self.contrasts), self.rank, len(self.rows))
        weighted = (design * self.strengths).swapaxes(1, 2)
        label_rows = weighted[self.places, np.arange(len(self.rows))].sum(axis=0)
        return tuple(
            np.ascontiguousarray(part, self.precision) for part in (design, weighted, label_rows, self.strengths)
        )

    def potential(self, points: Floats) -> Floats:
        """(S, rank) -> (S,): minus the log-likelihood of all answers."""
        points = points.astype(self.precision, copy=False)
        total = -points @ self._design[2]
        for part, _, logs in self._softmax(points, wanted=False):
            total[part] += logs
        return total

    def gradient(self, points: Floats) -> Floats:
        """(S, rank) -> (S, rank): the gradient of the potential."""
        return self.potential_and_gradient(points)[1]

    def potential_and_gradient(self, points: Floats) -> tuple[Floats, Floats]:
        """(S, rank) -> (S,), (S, rank): both in one pass.

        The loss is the log of the summed exponentials minus the label's score. The score is linear, so its sum over the
        answers is one product.
        """
        _, weighted, label_rows, _ = self._design
        points = points.astype(self.precision, copy=False)
        total, slopes = -points @ label_rows, np.empty(points.shape, self.precision)
        for part, shares, logs in self._softmax(points, wanted=True):
            total[part] += logs
            slopes[part] = (shares @ weighted).sum(axis=0) - label_rows
        return total, slopes

    def _softmax(self, points: Floats, wanted: bool) -> Iterator[tuple[slice, Floats, Floats]]:
        """Slices of the points, the probability (K, S, T) of each label if wanted, and the summed logs (S,)."""
        design, _, _, strengths = self._design
        high = max(1, SCORES_PER_TILE // max(1, len(design) * len(strengths)))
        for start in range(0, len(points), high):
            part = slice(start, start + high)
            scores = points[part] @ design
            top = scores.max(axis=0)
            scores -= top
            exponentials = np.exp(scores, out=scores)
            whole = exponentials.sum(axis=0)
            if wanted:
                exponentials /= whole
            yield part, exponentials, (np.log(whole) + top) @ strengths
