"""Pareto shape of importance weights: does the proposal reach far enough?"""

from __future__ import annotations

import numpy as np

from askwise.types import Floats


def pareto_shape(log_weights: Floats) -> float:
    """Shape k of the generalised Pareto tail of importance weights, from their logarithms.

    Below 0.5 the weights have finite variance; above 0.7 estimates from them are not to be trusted. The tail is the
    largest min(S / 5, 3 sqrt(S)) weights (Vehtari et al.), the fit that of Zhang and Stephens (2009), drawn towards
    0.5 by ten pseudo-observations.

    >>> rng = np.random.default_rng(0)
    >>> bool(abs(pareto_shape(0.9 * rng.exponential(size=100_000)) - 0.9) < 0.1)
    True
    """
    count = len(log_weights)
    size = int(min(count / 5, 3 * np.sqrt(count)))
    if size < 5:
        return float("inf")
    ordered = np.sort(log_weights)[-size - 1 :]
    tail = np.exp(ordered[1:] - ordered[-1]) - np.exp(ordered[0] - ordered[-1])
    if tail[-1] <= 1e-12:
        return 0.0  # all weights are equal: no tail
    if tail[_quartile(size)] == 0:
        return float("inf")  # a few weights are so large that the others vanish
    shape = _zhang_stephens(tail)
    return (size * shape + 10 * 0.5) / (size + 10)


def _quartile(count: int) -> int:
    """The place of the first quartile of sorted numbers."""
    return int(count / 4 + 0.5) - 1


def _zhang_stephens(excess: Floats) -> float:
    """Shape of a generalised Pareto sample, sorted, above its threshold: the mean of a data-based quasi-posterior."""
    count = len(excess)
    guesses = 30 + int(np.sqrt(count))
    quartile = excess[_quartile(count)]
    theta = 1 / excess[-1] + (1 - np.sqrt(guesses / (np.arange(1, guesses + 1) - 0.5))) / (3 * quartile)
    shapes = np.log1p(-theta[:, None] * excess).mean(axis=1)
    log_profile = count * (np.log(-theta / shapes) - shapes - 1)
    weights = np.exp(log_profile - log_profile.max())
    best = weights @ theta / weights.sum()
    return float(np.log1p(-best * excess).mean())
