"""A plan says what a few people needed, how far from the truth they ended, and nothing where there were too few."""

from __future__ import annotations

import numpy as np
import pytest

import askwise
from askwise.cli.plan import _counts
from askwise.simulate.plan import make_plan, summarise_runs
from askwise.simulate.populations import StartingPoint
from askwise.simulate.runs import SimulatedRun, simulate_person
from askwise.simulate.workers import HASTY, arms_of

NAMES = ["tea", "coffee", "water", "milk"]


def runs(*counts, error=0.01):
    return [SimulatedRun("expected-capped", (1.0,) * (count + 1), count, error) for count in counts]


def test_too_few_people_give_no_figures():
    found = summarise_runs(askwise.best_item(NAMES), 20, {"expected-capped": runs(9, 298), "random": runs(40)})
    assert [row["spread"] for row in found["rules"].values()] == [None, None]
    (sentence,) = found["advice"]
    assert sentence.startswith(
        "Only 2 people could be simulated, which says too little; with 5 or more there is a plan"
    )
    assert _counts(found["rules"]["random"]) == ("", "")


def test_nobody_asked_at_random_is_no_reason_to_say_nothing():
    found = summarise_runs(askwise.best_item(NAMES), 5, {"expected-capped": runs(5, 6, 7, 8, 9), "random": []})
    assert list(found["rules"]) == ["expected-capped"]
    assert not any("random" in line for line in found["advice"])
    assert "The 5 people who finished end 0.010 from the truth on average." in found["advice"]


def test_a_run_that_was_cut_short_needs_more_than_it_came_to_and_no_more_is_known():
    cut = [SimulatedRun("random", (1.0,) * (count + 1), None) for count in (2, 2, 2, 2, 5, 9)]
    known = {"expected-capped": runs(5, 5, 5, 5, 5, 5), "random": cut}
    advice = summarise_runs(askwise.best_item(NAMES), 6, known)["advice"]
    assert any("needed fewer questions than random for 2 of 6 people, more for 0" in line for line in advice)


def test_figures_that_say_nothing_are_not_given():
    """The rule of forecasts holds for plans, too: nobody is helped by "11 to 263"."""
    known = {"expected-capped": runs(11, 12, 14, 14, 20, 263, 263), "random": runs(2, 9, 30, 90, 200, 200, 300)}
    found = summarise_runs(askwise.best_item(NAMES), 7, known)
    assert [row["spread"] for row in found["rules"].values()] == [[11, 14, None], [None, 90, None]]
    assert [_counts(row) for row in found["rules"].values()] == [("14", "11 or more"), ("90", "")]


def test_people_outside_the_model_are_part_of_the_plan():
    known = {"expected-capped": runs(5, 6, 7, 8, 9), HASTY: runs(7, 8, 9, 10, 11, error=0.04), "random": []}
    found = summarise_runs(askwise.best_item(NAMES), 5, known)
    assert found["hasty"]["spread"][1] == 9
    assert any("one answer in 10 by accident" in line and "0.040" in line for line in found["advice"])


def test_hasty_people_need_more_questions_and_end_further_from_the_truth():
    session = askwise.best_item(NAMES, seed=3, draws=100)
    pairs = [[simulate_person(session, None, one, 60, lapses=lapses) for lapses in (0.0, 0.3)] for one in range(8)]
    careful, hasty = zip(*pairs, strict=True)
    assert all(0 <= run.error <= 1 for run in (*careful, *hasty) if run.stopped)
    assert np.mean([run.answers for run in hasty]) > np.mean([run.answers for run in careful])


@pytest.mark.parametrize(
    "session", [askwise.best_item(NAMES, noise=0), askwise.matrix(np.full((3, 3), np.nan), entry_range=4)]
)
def test_where_nothing_is_answered_by_accident_nobody_is_hasty(session):
    assert HASTY not in arms_of(StartingPoint(session), ["expected", "random"])


def test_a_real_plan_has_all_arms():
    found = make_plan(askwise.best_item(NAMES, epsilon=0.3, draws=60), 5, 60.0, 1, lambda *_: None)
    assert found["hasty"]["people"] == 5
    assert [row["people"] for row in found["rules"].values()] == [5, 5]


def test_the_table_and_the_list_of_epsilons_agree():
    # people who stop just below epsilon, above three quarters of it
    runs = {rule: [SimulatedRun(rule, (1.0, 0.3, 0.04), stopped=2)] * 5 for rule in ("expected-capped", "random")}
    found = summarise_runs(askwise.best_item(NAMES, epsilon=0.05, draws=50), 5, runs)
    assert found["epsilon"]["questions"]["0.05"] == found["rules"]["expected-capped"]["spread"] == [2, 2, 2]


@pytest.mark.parametrize(
    ("spread", "told"),
    [
        ([4.0, 5.0, 9.0], ("5", "4 to 9")),
        ([4.0, 5.0, None], ("5", "4 or more")),
        ([31.0, None, None], ("more than 40", "31 or more")),
        ([None, 14.0, None], ("14", "")),
        ([None, None, None], ("more than 40", "")),
        ([4.0, 4.0, 4.0], ("4", "4")),
    ],
)
def test_the_table_says_nothing_twice(spread, told):
    assert _counts({"spread": spread, "limit": 40}) == told


def test_what_a_larger_epsilon_would_take_is_what_it_takes():
    """Compared with a study made with that epsilon. Of smaller ones the plan says nothing: people stop before."""
    session, coarse = (askwise.best_item(NAMES, epsilon=epsilon, seed=2, draws=100) for epsilon in (0.1, 0.2))
    found, real = ([simulate_person(one, None, person, 120) for person in range(12)] for one in (session, coarse))
    questions = summarise_runs(session, 12, {"expected-capped": found})["epsilon"]["questions"]
    assert list(questions) == ["0.4", "0.2", "0.1"]
    assert questions["0.2"][1] == pytest.approx(np.median([run.answers for run in real]), rel=0.3, abs=2)
