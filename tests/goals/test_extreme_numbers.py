"""Numbers of any size: a model that counts from a center in units of a scale does the same in grams and in tons."""

from __future__ import annotations

import json

import numpy as np
import pytest

import askwise
from askwise.errors import AnswerError, DataError, SettingError
from askwise.posteriors.clusterings.posterior import ClusteringPosterior
from askwise.posteriors.matrices.model import center_and_scale
from askwise.posteriors.matrices.posterior import MAX_STANDARDISED, MatrixPosterior
from askwise.strategies.split import split
from askwise.structures.clusterings import Clusterings
from askwise.structures.matrices import Matrices
from askwise.types import Answer
from tests.helpers import generator

UNKNOWN = (3, 3)
ANSWERS = {
    "huge": [1e9],
    "huger": [1e99, -1e99, 3e98],
    "tiny": [1e-300, 2e-300, -1e-300],
    "nothing": [0.0, 0.0, 0.0],
    "equal": [0.1] * 5,
    "mixed": [1e-9, 1e9, -1e-9, -1e9],
    "negative": [-5e8, -6e8],
    "denormal": [5e-324, 1.0],
    "far and close together": [1e9 + 1, 1e9 + 2, 1e9 + 3],
    "a slip after many": [1.0, 2.0, 3.0, 1.5, 2.5, 1.0, 2.0, 1e12],
}


@pytest.mark.parametrize("told", ANSWERS.values(), ids=ANSWERS.keys())
def test_answers_of_any_size_are_learned_from(told):
    session = askwise.best_column(UNKNOWN, seed=1, draws=16)
    for value in told:
        session.ask()
        session.tell(value)
    matrices = session.sample.structures["matrix"]
    assert np.isfinite(matrices).all()
    assert 0 <= session.diameter <= 1
    assert np.isfinite(session.ask().gain)
    assert session.estimate().value in ("column 1", "column 2", "column 3")
    assert session.certificate()
    json.dumps(dict(session.round.posterior.diagnostics()), allow_nan=False)
    told_now = [answer.response for answer in session.answers]
    session.undo()
    assert [answer.response for answer in session.answers] == told_now[:-1]


@pytest.mark.parametrize("value", [1e160, -1e160, 1e308, 1.1e100])
def test_what_cannot_be_squared_is_refused_in_a_sentence(value):
    session = askwise.best_column(UNKNOWN, seed=1, draws=4)
    session.ask()
    with pytest.raises(AnswerError, match=r"an entry is a finite number from -1e\+100 to 1e\+100, got") as refused:
        session.tell(value)
    assert "\n" not in str(refused.value)
    assert [event["event"] for event in session.log] == ["ask"]
    session.tell(2.0)


@pytest.mark.parametrize("value", [1e160, -1e308])
def test_known_entries_that_cannot_be_squared_are_refused(value):
    with pytest.raises(SettingError, match=r"from -1e\+100 to 1e\+100"):
        askwise.best_column(UNKNOWN, known=[(0, 0, value)])
    with pytest.raises(DataError, match=r"from -1e\+100 to 1e\+100"):
        askwise.best_column({"tea": [value, None], "milk": [None, 1.0]})


@pytest.mark.parametrize(
    "columns",
    [
        {"tea": [1e99, None, 3.0], "milk": [None, -1e99, 1.0]},
        {"tea": [1e-300, None, 3e-300], "milk": [None, 2e-300, 1e-300]},
        {"tea": [0.1, 0.1, None], "milk": [None, 0.1, 0.1]},
        {"tea": [1e-9, 1e9, None], "milk": [-1e9, None, 1e-9]},
    ],
)
def test_known_entries_of_any_size(columns):
    session = askwise.best_column(columns, seed=1, draws=16)
    session.ask()
    session.tell(1e9)
    assert np.isfinite(session.sample.structures["matrix"]).all()
    assert 0 <= session.diameter <= 1


@pytest.mark.parametrize(("center", "scale"), [(0.0, 1e-12), (3e9, 1e9), (-5e60, 1e60), (100.0, 1.0), (0.0, 1e90)])
def test_other_units_ask_and_find_the_same(center, scale):
    """The same answers in other units: the same questions, and the same beliefs in these units."""

    def asked(center, scale):
        session, rng = askwise.best_column((4, 5), seed=3, draws=32), generator(30)
        questions = []
        for value in rng.standard_normal(14):
            questions.append(session.ask())
            session.tell(center + scale * value)
        return [question.atom for question in questions], session.diameter, session.sample.structures["matrix"]

    atoms, diameter, matrices = asked(0.0, 1.0)
    others, other_diameter, other_matrices = asked(center, scale)
    assert others == atoms
    assert other_diameter == pytest.approx(diameter, abs=1e-4)
    np.testing.assert_allclose((other_matrices - center) / scale, matrices, atol=2e-2)


