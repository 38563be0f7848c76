"""Judges and a person in one study: who is asked, how far each is trusted, and what it took."""

from __future__ import annotations

import numpy as np
import pytest

import askwise
from askwise.errors import SettingError
from askwise.evaluate import Runs, evaluate, start
from askwise.evaluate.judging import HUMAN
from askwise.oracles import Reply
from askwise.oracles.reservations import Reservations
from askwise.storage.address import Address
from askwise.storage.create import write_study
from askwise.storage.journal import journal_of
from askwise.storage.leases import leases_of, take_lease

QUALITY = {"tiny": 0.0, "base": 1.5, "large": 4.0}


def runs(prompts=20, seed=0):
    rng = np.random.default_rng(seed)
    rows = [
        {"system": name, "prompt": f"prompt {n}", "reply": f"{quality + rng.standard_normal():.3f}"}
        for n in range(prompts)
        for name, quality in QUALITY.items()
    ]
    return Runs.of(rows)


def by_quality(question):
    return "left" if float(question.options[0].body) > float(question.options[1].body) else "right"


def coin(seed):
    rng = np.random.default_rng(seed)
    return lambda question: str(rng.choice(["left", "right"]))


def test_the_best_system_is_found_with_few_calls_and_what_they_cost():
    session = start(runs(), seed=1)
    found = evaluate(session, {"judge": lambda question: Reply(by_quality(question), cost=0.25)}, jobs=4)
    assert (found.estimate, found.settled, found.labels) == ("large", True, 0)
    judge = found.judges[0]
    assert judge.calls == len(session.answers) < found.all_pairs == 3 * 20
    assert judge.cost == pytest.approx(0.25 * judge.calls)
    assert {win.other: win.low > 0.5 for win in found.wins} == {"tiny": True, "base": True}
    assert "large is better than tiny on" in str(found)
    assert f"{judge.calls} calls at a cost of {found.cost:g}, in place of 60 at about 15 for all pairs" in str(found)
    assert found.as_dict()["all_pairs_cost"] == pytest.approx(15)


def test_a_judge_who_guesses_is_found_out_by_a_few_labels():
    session = start(runs(), human=True, seed=1, budget=40)
    found = evaluate(session, {"good": by_quality, "coin": coin(0)}, human=by_quality, labels=8, jobs=1)
    trust = {judge.name: judge.trust for judge in found.judges}
    assert trust["good"] == 1.0
    assert trust["coin"] < 0.5
    both = {judge.name: (judge.agreed, judge.both) for judge in found.judges}
    assert both["good"] == (8, 8) or (both["good"][0] == both["good"][1] and found.settled)
    calls = {judge.name: judge.calls for judge in found.judges}
    assert calls["good"] >= calls["coin"]  # who tells more is asked more
    assert found.estimate == "large"


def test_judges_of_equal_worth_share_the_calls():
    session = start(runs(), seed=1, epsilon=0.0001, budget=20)
    found = evaluate(session, {"one": by_quality, "two": by_quality}, jobs=1)
    assert {judge.calls for judge in found.judges} == {10}


def test_a_person_alone_is_enough_and_a_skip_is_no_answer():
    skipped = []

    def person(question):
        if not skipped:
            skipped.append(question.id)
            return None
        return by_quality(question)

    session = start(runs(), human=True, seed=1)
    found = evaluate(session, {}, human=person)
    assert found.estimate == "large"
    assert session.event_log.status[skipped[0]] == "skipped"
    assert found.labels == len(session.answers)


def test_an_evaluation_that_was_stopped_goes_on_where_it_was(tmp_path):
    askwise.save(start(runs(), human=True, seed=1), tmp_path / "runs.askwise")
    asked = []

    def tired(question):
        if len(asked) == 3:
            raise KeyboardInterrupt
        asked.append(question.id)
        return by_quality(question)

    session = askwise.open(tmp_path / "runs.askwise")
    with pytest.raises(KeyboardInterrupt):
        evaluate(session, {"judge": by_quality}, human=tired, jobs=1)
    before = len(session.answers)
    again = askwise.open(tmp_path / "runs.askwise")
    assert len(again.answers) == before
    found = evaluate(again, {"judge": by_quality}, human=by_quality, jobs=1)
    assert found.estimate == "large"
    keys = [event["question"] for event in again.log if event["event"] == "tell"]
    assert len(keys) == len(set(keys))


def test_a_later_run_counts_the_judges_of_all_runs():
    session = start(runs(), seed=1, epsilon=0.0001, budget=20)
    evaluate(session, {"old": lambda question: Reply(by_quality(question), cost=1.0)}, jobs=1, max_cost=7.0)
    found = evaluate(session, {"new": lambda question: Reply(by_quality(question), cost=0.5)}, jobs=1)
    assert {judge.name: (judge.calls, judge.cost) for judge in found.judges} == {"old": (7, 7.0), "new": (13, 6.5)}
    assert (found.calls, found.cost) == (20, 13.5)
    assert evaluate(session, {"third": by_quality}).judges == found.judges  # nothing is left to ask


