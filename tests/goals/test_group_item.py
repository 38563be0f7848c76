"""A group that chooses together: whom it asks, what it says about a minority, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import askwise
from askwise.errors import AnswerError, DataError, NothingToAsk, SettingError
from askwise.exchange.answer_rows import apply_rows, parse_rows
from askwise.exchange.answers import answers_table
from askwise.exchange.draws import variables
from askwise.goals import goal_of
from askwise.goals.base.people import agreement_with_others, dissenters
from askwise.posteriors.scores.groups import share_weights
from askwise.simulate.people import ModelPerson
from askwise.simulate.runs import answer_question, simulate_person

DRINKS = ["tea", "coffee", "water", "milk", "juice"]
PEOPLE = ["Ann", "Ben", "Cleo"]
TASTES = {"Ann": DRINKS, "Ben": DRINKS, "Cleo": DRINKS[::-1]}  # best first


def group(**options):
    return askwise.group_item(DRINKS, PEOPLE, **{"seed": 1, "draws": 100, **options})


def answer(session, count, tastes=TASTES, **options):
    """Everybody answers by their own order."""
    for _ in range(count):
        question = session.ask(**options)
        order = tastes[question.who]
        session.tell(min((option.name for option in question.options), key=order.index), question)
    return session


def test_everybody_is_asked_and_tastes_are_told_apart():
    session = answer(group(), 40)
    asked = {event["who"] for event in session.event_log.ask_events.values()}
    assert asked == set(PEOPLE)
    assert session.people == {}  # nobody is held to be unreliable for another taste
    utilities = variables(session, 400)["utility"].values.mean(axis=0)
    for person, order in enumerate(TASTES.values()):
        assert utilities[person, DRINKS.index(order[0])] > 0.7
        assert utilities[person, DRINKS.index(order[-1])] < 0.3


def test_the_share_of_the_common_taste_is_learned():
    shares = {}
    for name, tastes in (("alike", dict.fromkeys(PEOPLE, DRINKS)), ("opposed", TASTES)):
        weights = share_weights(answer(group(), 40, tastes).posterior)
        shares[name] = sum(share * weight for share, weight in weights.items())
    assert shares["alike"] > shares["opposed"] + 0.2


def test_a_person_who_is_there_is_asked_and_another_one_is_preferred():
    session = group()
    first = session.ask()
    assert first.who in PEOPLE
    other = next(name for name in PEOPLE if name != first.who)
    question = session.ask(who=other)
    assert question.who == other
    assert session.ask(who=other) == question  # asking again changes nothing
    assert str(question).startswith(f"{other}: ")
    assert session.ask() == first
    session.tell("left", who=other)  # theirs, not the first open one
    assert session.event_log.status == {first.id: "open", question.id: "answered"}
    with pytest.raises(AnswerError, match=rf"^question {first.id} asks {first.who}, not '{other}'; answer one that"):
        session.tell("left", first, who=other)
    with pytest.raises(SettingError, match=r"^there is no 'Zoe' in this group; the people are Ann, Ben, Cleo$"):
        session.ask(who="Zoe")
    with pytest.raises(SettingError, match="everybody is asked the same here"):
        askwise.best_item(DRINKS, draws=20).ask(who="Ann")


def test_whom_it_would_rather_ask_is_said():
    session = answer(group(), 12, who="Ann")
    question = session.ask(who="Ann")
    assert question.info["rather"] in ("Ben", "Cleo")
    assert session.ask(who=question.info["rather"]).info.get("rather") != "Ann"  # Ben and Cleo are about equal


def test_a_skip_and_an_undo_are_those_of_whom_the_question_asks():
    session = group()
    question = session.ask(who="Ben")
    session.skip(question)
    assert session.event_log.closed("Ben")[0]["event"] == "skip"
    session.undo(who="Ben")
    session.tell("left", question)
    assert session.answers[0].who == "Ben"


def test_somebody_who_never_answers_does_not_block():
    session = group(epsilon=0.15)
    while not session.done:
        answer(session, 1, who="Ann" if len(session.answers) % 2 else "Ben")
    assert session.reason.kind == "settled"
    remarks = goal_of(session).remarks(session)
    assert "Cleo has not answered: this taste is known only through the others'." in remarks
    cleo = variables(session, 400)["utility"].values[:, 2].mean(axis=0)
    assert cleo[0] > cleo[-1]  # as the others like it


def test_two_items_can_be_asked_again():
    session = askwise.group_item(["tea", "milk"], ["Ann", "Ben"], seed=1, draws=50)
    for _ in range(3):
        session.tell("tea", session.ask(who="Ann"))
    assert len(session.answers) == 3
    once = askwise.group_item(["tea", "milk"], ["Ann", "Ben"], seed=1, draws=50, repeat=False)
    once.tell("tea", once.ask(who="Ann"))
    with pytest.raises(NothingToAsk, match=r"^Ann was asked every candidate question; ask somebody else$"):
        once.ask(who="Ann")


def test_a_minority_is_named():
    session = answer(group(), 45)
    result = goal_of(session).result(session, session.sample)
    assert session.estimate().value in DRINKS[:2]
    assert "One of three (Cleo) would rather have juice." in result.text
    chart = next(chart for chart in result.charts if chart.id == "people")
    assert chart.rows[0].name == "Cleo"  # who likes it least comes first
    assert "juice (Cleo)" in chart.notes[0]


@pytest.mark.parametrize(("by", "expected"), [("mean", "tea"), ("worst-off", "water"), ("borda", "tea")])
def test_criteria_differ(by, expected):
    """Two like the first item best and one likes it least; the middle one is nobody's worst."""
    session = answer(group(by=by, draws=300), 60)
    assert session.estimate().value == expected
    assert {"mean": "on average over people", "worst-off": "whoever likes it least", "borda": "mean rank"}[by] in str(
        session.certificate()
    )


