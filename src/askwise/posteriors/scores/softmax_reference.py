"""A Gaussian close to the softmax posterior, for each prior scale: as `reference`, for K labels.

The loss is averaged over nodes in K - 1 dimensions, the contrasts of the labels.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from askwise.posteriors.scores.label_evidence import LabelEvidence
from askwise.posteriors.scores.reference import Reference
from askwise.types import Bools, Floats

NODES = 32  # points at which a loss is averaged over normally distributed scores
TOLERANCE = 5e-2  # of the mean, in posterior standard deviations: it is only a reference


class _SoftmaxFit(NamedTuple):
    """One state of the fit of K references: all that the next step needs."""

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


def _state(evidence: LabelEvidence, scales: Floats, centers: Floats, precisions: Floats) -> _SoftmaxFit:
    """The expected loss, gradient and curvature under N(center, precision^-1), one for each of G scales."""
    contrasts, rows, strengths = evidence.contrasts, evidence.rows, evidence.strengths
    count, width, free = len(scales), evidence.rank, contrasts.shape[1]
    roots = np.linalg.inv(np.linalg.cholesky(precisions))
    means = rows @ centers.reshape(count, -1, free)  # (G, T, K - 1)
    spreads = (rows @ roots.reshape(count, width, -1, free)).transpose(0, 2, 3, 1)  # (G, T, K - 1, rank)
    factors = np.linalg.cholesky(spreads @ spreads.swapaxes(2, 3) + 1e-12 * np.eye(free))
    loss, mean, curvature = _expectations(evidence, means, factors)
    slope = mean @ contrasts - contrasts[evidence.places]  # (G, T, K - 1)
    tightness = scales**-2.0
    pull = ((strengths[:, None] * rows).T @ slope).reshape(count, width)
    outer = (strengths[:, None, None] * rows[:, :, None] * rows[:, None, :]).reshape(len(rows), -1)
    square = outer.T @ (contrasts.T @ curvature @ contrasts).reshape(count, len(rows), -1)  # (G, R R, (K - 1)^2)
    square = square.reshape(count, rows.shape[1], -1, free, free).swapaxes(2, 3).reshape(count, width, width)
    size = np.square(centers).sum(axis=1) + np.square(roots).sum(axis=(1, 2))
    log_spread = np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
    bounds = log_spread - width * np.log(scales) + width / 2 - tightness * size / 2 - loss @ strengths
    curvatures = square + tightness[:, None, None] * np.eye(width)
    return _SoftmaxFit(centers, precisions, roots, bounds, pull + tightness[:, None] * centers, curvatures)


def _expectations(evidence: LabelEvidence, means: Floats, factors: Floats) -> tuple[Floats, Floats, Floats]:
    """The mean loss (G, T), share (G, T, K) and curvature diag(p) - p p' (G, T, K, K) at the nodes."""
    contrasts, real = evidence.contrasts, evidence.precision
    points = _nodes(contrasts.shape[1]).T.astype(real)  # (K - 1, Q)
    # labels first: sums over a short last axis are slow
    scores = np.einsum("kj,gtj->kgt", contrasts, means)[..., None].astype(real)
    scores = scores + np.moveaxis(contrasts @ factors, 2, 0).astype(real) @ points  # (K, G, T, Q)
    own = scores[evidence.places, :, np.arange(len(evidence.rows))].mean(axis=-1).T
    top = scores.max(axis=0)
    scores -= top
    shares = np.exp(scores, out=scores)
    whole = shares.sum(axis=0)
    loss = (np.log(whole) + top).mean(axis=-1) - own
    shares /= whole
    mean = shares.mean(axis=-1)
    curvature = -np.einsum("kgtq,lgtq->gtkl", shares, shares) / NODES
    curvature += np.moveaxis(mean, 0, -1)[..., None] * np.eye(len(contrasts))
    return loss, np.moveaxis(mean, 0, -1), curvature


def fit_softmax(evidence: LabelEvidence, scales: Floats, centers: Floats, precisions: Floats, rounds: int) -> Reference:
    """The Gaussian-variational references of all scales (G,), by at most `rounds` damped natural-gradient steps.

    The fit starts from `centers` (G, R) and `precisions` (G, R, R).
    """
    now = _state(evidence, scales, centers, precisions)
    step = np.ones(len(scales))
    for _ in range(rounds if evidence.rank else 0):
        size = step[:, None, None]
        precisions = now.precisions + size * (now.curvatures - now.precisions)
        moves = np.linalg.solve(precisions, now.gradients[..., None])[..., 0]
        proposed = _state(evidence, scales, now.centers - size[..., 0] * moves, precisions)
        better = proposed.bounds > now.bounds - 1e-4
        gain = proposed.bounds - now.bounds
        now = _SoftmaxFit(*(_chosen(better, new, old) for new, old in zip(proposed, now, strict=True)))
        step = np.where(better, np.minimum(1.0, 2 * step), step / 2)
        slack = np.square((now.roots @ now.gradients[..., None])[..., 0]).sum(axis=1)
        done = better & (slack < TOLERANCE**2 * evidence.rank) & (gain < TOLERANCE)
        if (done | (step <= 1e-3)).all():
            break
    return Reference(scales, now.centers, now.precisions, now.roots, now.bounds)


def _chosen(better: Bools, new: Floats, old: Floats) -> Floats:
    """The new (K, ...) where it is better, else the old."""
    return np.where(better.reshape(-1, *[1] * (new.ndim - 1)), new, old)
