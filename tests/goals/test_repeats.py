"""Few items: pairs that were compared before may be asked again, so that noisy answers do not run out of pairs."""

from itertools import pairwise

import numpy as np
import pytest

import askwise
from askwise.goals.base.goal import SPACING
from askwise.simulate.people import ModelPerson
from askwise.simulate.runs import person_streams, simulate_answers

NAMES = list("abcdefgh")


def noisy_run(seed, **options):
    """Eight names and somebody who is not sure: the session at its end, and whether it found the best name."""
    utilities = 2.5 * np.random.default_rng(seed).standard_normal(len(NAMES))
    session = askwise.best_item(NAMES, seed=seed, draws=100, **options)
    person = ModelPerson(session.problem, utilities)
    for _ in simulate_answers(session, person, person_streams(seed, 300), until_settled=True):
        pass
    return session, int(session.estimate().structure.argmax()) == int(utilities.argmax())


def test_few_names_do_not_run_out_of_pairs():
    """Without repeats all 28 pairs are used up. With them every run is settled, and more of them are right."""
    default, once = ([noisy_run(seed, **options) for seed in range(12)] for options in ({}, {"repeat": False}))
    assert {session.reason.kind for session, _ in default} == {"settled"}
    assert sum(session.reason.kind == "exhausted" for session, _ in once) >= 6
    assert sum(right for _, right in default) >= sum(right for _, right in once) + 2


def test_the_same_pair_is_not_asked_again_soon():
    session, _ = noisy_run(1)
    asked = [tuple(map(int, answer.atom)) for answer in session.answers]
    assert len(set(asked)) < len(asked)
    places = {pair: [place for place, one in enumerate(asked) if one == pair] for pair in asked}
    assert min(later - earlier for each in places.values() for earlier, later in pairwise(each)) == SPACING + 1


@pytest.mark.parametrize(
    ("rows", "given", "repeats"),
    [(3, None, False), (4, None, True), (24, None, True), (25, None, False), (8, False, False), (30, True, True)],
)
def test_repeats_are_for_few_items_unless_said(rows, given, repeats):
    options = {} if given is None else {"repeat": given}
    session = askwise.ranking([f"item {place}" for place in range(rows)], draws=10, **options)
    assert session.config.repeat is repeats


def test_labels_are_asked_once():
    assert not askwise.classifier({"x": [1.0, 2.0, 3.0, 4.0, 5.0]}, draws=10).config.repeat


def test_where_only_recent_questions_are_left_they_are_asked():
    session = askwise.best_item(NAMES[:4], draws=10, seed=1, budget=100)
    for _ in range(5):  # of six pairs
        session.skip(session.ask())
    first = session.ask()
    session.tell(first.responses[0])
    assert session.ask().atom == first.atom