def test_what_was_taken_back_and_what_was_skipped_is_paid():
    session = start(runs(), seed=1, epsilon=0.0001, budget=4)
    replies = iter([Reply(None, cost=1.0), Reply("left", cost=2.0)])
    evaluate(session, {"judge": lambda question: next(replies, Reply("left", cost=4.0))}, jobs=1, max_cost=3.0)
    session.undo()
    judge = evaluate(session, {"judge": lambda question: Reply("left", cost=4.0)}, jobs=1).judges[0]
    assert (judge.calls, judge.skips, judge.cost) == (6, 1, 1.0 + 2.0 + 4 * 4.0)


def test_judges_are_measured_on_what_a_person_answered_elsewhere():
    """In the browser, say: the person's answers are in the log, and nobody is at the terminal."""
    session = start(runs(), human=True, seed=1, epsilon=0.0001, budget=60)
    for _ in range(6):
        question = session.ask()
        session.tell(by_quality(question), question, who=HUMAN)
    asked = {"good": [], "coin": []}

    def noted(name, judge):
        return lambda question: asked[name].append(question.atom) or judge(question)

    judges = {"good": noted("good", by_quality), "coin": noted("coin", coin(0))}
    found = evaluate(session, judges, labels=5, jobs=4)
    first = [answer.atom for answer in session.answers[:5]]
    assert all({*map(tuple, asked[name][:5])} == {*map(tuple, first)} for name in asked)  # those shared come first
    assert {judge.name: judge.both >= 5 for judge in found.judges} == {"good": True, "coin": True}
    assert found.labels == 6
    trust = {judge.name: judge.trust for judge in found.judges}
    assert trust["good"] > trust["coin"]


def test_a_question_before_somebody_in_the_browser_is_left_to_them(tmp_path):
    address = Address.of(tmp_path / "runs.askwise")
    write_study(address, start(runs(), human=True, seed=1, budget=12).recipe, {}, "pooled")
    session = askwise.open(tmp_path / "runs.askwise")
    shown, store = session.ask(), journal_of(session).store
    take_lease(store, journal_of(session).record.study, shown.id, HUMAN)
    seen = []
    found = evaluate(session, {"judge": lambda question: seen.append(question.id) or by_quality(question)}, jobs=3)
    assert found.calls == len(seen) > 5
    assert shown.id not in seen
    assert session.event_log.status[shown.id] == "open"
    assert list(leases_of(store, journal_of(session).record.study)) == [shown.id]  # the judge's own ones are over


@pytest.mark.parametrize("who", ["judge", "person"])
def test_it_ends_where_others_are_answering_all_that_is_left(tmp_path, who):
    recipe = start(runs(2).of_systems(["base", "large"]), human=True, seed=1, epsilon=0.0001).recipe
    write_study(Address.of(tmp_path / "runs.askwise"), recipe, {}, "pooled")
    session = askwise.open(tmp_path / "runs.askwise")
    journal = journal_of(session)
    for place, question in enumerate(session.ask(2)):
        take_lease(journal.store, journal.record.study, question.id, f"somebody {place}")
    judges, human = ({"judge": by_quality}, None) if who == "judge" else ({}, by_quality)
    found = evaluate(session, judges, human=human)
    assert found.reason == "others are answering all questions that are left"
    assert not found.settled


def test_a_run_that_was_killed_leaves_its_questions_to_the_next_one(tmp_path):
    write_study(Address.of(tmp_path / "runs.askwise"), start(runs(), seed=1).recipe, {}, "pooled")
    session = askwise.open(tmp_path / "runs.askwise")
    left = Reservations(session, "judge").taken(session.ask(3))
    again = askwise.open(tmp_path / "runs.askwise")
    assert Reservations(again, "another").held_by_others() == {question.id for question in left}
    seen = []
    evaluate(again, {"judge": lambda question: seen.append(question.id) or by_quality(question)}, jobs=1)
    assert seen[:3] == [question.id for question in left]


def test_a_limit_of_costs_ends_it():
    session = start(runs(), seed=1, epsilon=0.0001)
    found = evaluate(session, {"judge": lambda question: Reply("left", cost=1.0)}, jobs=1, max_cost=5.0)
    assert not found.settled
    assert found.judges[0].cost <= 6.0
    assert "the judges have cost as much as they may" in str(found)


def test_what_makes_no_sense_is_refused():
    session = start(runs(), seed=1)
    with pytest.raises(SettingError, match="nobody answers"):
        evaluate(session, {})
    with pytest.raises(SettingError, match="the session was started without one"):
        evaluate(session, {"judge": by_quality}, human=by_quality)
    with pytest.raises(SettingError, match="a judge is called 'human'"):
        evaluate(session, {HUMAN: by_quality})
    with pytest.raises(SettingError, match="goal is 'clusters'"):
        start(runs(), "clusters")
