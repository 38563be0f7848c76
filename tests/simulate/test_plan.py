"""How many questions are to come: censored quantiles against counting, and intervals that hold as often as they say."""

from __future__ import annotations

import numpy as np
import pytest

import askwise
from askwise.posteriors.enumerated import Enumerated
from askwise.simulate.people import answer
from askwise.simulate.plan import Believed, Forecast, Journey, _plausible, forecast, journey, quantile, spread
from askwise.streams import stream
from tests.helpers import generator, score_problem


def test_quantiles_without_anybody_cut_short_are_those_of_counting():
    rng = generator(960)
    times, weights = rng.integers(1, 20, 40).astype(float), rng.random(40)
    for level in (0.1, 0.5, 0.9):
        found = quantile(times, np.ones(40, dtype=bool), weights, level)
        share = weights[times <= found].sum() / weights.sum()
        before = weights[times < found].sum() / weights.sum()
        assert before < level <= share + 1e-9


def test_people_who_were_only_watched_for_a_while_count_as_long_as_they_were():
    times, finished = np.array([2.0, 3.0, 3.0, 8.0]), np.array([True, False, True, True])
    assert quantile(times, finished, np.ones(4), 0.25) == 2
    assert quantile(times, finished, np.ones(4), 0.5) == 3  # 3/4 * 2/3 are left
    assert quantile(times, finished, np.ones(4), 0.51) == 8
    assert quantile(times[:3], np.array([True, False, False]), np.ones(3), 0.5) == np.inf


def test_a_forecast_of_those_who_are_all_alike_is_what_they_took():
    trips = [Journey("expected", tuple(0.5**i for i in range(11)), 10)] * 5
    for answers in range(10):
        assert forecast(trips, 0.5**answers, answers) == Forecast(10 - answers, 10 - answers, 10 - answers)
    assert forecast(trips, 0.5, 1, most=4) == Forecast(4, 4, 4)
    assert forecast([], 0.5, 1) is None


def test_nobody_who_finished_leaves_a_lower_bound():
    trips = [Journey("expected", (1.0,) * 21, None)] * 3
    found = forecast(trips, 1.0, 0)
    assert found == Forecast(None, 20, None)
    assert str(found) == "20 or more questions to go"
    assert spread(trips) == (np.inf, np.inf, np.inf)


def test_a_journey_is_reproducible_and_leaves_the_session_alone():
    session = askwise.best_item(list("abcdef"), draws=40, seed=2)
    session.ask()
    session.tell("left")
    log, posterior = list(session.log), session.posterior
    one, two = (journey(session, "random", 3, 12) for _ in range(2))
    assert one == two
    assert one != journey(session, "random", 4, 12)
    assert session.log == log
    assert session.posterior is posterior
    assert len(journey(session, None, 3, limit=5).diameters) == 6


def test_numbers_are_simulated_too():
    session = askwise.best_column((3, 3), rank=1, draws=16, seed=2, epsilon=0.3)
    assert len(journey(session, None, 1, limit=4).diameters) >= 2


def small(seed):
    """A finite family with soft answers: exact, and a question takes a millisecond."""
    rng = generator(961)
    problem, prior = score_problem(rng, size=24, atoms=30, beta=2.0)
    assert isinstance(prior, Enumerated)
    return askwise.Session(problem, prior, stop=askwise.DiameterBelow(0.08), seed=seed, repeat=True)


def items(seed):
    table = {"name": list("abcdefgh"), "x": [1, 7, 3, 5, 2, 8, 6, 4], "y": [3, 1, 8, 6, 5, 7, 2, 4]}
    return askwise.best_item(table, draws=200, seed=seed, epsilon=0.25, budget=30)


@pytest.mark.parametrize(("make", "studies", "people"), [(small, 40, 12), (items, 8, 6)])
def test_four_intervals_of_five_hold(make, studies, people):
    """As in a study: people are simulated anew when much was answered, and every question gets a forecast."""
    held = []
    for study in range(studies):
        session = make(1000 + study)
        person = Believed(session.problem, _plausible(session, stream(study, 0, "truth")))
        seen, due, since, trips = [], 0, 0, []
        while session.reason is None and len(seen) < 60:
            count = len(session.answers)
            if count >= due:
                trips = [journey(session, None, 1000 * count + each, 30) for each in range(people)]
                since, due = count, count + max(5, count // 2)
            seen.append((count, forecast(trips, session.diameter, count - since)))
            answer(session, person, stream(study, count, "person"))
        ends = len(session.answers)
        held += [each.low <= ends - count <= (each.high or np.inf) for count, each in seen]
    assert len(held) > 20
    assert np.mean(held) >= 0.7
