"""The plan that the dashboard makes: the most important runs first, and one sentence where nothing is left to ask."""

from __future__ import annotations

import pytest

import askwise
from askwise.simulate.workers import HASTY
from askwise.storage.address import Address
from askwise.storage.store import Store
from askwise.web.learner import simulation
from askwise.web.overview import saved

NAMES = ["tea", "coffee", "water"]


@pytest.fixture
def job(tmp_path):
    def made(**options):
        path = tmp_path / "drinks.askwise"
        askwise.save(askwise.best_item(NAMES, draws=50, seed=1, **options), path)
        return str(path), Store.at(Address.of(str(path))).record().study

    return made


def test_the_dashboard_plans_the_most_important_runs_first(job):
    here = job(epsilon=0.2)
    wanted = simulation.wanted_runs(here)
    assert wanted[:6] == [*(("expected-capped", person) for person in range(5)), (HASTY, 0)]
    runs = {}
    for arm, person in wanted[:5]:
        runs.setdefault(arm, []).append(simulation.simulate_one(here, arm, person))
    found = saved(simulation.conclude(here, runs))
    assert found.known
    assert (found.people, found.random, found.share) == (5, None, None)


def test_the_dashboard_simulates_nobody_in_a_settled_study(job):
    here = job(epsilon=1.0)
    assert simulation.wanted_runs(here) == []
    found = saved(simulation.conclude(here, {}))
    assert (found.known, found.advice) == (False, ["It is settled: no more questions are needed."])
    assert saved(Store.at(Address.of(here[0])).forecast(here[1], "plan")) == found
