"""Goals: sessions on a user's data, replayed bit for bit, with duplicates, and bad calls refused in one sentence."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import askwise
from askwise._runtime.streams import stream
from askwise.errors import DataError, SettingError
from askwise.posteriors.scores.kernels import LINEAR, Shape
from askwise.posteriors.scores.shaped import SCALES
from askwise.strategies.expected import expected, expected_capped, expected_margin
from tests.helpers import SEED, generator, without_times

DRINKS = ["tea", "coffee", "water", "milk", "juice"]
CARS = {
    "name": ["a", "b", "c", "d", "e", "f", "g", "h"],
    "price": [3.0, 1.0, 4.0, 1.5, 5.0, 9.0, 2.0, 6.0],
    "power": [2.0, 7.0, 1.0, 8.0, 2.5, 8.0, 1.0, 8.5],
    "kind": ["van", "van", "car", "car", "car", "van", "van", "car"],
}


def answer(session, count, key=0):
    """Answers by the alphabet, now and then wrong, with skips and undos on the way."""
    rng = generator(304, key)
    for turn in range(count):
        question = session.ask()
        if turn % 7 == 5:
            session.skip()
        elif question.kind == "pair":
            left, right = (option.name for option in question.options)
            session.tell("left" if (left < right) == (rng.random() < 0.9) else "right", who="Ann")
        else:
            session.tell(question.responses[int(question.options[0].name > "d")])
        if turn % 5 == 4:
            session.undo() if turn % 2 else session.undo(next(iter(session.round.beliefs.told)))
    return session


GOALS = {
    "best_item": lambda **o: askwise.best_item(CARS, draws=100, seed=3, **o),
    "best_item, names": lambda **o: askwise.best_item(DRINKS, draws=100, seed=3, **o),
    "best_item, ties": lambda **o: askwise.best_item(CARS, ties=True, draws=100, seed=3, **o),
    "top_k": lambda **o: askwise.top_k(CARS, 2, draws=100, seed=3, prior_scale=4.0, **o),
    "ranking": lambda **o: askwise.ranking(CARS, draws=100, seed=3, **o),
    "classifier": lambda **o: askwise.classifier(CARS, ("cheap", "dear"), draws=100, seed=3, **o),
}


@pytest.mark.parametrize("goal", GOALS)
def test_json_round_trip_gives_the_identical_next_question(goal):
    session = answer(GOALS[goal](), 7 if goal != "classifier" else 5)
    copy = askwise.from_json(session.to_json())
    assert copy.to_json() == session.to_json()
    assert copy.ask() == session.ask()
    assert copy.ask().gain == session.ask().gain  # bit for bit
    assert without_times(copy.log) == without_times(session.log)
    assert copy.estimate().value == session.estimate().value
    assert str(copy.certificate()) == str(session.certificate())


@pytest.mark.parametrize("goal", GOALS)
def test_undo_gives_back_the_very_belief(goal):
    session = GOALS[goal]()
    session.ask()
    session.tell(session.ask().responses[0])
    before, question = session.posterior, session.ask()
    session.tell(question.responses[-1])
    session.ask()
    session.undo()
    assert session.posterior is before
    assert session.ask() == question


def test_undo_of_any_answer_is_the_belief_without_it():
    session = GOALS["best_item"]()
    for _ in range(4):
        session.ask()
        session.tell("left")
    kept = [(turn, told) for id, (turn, told) in session.round.beliefs.told.items() if id != "q2"]
    session.undo("q2")
    posterior = session.prior
    for turn, told in kept:
        posterior = posterior.update(told, stream(session.config.seed, turn, "update"))
    drawn, expected = (p.sample(50, generator(305)).structures for p in (session.posterior, posterior))
    assert (drawn == expected).all()


SCRIPT = """
import askwise
cars = {cars!r}
session = askwise.best_item(cars, draws=200, seed=11)
for turn in range(8):
    question = session.ask()
    session.tell("left" if question.options[0].name < question.options[1].name else "right")
