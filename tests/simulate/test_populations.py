"""What people before save the next one: pairs of runs against counting, and where people start."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

import askwise
from askwise.simulate.plan import make_plan, save_plan, summarise_runs
from askwise.simulate.populations import (
    PopulationSaving,
    StartingPoint,
    load_saving,
    people_before,
    population_saving,
    starting_point,
)
from askwise.simulate.runs import SimulatedRun, simulate_person
from askwise.simulate.workers import ALONE, HASTY, arms_of, simulate_arm
from askwise.storage import populations
from askwise.storage.address import Address
from askwise.storage.participants import invite
from askwise.storage.store import Store
from tests.helpers import generator

ITEMS = list("abcdef")


def run(answers, stopped=True):
    return SimulatedRun("expected", (1.0,) * (answers + 1), answers if stopped else None)


def session(**options):
    return askwise.best_item(ITEMS, draws=60, seed=3, epsilon=0.2, **options)


@pytest.fixture
def crowd(tmp_path):
    """A study of four people who all prefer what comes first."""
    populations._learned.clear()
    path = tmp_path / "letters.askwise"
    askwise.save(session(repeat=True), path)
    store = Store.at(Address.of(path))
    for name in ("Ann", "Ben", "Cem", "Dan"):
        each = askwise.storage.open(path, log=invite(store, store.record(), name).log)
        for _ in range(8):
            first, second = (option.name for option in each.ask().options)
            each.tell("left" if first < second else "right")
    return path


def test_the_median_of_the_pairs():
    counts = [(4, 6), (9, 9), (3, 10), (20, 25), (7, 50), (5, 8), (6, 5)]
    found = population_saving(7, [(run(one), run(other)) for one, other in counts], limit=100)
    assert found == PopulationSaving(7, 7, 3, -1, 43)  # of -1, 0, 2, 3, 5, 7, 43; seven settle little


@pytest.mark.parametrize("people", [6, 16, 40])
def test_the_interval_holds_nineteen_times_of_twenty(people):
    """The median of the true differences is 5; long tails change nothing."""
    rng, held = generator(980), []
    for _ in range(400):
        saved = 5 + np.rint(6 * rng.standard_t(2, people)).astype(int)
        found = population_saving(3, [(run(100), run(max(0, 100 + each))) for each in saved], limit=1000)
        held.append(found.low <= 5 <= found.high)
    assert np.mean(held) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 400)


def test_a_run_that_was_cut_short_counts_only_without_the_people_before():
    ended = [(run(4), run(10))] * 5
    assert population_saving(3, [*ended, (run(2, stopped=False), run(10))], limit=50).people == 5
    assert population_saving(3, [*ended, (run(4), run(10, stopped=False))], limit=50).people == 6
    assert population_saving(3, [*ended, (run(50, stopped=False), run(50, stopped=False))], limit=50).people == 6
    assert population_saving(3, ended[1:], limit=50) is None


@pytest.mark.parametrize(
    ("figures", "sentence"),
    [
        ((6, 3, 9), "People before save the next one about 6 questions (3 to 9)."),
        ((1, 1, 1), "People before save the next one about 1 question."),
        ((4, 1, 190), "People before save the next one questions; how many is not clear yet."),
        ((0, -1, 77), "People before may save the next one questions or not; this is not clear yet."),
        ((0, 0, 0), "People before save the next one no questions."),
        ((-3, -5, -1), "People before cost the next one about 3 questions (1 to 5)."),
    ],
)
def test_the_sentence(figures, sentence):
    assert str(PopulationSaving(4, 16, *figures)) == sentence


def test_pairs_are_the_same_people():
    """They are drawn from the session that starts from others, and both answer as the drawn person would."""
    joined = session(population=askwise.learn_population([told(seed) for seed in range(4)]))
    alone = session()
    start = StartingPoint(joined, alone)
    assert start.people_before == 4
    assert arms_of(start, ["expected", "random"]) == ["expected", "random", HASTY, ALONE]
    with_them, without = (simulate_arm(start, arm, "expected", 0, 9, inf) for arm in ("expected", ALONE))
    assert with_them == simulate_person(joined, "expected", 0, 9)
    assert without == simulate_person(alone, "expected", 0, 9, drawn_from=joined)
    assert without != simulate_person(alone, "expected", 0, 9)  # somebody else
    assert with_them.diameters[0] < without.diameters[0]


def told(seed):
    found = askwise.best_item(ITEMS, draws=60, seed=seed, repeat=True)
    for _ in range(8):
        first, second = (option.name for option in found.ask().options)
        found.tell("left" if first < second else "right")
    return found


def test_the_next_person_starts_from_those_before(crowd):
    study = askwise.open(crowd)
    start = starting_point(study)
    assert start.alone is study
    assert start.people_before == people_before(start.session.recipe) == 4
    assert start.session.diameter < study.diameter
    study.ask()
    assert starting_point(study) == StartingPoint(study)  # it is about this log
    assert starting_point(session()).people_before == 0


def test_a_plan_says_what_people_before_save(crowd):
    study = askwise.open(crowd)
    steps = []
    found = make_plan(study, 6, 600.0, 1, lambda done, total: steps.append((done, total)))
    assert steps == [(done, 24) for done in range(1, 25)]
    assert list(found["rules"]) == ["expected-capped", "random"]
    saving = PopulationSaving(**found["saving"])
    assert (saving.people_before, saving.people) == (found["people_before"], 6) == (4, 6)
    assert found["advice"][0] == str(saving)
    assert saving.likely > 0
    save_plan(study, found)
    journal = study.journal
    assert load_saving(journal.store, journal.record.study) == saving


def test_a_plan_where_nobody_came_before_says_nothing_of_them():
    runs = {rule: [run(4)] * 6 for rule in ("expected-capped", "random")}
    found = summarise_runs(session(), 6, runs)
    assert (found["people_before"], found["saving"]) == (0, None)
    assert not any("People before" in line for line in found["advice"])
