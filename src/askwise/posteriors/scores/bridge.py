"""Evidence of several posteriors from draws of them and of their references: bridge sampling over all at once.

Weighing draws of the references alone fails where a reference covers its posterior badly; draws from both sides meet in
the middle, and every draw serves every scale because the likelihood does not depend on the scale.
"""

from __future__ import annotations

import numpy as np

from askwise.types import Floats, Ints

MAX_STEPS = 200
TOLERANCE = 1e-2  # of a step: the next one would be about as small as its square
MAX_STEP = 30.0  # beyond it, numbers could overflow


def log_evidences(proposal: Floats, targets: Floats, counts: Ints, start: Floats) -> Floats:
    """(M,), (K, M), (K,), (K,) -> (K,): log normalising constants of K unnormalised log densities `targets`.

    Among the M points are counts[k] draws of each target; the others come from references, and `proposal` is the log of
    the references' densities at all M points, each times its number of draws, summed. `start` is a first guess. The
    result solves the likelihood equations of the constants (Meng and Wong 1996; Shirts and Chodera 2008).

    >>> rng = np.random.default_rng(0)
    >>> x = np.concatenate([rng.normal(0, 1, 5000), rng.normal(0, 2, 5000)])  # reference N(0, 1), target 7 * N(0, 4)
    >>> proposal = np.log(5000) - x**2 / 2
    >>> log_evidences(proposal, np.log(7 / 2) - x[None] ** 2 / 8, np.array([5000]), np.zeros(1)).round(1)
    array([1.9])
    """
    own = targets + (np.log(counts) - start)[:, None]
    top = np.maximum(proposal, own.max(axis=0))
    proposal, own = np.exp(proposal - top), np.exp(own - top)
    found = np.zeros(len(start))
    shares, objective = _shares(proposal, own, counts, found)
    for _ in range(MAX_STEPS):
        expected = shares.sum(axis=1)
        step = _newton_step(shares, expected, counts)
        proposed = _shares(proposal, own, counts, found + step)
        if not proposed[1] <= objective:  # too far away for Newton's method
            step = np.log(expected / counts)  # never raises the objective
            proposed = _shares(proposal, own, counts, found + step)
        found, (shares, objective) = found + step, proposed
        if np.abs(step).max() < TOLERANCE:
            break
    return start + found


def _shares(proposal: Floats, own: Floats, counts: Ints, found: Floats) -> tuple[Floats, float]:
    """(K, M): the chance that each point is a draw of each target; and the negative log likelihood, which is convex."""
    shares = own * np.exp(-found)[:, None]
    total = proposal + shares.sum(axis=0)
    return shares / total, float(np.log(total).sum() + counts @ found)


def _newton_step(shares: Floats, expected: Floats, counts: Ints) -> Floats:
    """(K,): towards the lowest negative log likelihood."""
    curvature = np.diag(expected) - shares @ shares.T
    try:
        step = np.linalg.solve(curvature, expected - counts)
    except np.linalg.LinAlgError:  # none of the points seems to come from a target
        step = np.log(expected / counts)
    return np.clip(step, -MAX_STEP, MAX_STEP)
