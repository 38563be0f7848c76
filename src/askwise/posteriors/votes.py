"""Answers that name one of K labels: their softmax potential, and a Gaussian close to it for each prior scale.

The weights are K x D. Two things about them no answer can tell: what is common to all labels, since only differences
of scores count, and what lies outside the span of the rows asked. Both keep their prior, exactly. The rest has
R (K - 1) coordinates: R directions of the span times K - 1 contrasts of the labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askwise.losses import logistic, softmax
from askwise.posteriors.evidence import BLOCK, Evidence
from askwise.posteriors.reference import Reference
from askwise.types import Bools, Floats, Ints

NODES = 32  # points at which a loss is averaged over normally distributed scores
TOLERANCE = 5e-2  # of the mean, in posterior standard deviations: it is only a reference


@dataclass(frozen=True)
class Votes(Evidence):
    """T answers about K labels; points are (S, R (K - 1)), directions first.

    >>> votes = Votes.of(2, 3).add(np.array([[0.0, 2.0]]), np.ones(1), np.ones(1))
    >>> votes.rank, votes.potential(np.zeros((1, 2))).round(4)
    (2, array([1.0986], dtype=float32))
    """

    told: Evidence  # the same answers, whose rows and basis (D, R) grow there
    contrasts: Floats  # (K, K - 1), orthonormal columns that sum to zero

    @staticmethod
    def of(features: int, labels: int) -> Votes:
        """No answers yet about classifiers of so many features and labels."""
        told = Evidence.none(logistic, features)  # what it thinks of the loss is not used
        square = np.linalg.qr(np.column_stack([np.ones(labels), np.eye(labels)[:, 1:]]))[0]
        return Votes._holding(told, square[:, 1:])

    @staticmethod
    def _holding(told: Evidence, contrasts: Floats) -> Votes:
        basis = np.einsum("kj,dr->kdrj", contrasts, told.basis)
        whole = basis.reshape(len(contrasts) * len(told.basis), told.rank * contrasts.shape[1])
        return Votes(softmax, whole, told.rows, told.responses, told.strengths, told, contrasts)

    def add(self, features: Floats, responses: Floats, strengths: Floats) -> Votes:
        """More answers: the places of their labels."""
        told = self.told.add(features, responses, strengths)
        return self if told is self.told else Votes._holding(told, self.contrasts)

    @property
    def places(self) -> Ints:
        """(T,): the place of the label of each answer."""
        return self.responses.astype(int)

    @cached_property
    def _fast(self) -> tuple[NDArray[Any], ...]:
        """Design (K, rank, T), the same with strengths (K, T, rank), what the labels said add up to (rank,)."""
        design = np.einsum("tr,kj->krjt", self.rows, self.contrasts)
        design = design.reshape(len(self.contrasts), self.rank, len(self.rows))
        weighted = (design * self.strengths).swapaxes(1, 2)
        said = weighted[self.places, np.arange(len(self.rows))].sum(axis=0)
        return tuple(np.ascontiguousarray(part, self.precision) for part in (design, weighted, said, self.strengths))

    def potential(self, points: Floats) -> Floats:
        """(S, rank) -> (S,): minus the log-likelihood of all answers."""
        points = points.astype(self.precision, copy=False)
        total = -points @ self._fast[2]
        for part, _, logs in self._shares(points, wanted=False):
            total[part] += logs
        return total

    def gradient(self, points: Floats) -> Floats:
        return self.potential_and_gradient(points)[1]

    def potential_and_gradient(self, points: Floats) -> tuple[Floats, Floats]:
        """Both in one pass. The loss is the log of the sum of the grown scores minus the label's score, which is
        linear, so that its sum over the answers is one product."""
        _, weighted, said, _ = self._fast
        points = points.astype(self.precision, copy=False)
        total, slopes = -points @ said, np.empty(points.shape, self.precision)
        for part, shares, logs in self._shares(points, wanted=True):
            total[part] += logs
            slopes[part] = (shares @ weighted).sum(axis=0) - said
        return total, slopes

    def _shares(self, points: Floats, wanted: bool) -> Iterator[tuple[slice, Floats, Floats]]:
        """Parts of the points with the share (K, S, T) of each label if wanted, and the summed logs (S,)."""
        design, _, _, strengths = self._fast
        high = max(1, BLOCK // max(1, len(design) * len(strengths)))
        for start in range(0, len(points), high):
            part = slice(start, start + high)
            scores = points[part] @ design
            top = scores.max(axis=0)
            scores -= top
            grown = np.exp(scores, out=scores)
            whole = grown.sum(axis=0)
            if wanted:
                grown /= whole
            yield part, grown, (np.log(whole) + top) @ strengths


class _State(NamedTuple):
    """One state of the fit of K references, with all that the next step needs."""

    centers: Floats  # (K, R)
    precisions: Floats  # (K, R, R)
    roots: Floats  # (K, R, R)
    bounds: Floats  # (K,) of the log evidence, but for the error of the nodes
    gradients: Floats  # (K, R) of the expected potential
    curvatures: Floats  # (K, R, R) of the expected potential


@lru_cache(maxsize=8)
def _nodes(dimension: int) -> Floats:
    """(NODES, dimension): points with the mean and covariance of a standard normal, equally weighted."""
    half = np.random.default_rng(dimension).standard_normal((NODES // 2, dimension))
    whole = np.concatenate([half, -half])
    return whole @ np.linalg.inv(np.linalg.cholesky(whole.T @ whole / NODES)).T


def _state(votes: Votes, scales: Floats, centers: Floats, precisions: Floats) -> _State:
    """The expected loss, gradient and curvature under N(center, precision^-1), one for each of G scales."""
    contrasts, rows, strengths = votes.contrasts, votes.rows, votes.strengths
    count, width, free = len(scales), votes.rank, contrasts.shape[1]
    roots = np.linalg.inv(np.linalg.cholesky(precisions))
    means = rows @ centers.reshape(count, -1, free)  # (G, T, K - 1)
    spreads = (rows @ roots.reshape(count, width, -1, free)).transpose(0, 2, 3, 1)  # (G, T, K - 1, rank)
    factors = np.linalg.cholesky(spreads @ spreads.swapaxes(2, 3) + 1e-12 * np.eye(free))
    loss, mean, bend = _averages(votes, means, factors)
    slope = mean @ contrasts - contrasts[votes.places]  # (G, T, K - 1)
    tightness = scales**-2.0
    pull = ((strengths[:, None] * rows).T @ slope).reshape(count, width)
    outer = (strengths[:, None, None] * rows[:, :, None] * rows[:, None, :]).reshape(len(rows), -1)
    square = outer.T @ (contrasts.T @ bend @ contrasts).reshape(count, len(rows), -1)  # (G, R R, (K - 1)^2)
    square = square.reshape(count, rows.shape[1], -1, free, free).swapaxes(2, 3).reshape(count, width, width)
    size = np.square(centers).sum(axis=1) + np.square(roots).sum(axis=(1, 2))
    log_spread = np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
    bounds = log_spread - width * np.log(scales) + width / 2 - tightness * size / 2 - loss @ strengths
    curvatures = square + tightness[:, None, None] * np.eye(width)
    return _State(centers, precisions, roots, bounds, pull + tightness[:, None] * centers, curvatures)


def _averages(votes: Votes, means: Floats, factors: Floats) -> tuple[Floats, Floats, Floats]:
    """The mean loss (G, T), share (G, T, K) and curvature diag(p) - p p' (G, T, K, K) at the nodes."""
    contrasts, real = votes.contrasts, votes.precision
    points = _nodes(contrasts.shape[1]).T.astype(real)  # (K - 1, Q)
    # labels first: sums over a short last axis are slow
    scores = np.einsum("kj,gtj->kgt", contrasts, means)[..., None].astype(real)
    scores = scores + np.moveaxis(contrasts @ factors, 2, 0).astype(real) @ points  # (K, G, T, Q)
    own = scores[votes.places, :, np.arange(len(votes.rows))].mean(axis=-1).T
    top = scores.max(axis=0)
    scores -= top
    shares = np.exp(scores, out=scores)
    whole = shares.sum(axis=0)
    loss = (np.log(whole) + top).mean(axis=-1) - own
    shares /= whole
    mean = shares.mean(axis=-1)
    bend = -np.einsum("kgtq,lgtq->gtkl", shares, shares) / NODES
    bend += np.moveaxis(mean, 0, -1)[..., None] * np.eye(len(contrasts))
    return loss, np.moveaxis(mean, 0, -1), bend