def test_another_criterion_on_the_same_answers():
    session = answer(group(), 20)
    askwise.change_goal(session, "group_item", by="worst-off")
    assert session.problem.distance.by == "worst-off"
    assert len(session.answers) == 20
    with pytest.raises(SettingError, match="needs other questions than were answered"):
        askwise.change_goal(session, "best_item")


def test_people_join_a_group_of_known_size():
    session = askwise.group_item(DRINKS, 2, seed=1, draws=50)
    first = session.ask(who="Dora")
    session.tell("left", first)
    assert session.ask(who="Emil").who == "Emil"
    with pytest.raises(SettingError, match=r"^there is no 'Fay' in this group; .* Dora, Emil; all places are taken$"):
        session.ask(who="Fay")
    copy = askwise.from_json(session.to_json())
    assert copy.ask(who="Dora").who == "Dora"
    assert {event["atom"][0] for event in copy.event_log.ask_events.values() if event["who"] == "Dora"} == {0}
    assert variables(session, 5)["utility"].axes["person"] == ["Dora", "Emil"]


def test_answers_come_from_tables_with_names():
    session = group()
    table = {"who": ["Ann", "Cleo"], "left": ["tea", "milk"], "right": ["milk", "tea"], "winner": ["left", "milk"]}
    rows, problems = parse_rows(session, table)
    assert not problems
    assert list(apply_rows(session, rows, b"file")) == [True, True]
    assert [(one.who, one.atom.tolist(), one.response) for one in session.answers] == [
        ("Ann", [0, 0, 3], 1),
        ("Cleo", [2, 0, 3], -1),
    ]
    assert answers_table(session)["who"] == ["Ann", "Cleo"]
    _, problems = parse_rows(session, {**table, "who": ["Zoe", None]})
    assert problems[0] == "line 2: there is no 'Zoe' in this group; who is Ann, Ben or Cleo"
    assert len(problems) == 2


def test_a_prepared_round_is_found_for_whom_the_question_asks():
    session = group()
    session.ask()
    session.prepare()
    ready = set(map(id, session.prepared.rounds.values()))
    session.tell("left")
    assert id(session.round) in ready


def test_a_simulated_group_is_settled():
    run = simulate_person(group(epsilon=0.15), None, person=1, limit=150)
    assert run.stopped is not None
    session = group()
    truth = np.tile([3.0, 1.0, 0.0, -1.0, -3.0], 3)
    question, _ = answer_question(session, ModelPerson(session.problem, truth), np.random.default_rng(0))
    assert session.answers[0].who == question.who


@pytest.mark.parametrize(
    ("people", "sentence"),
    [
        (["Ann"], r"^people is \['Ann'\]; expected 2 to 20 different names, or how many people they are$"),
        (["Ann", "ann"], "expected 2 to 20 different names"),
        (["Ann", ""], "expected 2 to 20 different names"),
        (["Ann", 3], "expected 2 to 20 different names"),
        (1, r"^people is 1; expected a whole number from 2 to 20$"),
        (None, "expected 2 to 20 different names"),
    ],
)
def test_other_people_are_refused(people, sentence):
    with pytest.raises(SettingError, match=sentence):
        askwise.group_item(DRINKS, people)


