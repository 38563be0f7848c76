"""SELECT halts where a one-by-one loop would, keeps its promises, and says so when nothing splits."""

from __future__ import annotations

from math import inf, log

import numpy as np
import pytest

from askwise.distances import TableDistance
from askwise.errors import SettingError
from askwise.losses import zero_one
from askwise.posteriors.enumerated import Enumerated
from askwise.problem import Problem
from askwise.strategies import select
from askwise.strategies.select import Select, halt
from askwise.strategies.split import split
from askwise.structures.finite import Finite
from tests.helpers import SampledPosterior, exact_sample, generator, label_problem


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
    """Through `Select.__call__`, from the same generator, in blocks of another size."""
    monkeypatch.setattr(select, "PAIRS_PER_BLOCK", 64)
    rule = Select(alpha=0.9, delta=0.5)
    for trial in range(6):
        problem, prior = label_problem(generator(101, trial))
        sample, rng = exact_sample(prior), generator(102, trial)
        scored = rule(problem, prior, sample, np.arange(6), generator(102, trial))
        drawn = [rng.choice(9, 128, p=prior.weights) for _ in range(200)]
        left, right = np.concatenate([d[:64] for d in drawn]), np.concatenate([d[64:] for d in drawn])
        winner, pairs = one_by_one(problem, left, right, range(2), rule.threshold(6, 2))
        assert scored.info == {"pairs": pairs}
        assert scored.gain.tolist() == [float(a == winner) for a in range(6)]


def test_promise_and_pair_bound():
    """With probability 1 - delta: a split of at least (1 - alpha) of the best, from no more pairs than the bound."""
    rule, kept, within, runs = Select(alpha=0.5, delta=0.2), 0, 0, 40
    for trial in range(runs):
        problem, prior = label_problem(generator(103, trial))
        exact = split(problem, exact_sample(prior), np.arange(6))
        posterior = SampledPosterior(prior.weights)
        scored = rule(
            problem, posterior, posterior.sample(600, generator(104, trial)), np.arange(6), generator(105, trial)
        )
        average = exact.average_split()
        kept += average[scored.gain.argmax()] >= 0.5 * average.max()
        bound = 12 / (0.25 * 0.5 * average.max() * exact.diameter) * log((6 + 2) / 0.2)
        within += scored.info["pairs"] <= bound
    slack = 3 * np.sqrt(0.2 * 0.8 * runs)
    assert kept >= 0.8 * runs - slack
    assert within >= 0.8 * runs - slack


@pytest.mark.parametrize(
    ("table", "apart"), [([[0, 1], [0, 1]], 1.0), ([[0, 1], [1, 1]], 0.0)], ids=["same answers", "no distance"]
)
def test_says_so_when_nothing_splits(table, apart):
    family = Finite(table, responses=[0, 1])
    problem = Problem(family, TableDistance(np.array([[0.0, apart], [apart, 0.0]])), zero_one, inf)
    prior = Enumerated.prior(family, np.arange(2), zero_one, inf)
    scored = Select()(problem, prior, exact_sample(prior), np.arange(2), generator(106))
    assert (scored.gain == 0).all()
    assert scored.info["pairs"] == 0
    assert "no candidate question" in scored.info["note"]


def test_gives_up_when_the_draws_at_hand_misled(monkeypatch):
    problem, prior = label_problem(generator(107))
    posterior = SampledPosterior(np.eye(9)[0])  # later draws are all alike
    misleading = SampledPosterior(prior.weights).sample(600, generator(108))
    scored = Select()(problem, posterior, misleading, np.arange(6), generator(109))
    assert (scored.gain == 0).all()
    assert f"no candidate split enough of {scored.info['pairs']} pairs" in scored.info["note"]


def test_threshold():
    assert Select(0.5, 0.05).threshold(500, 2) == pytest.approx(60 * log(502 / 0.05))


@pytest.mark.parametrize(("alpha", "delta"), [(0.0, 0.1), (1.0, 0.1), (0.5, 0.0), (0.5, 1.0), (float("nan"), 0.1)])
def test_refuses(alpha, delta):
    with pytest.raises(SettingError, match="alpha and delta must lie between 0 and 1"):
        Select(alpha, delta)
