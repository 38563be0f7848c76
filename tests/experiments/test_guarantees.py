"""The guarantees in a short form: kept where they should be, refuted where their numbers are cut down."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from scipy.stats import binomtest

from askwise.experiments import guarantees
from askwise.experiments.files import write_table
from askwise.experiments.guarantees import (
    ChainPosterior,
    check_share,
    consistency,
    near_tie_problem,
    noise_table,
    select,
    select_in_session,
    stopping,
    weights_with_diameter,
)
from askwise.experiments.published_select import PublishedSelect
from askwise.stopping import DiameterBelow
from askwise.strategies.select import Select
from askwise.strategies.split import split
from askwise.types import Sample
from tests.helpers import SEED, generator


@pytest.mark.parametrize(("kept", "runs"), [(0, 20), (13, 20), (20, 20)])
def test_interval_is_clopper_pearson(kept, runs):
    found = check_share("any", kept, runs, 0.5)
    exact = binomtest(kept, runs).proportion_ci(guarantees.LEVEL, method="exact")
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high))
    assert found.refuted == (found.high < 0.5)


@pytest.mark.parametrize("kind", [Select, PublishedSelect])
@pytest.mark.parametrize("responses", [2, 3])
def test_select_keeps_both_promises(responses, kind):
    found = select(kind(0.5, 0.1), runs=40, responses=responses, seed=SEED)
    assert not found.splits.refuted
    assert not found.pairs.refuted


@pytest.mark.parametrize("alpha", [0.5, 0.25])
def test_select_stays_at_a_known_share_of_its_bound(alpha):
    """(1 + alpha / 2)(1 - alpha): the pairs concentrate at N / (rho diameter), the bound leaves room for chance."""
    found = select(PublishedSelect(alpha, 0.1), runs=30, seed=SEED)
    assert select(Select(alpha, 0.1), runs=30, seed=SEED).share < found.share / 2
    assert found.share == pytest.approx((1 + alpha / 2) * (1 - alpha), abs=0.02)
    assert found.most <= 1


def test_a_near_tie_is_close():
    problem, weights = near_tie_problem(generator(910), alpha=0.2)
    rho = split(problem, Sample(np.arange(200), weights, exact=True), np.arange(20)).average_split()
    assert rho[0] == rho.max()
    assert (rho[1:] < 0.8 * rho[0]).all()
    assert (rho[1:] > 0.75 * rho[0]).all()


class Hasty(PublishedSelect):
    def threshold(self, atoms, responses):
        return super().threshold(atoms, responses) / 100


class Careless(Select):
    def halt(self, removed):
        return int(next(removed)[:3].sum(axis=0).min(axis=0).argmax()), 3


@pytest.mark.parametrize(("kind", "spoiled"), [(PublishedSelect, Hasty), (Select, Careless)])
def test_select_on_near_ties(kind, spoiled):
    assert not select(kind(0.2, 0.1), runs=40, near_tie=True, seed=SEED).splits.refuted
    assert select(spoiled(0.2, 0.1), runs=40, near_tie=True, seed=SEED).splits.refuted


def test_select_over_all_questions_of_a_session():
    assert not select_in_session(Select(0.5, 0.1), runs=30, rounds=5, seed=SEED).refuted
    assert select_in_session(Careless(0.2, 0.1), runs=30, rounds=5, seed=SEED).refuted


@pytest.mark.parametrize("responses", [2, 3, 4])
@pytest.mark.parametrize("adversarial", [True, False])
def test_noise_keeps_its_margin(responses, adversarial):
    truth = generator(911).integers(responses, size=50)
    chances = noise_table(generator(912), truth, responses, 0.4, adversarial)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert (chances >= 0).all()
    rows = np.arange(50)
    right = chances[rows, truth]
    rivals = chances.copy()
    rivals[rows, truth] = 0.0
    lead = right - rivals.max(axis=1)
    assert (lead >= 0.4 - 1e-12).all()
    if adversarial:
        np.testing.assert_allclose(lead, 0.4)


@pytest.mark.parametrize(("responses", "adversarial"), [(2, True), (3, False)])
def test_the_error_goes_to_zero(responses, adversarial):
    found = consistency(runs=3, answers=500, responses=responses, adversarial=adversarial, seed=SEED)
    assert found.beta == 0.08
    assert found.mean[0] > 0.1
    assert found.worst[-1] < 1e-3


def test_not_consistent_where_the_noise_has_no_margin(monkeypatch):
    """The wrong answer is the likelier one: the mean distance stays."""
    honest = guarantees.noise_table
    monkeypatch.setattr(guarantees, "noise_table", lambda *settings: honest(*settings)[:, ::-1])
    assert consistency(runs=2, answers=300, seed=SEED).mean[-1] > 0.1


def test_weights_have_the_diameter_asked_for():
    for diameter in (0.01, 0.2, 0.5, 0.9):
        weights = weights_with_diameter(diameter)
        assert weights.sum() == pytest.approx(1)
        assert 1 - weights @ weights == pytest.approx(diameter)


def test_stopping_neither_early_nor_late():
    patient, prompt = stopping(runs=60, rounds=6, seed=SEED)
    assert not patient.refuted
    assert not prompt.refuted


@pytest.mark.parametrize(("epsilon", "delta"), guarantees.STOPPING_LEVELS)
def test_an_exact_posterior_stops_exactly(epsilon, delta):
    early, late = stopping(1, epsilon, delta, rounds=12, posterior="exact")
    assert early.kept == late.kept == 1


@pytest.mark.parametrize(("epsilon", "delta"), guarantees.STOPPING_LEVELS)
def test_independent_draws_keep_both_promises(epsilon, delta):
    early, late = stopping(12, epsilon, delta, rounds=4, seed=SEED)
    assert not early.refuted
    assert not late.refuted


def test_chains_keep_a_coarse_level_and_not_a_fine_one():
    """Few chains that happen to agree look settled, and at epsilon = .05 they do so often."""
    settings = {"rounds": 6, "posterior": "chains, autocorrelation .9", "seed": SEED}
    assert not stopping(30, 0.2, 0.2, **settings)[0].refuted
    assert stopping(30, 0.05, 0.05, **settings)[0].refuted


def test_chains_have_their_weights_and_their_autocorrelation():
    rng = generator(913)
    weights, stay, steps = weights_with_diameter(0.5), 0.5, 400
    posterior = ChainPosterior.start(weights, stay, rng)
    drawn = posterior.sample(64 * steps, rng)
    assert (np.bincount(drawn.chains) == steps).all()
    first = (drawn.structures == 0).reshape(64, steps).astype(float)
    worth = 64 * steps * (1 - stay) / (1 + stay)
    share = weights[0]
    assert abs(first.mean() - share) < 4 * np.sqrt(share * (1 - share) / worth)
    centred = first - share
    correlation = (centred[:, 1:] * centred[:, :-1]).mean() / (share * (1 - share))
    assert correlation == pytest.approx(stay, abs=4 / np.sqrt(worth))


def test_stopping_with_few_pairs_is_refuted(monkeypatch):
    full = DiameterBelow.pairs
    monkeypatch.setattr(DiameterBelow, "pairs", lambda self, turn: full(self, turn) // 48)
    patient, prompt = stopping(runs=60, rounds=6, seed=SEED)
    assert not patient.refuted  # too few pairs never win a bet
    assert prompt.refuted


def test_written_as_csv(tmp_path):
    results = stopping(runs=2, rounds=1)
    write_table(results, tmp_path / "kept.csv")
    with open(tmp_path / "kept.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["kept"]) for row in rows] == [found.kept for found in results]
