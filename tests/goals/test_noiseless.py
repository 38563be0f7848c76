"""Goals with noise=0: what they ask, what they refuse, and that refusals change nothing."""

from __future__ import annotations

import numpy as np
import pytest

import askwise
from askwise.errors import AnswerError, ContradictionError, SettingError
from askwise.exchange.answer_rows import apply_rows, parse_rows
from askwise.goals import goal_of
from askwise.simulate.plan import summarise_runs
from askwise.simulate.runs import simulate_person
from askwise.storage.checkpoints import dump_posteriors, load_posteriors
from tests.helpers import generator

NAMES = ["tea", "coffee", "water", "milk", "juice"]
ROWS = generator(930).standard_normal((60, 3))
TABLE = {f"x{place}": ROWS[:, place].tolist() for place in range(3)}
WEIGHTS = np.array([1.0, -0.5, 0.3])
LABELS = ROWS @ WEIGHTS > 0.1


def ranked(names=NAMES, **options):
    """A session whose person likes the items in their order."""
    session = askwise.ranking(names, noise=0, draws=100, seed=3, **options)
    while not session.done:
        session.tell(min((option.name for option in session.ask().options), key=names.index))
    return session


def test_names_are_sorted_with_certainty():
    session = ranked(epsilon=0.001)
    assert session.estimate().value == NAMES
    assert len(session.answers) <= 10  # there are no more pairs, and none is asked twice
    assert "no answer is wrong" in session.certificate().assumptions
    assert session.certificate().warning is None
    assert "contradicts others is refused" in " ".join(goal_of(session).sentences(session))


def test_features_make_a_taste():
    session = askwise.best_item(TABLE, noise=0, draws=200, seed=2)
    score = ROWS @ WEIGHTS
    while not session.done:
        session.tell(max(session.ask().options, key=lambda option: score[int(option.name.split()[-1]) - 1]).name)
    found = int(str(session.estimate()).split()[-1]) - 1
    assert np.ptp(score) * 0.1 > score.max() - score[found]
    assert set(goal_of(session).variables(session, session.sample.structures)) == {"utility", "weight"}
    assert session.effects()["x0"].sentence


@pytest.mark.parametrize("labels", [("no", "yes"), ("a", "b", "c")])
def test_a_classifier_and_its_estimator(labels):
    session = askwise.classifier(TABLE, labels, noise=0, draws=200, seed=2, epsilon=0.1)
    weights = generator(931).standard_normal((len(labels), 3))
    truth = (ROWS @ weights.T).argmax(axis=1)
    while not session.done:
        session.tell(labels[truth[int(session.ask().atom)]])
    right = np.mean([label == labels[place] for label, place in zip(session.estimate().value, truth, strict=True)])
    assert right > 0.8
    assert "range" in session.effects().unit
    model = askwise.to_sklearn(session)
    shares = model.predict_proba(TABLE)
    assert set(np.unique((shares * 4000).round(6) % 1)) == {0.0}  # votes of the draws
    for answer in session.answers:
        given = labels[int(answer.response > 0) if len(labels) == 2 else int(answer.response)]
        assert shares[int(answer.atom), list(model.classes_).index(given)] == 1


def test_a_contradiction_names_answers_and_changes_nothing():
    session = askwise.ranking(NAMES, noise=0, draws=50, seed=1)
    for pair, winner in [((0, 1), "tea"), ((2, 3), "milk"), ((1, 4), "coffee")]:
        session.pose(pair)
        session.tell(winner)
    session.pose((0, 4))
    before = session.to_json()
    told = (
        r"this answer \(juice over tea\) contradicts answers q1 \(tea over coffee\) and q3 \(coffee over juice\); undo"
    )
    with pytest.raises(ContradictionError, match=told) as caught:
        session.tell("juice")
    assert isinstance(caught.value, AnswerError)
    assert session.to_json() == before
    assert session.ask().id == "q4"
    session.undo("q1")  # which withdraws the questions after it
    session.pose((0, 4))
    session.tell("juice", session.log[-1]["question"])
    assert len(session.answers) == 3
    again = askwise.from_json(session.to_json())
    assert again.ask() == session.ask()


def test_preparing_leaves_out_what_would_be_refused():
    session = askwise.ranking(NAMES, noise=0, draws=50, seed=1)
    for pair, winner in [((0, 1), "tea"), ((1, 2), "coffee")]:
        session.pose(pair)
        session.tell(winner)
    session.pose((0, 2))
    session.prepare()
    assert len(session.prepared.rounds) == 1


def test_a_log_with_a_contradiction_is_not_replayed():
    session = askwise.ranking(NAMES, draws=50, seed=1)
    for winner in ("tea", "coffee"):
        session.pose((0, 1))
        session.tell(winner)
    other = askwise.ranking(NAMES, noise=0, draws=50, seed=1)
    with pytest.raises(askwise.DataError, match=r"event 4 .* contradicts answer q1 \(tea over coffee\)"):
        other.replay(session.log)
    assert not other.log


def test_checkpoints_batches_and_plans():
    session = askwise.ranking(NAMES, noise=0, draws=50, seed=1)
    for question in session.ask(3):
        session.tell(min((option.name for option in question.options), key=NAMES.index), question)
    beliefs = session.round.beliefs
    kept = load_posteriors(dump_posteriors(beliefs, session.prior), session.prior)
    assert (kept[-1].posterior.points == session.posterior.points).all()
    runs = [simulate_person(session, rule, 1, limit=20) for rule in ("expected", "random")]
    assert all(run.stopped is not None for run in runs)
    plan = summarise_runs(session, 1, {run.rule: [run] for run in runs})
    assert plan["rules"]["expected"]["finished"] == 1


def test_several_people_are_all_right():
    session = askwise.ranking(NAMES, noise=0, draws=50, seed=1)
    session.pose((0, 1))
    session.tell("tea", who="Ann")
    session.pose((0, 1))
    with pytest.raises(ContradictionError, match="q1"):
        session.tell("coffee", who="Bo")
    session.tell("tea", who="Bo")
    assert not session.people


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"noise": 0.1}, "noise is 0.1; expected 0"),
        ({"noise": 0, "ties": True}, "leave out ties"),
        ({"noise": 0, "shape": "smooth"}, "with noise=0 scores are linear"),
        ({"noise": 0, "prior_scale": 2.0}, "prior_scale says how decided"),
    ],
)
def test_refused_options(options, told):
    with pytest.raises(SettingError, match=told):
        askwise.ranking(TABLE, **options)


def test_too_many_weights():
    with pytest.raises(SettingError, match="up to 300 items without features, got 301"):
        askwise.ranking([f"i{place}" for place in range(301)], noise=0)
    with pytest.raises(SettingError, match="with noise=0 scores are linear"):
        askwise.classifier(TABLE, noise=0, shape="individual")
    individual = askwise.ranking(TABLE, noise=0, shape="individual", draws=20)
    assert individual.posterior.family.dimension == 60


def test_a_table_of_answers_with_a_contradiction():
    """Nothing is written before all lines are checked, and the lines are named."""
    session = askwise.ranking(NAMES, noise=0, draws=50, seed=1)
    session.pose((1, 2))
    session.tell("coffee")
    told = {"left": ["tea", "tea", "milk"], "right": ["coffee", "water", "juice"], "winner": ["tea", "water", "milk"]}
    rows, problems = parse_rows(session, told)
    assert [row.line for row in rows] == [2, 4]
    assert problems == ["line 3: the answer 'water' contradicts q1 and line 2"]
    assert len(session.answers) == 1
    assert list(apply_rows(session, rows, b"file")) == [True, True]
