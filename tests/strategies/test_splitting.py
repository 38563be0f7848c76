"""The splitting index of a session's own problem: exact by enumeration, or covered by its interval."""

from __future__ import annotations

import json
from dataclasses import replace
from math import ceil, inf, log

import numpy as np
import pytest
from typer.testing import CliRunner

import askwise
from askwise.cli.app import app
from askwise.distances.labels import Angle
from askwise.errors import SettingError
from askwise.experiments.guarantees import random_problem
from askwise.losses import zero_one
from askwise.posteriors.enumerated import Enumerated
from askwise.problem import Problem
from askwise.session import Session
from askwise.strategies.split import split
from askwise.strategies.splitting import RHOS, SplitShare, Splitting, estimate_splitting
from askwise.structures.linear import LinearSphere
from askwise.theory import Index, bayes_resources
from askwise.types import Sample
from tests.helpers import SampledPosterior, exact_sample, generator, label_problem


def exact_splits(problem, weights):
    """(A,): the share of the diameter that every answer splits off, by loops; answers have no noise."""
    table, apart = problem.family.table, problem.distance.table
    size, atoms = table.shape
    diameter = sum(weights[g] * weights[h] * apart[g, h] for g in range(size) for h in range(size))
    left = np.zeros((len(problem.family.responses(None)), atoms))
    for row, y in enumerate(problem.family.responses(None)):
        for a in range(atoms):
            for g in range(size):
                for h in range(size):
                    if table[g, a] == y == table[h, a]:
                        left[row, a] += weights[g] * weights[h] * apart[g, h]
    return 1 - left.max(axis=0) / diameter, diameter


@pytest.mark.parametrize("beta", [1.5, inf])
def test_exact_weights_give_the_exact_index(beta):
    problem, prior = label_problem(generator(420), 3, beta)
    found = estimate_splitting(problem, exact_sample(prior), np.arange(6), generator(421), listed=True, candidates=6)
    splits, diameter = exact_splits(problem, prior.weights)
    for share in found.shares:
        assert share.tau == share.low == share.high == np.mean(splits >= share.rho)
    assert found.best == pytest.approx(splits.max())
    assert found.diameter == pytest.approx(diameter)
    assert found.warning is None


def test_the_interval_covers_the_exact_index():
    """Nine times of ten: draws and atoms are both random here."""
    runs, inside, narrow = 25, 0, 0
    for run in range(runs):
        rng = generator(422, run)
        problem, weights = random_problem(rng, size=10, atoms=300)
        splits = split(problem, Sample(np.arange(10), weights, exact=True), np.arange(300)).average_split()
        sample, atoms = SampledPosterior(weights).sample(100, rng), rng.choice(300, 100)
        share = estimate_splitting(problem, sample, atoms, rng, listed=False, candidates=100).shares[-1]
        inside += share.low <= np.mean(splits >= share.rho) <= share.high
        narrow += share.high - share.low < 0.5
    assert inside >= 0.9 * runs - 3 * np.sqrt(0.9 * 0.1 * runs)
    assert narrow > runs / 2


def test_draws_of_chains_count_as_chains():
    problem, prior = label_problem(generator(423), beta=2.0)
    picked = generator(424).choice(9, 10, p=prior.weights)
    stuck = Sample(np.repeat(picked, 40), np.full(400, 1 / 400), exact=False)
    chains = stuck._replace(chains=np.repeat(np.arange(10), 40))
    widths = []
    for sample in (stuck, chains):
        found = estimate_splitting(problem, sample, np.arange(6), generator(425), listed=True, candidates=6)
        widths.append(sum(share.high - share.low for share in found.shares))
    assert widths[1] > widths[0]


def test_candidates_and_questions():
    rng = generator(426)
    problem, weights = random_problem(rng, atoms=40)
    sample = Sample(np.arange(12), weights, exact=True)
    found = estimate_splitting(problem, sample, np.arange(40), rng, listed=False, candidates=3, round=7, epsilon=0.01)
    for share in found.shares:
        assert share.candidates_needed == (ceil(log(4 * 7 * 8 / 0.05) / share.tau) if share.tau else inf)
    assert "3 candidates may miss questions that split well in question 7" in found.warning
    assert found.diameter * (1 - found.pace) ** found.questions == pytest.approx(0.01)
    assert found.worst_case is None


