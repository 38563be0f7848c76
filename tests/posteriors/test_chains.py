"""Draws of chains: paired across chains, and counted for what they are worth, against enumeration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from askwise.distances.hierarchies import TripletDisagreement
from askwise.losses import logistic, zero_one
from askwise.posteriors.chains import by_chain, independent_draws, pairs
from askwise.posteriors.clusterings.posterior import ClusteringPosterior
from askwise.posteriors.enumerated import Enumerated
from askwise.posteriors.hierarchies.posterior import HierarchyPosterior
from askwise.posteriors.matrices.posterior import MatrixPosterior
from askwise.posteriors.scores.logconcave import LogConcave
from askwise.posteriors.scores.mala import Mala
from askwise.posteriors.scores.softmax import SoftmaxPosterior
from askwise.problem import Problem
from askwise.stopping.certificate import Estimate, certify, upper_bound
from askwise.stopping.sequential_test import pair_distances
from askwise.strategies.select import _pairs
from askwise.structures.choice import Choice
from askwise.structures.clusterings import Clusterings
from askwise.structures.finite import Finite
from askwise.structures.hierarchies import Hierarchies, all_trees
from askwise.structures.matrices import Matrices
from askwise.structures.multiclass import SoftmaxPool
from askwise.types import Answer, Sample
from tests.helpers import generator

CHAINED = {
    "clusterings": lambda: (ClusteringPosterior.prior(Clusterings(5), 2.0, chains=16), Answer((0, 1), 1)),
    "hierarchies": lambda: (HierarchyPosterior.prior(Hierarchies(5), 2.0, chains=16), Answer((0, 1, 2), 2)),
    "mala": lambda: (Mala.prior(Choice(np.eye(3)), logistic, chains=16), Answer((0, 1), 1)),
    "matrices": lambda: (MatrixPosterior.prior(Matrices((3, 3)), 1, 16), Answer((0, 1), 1.5)),
    "softmax": lambda: (SoftmaxPosterior.prior(SoftmaxPool(np.eye(3), labels=("a", "b", "c")), 2.0, 16), Answer(0, 2)),
}


@pytest.mark.parametrize("name", CHAINED)
def test_samples_say_which_chain_each_draw_came_from(name):
    rng = generator(330)
    prior, answer = CHAINED[name]()
    posterior = prior.update(answer, rng)
    for count in (8, 16, 40, 64):
        sample = posterior.sample(count, rng)
        lengths = np.bincount(sample.chains, minlength=16)
        assert len(sample.structures) == len(sample.chains) == lengths.sum() == count
        if count <= 16:
            assert lengths.max() == 1
        left, right = pairs(sample)
        assert len(set(left) | set(right)) == 2 * (count // 2)
        assert (sample.chains[left] != sample.chains[right]).all()


def test_independent_draws_have_no_chains():
    rng = generator(331)
    family = Finite([[0, 1], [1, 1]])
    assert Enumerated.prior(family, np.arange(2), zero_one, 2.0).sample(10, rng).chains is None
    posterior = LogConcave.prior(Choice(np.eye(3)), logistic)
    assert posterior.update(Answer((0, 1), 1), rng).sample(10, rng).chains is None
    assert Mala.prior(Choice(np.eye(3)), logistic).sample(10, rng).chains is None  # no answer: draws of the prior


def test_the_mean_of_independent_draws_varies_as_it_should():
    """As one over their number: draws of one sample that were alike would make it vary more."""
    rng, family = generator(337), Choice(np.eye(4))
    posterior = LogConcave.prior(family, logistic)
    for pair in ((0, 1), (0, 2), (1, 3), (2, 3)):
        posterior = posterior.update(Answer(pair, 1), rng)
    best = np.array([posterior.sample(100, rng).structures.argmax(axis=1) == 0 for _ in range(250)]).astype(float)
    ratio = 100 * best.mean(axis=1).var(ddof=1) / best.var()
    assert abs(ratio - 1) < 4 * np.sqrt(2 / 249) + 0.05


@pytest.mark.parametrize(("chains", "count"), [(2, 7), (3, 6), (3, 7), (4, 24), (5, 40), (64, 4000), (64, 4032)])
def test_pairs_are_disjoint_and_of_two_chains(chains, count):
    sample = by_chain([np.arange(start, start + chains) for start in range(0, count, chains)], count)
    assert np.array_equal(sample.structures % chains, sample.chains)
    left, right = pairs(sample)
    assert len({*left, *right}) == 2 * (count // 2)
    assert (sample.chains[left] != sample.chains[right]).all()
    if chains % 2 == 0 and count % chains == 0:  # the same two all along
        assert len(set(zip(sample.chains[left].tolist(), sample.chains[right].tolist(), strict=True))) == chains // 2


@pytest.mark.parametrize("stay", [0.0, 0.5, 0.9])
def test_the_worth_of_draws(stay):
    """(1 - r) / (1 + r) of them, r the correlation of two neighbours, for chains that are long."""
    rng, worth = generator(332, int(10 * stay)), []
    for _ in range(40):
        values = sticky(0.3, stay, 64, 60, rng)
        worth.append(independent_draws(values.ravel(), np.repeat(np.arange(64), 60)) / values.size)
    first = (1 - stay) / (1 + stay)
    exact = 1 / (1 / first - 2 * stay * (1 - stay**60) / (60 * (1 - stay) ** 2))  # of chains of 60
    assert abs(np.mean(worth) - exact) < 0.1 * exact + 4 * np.std(worth) / np.sqrt(40)


def sticky(chance, stay, chains, length, rng):
    """(C, L) of 0 and 1: each stays as it is with probability `stay`, else it is drawn."""
    fresh = (rng.random((chains, length)) < chance).astype(float)
    for step in range(1, length):
        kept = rng.random(chains) < stay
        fresh[kept, step] = fresh[kept, step - 1]
    return fresh


@pytest.mark.parametrize("stay", [0.0, 0.5, 0.9])
def test_the_upper_bound_covers_draws_of_chains(stay):
    """62 draws each of 64 chains: counted as 3,968, the bound fails where chains repeat themselves."""
    rng, which, runs = generator(333, int(10 * stay)), np.repeat(np.arange(64), 62), 300
    missed = np.zeros(2)
    for _ in range(runs):
        values = sticky(0.1, stay, 64, 62, rng).ravel()
        missed += [upper_bound(values, 0.05, w) < 0.1 for w in (independent_draws(values, which), len(values))]
    assert missed[0] <= 0.05 * runs
    assert (missed[1] > 0.1 * runs) == (stay == 0.9)


@pytest.fixture(scope="module")
def six():
    """Trees over six items after eight random answers: all 945 with their exact weights, and their distances."""
    rng, family, trees = generator(334), Hierarchies(6), all_trees(6)
    posterior, atoms = HierarchyPosterior.prior(family, 3.0), family.draw_atoms(20, rng)
    for row in rng.permutation(20)[:8]:
        posterior = posterior.update(Answer(atoms[row], int(rng.integers(3))), rng)
    answers = family.answers(trees, posterior.triples)
    wrong = (posterior.triples[np.arange(8), answers] != posterior.odd).sum(axis=1)
    weights = np.exp(-3.0 * (wrong - wrong.min()))
    distance = TripletDisagreement(family)
    return posterior, trees, wrong, weights / weights.sum(), distance, distance.pairwise(trees)


def standing(six, rng):
    """The posterior with exact draws as its chains, so that all that is off is how they go on."""
    posterior, trees, wrong, weights, *_ = six
    drawn = rng.choice(len(trees), 64, p=weights)
    return replace(posterior, trees=trees[drawn].astype(np.int32), wrong=wrong[drawn].astype(np.int64))


@pytest.mark.parametrize("count", [128, 256, 512])
def test_pairs_of_trees_are_as_far_apart_as_any_two(six, count):
    """Where chains were compared with themselves a sweep or two later, they were 16 to 22 % too close."""
    *_, weights, distance, table = six
    problem, found, select = Problem(six[0].family, distance, zero_one, 3.0), [], []
    for run in range(60):
        rng = generator(335, count, run)
        posterior = standing(six, rng)
        found.append(pair_distances(problem, posterior.sample(count, rng)).values.mean())
        left, right = next(_pairs(posterior, Sample(None, None, exact=False), rng, 1))
        select.append(distance.paired(left, right).mean())
    exact = weights @ table @ weights
    for means in (found, select):
        assert abs(np.mean(means) - exact) < 4 * np.std(means) / np.sqrt(len(means))
    assert 4 * np.std(found) / np.sqrt(len(found)) < 0.1 * exact  # or it would show nothing


def test_certificates_of_trees_count_what_their_draws_are_worth(six):
    posterior, trees, _, weights, distance, table = six
    problem, best = Problem(posterior.family, distance, zero_one, 3.0), int((table @ weights).argmin())
    exact = float(table[best] @ weights)
    spread = float(weights @ (table[best] - exact) ** 2)
    means, worth, covered = [], [], 0
    for run in range(60):
        rng = generator(336, run)
        certificate = certify(problem, standing(six, rng), Estimate("it", trees[best], 0.0), [], rng)
        means.append(certificate.expected_distance)
        worth.append(int(certificate.assumptions[-1].split()[-3]))
        covered += certificate.upper_bound >= exact
        assert certificate.assumptions[-1].startswith("the 4000 draws of 64 chains behind it are from the posterior")
    assert covered >= 57
    true = spread / np.var(means, ddof=1)  # known from 60 runs to a fifth
    assert 0.6 * true < np.mean(worth) < 1.7 * true
    assert np.mean(worth) < 3000
