"""NDBAL: the average split by definition, the sampled pairs in expectation, and the hard set on the line."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest

from askwise.distances import TableDistance
from askwise.distances.intervals import IntervalMembership, PairDisagreement
from askwise.losses import zero_one
from askwise.posteriors.enumerated import Enumerated
from askwise.problem import Problem
from askwise.session import Session
from askwise.stopping import DiameterBelow
from askwise.strategies.ndbal import PAPER_PAIRS, ndbal, ndbal_paper
from askwise.strategies.split import split
from askwise.structures.finite import Finite
from askwise.structures.intervals import IntervalClusterings, hard_clusterings
from askwise.types import Answer, Sample
from tests.helpers import SampledPosterior, exact_sample, generator, label_problem


def test_gain_is_the_average_split():
    for trial in range(5):
        problem, prior = label_problem(generator(80, trial), 3)
        table, apart, w = problem.family.table, problem.distance.table, prior.weights
        left = np.array(
            [max((w * (table[:, a] == y)) @ apart @ (w * (table[:, a] == y)) for y in range(3)) for a in range(6)]
        )
        gain = ndbal(problem, prior, exact_sample(prior), np.arange(6), None).gain
        assert gain == pytest.approx(1 - left / (w @ apart @ w), abs=1e-12)
        assert gain.argmax() == left.argmin()


def test_paper_pairs_average_to_the_surviving_share():
    """300 pairs at a time; the mean over many calls of what survives is the exact share."""
    problem, prior = label_problem(generator(81), beta=2.0)
    sample = exact_sample(prior)
    exact = split(problem, sample, np.arange(6))
    found = np.array([ndbal_paper(problem, prior, sample, np.arange(6), generator(82, i)).gain for i in range(400)])
    error = np.abs(found.mean(axis=0) - exact.average_split())
    settled = (
        np.abs(exact.surviving[0] - exact.surviving[1]) > 0.02 * exact.diameter
    )  # the worst answer is never in doubt
    assert settled.any()
    allowed = 5 * found.std(axis=0) / np.sqrt(400) + 1e-9  # 5: a ratio of means is biased by less than a standard error
    assert (error < allowed)[settled].all()


def test_paper_uses_the_first_draws_in_disjoint_pairs():
    problem, prior = label_problem(generator(83), beta=2.0)
    draws = SampledPosterior(prior.weights).sample(700, generator(84)).structures
    scored = ndbal_paper(problem, prior, Sample(draws, np.full(700, 1 / 700), exact=False), np.arange(6), None)
    left, right = draws[:PAPER_PAIRS], draws[PAPER_PAIRS : 2 * PAPER_PAIRS]
    apart, table = problem.distance.table[left, right], problem.family.table
    remaining = [apart @ np.exp(-2.0 * ((table[left] != y).astype(float) + (table[right] != y))) for y in range(2)]
    assert scored.gain == pytest.approx(1 - np.max(remaining, axis=0) / apart.sum(), abs=1e-12)


@pytest.mark.parametrize("rule", [ndbal, ndbal_paper])
def test_nothing_to_split_is_no_gain(rule):
    family = Finite([[0, 1], [0, 1]])
    problem = Problem(family, TableDistance(np.zeros((2, 2))), zero_one, inf)
    prior = Enumerated.prior(family, np.arange(2), zero_one, inf)
    assert (rule(problem, prior, exact_sample(prior), np.arange(2), generator(85)).gain == 0).all()


def questions_needed(k, distance, alpha=0.5):
    """For every truth of the hard set, how many questions NDBAL asks until the average diameter is below
    half of ((1 - alpha) / k)^2."""
    structures, points = hard_clusterings(k, alpha)
    family = IntervalClusterings(points)
    atoms = family.draw_atoms(10**6, None)
    table = Finite(family.predict(structures, atoms), responses=[1, 0])
    apart = (
        distance(alpha / 2).pairwise(structures) if distance is IntervalMembership else distance().pairwise(structures)
    )
    problem = Problem(table, TableDistance(apart), zero_one, inf)
    prior = Enumerated.prior(table, np.arange(len(structures)), zero_one, inf)
    epsilon = ((1 - alpha) / k) ** 2 / 2
    needed = np.zeros(len(structures), dtype=int)
    columns = np.arange(len(atoms))

    def descend(posterior, asked):
        sample = posterior.sample(2, None)
        if sample.weights @ apart[np.ix_(sample.structures, sample.structures)] @ sample.weights <= epsilon:
            needed[sample.structures] = asked
            return
        gain = ndbal(problem, posterior, sample, columns, None).gain
        best = int(np.flatnonzero(gain > gain.max() - 1e-12)[0])  # equal up to rounding: the first
        for y in np.unique(table.table[sample.structures, best]):
            descend(posterior.update(Answer(best, y), None), asked + 1)

    descend(prior, 0)
    return needed


@pytest.mark.parametrize(("k", "clusterings", "average", "worst"), [(8, 8, 3, 4), (16, 17, 4, 5)])
def test_hard_on_the_line_for_clusterings_easy_for_one_cluster(k, clusterings, average, worst):
    whole_clustering = questions_needed(k, PairDisagreement)
    assert whole_clustering.max() == whole_clustering[0] == clusterings  # the truth without a cut cell is the hardest
    one_cluster = questions_needed(k, IntervalMembership)
    assert round(one_cluster.mean()) == average
    assert one_cluster.max() == worst


def test_hard_set_through_a_session():
    structures, points = hard_clusterings(8, 0.5)
    family = IntervalClusterings(points)
    for distance, needed in ((PairDisagreement(), 8), (IntervalMembership(0.25), 2)):
        problem = Problem(family, distance, zero_one, inf)
        prior = Enumerated.prior(family, structures, zero_one, inf)
        session = Session(problem, prior, rule="ndbal", stop=DiameterBelow((0.5 / 8) ** 2 / 2))
        while not session.done:
            session.ask()
            pair = np.array([session.log[-1]["atom"]])
            session.tell("same" if family.predict(structures[:1], pair)[0, 0] else "different")
        assert abs(len(session.answers) - needed) <= 1  # atoms that split equally well are told apart by rounding
        assert distance.paired(session.estimate().structure[None], structures[:1])[0] < (0.5 / 8) ** 2


@pytest.mark.parametrize("beta", [0.1, 0.7, 2.2])
@pytest.mark.parametrize("labels", [2, 4])
def test_the_pick_splits_nearly_as_well_as_the_best(labels, beta):
    """With exact weights and the 0-1 loss: at least 1 / (1 + e^-beta) of the best noiseless average split."""
    worst = 1.0
    for trial in range(200):
        problem, prior = label_problem(generator(86, trial, labels), labels, beta)
        noiseless = replace(problem, beta=inf)
        pick = int(ndbal(problem, prior, exact_sample(prior), np.arange(6), None).gain.argmax())
        splits = split(noiseless, exact_sample(prior), np.arange(6)).average_split()
        assert splits[pick] >= splits.max() / (1 + np.exp(-beta)) - 1e-9
        worst = min(worst, float(splits[pick] / splits.max()))
    assert worst < 1  # it is not always the best one
