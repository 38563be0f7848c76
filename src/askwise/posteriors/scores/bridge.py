"""Evidence of several posteriors from draws of them and of their references: bridge sampling over all at once.

Weighing draws of the references alone fails where a reference covers its posterior badly; draws from both sides meet in
the middle, and every draw serves every scale because the likelihood does not depend on the scale.
"""

from __future__ import annotations

import numpy as np

from askwise.types import Floats, Ints


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
    ratio = np.ones(len(start))
    for _ in range(200):
        last, ratio = ratio, own @ (1 / (proposal + (1 / ratio) @ own)) / counts
        if np.abs(ratio / last - 1).max() < 1e-3:
            break
    return start + np.log(ratio)
