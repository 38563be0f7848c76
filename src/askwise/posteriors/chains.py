"""Draws of chains: how to order and pair them, and how many independent draws they are worth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from askwise.types import Floats, Ints, Sample, Structures


def by_chain(batches: Sequence[Structures], count: int) -> Sample:
    """The first `count` draws of `batches` that each hold one draw a chain, sorted by chain.

    >>> by_chain([np.array([1, 2]), np.array([3, 4])], 3)
    Sample(structures=array([1, 3, 2]), weights=array([...]), exact=False, chains=array([0, 0, 1]))
    """
    chains = np.arange(count) % len(batches[0])
    order = np.argsort(chains, kind="stable")
    return Sample(np.concatenate(batches)[order], np.full(count, 1.0 / count), exact=False, chains=chains[order])


def pairs(sample: Sample) -> tuple[Ints, Ints]:
    """(K,), (K,): the places of disjoint pairs of draws.

    Draws of chains are paired across two chains, the same two as far as possible. The first draws of all chains come
    first, then the second ones, and so on.

    >>> left, right = pairs(Sample(np.arange(8), np.full(8, 1 / 8), False, np.array([0, 0, 1, 1, 2, 2, 3, 3])))
    >>> left.tolist(), right.tolist()
    ([0, 2, 1, 3], [4, 6, 5, 7])
    """
    half = len(sample.structures) // 2
    if sample.chains is None:
        return np.arange(half), np.arange(half, 2 * half)
    order = np.argsort(sample.chains, kind="stable")
    left, right = order[:half], order[len(order) - half :]
    first = sample.chains[left]
    step = np.argsort(np.arange(half) - np.searchsorted(first, first), kind="stable")
    return left[step], right[step]


def independent_draws(values: Floats, chains: Ints | None) -> float:
    """How many independent values would estimate the mean as well as these (n,): at least the number of chains.

    Chains are independent of each other, so the spread of their means shows how much the values of one chain repeat
    each other. Values that do not vary show nothing and count as independent.

    >>> stuck, which = np.repeat([0.0, 1.0, 1.0, 0.0], 50), np.repeat(np.arange(4), 50)
    >>> round(independent_draws(stuck, which)), round(independent_draws(stuck, None))
    (4, 200)
    """
    count = len(values)
    if chains is None:
        return float(count)
    lengths = np.bincount(chains)
    number = int((lengths > 0).sum())
    off = np.bincount(chains, values - values.mean())  # (C,): how far each chain pulls the sum
    error = float(off @ off) / count**2 * number / max(number - 1, 1)  # the variance of the mean
    spread = float(values.var())
    return float(np.clip(spread / error, number, count)) if spread > 0 and error > 0 else float(count)
