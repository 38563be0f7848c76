"""The warning of a certificate where the grades of answers say nothing."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
import pytest

import askwise
from askwise._runtime.streams import stream
from askwise.goals.base.grade_check import RANDOM_GRADES
from askwise.report.page import certificate_sample, page
from askwise.web.learner.learner import _state

GRADES = ("slightly", "clearly", "much")
ANSWERS = 28


@cache
def answered(kind, grading, people=("",)):
    """A session after answers whose side is that of the scores with noise; grades are so, too, or random."""
    rng, options = np.random.default_rng(1), {"grades": GRADES, "seed": 1, "draws": 50, "budget": ANSWERS}
    if kind == "items":
        table = {"name": list("abcdefgh"), "x": np.linspace(-1.0, 1.0, 8).tolist()}
        session = askwise.best_item(table, epsilon=0.001, **options)
        questions = [tuple(map(int, pair)) for pair in rng.permutation(list(combinations(range(8), 2)))]
    else:
        table = {"name": list(map(str, range(ANSWERS))), "x": np.linspace(-1.0, 1.0, ANSWERS).tolist()}
        session = askwise.classifier(table, epsilon=0.001, **options)
        questions = rng.permutation(ANSWERS).tolist()
    scores = 8 * np.array(table["x"])
    for number, question in enumerate(questions):
        felt = rng.logistic() + (scores[question] if kind == "labels" else scores[question[0]] - scores[question[1]])
        level = int(np.searchsorted([2.0, 5.0], abs(felt)) if grading == "careful" else rng.integers(3))
        said = f"{GRADES[level]} {'yes' if felt > 0 else 'no'}"
        if kind == "items":
            said = f"{table['name'][question[0 if felt > 0 else 1]]}, {GRADES[level]}"
        session.tell(said, session.pose(question), who=people[number % len(people)] or None)
    return session


@pytest.mark.parametrize("kind", ["items", "labels"])
def test_random_grades_are_noticed_and_careful_ones_are_not(kind):
    assert answered(kind, "random").certificate().warning == RANDOM_GRADES
    assert answered(kind, "careful").certificate().warning is None


def test_the_less_certain_result_is_stated():
    round = answered("items", "random").round
    _, model = round.certified
    other = round.objection.other
    assert {answer.response for answer in other.answers} == {1, -1}
    assert other.problem.loss.name == "logistic"
    models = [(round.config.problem, round.posterior), (other.problem, other.posterior)]
    stated = []
    for problem, posterior in models:
        drawn = posterior.sample(4000, stream(1, round.number, "certificate")).structures
        chosen = np.repeat(np.asarray(round.estimate.structure)[None], 4000, axis=0)
        stated.append(float(problem.distance.paired(chosen, drawn).mean()))
    assert round.certificate.expected_distance == pytest.approx(max(stated))
    assert model.posterior is models[int(np.argmax(stated))][1]


def test_the_sentence_stands_where_people_read_results():
    session = answered("items", "random")
    assert f"But {RANDOM_GRADES}." in str(session.certificate())
    assert f"<b>Careful:</b> {RANDOM_GRADES}." in page(session)
    assert RANDOM_GRADES in _state(session, pooled=False, beyond=False).certificate
    drawn = certificate_sample(session).structures
    assert (drawn.argmax(axis=1) == 7).mean() == pytest.approx(session.certificate().probability_exact, abs=1e-9)


def test_several_people_are_trusted_as_they_deserve_without_grades_too():
    session = answered("items", "random", ("Ann", "Ben"))
    assert session.certificate().warning == RANDOM_GRADES
    assert session.round.objection.other.posterior.answers.strengths.max() <= 1.0


def test_without_grades_nothing_is_checked():
    assert askwise.best_item(["tea", "milk"], draws=20).config.model_check is None
    linear = askwise.best_item({"x": [1.0, 2.0, 3.0]}, shape="linear", grades=GRADES, draws=20)
    assert linear.config.model_check.then is not None
