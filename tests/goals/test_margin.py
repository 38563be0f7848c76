"""The option margin: cautious updates, repeated questions, and plans with people who make the worst of it."""

from __future__ import annotations

import json

import numpy as np
import pytest

import askwise
from askwise.errors import SettingError
from askwise.simulate.people import BoundedNoisePerson, ModelPerson
from askwise.simulate.runs import person_from_posterior
from tests.helpers import generator

NAMES = ["ant", "bee", "cow", "dog"]
MAKERS = {
    "clusters": lambda **options: askwise.clusters(NAMES, draws=8, **options),
    "cluster_of": lambda **options: askwise.cluster_of(NAMES, "ant", draws=8, **options),
    "hierarchy": lambda **options: askwise.hierarchy(NAMES, draws=8, **options),
    "segments": lambda **options: askwise.segments({"name": NAMES, "legs": [6, 5, 4, 3]}, "legs", draws=8, **options),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=list(MAKERS))
def test_answers_count_little_and_questions_repeat(make):
    session = make(margin=0.8)
    assert (session.problem.beta, session.problem.margin) == (pytest.approx(0.08), 0.8)
    assert session.posterior.beta == pytest.approx(0.08)
    assert session.config.repeat
    assert not make(margin=0.8, repeat=False).config.repeat
    assert "likelier than any other by at least 0.8" in session.certificate().assumptions[1]
    assert askwise.from_json(session.to_json()).problem.margin == 0.8


def test_an_answer_has_the_weight_that_the_theorem_allows():
    """Two items: together or apart, equally likely before; one answer multiplies the odds by e^(margin / 10)."""
    session = askwise.clusters(NAMES[:2], margin=1.0, draws=4000, seed=1)
    before = np.mean(np.ptp(session.sample.structures, axis=1) == 0)
    session.pose((0, 1))
    session.tell("same")
    share = np.mean(np.ptp(session.sample.structures, axis=1) == 0)
    odds = before / (1 - before) * np.exp(0.1)
    assert abs(share - odds / (1 + odds)) < 4.5 * np.sqrt(0.5 / 4000)


def test_simulated_people_make_the_worst_of_the_margin():
    session = MAKERS["hierarchy"](margin=0.4)
    person = person_from_posterior(session, generator(950))
    assert isinstance(person, BoundedNoisePerson)
    chances = np.sort(person.probabilities(np.array([0, 1, 2])))
    assert chances == pytest.approx([0.0, 0.3, 0.7])
    assert isinstance(person_from_posterior(MAKERS["hierarchy"](), generator(951)), ModelPerson)


@pytest.mark.parametrize("margin", [0, 1.5, -0.2, "much"])
def test_refused(margin):
    with pytest.raises(SettingError, match=r"margin is .*; expected"):
        MAKERS["clusters"](margin=margin)


def test_earlier_studies_have_none():
    stored = json.loads(MAKERS["clusters"]().to_json())
    del stored["recipe"]["options"]["margin"], stored["recipe"]["options"]["closeness"]
    session = askwise.from_json(json.dumps(stored))
    assert session.problem.margin is None
    assert session.config.closeness == 1
