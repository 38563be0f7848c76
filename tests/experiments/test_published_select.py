"""SELECT as published halts where a one-by-one loop would."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log

import numpy as np
import pytest

from askwise.distances import TableDistance
from askwise.experiments.published_select import PublishedSelect
from askwise.losses import zero_one
from askwise.problem import Problem
from askwise.strategies import select
from askwise.strategies.select import removed_by_pairs
from askwise.structures.finite import Finite
from tests.helpers import exact_sample, generator, label_problem


@dataclass(frozen=True)
class HaltsAt(PublishedSelect):
    target: float = 1.0

    def threshold(self, atoms, responses):
        return self.target


def halt(problem, blocks, atoms, codes, target):
    return HaltsAt(target=target).halt(removed_by_pairs(problem, blocks, atoms, codes))


def one_by_one(problem, left, right, codes, target):
    """Algorithm 2 as it is written."""
    table, apart = problem.family.table, problem.distance.table
    removed = {(a, y): 0.0 for a in range(table.shape[1]) for y in codes}
    for pair, (g, h) in enumerate(zip(left, right, strict=True), start=1):
        for a, y in removed:
            removed[a, y] += apart[g, h] * (1 - (table[g, a] == y and table[h, a] == y))
        for a in range(table.shape[1]):
            if all(removed[a, y] >= target for y in codes):
                return a, pair
    return None, len(left)


@pytest.mark.parametrize("block", [1, 7, 16, 100])
@pytest.mark.parametrize("labels", [2, 3])
def test_halts_at_the_same_pair(labels, block):
    pairs, atoms = set(), set()
    for trial in range(40):
        rng = generator(100, labels, trial)
        problem, prior = label_problem(rng, labels)
        eighths = np.round(problem.distance.table * 8) / 8  # sums of eighths are exact, so that ties are ties
        problem = Problem(problem.family, TableDistance(eighths), zero_one, inf)
        left, right = rng.choice(9, (2, 112), p=prior.weights)
        codes, target = np.arange(labels), rng.integers(1, 17)
        blocks = ((left[i : i + block], right[i : i + block]) for i in range(0, 112, block))
        found = halt(problem, blocks, np.arange(6), codes, target)
        assert found == one_by_one(problem, left, right, codes, target)
        pairs.add(found[1])
        atoms.add(found[0])
    assert len(pairs) > 5  # halts early, late, and in between
    assert len(atoms) > 2


@pytest.mark.parametrize("place", [7, 8, 9, 16])
def test_block_boundaries(place):
    """The last pair of a block, the first of the next, and the last of all: pairs at distance 1 until `place`."""
    problem = Problem(Finite([[0, 0], [0, 1]]), TableDistance(np.array([[0.0, 1.0], [1.0, 0.0]])), zero_one, inf)
    blocks = [(np.zeros(8, dtype=int), np.ones(8, dtype=int)) for _ in range(2)]
    assert halt(problem, iter(blocks), np.arange(2), np.arange(2), float(place)) == (1, place)
    assert halt(problem, iter(blocks), np.arange(2), np.arange(2), 17.0) == (None, 16)
    same = Problem(Finite([[0, 0], [1, 1]]), problem.distance, zero_one, inf)
    assert halt(same, iter(blocks), np.arange(2), np.arange(2), float(place)) == (0, place)  # of equal atoms, the first


def test_called_as_a_rule(monkeypatch):
    """Through `__call__`, from the same generator, in blocks of another size."""
    monkeypatch.setattr(select, "PAIRS_PER_BLOCK", 64)
    rule = PublishedSelect(alpha=0.9, delta=0.5)
    for trial in range(6):
        problem, prior = label_problem(generator(101, trial))
        sample, rng = exact_sample(prior), generator(102, trial)
        scored = rule(problem, prior, sample, np.arange(6), generator(102, trial))
        drawn = [rng.choice(9, 128, p=prior.weights) for _ in range(200)]
        left, right = np.concatenate([d[:64] for d in drawn]), np.concatenate([d[64:] for d in drawn])
        winner, pairs = one_by_one(problem, left, right, range(2), rule.threshold(6, 2))
        assert scored.info == {"pairs": pairs}
        assert scored.gain.tolist() == [float(a == winner) for a in range(6)]


def test_threshold():
    assert PublishedSelect(0.5, 0.05).threshold(500, 2) == pytest.approx(60 * log(502 / 0.05))
