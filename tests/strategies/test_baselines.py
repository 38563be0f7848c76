"""The rules of others against their definitions, by loops or in distribution."""

from __future__ import annotations

from math import inf, log

import numpy as np
import pytest

from askwise.distances.items import BestItem
from askwise.distances.labels import Angle
from askwise.errors import SettingError
from askwise.losses import davidson, logistic
from askwise.posteriors.enumerated import Enumerated
from askwise.problem import Problem
from askwise.strategies import baselines, strategies, strategy
from askwise.strategies.baselines import bald, epig, eubo, margin, qbc, random
from askwise.structures.choice import Choice
from askwise.structures.finite import Finite
from askwise.structures.linear import LinearPool
from askwise.types import Sample
from tests.helpers import chi_square, exact_sample, generator, label_problem, score_problem

CASES = [(labels, beta) for labels in (2, 3, 4) for beta in (0.5, 2.0, 4.0, inf)] + [("scores", 1.0), ("ties", 1.0)]
cases = pytest.mark.parametrize(("labels", "beta"), CASES)


def make(labels, beta):
    if labels == "scores":
        return score_problem(generator(110), beta)
    if labels == "ties":
        return score_problem(generator(110), beta, davidson(), (1, -1, 0))
    return label_problem(generator(110), labels, beta)


def entropy(chances):
    return -sum(p * log(p) for p in chances if p > 0)


@cases
def test_margin(labels, beta):
    problem, prior = make(labels, beta)
    chances = problem.chances(problem.family.table)
    for a, gain in enumerate(margin(problem, prior, exact_sample(prior), np.arange(6), None).gain):
        second, first = sorted(sum(w * p for w, p in zip(prior.weights, row, strict=True)) for row in chances[:, :, a])[
            -2:
        ]
        assert gain == pytest.approx(1 - (first - second), abs=1e-12)


@cases
def test_bald(labels, beta):
    problem, prior = make(labels, beta)
    chances = problem.chances(problem.family.table)
    for a, gain in enumerate(bald(problem, prior, exact_sample(prior), np.arange(6), None).gain):
        mean = [sum(w * p for w, p in zip(prior.weights, row, strict=True)) for row in chances[:, :, a]]
        within = sum(w * entropy(chances[:, g, a]) for g, w in enumerate(prior.weights))
        assert gain == pytest.approx(entropy(mean) - within, abs=1e-12)


def test_bald_of_draws_in_32_bits_that_are_certain():
    """A chance of exactly 0 has no logarithm; it must count as 0."""
    problem = Problem(LinearPool([[1.0], [-1.0]]), Angle(), logistic)
    sample = Sample(np.array([[200.0], [300.0]], np.float32), np.full(2, 0.5), exact=False)
    assert bald(problem, None, sample, np.arange(2), None).gain == pytest.approx(np.zeros(2), abs=1e-6)


@cases
def test_epig(labels, beta):
    problem, prior = make(labels, beta)
    chances, w = problem.chances(problem.family.table), prior.weights
    codes = range(len(chances))
    for a, gain in enumerate(epig(problem, prior, exact_sample(prior), np.arange(6), generator(111)).gain):
        total = 0.0
        for target in range(6):
            for y in codes:
                for z in codes:
                    joint = sum(w[g] * chances[y, g, a] * chances[z, g, target] for g in range(9))
                    alone = (w @ chances[y, :, a]) * (w @ chances[z, :, target])
                    total += joint * log(joint / alone) if joint > 0 else 0.0
        assert gain == pytest.approx(total / 6, abs=1e-12)


def test_epig_draws_few_targets_of_a_large_pool(monkeypatch):
    monkeypatch.setattr(baselines, "MAX_TARGETS", 3)
    problem, prior = label_problem(generator(112), beta=2.0)
    few = epig(problem, prior, exact_sample(prior), np.arange(6), generator(113)).gain
    chosen = generator(113).choice(6, 3, replace=False)
    each = [epig_of_one(problem, prior, target) for target in chosen]
    assert few == pytest.approx(np.mean(each, axis=0), abs=1e-12)