def test_the_worst_case_is_the_theorems():
    family = LinearSphere(3)
    problem, rng = Problem(family, Angle()), generator(427)
    sample = Sample(rng.standard_normal((300, 3)), np.full(300, 1 / 300), exact=False)
    atoms = family.draw_atoms(200, rng)
    found = estimate_splitting(problem, sample, atoms, rng, listed=False, candidates=200, epsilon=0.1)
    bounds = [
        bayes_resources(1, Index(share.rho, 0.1, share.tau), 0.05, dimension=3).rounds.corrected
        for share in found.shares
        if share.tau > 0
    ]
    assert found.worst_case == min(bounds)
    assert found.worst_case > found.questions


def test_in_words():
    shares = (
        SplitShare(0.05, 1.0, 1.0, 1.0, 8),
        SplitShare(0.25, 0.5, 0.4, 0.62, 10),
        SplitShare(0.5, 0.0, 0.0, 0.0, inf),
    )
    found = Splitting(0.4, 0.1, shares, 500, False, 500, 1, 0.3, 0.2, 6.21, None)
    assert str(found) == (
        "Of 500 random questions, 100 % split off at least 0.05, 50 % (40 to 62 %) split off at least 0.25 of the "
        "distances that are still open, whatever the answer is. The best one is expected to lower undecided from 0.4 "
        "by 20 %. At this pace 0.1 is reached after about 6 more questions."
    )
    assert "not above 0.5: there is little left" in str(replace(found, epsilon=0.5))
    assert "No question is expected" in str(replace(found, questions=inf))
    assert json.loads(json.dumps(found.to_dict()))["shares"][2]["candidates_needed"] is None


def test_along_a_session():
    problem, weights = random_problem(generator(428), beta=2.0)
    prior = Enumerated.prior(problem.family, np.arange(12), zero_one, 2.0, weights)
    session = Session(problem, prior, repeat=True)
    before = session.splitting(epsilon=0.01)
    assert before == session.splitting(epsilon=0.01)  # it changes nothing
    assert before.listed
    session.tell(0, session.ask())
    after = session.splitting(epsilon=0.01)
    assert after.round == 2
    splits, _ = exact_splits(problem, session.posterior.weights)
    assert [share.tau for share in after.shares] == [np.mean(splits >= rho) for rho in RHOS]
    with pytest.raises(SettingError, match="epsilon"):
        session.splitting(epsilon=0)


def test_the_goals_own_epsilon_and_the_plan(tmp_path):
    assert askwise.best_item(["tea", "milk", "beer"], epsilon=0.2, seed=1).splitting().epsilon == 0.2
    study = str(tmp_path / "drinks.askwise")
    (tmp_path / "drinks.csv").write_text("name\ntea\nmilk\nbeer\n")
    runner = CliRunner()
    made = ["new", "best-item", str(tmp_path / "drinks.csv"), "-o", study, "--epsilon", "0.3", "--draws", "50"]
    assert runner.invoke(app, made).exit_code == 0
    options = ["plan", study, "--people", "2", "--seconds", "60", "--workers", "1"]
    assert "split off at least" in " ".join(runner.invoke(app, [*options, "--splitting"]).stdout.split())
    found = json.loads(runner.invoke(app, [*options, "--splitting", "--json"]).stdout)
    assert found["splitting"]["listed"] is True
    assert [share["rho"] for share in found["splitting"]["shares"]] == list(RHOS)


def test_it_counts_to_where_the_goal_stops():
    session = askwise.best_item(["tea", "coffee", "water"], closeness=2.0, seed=1)
    assert session.splitting().epsilon == pytest.approx(0.05 / 4)
    assert session.splitting(0.1).epsilon == 0.1
