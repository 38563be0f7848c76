"""People who prefer a side: "always left" neither wins nor is trusted, and logs made before replay as they did."""

from __future__ import annotations

import numpy as np
import pytest

import askwise
from askwise.goals.base.registry import remake
from askwise.posteriors.scores.position import MIN_ANSWERS_ALONE

NAMES = ["tea", "coffee", "water", "milk", "juice"]


def careful(question, worth):
    """The side of the better item; wrong one time in so many is left to the caller."""
    first, second = (worth[option.name] for option in question.options)
    return "left" if first > second else "right"


def shared_study(**options):
    """Two careful people and one who always says left, in turn."""
    session = askwise.best_item(NAMES, repeat=True, seed=2, draws=100, epsilon=0.001, **options)
    worth = dict(zip(NAMES, (1.0, 5.0, 2.0, 3.0, 4.0), strict=True))
    for number in range(45):
        question = session.ask()
        who = ("Ann", "Ben", "Cid")[number % 3]
        session.tell("left" if who == "Cid" else careful(question, worth), question, who=who)
    return session


def test_always_left_in_a_shared_study():
    session = shared_study()
    assert session.estimate().value == "coffee"
    assert session.people["Cid"] < 0.5 < min(session.people["Ann"], session.people["Ben"])
    certificate = session.certificate()
    assert [one.who for one in certificate.uneven_sides] == ["Cid"]
    assert "Cid chose the left one in 15 of 15 questions; this was taken into account." in str(certificate)
    assert certificate.warning is None
    assert "Clara chose the left one" in str(certificate.with_names({"Cid": "Clara"}))


def test_one_hasty_person_settles_nothing():
    session = askwise.best_item(NAMES, repeat=True, seed=1, draws=200, budget=40)
    while not session.done:
        session.tell("left", session.ask())
    assert session.reason.kind == "budget"
    chances = np.bincount(session.sample.structures.argmax(axis=1), minlength=5) / 200
    assert chances.max() < 0.5
    assert "The left one was chosen in 40 of 40 questions; this was taken into account." in str(session.certificate())


def test_replay_and_undo_across_the_start_of_the_bias():
    session = askwise.ranking(NAMES, repeat=True, seed=4, draws=50, epsilon=0.0001)
    rng = np.random.default_rng(0)
    for _ in range(MIN_ANSWERS_ALONE + 1):
        session.tell(str(rng.choice(["left", "right"])), session.ask())
    assert session.posterior.biases
    assert np.array_equal(askwise.from_json(session.to_json()).sample.structures, session.sample.structures)
    before = askwise.from_json(session.to_json())
    for _ in range(2):
        before.undo()
    assert not before.posterior.biases
    told = [event["response"] for event in session.log if event["event"] == "tell"]
    fresh = askwise.ranking(NAMES, repeat=True, seed=4, draws=50, epsilon=0.0001)
    for said in told[: MIN_ANSWERS_ALONE - 1]:
        fresh.tell(said, fresh.ask())
    assert np.array_equal(fresh.posterior.weights, before.posterior.weights)


def test_studies_made_before_mean_what_they_meant():
    session = askwise.ranking(NAMES, repeat=True, seed=4, draws=50, epsilon=0.0001, position_bias=False)
    rng = np.random.default_rng(0)
    for number in range(24):
        session.tell(str(rng.choice(["left", "right"])), session.ask(), who="AB"[number % 2])
    options = {
        name: value for name, value in session.recipe["options"].items() if name not in ("position_bias", "grades")
    }
    earlier = remake({**session.recipe, "options": options})
    earlier.replay(session.log)
    assert earlier.posterior.biases == {}
    assert np.array_equal(earlier.sample.structures, session.sample.structures)
    assert earlier.certificate().uneven_sides == ()


@pytest.mark.parametrize("grades", [(), ("slightly", "much")])
def test_questions_posed_for_answers_collected_elsewhere_have_no_side(grades):
    session = askwise.best_item(NAMES, grades=grades, seed=1)
    session.tell("left, much" if grades else "left", session.pose((0, 1)))
    session.tell("left, much" if grades else "left", session.ask())
    assert [answer.left == 0 for answer in session.answers] == [True, False]