def epig_of_one(problem, prior, target):
    one = Problem(
        Finite(problem.family.table[:, [target]], responses=[0, 1]), problem.distance, problem.loss, problem.beta
    )
    chances, w = problem.chances(problem.family.table), prior.weights
    goal = one.chances(one.family.table)[:, :, 0]
    joint = np.einsum("g,yga,zg->yza", w, chances, goal)
    alone = np.einsum("ya,z->yza", np.einsum("g,yga->ya", w, chances), goal @ w)
    return (joint * np.log(joint / alone)).sum(axis=(0, 1))


def test_eubo():
    rng = generator(114)
    items, tastes, weights = rng.standard_normal((5, 3)), rng.standard_normal((7, 3)), rng.dirichlet(np.ones(7))
    family = Choice(items)
    problem = Problem(family, BestItem(items))
    prior = Enumerated.prior(family, tastes, problem.loss, weights=weights)
    atoms = family.draw_atoms(9, None)
    better = [sum(w * max(t @ items[i], t @ items[j]) for w, t in zip(weights, tastes, strict=True)) for i, j in atoms]
    gain = eubo(problem, prior, exact_sample(prior), atoms, None).gain
    assert gain - gain[0] == pytest.approx(np.array(better) - better[0], abs=1e-12)
    assert gain.min() == 0


def test_eubo_needs_items():
    problem, prior = label_problem(generator(115))
    with pytest.raises(SettingError, match="eubo compares items, and Finite has none"):
        eubo(problem, prior, exact_sample(prior), np.arange(6), None)


def test_qbc_in_distribution():
    """An atom is asked in proportion to the chance that two structures of the posterior disagree on it."""
    problem, prior = label_problem(generator(116), 3)
    problem.family.table[:, 2] = 1  # nobody disagrees here
    w = prior.weights
    disagree = [1 - sum(w[problem.family.table[:, a] == y].sum() ** 2 for y in range(3)) for a in range(6)]
    disagree[2] = 0.0
    sample, counts, tries = exact_sample(prior), np.zeros(6), []
    for i in range(3000):
        scored = qbc(problem, prior, sample, np.arange(6), generator(117, i))
        assert scored.gain.sum() == scored.gain.max() == 1
        counts += scored.gain
        tries.append(scored.info["tries"])
    assert counts[2] == 0
    assert chi_square(counts, disagree) > 1e-4
    chance = np.mean(disagree)  # of success at each try: the tries are geometric
    assert abs(np.mean(tries) - 1 / chance) < 4 * np.sqrt(1 - chance) / chance / np.sqrt(len(tries))


def test_qbc_finds_a_rare_disagreement_and_says_when_there_is_none():
    table = np.zeros((2, 40))
    table[1, 17] = 1
    family = Finite(table, responses=[0, 1])
    problem = Problem(family, label_problem(generator(118))[0].distance)
    prior = Enumerated.prior(family, np.arange(2), problem.loss)
    found = qbc(problem, prior, exact_sample(prior), np.arange(40), generator(119))
    assert found.gain.argmax() == 17
    none = qbc(problem, prior, exact_sample(prior), np.arange(17), generator(119))
    assert none.gain.max() == 1
    assert "no two structures" in none.info["note"]


def test_random_is_uniform():
    problem, prior = label_problem(generator(120))
    asked = [
        random(problem, prior, exact_sample(prior), np.arange(6), generator(121, i)).gain.argmax() for i in range(3000)
    ]
    assert chi_square(np.bincount(asked, minlength=6), np.ones(6)) > 1e-4


def test_registry():
    assert list(strategies()) == sorted(strategies())
    assert strategy("bald") is bald
    assert strategy(bald) is bald
    with pytest.raises(SettingError, match="there is no strategy 'best'; choose one of bald, "):
        strategy("best")
