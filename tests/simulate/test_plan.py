"""A plan says what a few people needed, how far from the truth they ended, and nothing where there were too few."""

from __future__ import annotations

import numpy as np
import pytest

import askwise
from askwise.cli.plan import _counts, _rows
from askwise.simulate.plan import compared_rules, make_plan, summarise_runs
from askwise.simulate.populations import StartingPoint
from askwise.simulate.runs import SimulatedRun, simulate_person
from askwise.simulate.tastes import IDEAL_POINT, TASTES, person_with_taste
from askwise.simulate.workers import HASTY, _simulate_in_worker, arms_of, run_order

NAMES = ["tea", "coffee", "water", "milk"]
TEAS = {
    "name": [f"tea {place}" for place in range(16)],
    "price": [(7 * place) % 16 for place in range(16)],
    "strength": [(5 * place + 3) % 16 for place in range(16)],
}


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
    told = "5 who give one answer in 10 by accident, more than the model expects, end 0.040 from the truth."
    assert told in found["advice"]
    few = summarise_runs(askwise.best_item(NAMES), 5, {**known, "expected-capped": runs(5, 6, 7, 8, 9, error=None)})
    assert told in few["advice"]  # whatever is known of the others


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


@pytest.mark.parametrize(
    ("options", "answers", "told"),
    [
        ({"epsilon": 1.0}, 0, "It is settled: no more questions are needed."),
        ({"budget": 1}, 1, "The budget of 1 answers is used up."),
        ({"repeat": False}, 1, "Every question was asked."),
    ],
)
def test_where_nothing_is_left_to_ask_nobody_is_simulated(options, answers, told):
    session = askwise.best_item(NAMES[:2], **{"epsilon": 0.01, **options}, draws=50)
    for _ in range(answers):
        session.ask()
        session.tell("left")
    assert session.reason is not None
    found = make_plan(session, 20, 60.0, 1, lambda *_: None)
    assert (found["advice"], found["rules"], _rows(found)) == ([told], {}, {})


def test_strategies_that_need_the_same_are_not_compared():
    same = {"expected-capped": runs(3, 4, 4, 5, 5), "random": runs(3, 4, 4, 5, 5)}
    found = summarise_runs(askwise.best_item(NAMES[:2]), 5, same)
    assert list(found["rules"]) == ["expected-capped"]
    assert not any("random" in line for line in found["advice"])


def test_of_people_who_did_not_finish_no_more_is_said_than_was_watched():
    cut = [SimulatedRun("expected-capped", (1.0,) * (count + 1), None) for count in (10, 20, 30, 40, 93)]
    row = summarise_runs(askwise.best_item(NAMES), 5, {"expected-capped": cut})["rules"]["expected-capped"]
    assert _counts(row) == ("more than 30", "")  # only one was watched until 93


def test_the_runs_of_a_group_are_groups():
    session = askwise.group_item(NAMES, people=["Ann", "Ben"], draws=50)
    own = next(iter(compared_rules(session)))
    found = summarise_runs(session, 5, {own: runs(8, 9, 10, 11, 12)})
    assert found["who"] == "groups"
    assert "The 5 groups who finished end 0.010 from the truth on average." in found["advice"]
    assert not any("people" in line for line in found["advice"])


def test_people_as_the_model_expects_come_first():
    """Without five of them there is no plan, however many others there are."""
    order = run_order(["expected", "random", HASTY, *TASTES], ["expected", "random"], people=20)
    assert order[:5] == [("expected", person) for person in range(5)]
    assert {arm for arm, _ in order[5:20]} == {HASTY, *TASTES}
    assert order[20:25] == [("random", person) for person in range(5)]
    assert order[-15:] == [("random", person) for person in range(5, 20)]
    assert len(order) == 20 * 3 + 8 * 2 == len(set(order))


def test_the_first_people_share_the_time(monkeypatch):
    given = []
    monkeypatch.setattr("askwise.simulate.workers._start", StartingPoint(askwise.best_item(NAMES, draws=50)))
    monkeypatch.setattr("askwise.simulate.workers.time.time", lambda: 0.0)
    monkeypatch.setattr("askwise.simulate.workers.time.monotonic", lambda: 0.0)
    monkeypatch.setattr("askwise.simulate.workers.simulate_arm", lambda *args: given.append(args[-1]))
    for arm, person in (("own", 0), ("own", 4), ("own", 5), ("random", 0)):
        _simulate_in_worker(arm, "own", person, 9, 30.0, 2)
    assert given == [10.0, 30.0, 30.0, 30.0]


