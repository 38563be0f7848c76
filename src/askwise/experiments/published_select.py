"""SELECT as published (Algorithm 2), for the checks of its lemma; `askwise.strategies.select` halts sooner."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log

import numpy as np

from askwise.strategies.select import Select
from askwise.types import Bools, Floats


@dataclass(frozen=True)
class PublishedSelect(Select):
    """Halts at the first atom that has split N of the distance under every response.

    >>> PublishedSelect(alpha=0.5, delta=0.05).threshold(atoms=500, responses=2)
    552.8...
    """

    def threshold(self, atoms: int, responses: int) -> float:
        """N = 6 (2 + alpha) / alpha^2 ln((m + |Y|) / delta)."""
        return 6 * (2 + self.alpha) / self.alpha**2 * log((atoms + responses) / self.delta)

    def halt(self, removed: Iterator[Floats]) -> tuple[int | None, int]:
        """Works through blocks of pairs (B, Y, A) but halts at the very pair a one-by-one loop would; ties go to the
        lowest atom."""
        total: Floats = np.zeros(1)
        used = 0
        for block in removed:
            target = self.threshold(block.shape[2], block.shape[1])
            running = total + np.cumsum(block, axis=0)
            reached: Bools = np.all(running >= target, axis=1)  # (B, A)
            if reached[-1].any():
                pair = int(reached.any(axis=1).argmax())
                return int(reached[pair].argmax()), used + pair + 1
            total, used = running[-1], used + len(block)
        return None, used
