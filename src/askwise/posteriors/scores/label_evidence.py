"""Answers that name one of K labels, and their softmax potential.

The weights are K x D. Answers do not inform what is common to all labels, since only differences of scores count, nor
what lies outside the span of the rows asked. Both keep their prior exactly. The rest has R (K - 1) coordinates: R
directions of the span times K - 1 contrasts of the labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askwise.losses import logistic, softmax
from askwise.posteriors.scores.evidence import Evidence, working_precision
from askwise.types import Floats, Ints

SCORES_PER_TILE = 1 << 18  # a megabyte: larger temporaries leave the cache
CHAINS_PER_BLOCK = 120  # that move together


@dataclass(frozen=True)
class LabelEvidence:
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
        return LabelEvidence(answers, square[:, 1:])

    def add(self, features: Floats, responses: Floats, strengths: Floats) -> LabelEvidence:
        """More answers, (N, D), (N,) and (N,); a response is the place of its label."""
        answers = self.answers.add(features, responses, strengths)
        return self if answers is self.answers else LabelEvidence(answers, self.contrasts)

    def trusted(self, features: Floats, responses: Floats, strengths: Floats) -> LabelEvidence:
        """The same answers, (N, D) and (N,), with other strengths (N,), in the same coordinates."""
        nothing = replace(self.answers, strengths=np.zeros(len(self.strengths)))
        return LabelEvidence(nothing.add(features, responses, strengths), self.contrasts)

    def only(self, places: Ints) -> LabelEvidence:
        """The answers at these places alone, in the same coordinates."""
        return self.with_strengths(np.where(np.isin(np.arange(len(self.rows)), places), self.strengths, 0.0))

    def with_strengths(self, strengths: Floats) -> LabelEvidence:
        """The same answers with other strengths (T,), in the same coordinates; those of strength 0 are left out."""
        kept = strengths != 0
        answers = Evidence(logistic, self.answers.basis, self.rows[kept], self.answers.responses[kept], strengths[kept])
        return LabelEvidence(answers, self.contrasts)

    @property
    def rank(self) -> int:
        """R (K - 1), the number of coordinates."""
        return self.answers.rank * self.contrasts.shape[1]

    @property
    def precision(self) -> type[np.floating[Any]]:
        """The number type that samplers work in."""
        return working_precision(softmax)

    @property
    def rows(self) -> Floats:
        """(T, R)"""
        return self.answers.rows

    @property
    def strengths(self) -> Floats:
        """(T,)"""
        return self.answers.strengths

    @property
    def basis(self) -> Floats:
        """(K D, R (K - 1)): what the coordinates mean in weights."""
        basis = np.einsum("kj,dr->kdrj", self.contrasts, self.answers.basis)
        return basis.reshape(len(self.contrasts) * len(self.answers.basis), self.rank)

    @property
    def places(self) -> Ints:
        """(T,): the place of the label of each answer."""
        return self.answers.responses.astype(int)

    @cached_property
    def _design(self) -> tuple[NDArray[Any], ...]:
        """Rows (T, R), places (T,) and strengths (T,), as compiled code wants them."""
        return self.rows.astype(self.precision), self.places, self.strengths.astype(self.precision)

    def columns(self, points: Floats) -> Floats:
        """(S, rank) -> (R, K S): the weight of each direction, label and chain, in this order, in 32 bits."""
        found = self.contrasts @ points.T.reshape(self.answers.rank, -1, len(points))
        return np.ascontiguousarray(found, self.precision).reshape(len(found), -1)

    def points(self, columns: Floats, count: int) -> Floats:
        """The inverse of `columns`, of `count` chains: (S, rank)."""
        found = self.contrasts.T.astype(columns.dtype) @ columns.reshape(len(columns), -1, count)
        return np.ascontiguousarray(found.reshape(-1, count).T)

    def potential(self, points: Floats) -> Floats:
        """(S, rank) -> (S,): minus the log-likelihood of all answers, without lapses."""
        return self.potential_and_gradient(points)[0]

    def gradient(self, points: Floats) -> Floats:
        """(S, rank) -> (S, rank): the gradient of the potential."""
        return self.potential_and_gradient(points)[1]

    def potential_and_gradient(self, points: Floats) -> tuple[Floats, Floats]:
        """(S, rank) -> (S,), (S, rank): both in one pass, without lapses."""
        potential, gradient = np.zeros(len(points), self.precision), np.zeros(points.shape, self.precision)
        for start in range(0, len(points), CHAINS_PER_BLOCK):
            part = slice(start, start + CHAINS_PER_BLOCK)
            columns, scales = self.columns(points[part]), np.ones(len(points[part]), self.precision)
            slopes = self.slopes(self._design[0], columns, scales, 0 * scales, potential[part], valued=True)
            gradient[part] = self.points(slopes, len(scales))
        return potential, gradient

    def slopes(
        self, rows: Floats, columns: Floats, scales: Floats, lapses: Floats, potential: Floats, valued: bool
    ) -> Floats:
        """The gradient (R, K S) by the columns of chains whose scores are rows @ columns times their scale.

        - `rows`: (T, R), of the answers in the coordinates of the columns, in 32 bits.
        - `columns`: (R, K S), in 32 bits.
        - `scales`, `lapses`: (S,), in 32 bits.
        - `potential`: (S,); where `valued`, the loss of all answers is added to it.
        """
        from askwise.posteriors.scores.softmax_slopes import scratch_space, softmax_slopes  # brings numba

        (_, places, strengths), space = self._design, scratch_space(len(scales))
        total: Floats | None = None
        for some, scores in self._scores(rows, columns):
            softmax_slopes(scores, places[some], strengths[some], scales, lapses, potential, valued, space)
            product = rows[some].T @ scores.reshape(len(scores), -1)
            total = product if total is None else total + product
        return np.zeros(columns.shape, columns.dtype) if total is None else total

    def potentials_by_scale(self, rows: Floats, columns: Floats, scales: Floats, lapses: Floats) -> Floats:
        """(G, S): the potential of chains with these lapses (S,) whose scores are rows @ columns, times each of the
        scales (G,)."""
        from askwise.posteriors.scores.softmax_slopes import potentials_by_scale, scratch_space  # brings numba

        _, places, strengths = self._design
        factors, shares = scales.astype(columns.dtype), lapses.astype(columns.dtype)
        total = np.zeros((len(scales), columns.shape[1] // len(self.contrasts)), columns.dtype)
        space = scratch_space(total.shape[1])
        for some, scores in self._scores(rows, columns):
            potentials_by_scale(scores, places[some], strengths[some], factors, shares, total, space)
        return total

    def potentials_by_lapse(self, rows: Floats, columns: Floats, lapses: Floats) -> Floats:
        """(E, S): the potential of chains whose scores are rows @ columns, under each of the lapses (E,)."""
        from askwise.posteriors.scores.softmax_slopes import potentials_by_lapse, scratch_space  # brings numba

        _, places, strengths = self._design
        shares = lapses.astype(columns.dtype)
        total = np.zeros((len(lapses), columns.shape[1] // len(self.contrasts)), columns.dtype)
        space = scratch_space(total.shape[1])
        for some, scores in self._scores(rows, columns):
            potentials_by_lapse(scores, places[some], strengths[some], shares, total, space)
        return total

    def potential_of_scores(self, scores: Floats, lapses: Floats) -> Floats:
        """(T, K, S) -> (S,): the potential of chains with these lapses (S,) and scores of each answer and label, in 32
        bits."""
        from askwise.posteriors.scores.softmax_slopes import potentials_by_scale, scratch_space  # brings numba

        _, places, strengths = self._design
        real = scores.dtype.type
        total, space = np.zeros((1, scores.shape[2]), real), scratch_space(scores.shape[2])
        potentials_by_scale(scores, places, strengths, np.ones(1, real), lapses.astype(real), total, space)
        return total[0]

    def _scores(self, rows: Floats, columns: Floats) -> Iterator[tuple[slice, Floats]]:
        """Slices of the answers and their scores (T, K, S), so many at a time that they stay in the cache."""
        step, labels = max(1, SCORES_PER_TILE // columns.shape[1]), len(self.contrasts)
        for start in range(0, len(rows), step):
            some = slice(start, start + step)
            scores = rows[some] @ columns
            yield some, scores.reshape(len(scores), labels, -1)
