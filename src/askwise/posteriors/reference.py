"""A Gaussian close to the posterior, for each prior scale: where the sampler starts and how it whitens.

The Gaussian-variational fit of a log-concave posterior: the mean and precision at which the expected gradient vanishes
and the precision equals the expected curvature. It sits where the mass is; the mode of a skewed posterior does not.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from askwise.losses import Loss, logistic, value_and_slope
from askwise.posteriors.evidence import Evidence, working_precision
from askwise.types import Bools, Floats, Ints

NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(12)
NODE_WEIGHTS = NODE_WEIGHTS / NODE_WEIGHTS.sum()
WIDE = 1.5  # beyond this spread the twelve nodes miss the bend of the loss, and a grid over the bend is used
STEP = 1.25  # of that grid: errors are then about 1e-4 of the value, less of slope and curvature
TOLERANCE = 5e-2  # of the mean, in posterior standard deviations: it is only a reference
ROUNDS = 60
LONG = 0.5  # share of a full step that all but the first go: full ones overshoot, and need more rounds


class Reference(NamedTuple):
    """Gaussians N(center, precision^-1), one for each of K prior scales, in R coordinates."""

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


class Expected(NamedTuple):
    """The loss, its slope and its curvature, averaged over normally distributed scores."""

    value: Floats
    slope: Floats
    curvature: Floats


def expectations(loss: Loss, responses: Floats, means: Floats, spreads: Floats) -> Expected:
    """(T,), (K, T), (K, T) -> three (K, T): expected loss under scores N(mean, spread^2).

    >>> from askwise.losses import squared
    >>> expectations(squared, np.array([1.0]), np.array([[3.0]]), np.array([[0.5]])).value.round(6)
    array([[4.25]])
    """
    wide = (spreads > WIDE) if np.isfinite(loss.bend) else np.zeros(spreads.shape, dtype=bool)
    if loss is logistic:
        return _compiled(responses, means, spreads, wide)
    if not wide.any():
        return _by_nodes(loss, np.broadcast_to(responses, means.shape), means, spreads)
    result = Expected(np.empty(means.shape), np.empty(means.shape), np.empty(means.shape))
    answer = np.broadcast_to(np.arange(len(responses)), means.shape)
    near = ~wide
    narrow_part = _by_nodes(loss, responses[answer[near]], means[near], spreads[near])
    wide_part = _by_grid(loss, responses, answer[wide], means[wide], spreads[wide])
    for whole, narrow_values, wide_values in zip(result, narrow_part, wide_part, strict=True):
        whole[near], whole[wide] = narrow_values, wide_values
    return result


def _compiled(responses: Floats, means: Floats, spreads: Floats, wide: Bools) -> Expected:
    """The same for the logistic loss, which depends on the margin alone: the score times the response."""
    from askwise.posteriors.averages import averaged  # brings numba, which `import askwise` must not

    grid, weights, _, _ = _hinges(logistic, (1.0,))
    margins = (means * responses).ravel()
    found = averaged(margins, spreads.ravel(), wide.ravel(), (NODES, NODE_WEIGHTS), (grid, weights[0]))
    value, slope, curvature = found.reshape(3, *means.shape)
    return Expected(value, slope * responses, curvature)


def _by_nodes(loss: Loss, responses: Floats, means: Floats, spreads: Floats) -> Expected:
    real = working_precision(loss)
    scores = (means[..., None] + spreads[..., None] * NODES).astype(real)
    value, slope = value_and_slope(loss, scores, responses[..., None].astype(real))
    # Stein: E[l''] = E[x l'(m + s x)] / s for standard normal x, which saves the curvature at every node
    return Expected(value @ NODE_WEIGHTS, slope @ NODE_WEIGHTS, slope @ (NODE_WEIGHTS * NODES) / spreads)


def _by_grid(loss: Loss, responses: Floats, answer: Ints, means: Floats, spreads: Floats) -> Expected:
    """A convex loss is a line plus hinges (z - u)_+ weighted by its curvature at u; hinges have closed forms."""
    kinds, kind = np.unique(responses, return_inverse=True)
    key: Any = loss  # a frozen value, though the protocol does not say so
    grid, weights, start, tilt = _hinges(key, tuple(kinds.tolist()))
    kind = kind[answer]
    start, tilt, weight = start[kind], tilt[kind], weights[kind]
    apart = ((means[:, None] - grid) / spreads[:, None]).astype(np.float32)
    bell = np.exp(apart * apart / np.float32(-2)) / np.float32(np.sqrt(2 * np.pi))
    above = _normal_share(apart, bell)
    curvature = np.einsum("ng,ng->n", weight, bell) / spreads
    slope = tilt + np.einsum("ng,ng->n", weight, above)
    value = start + tilt * (means + loss.bend) + spreads * np.einsum("ng,ng->n", weight, apart * above + bell)
    return Expected(value, slope, curvature)


@lru_cache(maxsize=64)
def _hinges(loss: Loss, kinds: tuple[float, ...]) -> tuple[Floats, Floats, Floats, Floats]:
    """Where the hinges are (G,), their weights (kinds, G), and value and slope of the line they start from (kinds,)."""
    responses = np.array(kinds)
    grid = np.linspace(-loss.bend, loss.bend, 2 * int(np.ceil(loss.bend / STEP)) + 1)
    weights = loss.curvature(grid, responses[:, None]) * (grid[1] - grid[0])
    bent = weights.max(axis=0) > 1e-7
    left = np.full(len(kinds), -loss.bend)
    return grid[bent], weights[:, bent].astype(np.float32), loss.value(left, responses), loss.slope(left, responses)


def _normal_share(x: Floats, bell: Floats) -> Floats:
    """The normal distribution function from its density, right to 1e-7 (Abramowitz and Stegun 26.2.17)."""
    t = 1 / (1 + np.float32(0.2316419) * np.abs(x))
    tail = np.full_like(t, 1.330274429)
    for coefficient in (-1.821255978, 1.781477937, -0.356563782, 0.319381530):
        tail *= t
        tail += np.float32(coefficient)
    tail *= t * bell
    return np.where(x > 0, 1 - tail, tail)


class _Fit(NamedTuple):
    """One state of the fixed point, for K scales, with all that the next step needs."""

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

    Each round is a natural-gradient step: precision to (1 - step) * old + step * expected curvature, then the mean by
    a Newton step with it. The first is a full one, which ends a quadratic loss at once; then a step that lowers the
    evidence bound is halved, and one that raises it lets the step grow back to LONG.
    """
    now = _state(evidence, scales, centers, precisions)
    step, open_ = np.ones(len(scales)), np.arange(len(scales))
    for _ in range(ROUNDS if evidence.rank else 0):
        here, size = now.take(open_), step[open_][:, None, None]
        precisions = here.precisions + size * (here.curvatures - here.precisions)
        moves = np.linalg.solve(precisions, here.gradients[..., None])[..., 0]
        trial = _state(evidence, scales[open_], here.centers - size[..., 0] * moves, precisions)
        better = trial.bounds > here.bounds - 1e-4
        for whole, part in zip(now, trial, strict=True):
            whole[open_[better]] = part[better]
        step[open_] = np.minimum(np.where(better, 2 * step[open_], step[open_] / 2), LONG)
        slack = np.square((now.roots[open_] @ now.gradients[open_][..., None])[..., 0]).sum(axis=1)
        done = better & (slack < TOLERANCE**2 * evidence.rank) & (trial.bounds - here.bounds < TOLERANCE)
        open_ = open_[~done & (step[open_] > 1e-3)]
        if not open_.size:
            break
    return Reference(scales, now.centers, now.precisions, now.roots, now.bounds)
