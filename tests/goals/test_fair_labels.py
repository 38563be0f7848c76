"""The goal classifier with fairness, and with more than two labels."""

from __future__ import annotations

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

    plain = classifier(table, ("out", "in"), seed=1, draws=200)
    bent = classifier(table, ("out", "in"), seed=1, draws=200, feature_map=squares)
    assert bent.recipe is None
    assert right_after(bent, truth, 25) >= 74 > right_after(plain, truth, 25)
    three = classifier(table, ("a", "b", "c"), feature_map=squares)
    assert three.problem.family.points.shape == (80, 5)


@pytest.mark.parametrize("bad", [lambda x: x[:3], lambda x: x[:, 0], lambda x: x * np.nan, lambda x: x[:, :0]])
def test_a_feature_map_gives_a_row_for_each(bad):
    with pytest.raises(DataError, match="feature_map gave shape"):
        classifier(rings()[0], feature_map=bad)


def test_the_prior_scale_of_three_labels_is_learned():
    table = {"size": [float(row) for row in range(30)]}
    session = classifier(table, ["small", "middle", "large"], seed=4, draws=200)
    assert len(session.prior.grid) > 1
    assert len(classifier(table, ["small", "middle", "large"], prior_scale=2.0).prior.grid) == 1
