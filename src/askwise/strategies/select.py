"""SELECT (the paper's Algorithm 2): draw pairs of structures until one atom has surely split enough of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf, log

import numpy as np
from numpy.random import Generator

from askwise.errors import SettingError
from askwise.losses import zero_one
from askwise.posteriors import Drawn
from askwise.posteriors.chains import pairs
from askwise.problem import Problem
from askwise.strategies.split import split
from askwise.types import Atoms, Floats, Sample, Scored, Structures

PAIRS_PER_BLOCK = 256  # the pair at which it halts does not depend on it
MAX_PAIRS_FACTOR = 10  # of the pairs that the draws at hand say are needed


@dataclass(frozen=True)
class Select:
    """With probability 1 - delta, an atom whose average split is at least (1 - alpha) times the best candidate's.

    `info` reports the pairs used, and a note if no candidate splits what is left: the plain loop would not end.

    >>> Select(alpha=0.5, delta=0.05).threshold(atoms=500, responses=2)
    552.8...
    """

    alpha: float = 0.5
    delta: float = 0.05

    def __post_init__(self) -> None:
        if not (0 < self.alpha < 1 and 0 < self.delta < 1):
            raise SettingError(f"alpha and delta must lie between 0 and 1, got {self.alpha} and {self.delta}")

    def threshold(self, atoms: int, responses: int) -> float:
        """N = 6 (2 + alpha) / alpha^2 ln((m + |Y|) / delta)."""
        return 6 * (2 + self.alpha) / self.alpha**2 * log((atoms + responses) / self.delta)

    def __call__(self, problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
        gain = np.zeros(len(atoms))
        codes = np.asarray(problem.family.responses(problem.family.predict(sample.structures, atoms)))
        target = self.threshold(len(atoms), len(codes))
        scores = split(replace(problem, loss=zero_one, beta=inf), sample, atoms)
        best = float(scores.average_split().max()) * scores.diameter
        if best < 1e-12:
            return Scored(gain, {"pairs": 0, "note": "no candidate question tells what is still plausible apart"})
        most = int(MAX_PAIRS_FACTOR * target / best)
        winner, pairs = halt(problem, _pairs(posterior, sample, rng, most), atoms, codes, target)
        if winner is None:
            return Scored(gain, {"pairs": pairs, "note": f"no candidate split enough of {pairs} pairs to halt"})
        gain[winner] = 1.0
        return Scored(gain, {"pairs": pairs})


def halt(
    problem: Problem, pairs: Iterator[tuple[Structures, Structures]], atoms: Atoms, codes: Floats, target: float
) -> tuple[int | None, int]:
    """The first atom whose split weight reaches `target` under every response, and the pair at which it does.

    Works through blocks of pairs but halts at the very pair a one-by-one loop would; ties go to the lowest atom.
    """
    removed = np.zeros((len(codes), len(atoms)))  # S[y, a]: the distance between pairs that y does not leave together
    used = 0
    for left, right in pairs:
        distances = problem.distance.paired(left, right)
        decided = [problem.family.decide(problem.family.predict(side, atoms)) for side in (left, right)]
        alike = [(decided[0] == y) & (decided[1] == y) for y in codes]
        split_off = np.stack([distances[:, None] * ~same for same in alike])  # (Y, B, A)
        after = removed + split_off.sum(axis=1)
        if (after >= target).all(axis=0).any():
            running = removed[:, None] + np.cumsum(split_off, axis=1)
            reached = (running >= target).all(axis=0)  # (B, A)
            pair = int(reached.any(axis=1).argmax())
            return int(reached[pair].argmax()), used + pair + 1
        removed = after
        used += len(distances)
    return None, used


def _pairs(posterior: Drawn, sample: Sample, rng: Generator, most: int) -> Iterator[tuple[Structures, Structures]]:
    """Pairs from the posterior, block by block, at least `most` of them; draws of chains are paired across chains."""
    for _ in range(0, most, PAIRS_PER_BLOCK):
        if sample.exact:
            draws = sample.structures[rng.choice(len(sample.weights), 2 * PAIRS_PER_BLOCK, p=sample.weights)]
            yield draws[np.arange(PAIRS_PER_BLOCK)], draws[np.arange(PAIRS_PER_BLOCK, 2 * PAIRS_PER_BLOCK)]
        else:
            fresh = posterior.sample(2 * PAIRS_PER_BLOCK, rng)
            left, right = pairs(fresh)
            yield fresh.structures[left], fresh.structures[right]
