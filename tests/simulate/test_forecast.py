"""How many questions are to come: censored quantiles against counting, and intervals that hold as often as they say."""

from __future__ import annotations

import numpy as np
import pytest

import askwise
from askwise._runtime.streams import stream
from askwise.posteriors.enumerated import Enumerated
from askwise.simulate.forecast import Forecast, answers_until_stop, censored_quantile, forecast
from askwise.simulate.runs import SimulatedRun, answer_question, person_from_posterior, simulate_person
from askwise.simulate.workers import PackedSession, simulate_people
from tests.helpers import generator, score_problem


def test_quantiles_without_unfinished_runs_are_plain_quantiles():
    rng = generator(960)
    times, weights = rng.integers(1, 20, 40).astype(float), rng.random(40)
    for level in (0.1, 0.5, 0.9):
        found = censored_quantile(times, np.ones(40, dtype=bool), weights, level)
        share = weights[times <= found].sum() / weights.sum()
        before = weights[times < found].sum() / weights.sum()
        assert before < level <= share + 1e-9


def test_unfinished_runs_count_until_they_end():
    times, finished = np.array([2.0, 3.0, 3.0, 8.0]), np.array([True, False, True, True])
    assert censored_quantile(times, finished, np.ones(4), 0.25) == 2
    assert censored_quantile(times, finished, np.ones(4), 0.5) == 3  # 3/4 * 2/3 are left
    assert censored_quantile(times, finished, np.ones(4), 0.51) == 8
    assert censored_quantile(times[:3], np.array([True, False, False]), np.ones(3), 0.5) == np.inf


def test_the_forecast_from_equal_runs_is_what_they_took():
    runs = [SimulatedRun("expected", tuple(0.5**i for i in range(11)), 10)] * 5
    for answers in range(10):
        assert forecast(runs, 0.5**answers, answers) == Forecast(10 - answers, 10 - answers, 10 - answers)
    assert forecast(runs, 0.5, 1, most=4) == Forecast(4, 4, 4)
    assert str(forecast(runs, 0.5, 1, most=4)) == "about 4 more questions"
    assert forecast(runs[1:], 0.5, 1) is None  # too few
    assert forecast([], 0.5, 1) is None


def test_unfinished_runs_give_no_forecast():
    runs = [SimulatedRun("expected", (1.0,) * 21, None)] * 16
    assert forecast(runs, 1.0, 0, most=300) is None
    assert answers_until_stop(runs) == (np.inf, np.inf, np.inf)


def test_where_most_runs_are_unfinished_only_the_low_end_is_known():
    """The end of the budget is no sign of what people need."""
    done = [SimulatedRun("expected", (1.0,) * (count + 1), count) for count in (30, 32, 34, 36, 38)]
    runs = [*done, *[SimulatedRun("expected", (1.0,) * 301, None)] * 11]
    found = forecast(runs, 1.0, 0, most=300)
    assert found == Forecast(None, found.low, None) == forecast(runs, 1.0, 0)
    assert 30 <= found.low <= 38
    assert str(found) == f"{found.low} or more questions to go"
    assert forecast(runs, 1.0, 0, most=8) == Forecast(8, 8, 8)


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ([9, 10, 11, 11, 12, 12, 13, 280, 290, 298], Forecast(12, 8, None)),
        ([9, 10, 11, 11, 12, 12, 13], Forecast(11, 8, 14)),
        ([40, 45, 50, 60, 100, 300, 300], Forecast(60, 34, None)),
        ([3, 5, 20, 48, 60, 100, 150], Forecast(48, None, None)),
        ([1, 2, 5, 8, 30, 40, 50], Forecast(8, None, None)),
    ],
)
def test_an_end_that_says_nothing_is_not_told(counts, told):
    """Nobody is helped by "9 to 298", nor by "1 or more"; and a far upper end says nothing about the lower one."""
    runs = [SimulatedRun("expected", (1.0,) * (count + 1), count) for count in counts]
    assert forecast(runs, 1.0, 0, most=300) == told


def test_where_little_is_known_there_is_no_forecast():
    """Most people did not finish, and those who did needed from one question on."""
    runs = [SimulatedRun("expected", (1.0,) * (count + 1), count) for count in (1, 2, 3, 3, 4)]
    assert forecast([*runs, *[SimulatedRun("expected", (1.0,) * 301, None)] * 11], 1.0, 0) is None


def test_shown_intervals_are_narrow():
    rng = generator(962)
    for _ in range(300):
        counts = np.exp(rng.normal(rng.uniform(0, 5), rng.uniform(0, 2), 8)).astype(int) + 1
        runs = [SimulatedRun("expected", (1.0,) * (count + 1), count) for count in counts]
        found = forecast(runs, 1.0, 0, most=None if rng.random() < 0.5 else 150)
        if found.low is not None:
            assert 1 <= found.low <= found.likely
            assert found.high is None or found.likely <= found.high <= max(4 * found.low, found.low + 8)
            assert found.high is not None or 1 < found.low >= found.likely / 2 - 0.5


def test_the_first_people_share_the_time(monkeypatch):
    """One person who needs long leaves time for others."""
    clock, given = [0.0], []

    def slow(session, rule, person, limit, deadline):
        given.append(deadline - clock[0])
        clock[0] = deadline
        return SimulatedRun("expected", (1.0, 0.1), None)

    monkeypatch.setattr("askwise.simulate.workers.simulate_person", slow)
    monkeypatch.setattr("askwise.simulate.workers.time.monotonic", lambda: clock[0])
    runs = simulate_people(PackedSession(items(0).recipe), people=16, limit=30, seconds=30.0)
    assert given == pytest.approx([6.0] * 5)
    assert len(runs) == 5


def small(seed):
    """A finite family with soft answers: exact, and a question takes a millisecond."""
    rng = generator(961)
    problem, prior = score_problem(rng, size=24, atoms=30, beta=2.0)
    assert isinstance(prior, Enumerated)
    return askwise.Session(problem, prior, stop=askwise.DiameterBelow(0.08), seed=seed, repeat=True)


def items(seed):
    table = {"name": list("abcdefgh"), "x": [1, 7, 3, 5, 2, 8, 6, 4], "y": [3, 1, 8, 6, 5, 7, 2, 4]}
    return askwise.best_item(table, draws=100, seed=seed, epsilon=0.4, budget=30)


@pytest.mark.parametrize(("make", "studies", "people"), [(small, 40, 12), (items, 8, 6)])
def test_four_intervals_of_five_hold(make, studies, people):
    """As in a study: people are simulated anew when much was answered, and every question gets a forecast."""
    held = []
    for study in range(studies):
        session = make(1000 + study)
        person = person_from_posterior(session, stream(study, 0, "truth"))
        seen, due, since, runs = [], 0, 0, []
        while session.reason is None and len(seen) < 60:
            count = len(session.answers)
            if count >= due:
                runs = [simulate_person(session, None, 1000 * count + each, 30) for each in range(people)]
                since, due = count, count + max(5, count // 2)
            seen.append((count, forecast(runs, session.diameter, count - since)))
            answer_question(session, person, stream(study, count, "person"))
        ends = len(session.answers)
        shown = [(count, each) for count, each in seen if each is not None and each.low is not None]
        held += [each.low <= ends - count <= (each.high or np.inf) for count, each in shown]
    assert len(held) > 20
    assert np.mean(held) >= 0.7
