"""SELECT halts where bounds computed pair by pair say so, keeps its promises, and says so when nothing splits."""

from __future__ import annotations

from itertools import pairwise
from math import inf, log, log1p, sqrt

import numpy as np
import pytest

import askwise
from askwise.distances import TableDistance
from askwise.errors import SettingError
from askwise.losses import zero_one
from askwise.posteriors.enumerated import Enumerated
from askwise.problem import Problem
from askwise.session import Session
from askwise.strategies.select import PAIRS_PER_CHECK, Bounds, Select
from askwise.strategies.split import split
from askwise.structures.finite import Finite
from askwise.theory import Index, bayes_resources
from tests.helpers import SampledPosterior, exact_sample, generator, label_problem


def bounds_by_loop(values, level):
    """The empirical Bernstein confidence sequence, written out; bets change after every PAIRS_PER_CHECK values."""
    weighted = bets = penalty = 0.0
    for place, value in enumerate(values):
        before = values[: place - place % PAIRS_PER_CHECK]
        mean = (0.5 + sum(before)) / (len(before) + 1)
        variance = (0.25 + sum((v - np.mean(before)) ** 2 for v in before)) / (len(before) + 1)
        end = len(before) + PAIRS_PER_CHECK
        bet = min(sqrt(2 * level / (variance * end * log(1 + end))), 0.5)
        weighted, bets = weighted + bet * value, bets + bet
        penalty += (value - mean) ** 2 * (-log1p(-bet) - bet)  # 4 (x - mean)^2 psi_E(bet)
    return weighted / bets - (level + penalty) / bets, weighted / bets + (level + penalty) / bets


def test_bounds_are_those_of_the_loop():
    values = generator(110).random((6 * PAIRS_PER_CHECK, 3)) * [1.0, 0.2, 0.01]
    bounds = Bounds((3,), level=4.0)
    for start in range(0, len(values), PAIRS_PER_CHECK):
        bounds.add(values[start : start + PAIRS_PER_CHECK])
        found = np.transpose(bounds.lower_and_upper())
        assert found == pytest.approx(np.array([bounds_by_loop(v, 4.0) for v in values[: bounds.count].T]), rel=1e-9)


@pytest.mark.parametrize("mean", [0.5, 0.1, 0.02])
def test_bounds_hold_at_all_times_together(mean):
    """Each side fails in one stream of five at most, however often one looks; it does fail in some."""
    rng, streams = generator(111, int(100 * mean)), 1500
    bounds, failed = Bounds((streams,), level=log(5.0)), np.zeros((2, streams), dtype=bool)
    for _ in range(100):
        bounds.add(rng.random((PAIRS_PER_CHECK, streams)) < mean)
        lower, upper = bounds.lower_and_upper()
        failed |= lower > mean, upper < mean
    assert (failed.mean(axis=1) <= 0.2 + 3 * np.sqrt(0.2 * 0.8 / streams)).all()
    assert failed.any()


def test_halts_once_one_lower_bound_is_above_the_others_upper_bounds():
    rule, rng = Select(alpha=0.3, delta=0.2), generator(112)
    values = rng.random((40 * PAIRS_PER_CHECK, 2, 3)) * [[0.9, 0.3, 0.5], [0.7, 0.9, 0.5]]  # (B, Y, A)
    winner, used = rule.halt(iter(np.array_split(values, 5)))
    level = log((3 + 2) / 0.2)

    def good(count):
        sides = np.array([[bounds_by_loop(values[:count, y, a], level) for a in range(3)] for y in range(2)])
        lower, upper = sides[..., 0].min(axis=0), sides[..., 1].min(axis=0)
        return [lower[a] > 0 and lower[a] >= 0.7 * np.delete(upper, a).max() for a in range(3)]

    assert winner == 0
    assert good(used) == [True, False, False]
    assert not any(good(used - PAIRS_PER_CHECK))
    assert rule.halt(iter([values[:PAIRS_PER_CHECK]])) == (None, PAIRS_PER_CHECK)


def test_a_session_shares_delta_between_its_questions():
    rule = Select(alpha=0.5, delta=0.1)
    shares = [rule.for_round(round).delta for round in range(1, 5000)]
    assert sum(shares) == pytest.approx(0.1 / 4, rel=1e-3)
    assert shares[2] == pytest.approx(0.1 / (4 * 3 * 4))
    with pytest.raises(SettingError, match="round is 0; expected a whole number of at least 1"):
        rule.for_round(0)


@pytest.mark.parametrize("count", [20, 500])
def test_candidates_grow_as_the_theorem_wants(count):
    """Enough of them in every round for the tau that the first round's are enough for."""
    rule, tau = Select(delta=0.05), log(8 / 0.05) / count
    counts = [rule.candidates(count, round) for round in range(1, 200)]
    assert counts[0] == count
    assert all(a <= b for a, b in pairwise(counts))
    for round, found in enumerate(counts, start=1):
        needed = bayes_resources(round, Index(0.25, 0.1, tau), 0.05, dimension=1).atoms.corrected
        assert abs(found - needed) <= 1
        assert (1 - tau) ** found <= 0.05 / (4 * round * (round + 1))


def test_a_session_tells_it_the_round():
    seen = []

    class Noted(Select):
        def for_round(self, round):
            seen.append(("round", round))
            return Select(self.alpha, self.delta)

        def candidates(self, count, round):
            seen.append(("candidates", round))
            return count

    problem, prior = label_problem(generator(113), beta=2.0)
    session = Session(problem, prior, rule=Noted(alpha=0.9, delta=0.5), repeat=True)
    for _ in range(3):
        session.tell(0, session.ask())
    assert [kind for kind in seen if kind[0] == "round"] == [("round", 1), ("round", 2), ("round", 3)]
    assert {round for kind, round in seen if kind == "candidates"} >= {1, 2, 3}


def test_more_candidates_are_drawn_later():
    items = [f"item {number}" for number in range(200)]  # 19,900 pairs
    session = askwise.best_item(items, rule=Select(alpha=0.9, delta=0.9), draws=50, seed=1)
    first = len(session.round.fresh_atoms(session.event_log))
    session.tell("left", session.ask())
    assert len(session.round.fresh_atoms(session.event_log)) > first


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


@pytest.mark.parametrize(("alpha", "delta"), [(0.0, 0.1), (1.0, 0.1), (0.5, 0.0), (0.5, 1.0), (float("nan"), 0.1)])
def test_refuses(alpha, delta):
    with pytest.raises(SettingError, match="alpha and delta must lie between 0 and 1"):
        Select(alpha, delta)
