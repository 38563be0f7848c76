"""Questions that are answered with a number, and questions that cost more or less."""

from __future__ import annotations

import json

import numpy as np
import pytest

from askwise.distances.columns import BestColumn
from askwise.errors import AnswerError
from askwise.losses import squared
from askwise.posteriors.enumerated import Enumerated
from askwise.posteriors.matrices.posterior import MatrixPosterior
from askwise.problem import Problem
from askwise.session import Session
from askwise.strategies.baselines import variance
from askwise.structures.finite import Finite
from askwise.structures.matrices import Matrices, gaussian
from askwise.testing import check_strategy
from askwise.types import Sample, Scored


def session(rule="expected", repeat=False, **options):
    family = Matrices((2, 3), **options)
    prior = MatrixPosterior.prior(family, 1, 20, center=0.0, scale=1.5)
    return Session(Problem(family, BestColumn(), gaussian), prior, rule=rule, draws=20, repeat=repeat)


@pytest.mark.parametrize("said", [3.7, "3.7", " 3.7 ", np.float64(3.7), "37e-1"])
def test_a_number_is_told(said):
    talk = session()
    assert str(talk.ask()).endswith("? [number]")
    talk.tell(said)
    assert talk.log[-1]["response"] == 3.7
    assert type(talk.log[-1]["response"]) is float
    assert talk.answers[0].response == 3.7
    assert talk.log[0]["codes"] == []
    again = session()
    again.replay(json.loads(talk.to_json())["log"])
    assert again.ask() == talk.ask()


@pytest.mark.parametrize("said", ["", "much", "3,7", float("nan"), float("inf"), "-inf", None, True, [3.7], 10**400])
def test_what_is_no_number_is_refused(said):
    talk = session()
    talk.ask()
    with pytest.raises(AnswerError, match=r"is not a finite number such as 3\.7; question q1 stays open"):
        talk.tell(said)
    assert len(talk.log) == 1
    talk.tell(2)
    assert talk.log[-1]["response"] == 2.0


def test_undo_takes_a_number_back():
    talk = session()
    first = talk.ask()
    before = talk.sample.structures
    talk.tell(5)
    talk.undo()
    assert talk.ask() == first
    assert np.array_equal(talk.sample.structures, before)


def test_the_gain_is_divided_by_the_cost():
    def rule(problem, posterior, sample, atoms, rng):
        return Scored(np.array([4.0, 5.0, 3.0, 1.0, 1.0, 1.0]))

    assert session(rule).ask().atom == [0, 1]
    dear = session(rule, costs=[[1, 2, 1], [1, 1, 1]]).ask()
    assert (dear.atom, dear.gain) == ([0, 0], 4.0)  # the gain shown is the gain, not the ratio
    assert session(rule, costs=[[9, 9, 9], [9, 9, 0.1]]).ask().atom == [1, 2]


def test_a_mistyped_number_is_noticed():
    rng = np.random.default_rng(0)
    fits = []
    for mistake in (0.0, 100.0):
        talk = session(repeat=True)
        for number in range(30):
            talk.ask()
            talk.tell(rng.standard_normal() + (mistake if number == 20 else 0.0))
        fits.append(talk.certificate().fit)
    assert fits[0] > 0.05
    assert fits[1] < fits[0] / 2


def test_variance_is_that_of_the_predictions():
    family = Finite([[0.0, 1.0, 5.0], [0.0, 3.0, 5.0], [3.0, 5.0, 5.0]])
    problem = Problem(family, BestColumn(), squared)
    weights = np.array([0.5, 0.25, 0.25])
    prior = Enumerated.prior(family, np.arange(3), squared, 1.0, weights)
    found = variance(problem, prior, Sample(np.arange(3), weights, True), np.arange(3), np.random.default_rng(0)).gain
    exact = [np.average((x - np.average(x, weights=weights)) ** 2, weights=weights) for x in family.table.T]
    assert np.allclose(found, exact)
    check_strategy(variance, problem, prior)