def fit(votes: Votes, scales: Floats, centers: Floats, precisions: Floats, rounds: int) -> Reference:
    """The Gaussian-variational references of all scales at once, by up to so many damped natural-gradient steps from a
    start.

    As `askwise.posteriors.reference.fit` does for one score, with averages over nodes in K - 1 dimensions.
    """
    now = _state(votes, scales, centers, precisions)
    step = np.ones(len(scales))
    for _ in range(rounds if votes.rank else 0):
        size = step[:, None, None]
        precisions = now.precisions + size * (now.curvatures - now.precisions)
        moves = np.linalg.solve(precisions, now.gradients[..., None])[..., 0]
        trial = _state(votes, scales, now.centers - size[..., 0] * moves, precisions)
        better = trial.bounds > now.bounds - 1e-4
        gain = trial.bounds - now.bounds
        now = _State(*(_chosen(better, new, old) for new, old in zip(trial, now, strict=True)))
        step = np.where(better, np.minimum(1.0, 2 * step), step / 2)
        slack = np.square((now.roots @ now.gradients[..., None])[..., 0]).sum(axis=1)
        done = better & (slack < TOLERANCE**2 * votes.rank) & (gain < TOLERANCE)
        if (done | (step <= 1e-3)).all():
            break
    return Reference(scales, now.centers, now.precisions, now.roots, now.bounds)


def _chosen(better: Bools, new: Floats, old: Floats) -> Floats:
    """The new (K, ...) where it is better, else the old."""
    return np.where(better.reshape(-1, *[1] * (new.ndim - 1)), new, old)