session.ask()
print(session.to_json())
print(session.certificate())
"""


def test_threads_do_not_change_a_bit():
    root = Path(__file__).parents[2]
    outputs = []
    for threads in ("1", "2"):
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "PYTHONPATH": str(root / "src")}
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT.format(cars=CARS)],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.append(run.stdout)
    one, two = (re.sub(r'"time": "[^"]*"', "", output) for output in outputs)
    assert one == two
    log = json.loads(outputs[0].splitlines()[0])["log"]
    assert len(log) == 17
    assert askwise.from_json(outputs[0].splitlines()[0]).log == log


@pytest.mark.parametrize("by", ["regret", "distance", "exact"])
def test_duplicates_come_to_an_end(by):
    """Items that are the same, or nearly: nobody can say which of them is best, and it must not matter."""
    rng = generator(306)
    features = np.round(rng.standard_normal((12, 3)), 3)
    features[3] = features[5] = features[8] = features[0]
    features[1] = features[0] + 1e-9
    session = askwise.best_item(features, by=by, epsilon=0.2, budget=60, draws=200, seed=SEED)
    taste = 4 * rng.standard_normal(3)
    while not session.done:
        question = session.ask()
        left, right = (features[int(option.name.split()[1]) - 1] @ taste for option in question.options)
        session.tell("left" if left > right or (left == right and rng.random() < 0.5) else "right")
    found = features[int(session.estimate().value.split()[1]) - 1] @ taste
    if by != "exact":  # the very best of equals cannot be told, so that only the budget ends this one surely
        assert session.reason.startswith("undecided is below 0.2")
    assert (features @ taste).max() - found <= 0.35 * np.ptp(features @ taste)


BAD_CALLS = {
    "one item": (lambda: askwise.best_item(["tea"]), DataError),
    "no items": (lambda: askwise.best_item([]), DataError),
    "a number": (lambda: askwise.best_item(5), DataError),
    "unknown by": (lambda: askwise.best_item(DRINKS, by="price"), SettingError),
    "unknown rule": (lambda: askwise.best_item(DRINKS, rule="best"), SettingError),
    "epsilon 0": (lambda: askwise.best_item(DRINKS, epsilon=0), SettingError),
    "delta 1": (lambda: askwise.best_item(DRINKS, delta=1), SettingError),
    "budget 0": (lambda: askwise.best_item(DRINKS, budget=0), SettingError),
    "negative scale": (lambda: askwise.best_item(DRINKS, prior_scale=-1.0), SettingError),
    "negative individual": (lambda: askwise.best_item(DRINKS, individual=-1.0), SettingError),
    "individual nan": (lambda: askwise.best_item(CARS, individual=float("nan")), SettingError),
    "one draw": (lambda: askwise.best_item(DRINKS, draws=1), SettingError),
    "negative seed": (lambda: askwise.best_item(DRINKS, seed=-1), SettingError),
    "unknown column": (lambda: askwise.best_item(CARS, features=["colour"]), DataError | SettingError),
    "top 0": (lambda: askwise.top_k(DRINKS, 0), SettingError),
    "top all": (lambda: askwise.top_k(DRINKS, 5), SettingError),
    "top one and a half": (lambda: askwise.top_k(DRINKS, 1.5), SettingError),
    "one label": (lambda: askwise.classifier(CARS, ("yes",)), SettingError),
    "equal labels": (lambda: askwise.classifier(CARS, ("yes", "yes")), SettingError),
    "names only": (lambda: askwise.classifier(DRINKS), DataError),
    "not JSON": (lambda: askwise.from_json("hello"), DataError),
    "other JSON": (lambda: askwise.from_json("[1, 2]"), DataError),
    "a newer format": (lambda: askwise.from_json('{"askwise": 2, "recipe": null, "log": []}'), DataError),
    "built by hand": (lambda: askwise.from_json('{"askwise": 1, "recipe": null, "log": []}'), DataError),
    "an unknown goal": (
        lambda: askwise.from_json('{"askwise": 1, "recipe": {"goal": "x", "data": {}, "options": {}}, "log": []}'),
        DataError,
    ),
    "an unknown option": (
        lambda: askwise.from_json(
            '{"askwise": 1, "recipe": {"goal": "ranking", "data": ["a", "b"], "options": {"x": 1}}, "log": []}'
        ),
        DataError,
    ),
    "ties 0": (lambda: askwise.davidson(0), SettingError),
    "all noise": (lambda: askwise.noise_beta(0.5), SettingError),
}


@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_calls_say_one_clear_sentence(case):
    call, kind = BAD_CALLS[case]
    with pytest.raises(askwise.AskwiseError) as refusal:
        call()
    assert isinstance(refusal.value, kind)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) > 20


def test_shapes_are_named_alone_in_lists_or_with_commas():
    table = {"name": list("abcd"), "size": [1.0, 2.0, 4.0, 8.0]}
    both = ["linear", "smooth"]
    for shape, kept in (("smooth", "smooth"), (both, both), ("linear,smooth", both)):
        assert askwise.best_item(table, shape=shape, draws=8).recipe["options"]["shape"] == kept
    for shape in ("bent", "", [], 3, ["linear", 3]):
        with pytest.raises(SettingError, match=r"^shape is .*; expected one of 'learned', 'linear', "):
            askwise.best_item(table, shape=shape, draws=8)
    with pytest.raises(SettingError, match="its shape cannot be 'individual'"):
        askwise.classifier(table, shape="individual", draws=8)
    with pytest.raises(SettingError, match="individual goes with shape='linear'"):
        askwise.best_item(table, individual=0.5, draws=8)


def test_a_shape_may_be_an_object():
    table = {"size": [float(row) for row in range(8)], "price": [float(row % 3) for row in range(8)]}
    bent = Shape("bent", linear=0.2, smooth=0.8, length=0.5)
    session = askwise.best_item(table, shape=bent, draws=50, seed=1)
    assert session.posterior.shapes == (bent,)
    assert session.recipe is None  # no file can hold it
    assert askwise.ranking(table, shape=[LINEAR, bent], draws=50).posterior.shapes == (LINEAR, bent)
    assert askwise.classifier(table, shape=bent, draws=50).posterior.shapes == (bent,)
    with pytest.raises(SettingError, match="shares from 0 to 1 that add up to 1"):
        askwise.best_item(table, shape=Shape("half", linear=0.5))
    with pytest.raises(SettingError, match="linear and smooth parts only"):
        askwise.classifier(table, shape=Shape("own", linear=0.5, own=0.5))


def test_two_labels_and_best_items_have_strategies_and_prior_scales_of_their_own():
    rows = generator(305).standard_normal((30, 2))
    labels, items = askwise.classifier(rows, draws=50, seed=1), askwise.best_item(rows, draws=50, seed=1)
    assert [session.config.rule for session in (labels, items)] == [expected_margin, expected_capped]
    typical = [np.exp(session.posterior.log_prior).sum(axis=0) @ SCALES for session in (labels, items)]
    assert typical[0] > 1.3 * typical[1]
    for goal in (askwise.classifier, askwise.best_item):  # as in studies made before
        assert askwise.from_json(goal(rows, draws=50, rule="expected").to_json()).config.rule is expected


def test_long_tables_of_labels_have_the_same_prior_scale():
    rows = generator(306).standard_normal((1200, 2))
    long, short = (askwise.classifier(rows[:count], draws=50).posterior for count in (1200, 30))
    assert np.array_equal(long.log_prior, short.log_prior)
