"""A Gaussian close to the posterior, for each prior scale: where the sampler starts and how it whitens.

This is the Gaussian-variational fit of a log-concave posterior: at its mean the expected gradient vanishes, and its
precision equals the expected curvature. It sits where the mass is; the mode of a skewed posterior does not.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from askwise.losses import Loss, logistic, value_and_slope
from askwise.posteriors.scores.evidence import Evidence, working_precision
from askwise.types import Bools, Floats, Ints

NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(12)
NODE_WEIGHTS = NODE_WEIGHTS / NODE_WEIGHTS.sum()
MAX_QUADRATURE_SPREAD = 1.5  # of scores: beyond, the twelve nodes miss where the loss is curved, and hinges are used
HINGE_SPACING = 1.25  # errors are then about 1e-4 of the value, and less of slope and curvature
TOLERANCE = 5e-2  # of the mean, in posterior standard deviations: it is only a reference
MAX_ROUNDS = 60
MAX_STEP = 0.5  # share of a full step, after the first: full ones overshoot and need more rounds


class Reference(NamedTuple):
    """Gaussians N(center, precision^-1), one for each of K prior scales, in R coordinates.

    >>> flat = Reference(np.ones(1), np.zeros((1, 1)), np.ones((1, 1, 1)), np.ones((1, 1, 1)), np.zeros(1))
    >>> flat.log_density(np.array([[2.0]]))
    array([[-2.]])
    """

    scales: Floats  # (K,)
    centers: Floats  # (K, R)
    precisions: Floats  # (K, R, R)
    roots: Floats  # (K, R, R): center + noise @ root is a draw
    bounds: Floats  # (K,) lower bounds of the log evidence

    def draw(self, index: int, noise: Floats) -> Floats:
        """(S, R) standard normal noise -> (S, R) draws from the Gaussian of one scale."""
        return self.centers[index] + noise @ self.roots[index]

    def log_density(self, points: Floats) -> Floats:
        """(S, R) -> (K, S), up to the constant of the standard normal, which all scales share."""
        inverses = self.precisions @ self.roots.swapaxes(1, 2)
        whitened = points @ inverses - self.centers[:, None] @ inverses  # (K, S, R)
        log_spread = np.log(np.diagonal(self.roots, axis1=1, axis2=2)).sum(axis=1)
        return -log_spread[:, None] - np.einsum("ksr,ksr->ks", whitened, whitened) / 2


class ExpectedLoss(NamedTuple):
    """The loss, its slope and its curvature, averaged over normally distributed scores."""

    value: Floats
    slope: Floats
    curvature: Floats


def expectations(loss: Loss, responses: Floats, means: Floats, spreads: Floats) -> ExpectedLoss:
    """(T,), (K, T), (K, T) -> three (K, T): expected loss under scores N(mean, spread^2).

    >>> from askwise.losses import squared
    >>> expectations(squared, np.array([1.0]), np.array([[3.0]]), np.array([[0.5]])).value.round(6)
    array([[4.25]])
    """
    wide = (spreads > MAX_QUADRATURE_SPREAD) if np.isfinite(loss.flat_beyond) else np.zeros(spreads.shape, dtype=bool)
    if loss is logistic:
        return _compiled(responses, means, spreads, wide)
    if not wide.any():
        return _by_quadrature(loss, np.broadcast_to(responses, means.shape), means, spreads)
    result = ExpectedLoss(np.empty(means.shape), np.empty(means.shape), np.empty(means.shape))
    answer = np.broadcast_to(np.arange(len(responses)), means.shape)
    near = ~wide
    narrow_part = _by_quadrature(loss, responses[answer[near]], means[near], spreads[near])
    wide_part = _by_hinges(loss, responses, answer[wide], means[wide], spreads[wide])
    for whole, narrow_values, wide_values in zip(result, narrow_part, wide_part, strict=True):
        whole[near], whole[wide] = narrow_values, wide_values
    return result


def _compiled(responses: Floats, means: Floats, spreads: Floats, wide: Bools) -> ExpectedLoss:
    """`expectations` for the logistic loss, which depends on the margin alone: the score times the response."""
    from askwise.posteriors.scores.logistic_expectations import expected_logistic  # loads numba

    grid, weights, _, _ = _hinges(logistic, (1.0,))
    margins = (means * responses).ravel()
    found = expected_logistic(margins, spreads.ravel(), wide.ravel(), (NODES, NODE_WEIGHTS), (grid, weights[0]))
    value, slope, curvature = found.reshape(3, *means.shape)
    return ExpectedLoss(value, slope * responses, curvature)


def _by_quadrature(loss: Loss, responses: Floats, means: Floats, spreads: Floats) -> ExpectedLoss:
    real = working_precision(loss)
    scores = (means[..., None] + spreads[..., None] * NODES).astype(real)
    value, slope = value_and_slope(loss, scores, responses[..., None].astype(real))
    # Stein: E[l''] = E[x l'(m + s x)] / s for standard normal x, which saves the curvature at every node
    return ExpectedLoss(value @ NODE_WEIGHTS, slope @ NODE_WEIGHTS, slope @ (NODE_WEIGHTS * NODES) / spreads)


def _by_hinges(loss: Loss, responses: Floats, answer: Ints, means: Floats, spreads: Floats) -> ExpectedLoss:
    """A convex loss is a line plus hinges (z - u)_+ weighted by its curvature at u; hinges have closed forms."""
    distinct, which = np.unique(responses, return_inverse=True)
    key: Any = loss  # a frozen value, though the protocol does not say so
    grid, weights, start, tilt = _hinges(key, tuple(distinct.tolist()))
    which = which[answer]
    start, tilt, weight = start[which], tilt[which], weights[which]
    offset = ((means[:, None] - grid) / spreads[:, None]).astype(np.float32)
    density = np.exp(offset * offset / np.float32(-2)) / np.float32(np.sqrt(2 * np.pi))
    above = _normal_cdf(offset, density)
    curvature = np.einsum("ng,ng->n", weight, density) / spreads
    slope = tilt + np.einsum("ng,ng->n", weight, above)
    value = (
        start + tilt * (means + loss.flat_beyond) + spreads * np.einsum("ng,ng->n", weight, offset * above + density)
    )
    return ExpectedLoss(value, slope, curvature)


@lru_cache(maxsize=64)
def _hinges(loss: Loss, distinct: tuple[float, ...]) -> tuple[Floats, Floats, Floats, Floats]:
    """Places of the hinges (G,), their weights (Y, G), and value (Y,) and slope (Y,) of the line they start from."""
    responses = np.array(distinct)
    grid = np.linspace(-loss.flat_beyond, loss.flat_beyond, 2 * int(np.ceil(loss.flat_beyond / HINGE_SPACING)) + 1)
    weights = loss.curvature(grid, responses[:, None]) * (grid[1] - grid[0])
    bent = weights.max(axis=0) > 1e-7
    left = np.full(len(distinct), -loss.flat_beyond)
    return grid[bent], weights[:, bent].astype(np.float32), loss.value(left, responses), loss.slope(left, responses)


def _normal_cdf(x: Floats, density: Floats) -> Floats:
    """The normal distribution function from its density, right to 1e-7 (Abramowitz and Stegun 26.2.17)."""
    t = 1 / (1 + np.float32(0.2316419) * np.abs(x))
    tail = np.full_like(t, 1.330274429)
    for coefficient in (-1.821255978, 1.781477937, -0.356563782, 0.319381530):
        tail *= t
        tail += np.float32(coefficient)
    tail *= t * density
    return np.where(x > 0, 1 - tail, tail)


class _Fit(NamedTuple):
    """One state of the fit of K references: all that the next step needs."""

    centers: Floats  # (K, R)
    precisions: Floats  # (K, R, R)
    roots: Floats  # (K, R, R)
    bounds: Floats  # (K,)
    gradients: Floats  # (K, R) of the expected potential
    curvatures: Floats  # (K, R, R) of the expected potential

    def take(self, index: Ints) -> _Fit:
        return _Fit(*(part[index] for part in self))


def _state(evidence: Evidence, scales: Floats, centers: Floats, precisions: Floats) -> _Fit:
    from scipy.linalg.lapack import dtrtri  # here, because it is slow to import

    rank = evidence.rank
    lower = np.linalg.cholesky(precisions)
    roots = np.array([dtrtri(factor, lower=1)[0] for factor in lower]).reshape(precisions.shape)
    spreads = np.sqrt(np.square(evidence.rows @ roots.swapaxes(1, 2)).sum(axis=2))
    mean = expectations(evidence.loss, evidence.responses, centers @ evidence.rows.T, np.maximum(spreads, 1e-9))
    tightness = scales**-2.0
    log_spread = np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
    size = np.square(centers).sum(axis=1) + np.square(roots).sum(axis=(1, 2))
    bounds = log_spread - rank * np.log(scales) + rank / 2 - tightness * size / 2 - mean.value @ evidence.strengths
    gradients = (mean.slope * evidence.strengths) @ evidence.rows + tightness[:, None] * centers
    curvatures = (evidence.rows.T * (mean.curvature * evidence.strengths)[:, None, :]) @ evidence.rows
    curvatures += tightness[:, None, None] * np.eye(rank)
    return _Fit(centers, precisions, roots, bounds, gradients, curvatures)


def fit(evidence: Evidence, scales: Floats, centers: Floats, precisions: Floats) -> Reference:
    """The references of all scales (K,) at once, from a start (K, R), (K, R, R).

    Each round is a natural-gradient step: the precision goes to (1 - step) * old + step * expected curvature, and the
    mean takes a Newton step with it. The first step is full, which settles a quadratic loss at once. After that, a step
    that lowers the evidence bound is halved, and one that raises it lets the step grow back to MAX_STEP.

    >>> from askwise.losses import squared
    >>> evidence = Evidence.empty(squared, 1).add(np.ones((1, 1)), np.full(1, 3.0), np.full(1, 0.5))  # 3 with noise 1
    >>> fit(evidence, np.ones(1), np.zeros((1, 1)), np.ones((1, 1, 1))).centers.round(4)  # half way to the prior
    array([[1.5]])
    """
    now = _state(evidence, scales, centers, precisions)
    step, unsettled = np.ones(len(scales)), np.arange(len(scales))
    for _ in range(MAX_ROUNDS if evidence.rank else 0):
        current, size = now.take(unsettled), step[unsettled][:, None, None]
        precisions = current.precisions + size * (current.curvatures - current.precisions)
        moves = np.linalg.solve(precisions, current.gradients[..., None])[..., 0]
        proposed = _state(evidence, scales[unsettled], current.centers - size[..., 0] * moves, precisions)
        better = proposed.bounds > current.bounds - 1e-4
        for whole, part in zip(now, proposed, strict=True):
            whole[unsettled[better]] = part[better]
        step[unsettled] = np.minimum(np.where(better, 2 * step[unsettled], step[unsettled] / 2), MAX_STEP)
        slack = np.square((now.roots[unsettled] @ now.gradients[unsettled][..., None])[..., 0]).sum(axis=1)
        done = better & (slack < TOLERANCE**2 * evidence.rank) & (proposed.bounds - current.bounds < TOLERANCE)
        unsettled = unsettled[~done & (step[unsettled] > 1e-3)]
        if not unsettled.size:
            break
    return Reference(scales, now.centers, now.precisions, now.roots, now.bounds)
