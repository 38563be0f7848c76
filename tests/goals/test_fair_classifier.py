"""The goal classifier with fairness, and with more than two labels."""

from __future__ import annotations

import json

import numpy as np
import pytest

from askwise.distances.fairness import EqualOpportunity
from askwise.distances.labels import Disagreement
from askwise.errors import DataError, SettingError
from askwise.goals import classifier, from_json
from tests.helpers import generator


def people(count=40):
    rng = generator(95)
    return {"age": rng.random(count).tolist(), "sex": ["f", "m"] * (count // 2)}


def test_fairness_is_part_of_the_goal_and_of_the_recipe():
    session = classifier(people(), fair_on="sex", fairness_weight=2.0, seed=2)
    assert isinstance(session.problem.distance, EqualOpportunity)
    assert session.problem.distance.group.tolist() == [True, False] * 20
    session.ask()
    session.tell("yes")
    again = from_json(session.to_json())
    assert again.problem.distance.weight == 2.0
    assert again.ask() == session.ask()
    assert "unequal between the groups" in str(session.certificate())


def test_epsilon_is_in_the_users_units():
    """With weight 5 nothing is settled while plausible classifiers treat the groups unequally by more than .05 / 5."""
    table = people(200)
    session = classifier(table, fair_on="sex", fairness_weight=5.0, features=["age"], epsilon=0.05, seed=2, draws=300)
    for _ in range(12):
        session.tell("yes" if table["age"][session.ask().atom] > 0.5 else "no")
        draws = session.posterior.sample(600, generator(97)).structures
        gaps = session.problem.distance.violation(draws[:300], draws[300:])
        assert gaps.mean() > 0.05 / 5  # the larger of two ways is larger still
        assert not session.done
    assert "counted 5 times" in str(session.certificate())


def test_a_study_with_a_weight_that_was_saved_before_opens():
    recipe = {"labels": ["no", "yes"], "features": ["age"], "fair_on": "sex", "fairness_weight": 5.0, "seed": 2}
    data = {"age": [1.0, 2.0, 3.0, 4.0], "sex": ["f", "m", "f", "m"]}
    asked = {"event": "ask", "time": "2026-11-01T00:00:00+00:00", "question": "q1", "atom": 2, "kind": "label"}
    asked |= {"options": [{"name": "3", "image": None}], "responses": ["no", "yes"], "codes": [["no", -1], ["yes", 1]]}
    asked |= {"text": "?", "gain": 0.1, "info": {}}
    told = {"event": "tell", "time": "2026-11-01T00:00:01+00:00", "question": "q1", "response": "yes"}
    text = json.dumps(
        {"askwise": 1, "recipe": {"goal": "classifier", "data": data, "options": recipe}, "log": [asked, told]}
    )
    session = from_json(text)
    assert (len(session.answers), session.problem.distance.weight) == (1, 5.0)
    assert 0 < session.diameter <= 1


def test_without_it_nothing_changes():
    assert isinstance(classifier(people()).problem.distance, Disagreement)


@pytest.mark.parametrize(("column", "sentence"), [("height", "has only 'age', 'sex'"), ("age", "40 different ones")])
def test_refuses(column, sentence):
    with pytest.raises(DataError, match=sentence):
        classifier(people(), fair_on=column)


def test_three_labels_are_learned():
    table = {"size": [float(row) for row in range(30)]}
    truth = ["small", "middle", "large"]
    session = classifier(table, truth, seed=4, draws=200, prior_scale=10.0)
    for _ in range(14):
        row = session.ask().atom
        session.tell(truth[row // 10])
    right = sum(said == truth[row // 10] for row, said in enumerate(session.estimate().value))
    assert right >= 25
    assert from_json(session.to_json()).ask() == session.ask()


def test_three_labels_and_fairness_are_refused():
    with pytest.raises(SettingError, match="fair_on= needs two labels"):
        classifier(people(), ("a", "b", "c"), fair_on="sex")


def rings(count=80):
    """Inside a circle or outside: no line tells them apart."""
    rng = generator(96)
    across, up = rng.uniform(-1, 1, (2, count))
    return {"across": across.tolist(), "up": up.tolist()}, (across**2 + up**2 < 0.6).tolist()


def right_after(session, truth, answers):
    for _ in range(answers):
        session.tell("in" if truth[int(session.ask().atom)] else "out")
    return sum((said == "in") == inside for said, inside in zip(session.estimate().value, truth, strict=True))


def test_a_feature_map_bends_the_border():
    table, truth = rings()

    def squares(x):
        return np.column_stack([x, x**2])

    linear = {"shape": "linear", "seed": 1, "draws": 200}
    plain = classifier(table, ("out", "in"), **linear)
    bent = classifier(table, ("out", "in"), **linear, feature_map=squares)
    assert bent.recipe is None
    assert right_after(bent, truth, 25) >= 74 > right_after(plain, truth, 25)
    three = classifier(table, ("a", "b", "c"), shape="linear", feature_map=squares)
    assert three.problem.family.points.shape == (80, 5)


@pytest.mark.parametrize("bad", [lambda x: x[:3], lambda x: x[:, 0], lambda x: x * np.nan, lambda x: x[:, :0]])
def test_a_feature_map_gives_a_row_for_each(bad):
    with pytest.raises(DataError, match="feature_map gave shape"):
        classifier(rings()[0], feature_map=bad)


def test_the_prior_scale_of_three_labels_is_learned():
    table = {"size": [float(row) for row in range(30)]}
    session = classifier(table, ["small", "middle", "large"], shape="linear", seed=4, draws=200)
    assert len(session.prior.grid) > 1
    assert len(classifier(table, ["small", "middle", "large"], shape="linear", prior_scale=2.0).prior.grid) == 1


def test_people_read_how_many_labels_are_right():
    """All of many labels are hardly ever right, which says little."""
    plain, fair = classifier(people(), seed=2), classifier(people(), fair_on="sex", seed=2)
    certificate = plain.certificate()
    right = f"{100 * (1 - certificate.expected_distance):.0f} %"
    assert plain.goal.certainty(certificate).startswith(f"We expect {right} of these labels to be right.")
    assert "labels to be right" not in fair.goal.certainty(fair.certificate())