def test_large_numbers_that_differ_by_little_are_told_apart():
    """In 32 bits a billion and one would be a billion: scores count from the mean."""
    session = askwise.best_column((3, 4), seed=2, draws=32)
    for value in 1e9 + generator(31).standard_normal(8):
        session.ask()
        session.tell(value)
    family, problem = session.problem.family, session.problem
    atoms = family.draw_atoms(12, generator(0))
    gains = split(problem, session.sample, atoms).expected_diameter()
    moved = session.sample.structures.copy()
    moved["matrix"] -= 1e9
    same = split(problem, session.sample._replace(structures=moved), atoms).expected_diameter()
    np.testing.assert_allclose(gains, same, rtol=1e-4)


def test_the_units_of_a_prior_with_a_scale_of_its_own_are_set_again():
    """A scale that was given is right roughly; an answer a thousand scales away shows that it was not."""
    posterior, rng = MatrixPosterior.prior(Matrices((3, 4)), 1, 8, center=0.0, scale=1.0), generator(32)
    assert posterior.update(Answer((0, 0), 900.0), rng).model.scale == 1.0
    assert posterior.update(Answer((0, 0), 1e50), rng).model.scale > 1e49
    known = MatrixPosterior.prior(Matrices((3, 4)), 1, 8, center=0.0, scale=1.0, known=[(0, 0, 1e50), (0, 1, 2e50)])
    assert np.abs(known.model.standardised(known.values)).max() < MAX_STANDARDISED


def test_the_scale_of_values_is_that_of_their_spread():
    assert center_and_scale([0.1, 0.1, 0.1]) == pytest.approx((0.1, 0.05))  # not what they are off by in rounding
    assert center_and_scale([1e99, -1e99]) == pytest.approx((0.0, 1e99))
    assert center_and_scale([0.0, 0.0]) == center_and_scale([1e-300]) == (0.0, 1.0)
    center, scale = center_and_scale([1e9 + 1, 1e9 + 3])
    assert (center, scale) == pytest.approx((1e9 + 2, 1.0), rel=1e-5)


@pytest.mark.parametrize("feature", [[1e308, -1e308, 3.0], [1e-300, 2e-300, -1e-300], [0.1] * 3, [1e9 + 1, 1e9, 1e9]])
def test_features_of_a_matrix_of_any_size(feature):
    rows = [[value] for value in feature]
    session = askwise.best_column((3, 3), row_features=rows, column_features=rows, seed=1, draws=8)
    session.ask()
    session.tell(2.0)
    assert np.isfinite(session.sample.structures["matrix"]).all()
    scaled = session.round.posterior.model.row_features
    assert scaled.std() == pytest.approx(0.0 if len(set(feature)) == 1 else 1.0)


EXTREMES = {
    "huge": [1e308, -1e308, 1e307, 5e307, -3e307, 0.0],
    "tiny": [1e-300, 2e-300, 5e-300, -1e-300, 0.0, 3e-300],
    "mixed": [1e-9, 1e9, -1e9, 3.0, 0.0, 1e-300],
    "equal": [0.1] * 6,
    "large and close together": [1e15 + step for step in range(6)],
}
GOALS = {
    "best_item": {},
    "top_k": {"k": 2},
    "ranking": {},
    "classifier": {"labels": ["no", "yes"]},
    "classifier of three": {"labels": ["a", "b", "c"]},
    "cluster_of": {"item": "i0"},
    "clusters": {},
    "hierarchy": {},
}


@pytest.mark.parametrize("values", EXTREMES.values(), ids=EXTREMES.keys())
@pytest.mark.parametrize("goal", GOALS)
def test_features_of_any_size(goal, values):
    data = {"name": [f"i{i}" for i in range(6)], "size": values, "plain": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}
    session = askwise.goals.GOALS[goal.split()[0]](data, **GOALS[goal], seed=1, draws=64)
    for _ in range(3):
        question = session.ask()
        assert np.isfinite(question.gain)
        session.tell(question.responses[0])
    assert 0 <= session.diameter <= 1 + 1e-9
    session.estimate()


def test_features_that_no_cluster_can_have_are_refused_or_left_out():
    """Where a table goes straight to the posterior, without the scaling that the goals do."""
    family = Clusterings(4)
    with pytest.raises(DataError, match=r"features must lie from -1e\+100 to 1e\+100, got 1e\+200"):
        ClusteringPosterior.prior(family, beta=2.0, features=[[1e200], [0.0], [1.0], [2.0]], chains=2)
    tiny = ClusteringPosterior.prior(family, beta=2.0, features=[[1e-200], [0.0], [0.0], [0.0]], chains=2)
    assert tiny.features.shape == (4, 0)
