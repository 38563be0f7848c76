"""Few items: pairs that were compared before may be asked again, so that noisy answers do not run out of pairs."""

from itertools import pairwise

import numpy as np
import pytest

import askwise
from askwise.goals.base.goal import SPACING
from askwise.simulate.people import LabellingPerson, ModelPerson
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
    """Without repeats all 28 pairs are used up. With them every run is settled, and right as often as stated."""
    default, once = ([noisy_run(seed, **options) for seed in range(12)] for options in ({}, {"repeat": False}))
    assert {session.reason.kind for session, _ in default} == {"settled"}
    assert sum(session.reason.kind == "exhausted" for session, _ in once) >= 6
    stated = np.array([session.certificate().probability_exact for session, _ in default])
    assert stated.mean() > np.mean([session.certificate().probability_exact for session, _ in once]) + 0.1
    assert abs(sum(right for _, right in default) - stated.sum()) < 3 * np.sqrt((stated * (1 - stated)).sum())


def test_the_same_pair_is_not_asked_again_soon():
    session, _ = noisy_run(1)
    asked = [tuple(map(int, answer.atom)) for answer in session.answers]
    assert len(set(asked)) < len(asked)
    places = {pair: [place for place, one in enumerate(asked) if one == pair] for pair in asked}
    assert min(later - earlier for each in places.values() for earlier, later in pairwise(each)) == SPACING + 1


@pytest.mark.parametrize(
    ("rows", "given", "repeats"),
    [(2, None, True), (24, None, True), (25, None, False), (8, False, False), (30, True, True)],
)
def test_repeats_are_for_few_items_unless_said(rows, given, repeats):
    options = {} if given is None else {"repeat": given}
    names = [f"item {place}" for place in range(rows)]
    for goal in (askwise.ranking, askwise.clusters):
        assert goal(names, draws=10, **options).config.repeat is repeats


@pytest.mark.parametrize(("rows", "noise", "repeats"), [(13, 0.05, True), (14, 0.05, False), (5, 0.0, False)])
def test_repeats_of_few_triples(rows, noise, repeats):
    session = askwise.hierarchy([f"item {place}" for place in range(rows)], draws=8, noise=noise)
    assert session.config.repeat is repeats


@pytest.mark.parametrize("count", [2, 3])
def test_two_or_three_names_settle(count):
    """The pair that matters is asked until it is clear."""
    session = askwise.best_item(NAMES[:count], seed=3, draws=100)
    for turn in range(100):
        if session.done:
            break
        names = sorted(option.name for option in session.ask().options)
        session.tell(names[turn == 0])  # the first answer is a slip
    assert session.reason.kind == "settled"
    assert session.estimate().value == "a"


def test_three_names_are_never_asked_about_twice_in_a_row():
    session = askwise.best_item(NAMES[:3], seed=1, draws=30, epsilon=1e-6)
    asked = []
    for turn in range(12):
        asked.append(tuple(session.ask().atom))
        session.tell("left" if turn % 2 else "right")
    assert all(one != two for one, two in pairwise(asked))


def test_clusters_of_few_names_settle_in_spite_of_mistakes():
    """Of 6 names, wrong answers once in twenty: without repeats some of these people run out of pairs."""
    kinds = []
    for seed in range(3):
        session = askwise.clusters(NAMES[:6], seed=seed, draws=32)
        truth = session.prior.sample(1, np.random.default_rng(seed)).structures[0]
        person = LabellingPerson(session.problem.family, truth, 0.05)
        for _ in simulate_answers(session, person, person_streams(seed, 300), until_settled=True):
            pass
        kinds.append(session.reason.kind)
    assert kinds == ["settled"] * 3


def test_labels_are_asked_once():
    assert not askwise.classifier({"x": [1.0, 2.0, 3.0, 4.0, 5.0]}, draws=10).config.repeat


def test_where_only_recent_questions_are_left_they_are_asked():
    session = askwise.best_item(NAMES[:4], draws=10, seed=1, budget=100)
    for _ in range(5):  # of six pairs
        session.skip(session.ask())
    first = session.ask()
    session.tell(first.responses[0])
    assert session.ask().atom == first.atom
