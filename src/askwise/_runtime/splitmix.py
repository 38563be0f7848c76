"""The SplitMix64 generator for compiled code (Steele, Lea and Flood 2014): one 64-bit state a chain.

Every chain has a stream of its own, so that neither the number of chains nor of threads changes what one chain does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._runtime.compiled import machine_code

INCREMENT = np.uint64(0x9E3779B97F4A7C15)
MULTIPLIERS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
compiled = machine_code(_nrt=False)


@compiled
def uniform(state: Any) -> float:
    """A number in [0, 1); moves `state` (1,) on.

    >>> round(uniform(np.array([7], dtype=np.uint64)), 6)
    0.38983
    """
    state[0] += INCREMENT
    mixed = state[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * MULTIPLIERS[0]
    mixed = (mixed ^ (mixed >> np.uint64(27))) * MULTIPLIERS[1]
    mixed = mixed ^ (mixed >> np.uint64(31))
    return float(mixed >> np.uint64(11)) * 1.1102230246251565e-16  # 2^-53


@compiled
def integer_below(state: Any, size: int) -> int:
    """A whole number from 0 to `size` - 1."""
    return min(int(uniform(state) * size), size - 1)
