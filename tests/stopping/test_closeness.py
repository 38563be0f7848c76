"""What is true may be likelier or less likely than the prior says: the stop and the certificate still hold."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

import askwise
from askwise.distances import TableDistance
from askwise.errors import SettingError
from askwise.goals import goal_of
from askwise.losses import zero_one
from askwise.posteriors.enumerated import Enumerated
from askwise.problem import Problem
from askwise.simulate.plan import summarise_runs
from askwise.simulate.runs import SimulatedRun
from askwise.stopping import DiameterBelow
from askwise.structures.finite import Finite
from tests.helpers import generator

SIZE, TIMES, EPSILON = 24, 3.0, 0.15


def distances_at_stop(closeness, seed):
    """For each truth of a random family: the posterior's mean distance to it at the stop, and what is certified."""
    rng = generator(940, seed)
    family = Finite(rng.integers(2, size=(SIZE, 40)))
    places = rng.random(SIZE)
    problem = Problem(family, TableDistance(np.abs(places[:, None] - places)), zero_one, inf)
    prior = Enumerated.prior(family, np.arange(SIZE), zero_one, inf)
    found, certified = np.empty(SIZE), np.empty(SIZE)
    for truth in range(SIZE):
        stop = DiameterBelow(EPSILON, closeness=closeness)
        session = askwise.Session(problem, prior, stop=stop, seed=seed, closeness=closeness)
        while not session.done:
            atom = session.ask().atom
            session.tell(int(family.decide(family.predict(np.array([truth]), np.array([atom])))[0, 0]))
        found[truth] = session.posterior.weights @ problem.distance.paired(np.arange(SIZE), np.full(SIZE, truth))
        certified[truth] = session.certificate().expected_distance
    return found, certified


def worst_mean(values):
    """The mean over the worst distribution whose probabilities are the uniform one's times 3 or divided by 3."""
    heavy = int(SIZE / (TIMES + 1))  # so many are likelier
    shares = np.full(SIZE, 1 / SIZE / TIMES)
    shares[np.argsort(-values)[:heavy]] = TIMES / SIZE
    assert np.isclose(shares.sum(), 1)
    return float(shares @ values)


def test_the_truth_is_near_even_if_it_was_less_likely_than_assumed():
    plain, careful = (
        [worst_mean(distances_at_stop(closeness, seed)[0]) for seed in range(6)] for closeness in (1.0, TIMES)
    )
    assert max(careful) <= EPSILON
    assert max(plain) > EPSILON  # so that closeness is needed


def test_the_certificate_is_multiplied():
    family = Finite([[-1.0], [1.0]], responses=[-1, 1])
    problem = Problem(family, TableDistance(1.0 - np.eye(2)))
    prior = Enumerated.prior(family, np.arange(2), problem.loss, weights=[0.1, 0.9])
    plain, twice, far = (askwise.Session(problem, prior, closeness=c).certificate() for c in (1, 2, 9))
    assert (plain.expected_distance, plain.probability_exact) == pytest.approx((0.1, 0.9))
    assert (twice.expected_distance, twice.upper_bound, twice.probability_exact) == pytest.approx((0.4, 0.4, 0.6))
    assert (far.expected_distance, far.probability_exact) == (1.0, 0.0)
    assert "up to 2 times likelier, or less likely, than assumed" in str(twice)
    assert "likelier" not in str(plain)


def test_goals_take_it():
    session = askwise.best_item(["tea", "coffee", "water"], closeness=2, epsilon=0.2, draws=50)
    assert "below 0.05" in " ".join(goal_of(session).sentences(session))
    assert session.config.stop.rules[0].target == pytest.approx(0.05)
    assert askwise.from_json(session.to_json()).config.closeness == 2
    askwise.change_goal(session, "best_item", epsilon=0.2, closeness=1.0)
    assert session.config.closeness == 1
    with pytest.raises(SettingError, match=r"closeness is 0\.5; expected"):
        askwise.best_item(["tea", "coffee"], closeness=0.5)


def test_the_plan_says_what_it_costs():
    session = askwise.best_item(["tea", "coffee", "water"], closeness=2, epsilon=0.2, draws=50)
    run = SimulatedRun("expected-capped", (1.0, 0.5, 0.14, 0.1, 0.06, 0.03), stopped=5)
    plan = summarise_runs(session, 5, {"expected-capped": [run] * 5, "random": [run] * 5})
    assert plan["advice"][-1] == "With closeness 2, half of the people are done after 5 questions; without it, after 2."