def test_other_things_are_refused():
    with pytest.raises(DataError, match=r"^a group of 20 takes up to 50 items, got 60; give a part of them$"):
        askwise.group_item([f"item {place}" for place in range(60)], 20)
    with pytest.raises(SettingError, match="eubo compares items"):
        group(rule="eubo")
    with pytest.raises(SettingError, match="the atom is"):
        group().pose((3, 0, 1))


def test_dissenters_and_agreement_against_loops():
    rng = np.random.default_rng(3)
    utilities, weights = rng.random((7, 4, 5)), rng.dirichlet(np.ones(7))
    for person, found in enumerate(agreement_with_others(utilities, weights)):
        total = 0.0
        for draw, weight in zip(utilities, weights, strict=True):
            others = np.mean([row for place, row in enumerate(draw) if place != person], axis=0)
            pairs = [(i, j) for i in range(5) for j in range(i)]
            same = [(draw[person, i] > draw[person, j]) == (others[i] > others[j]) for i, j in pairs]
            total += weight * np.mean(same)
        assert found == pytest.approx(total)
    for item, people in dissenters(utilities, weights, chosen=0, heard=[0, 1, 3]):
        for person in people:
            assert person != 2
            assert weights @ (utilities[:, person, item] > utilities[:, person, 0]) >= 0.8


def test_somebody_can_be_left_out_later():
    """Of two opposed people and a third who never answers, and then without the second."""
    session = answer(group(), 30, who="Ann")
    for _ in range(10):
        answer(session, 1, who="Cleo")
    askwise.change_goal(session, "group_item", without=["Ben", "Cleo"])
    assert session.estimate().value == "tea"
    assert goal_of(session).remarks(session) == [
        "As far as is known, nobody would clearly rather have something else than tea."
    ]
    askwise.change_goal(session, "group_item", without="Ann,Ben")
    assert session.estimate().value == "juice"
    with pytest.raises(SettingError, match="without names 'Zoe', who is not in the group of Ann, Ben, Cleo"):
        group(without=["Zoe"])
    with pytest.raises(SettingError, match="without names everybody"):
        group(without=PEOPLE)


def test_two_people_who_want_the_opposite_leave_no_effect():
    session = askwise.group_item({"name": ["a", "b"], "x": [1.0, 2.0]}, ["Ann", "Ben"], draws=30, seed=0)
    for turn in range(5):
        question = session.ask()
        session.tell(question.responses[turn % 2], question)
    effect = session.effects()["x"]
    assert np.isfinite(effect.importance).all()
    assert np.isfinite([point[1:] for point in effect.points]).all()


def test_who_holds_the_choice_up_is_named_and_the_others_settle_it_without_them():
    """Ann and Ben agree; Cleo says nothing. The rule that stops the study says what the others would settle."""
    session = group(epsilon=0.06)
    assert goal_of(session).absence(session).silent == ()  # nobody has answered yet
    while not (found := goal_of(session).absence(session)).settled_without:
        assert len(session.answers) < 60
        answer(session, 1, who="Ann" if len(session.answers) % 2 else "Ben")
        assert not session.done
    assert found.silent == ("Cleo",)
    assert str(found) == "Cleo holds the choice up: without Cleo, it would be settled, or nearly so."
    known = len(session.answers)
    askwise.change_goal(session, "group_item", without=found.silent)
    while not session.done:  # the rule takes other draws now, and may want one or two answers more
        assert len(session.answers) < known + 2
        answer(session, 1, who="Ann" if len(session.answers) % 2 else "Ben")
    assert session.estimate().value == "tea"
    after = goal_of(session).absence(session)
    assert (after.silent, after.left_out) == ((), ("Cleo",))
    assert session.pursued["options"]["epsilon"] == 0.06  # what is not given stays
    askwise.change_goal(session, "group_item", without="")
    assert goal_of(session).absence(session).left_out == ()


def test_who_joined_later_is_left_out_by_name():
    session = askwise.group_item(DRINKS, 3, seed=1, draws=100, by="borda")
    tastes = {"Dora": DRINKS, "Emil": DRINKS[::-1]}
    answer(session, 3, tastes, who="Dora")
    answer(session, 3, tastes, who="Emil")
    assert len(goal_of(session).absence(session).silent) == 1
    askwise.change_goal(session, "group_item", without="Emil")
    assert goal_of(session).absence(session).left_out == ("Emil",)
    assert session.pursued["options"]["by"] == "borda"
    with pytest.raises(SettingError, match="without names 'Fay'"):
        askwise.change_goal(session, "group_item", without=["Emil", "Fay"])