def test_a_plan_that_ran_out_of_time_shows_no_empty_rows():
    cut = [SimulatedRun("random", (1.0,) * 4, None)] * 2
    found = summarise_runs(askwise.best_item(NAMES), 20, {"expected-capped": runs(5, 6, 7, 8, 9), "random": cut})
    assert list(_rows(found)) == ["expected-capped"]
    assert found["cut_short"]
    assert not summarise_runs(askwise.best_item(NAMES), 5, {"expected-capped": runs(5, 6, 7, 8, 9)})["cut_short"]


@pytest.mark.parametrize(("shape", "shown"), [("linear", 2), ("learned", 2), ("linear", 3)])
@pytest.mark.parametrize("taste", TASTES)
def test_people_of_other_tastes_answer_by_their_own_scores(taste, shape, shown):
    session = askwise.best_item(TEAS, shape=shape, shown=shown, retired=["tea 3"], draws=60, seed=1)
    like = session.posterior.sample(1, np.random.default_rng(1)).structures[0]
    person = person_with_taste(session, taste, like, np.random.default_rng(2))
    assert person.truth.shape == (16,)
    assert person.truth.std() == pytest.approx(session.problem.family.utilities(like[None])[0].std())
    features = np.array([TEAS["price"], TEAS["strength"]]).T
    design = np.column_stack([features, np.ones(16)])
    assert np.linalg.lstsq(design, person.truth)[1][0] > 0.05 * 16 * person.truth.var()  # no weighted sum
    for atom in session.problem.family.draw_atoms(5, np.random.default_rng(3))[:5]:
        chances = person.problem.chances(person.problem.family.predict(person.truth[None], atom[None]))[:, 0, 0]
        sides = [int(atom[0]), int(atom[1])] if shown == 2 else list(map(int, atom))
        assert sides[int(chances.argmax())] == max(sides, key=lambda item: person.truth[item])
    run = simulate_person(session, None, 0, 40, taste=taste)
    assert run.stopped is None or 0 <= run.error <= 1


def test_straight_lines_miss_people_with_an_ideal_point_and_the_plan_says_so():
    session = askwise.best_item(TEAS, shape="linear", draws=100, seed=1)
    arms = arms_of(StartingPoint(session), ["expected-capped", "random"])
    assert arms[2:] == [HASTY, *TASTES]
    known = {
        arm: [simulate_person(session, None, one, 80, taste=arm if arm in TASTES else None) for one in range(8)]
        for arm in ("expected-capped", IDEAL_POINT)
    }
    found = summarise_runs(session, 8, known)
    assert found["tastes"][IDEAL_POINT]["error"] > 0.1 > 2 * found["rules"]["expected-capped"]["error"]
    assert any("who want neither too much nor too little of each feature end 0." in line for line in found["advice"])
    assert any('take the shape "learned"' in line for line in found["advice"])
    assert list(_rows(found)) == ["expected-capped", f"expected-capped, {IDEAL_POINT}"]


@pytest.mark.parametrize(
    "session",
    [
        askwise.best_item(NAMES),
        askwise.best_item(TEAS, noise=0),
        askwise.best_item({name: values[:2] for name, values in TEAS.items()}),
        askwise.classifier(TEAS, labels=("weak", "strong")),
        askwise.group_item(TEAS, people=2, draws=50),
    ],
)
def test_where_tastes_mean_nothing_nobody_has_another_one(session):
    assert not {*TASTES} & {*arms_of(StartingPoint(session), ["expected", "random"])}


def test_where_people_answered_already_nobody_has_another_taste():
    """People must agree with what was said, and these would not."""
    session = askwise.best_item(TEAS, draws=50)
    session.ask()
    session.tell("left")
    assert arms_of(StartingPoint(session), ["expected", "random"]) == ["expected", "random", HASTY]
