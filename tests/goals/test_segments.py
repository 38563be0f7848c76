"""The goals about segments: they end, name the members in order, refuse nonsense, and state what is true."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

import askwise
from askwise.errors import AskwiseError, ContradictionError, DataError, SettingError
from askwise.exchange.answer_rows import parse_rows
from askwise.goals import goal_of, segment_of, segments
from askwise.posteriors.segmentations.posterior import SegmentationPosterior
from tests.helpers import SEED, generator

AGES = [34, 51, 36, 19, 34, 22, 67, 45, 29, 71, 51, 40, 18, 63]
NAMES = [f"p{i}" for i in range(len(AGES))]
TABLE = {"name": NAMES, "city": ["Rome"] * 7 + ["Oslo"] * 7, "age": AGES}
GROUP = np.digitize(AGES, [30, 50])
IN_ORDER = sorted(range(len(AGES)), key=AGES.__getitem__)
GROUPS = [[NAMES[i] for i in IN_ORDER if GROUP[i] == group] for group in range(3)]


def answer(session, group=GROUP, wrong=0.0, rng=None, questions=None):
    """Answers by the groups, to the end or for so many questions, some of them wrong."""
    while not session.done if questions is None else len(session.answers) < questions:
        i, j = session.ask().atom
        same = (group[i] == group[j]) != (rng is not None and rng.random() < wrong)
        session.tell("same" if same else "different")
    return session


@pytest.mark.parametrize("noise", [None, 0.05, 0.0])
def test_all_segments_are_found_in_order(noise):
    session = answer(segments(TABLE, "age", noise=noise, seed=SEED))
    assert session.reason.startswith("undecided is below 0.02")
    assert session.estimate().value == GROUPS
    assert "of all pairs (at most" in str(session.certificate())
    assert len(session.answers) < len(AGES) * (1 if noise == 0 else 4)


def test_one_segment_is_found_with_fewer_questions():
    session = answer(segment_of(TABLE, "age", "p2", seed=SEED))
    assert session.estimate().value == GROUPS[1]
    assert "wrong on 0.0" in str(session.certificate())
    assert session.problem.family.around == 2
    assert len(session.answers) < len(answer(segments(TABLE, "age", seed=SEED)).answers)


def test_dates_sort_items_and_questions_show_them():
    born = ["1990-05-01", "1970-01-31", "2001-12-24", "1970-02-01"]
    session = segments({"name": list("abcd"), "born": born}, "born", seed=SEED)
    assert [session.problem.family.names[i] for i in session.problem.family.order] == list("bdac")
    question = session.ask()
    shown = " and ".join(f"{option.name} ({born['abcd'.index(option.name)]})" for option in question.options)
    assert question.text == f"Do {shown} belong together?"
    sentences = goal_of(session).sentences(session)
    assert "Sorted by column 'born': 4 different values from 1970-01-31 to 2001-12-24." in sentences
    assert not any(sentence.startswith("Left out") for sentence in sentences)


def test_numbers_of_any_size_keep_their_order():
    values = [1e308, 0.1, 0.0, -1e308, 3.0, 1e15, 1e15 + 1]
    family = segments({"x": values}, "x", seed=SEED).problem.family
    assert family.order.tolist() == np.argsort(values).tolist()
    assert len(family.edges) == 8


def test_equal_values_stay_together():
    session = answer(segments(TABLE, "age", seed=SEED))
    for draw in goal_of(session).variables(session, session.sample.structures)["segment"].values:
        assert draw[0] == draw[4]
        assert draw[1] == draw[10]
    pairs = goal_of(session).summary(session).questions
    assert pairs == sum(AGES[i] != AGES[j] for i in range(14) for j in range(i))
    with pytest.raises(SettingError, match=r"^p0 \(34\) and p4 \(34\) have the same value, so they always belong"):
        session.pose((0, 4))


def test_many_rows_with_few_values_can_be_asked_about_again():
    """Two values: one kind of question, but many pairs of items, so that noisy answers can be checked."""
    session = segments({"x": [1.0, 2.0] * 100}, "x", seed=SEED)
    answered = Counter()
    for _ in range(30):
        answered[session.ask().atom.__repr__()] += 1
        session.tell("different")
    assert max(answered.values()) == 1
    assert len(session.estimate().value) == 2


def test_a_long_table_is_settled_by_few_questions():
    """2,000 rows: random pairs hardly ever ask about the place that is open, so the draws propose pairs."""
    group = np.digitize(np.arange(2000), [137, 900, 1500])
    session = segments({"x": np.arange(2000)}, "x", noise=0, seed=SEED, epsilon=0.005)
    answer(session, group)
    assert session.reason.kind == "settled"
    assert len(session.answers) < 60
    truth = np.array([[137, 900, 1500]]) / 2000
    assert session.problem.distance.paired(session.estimate().structure[None], truth)[0] <= 0.01


def test_a_contradiction_without_noise_is_refused_and_changes_nothing():
    session = segments(TABLE, "age", noise=0, seed=SEED)
    session.pose((3, 6))
    session.tell("same")  # 19 and 67
    session.pose((0, 7))
    with pytest.raises(
        ContradictionError, match=r"^this answer \(.*: different\) contradicts answer q1 \(.*: same\); "
    ):
        session.tell("different")  # 34 and 45
    assert len(session.answers) == 1
    session.tell("same")
    assert len(session.answers) == 2


def test_two_people_of_whom_one_guesses():
    session, rng = segments(TABLE, "age", seed=SEED), generator(5)
    for number in range(60):
        i, j = session.ask().atom
        said = GROUP[i] == GROUP[j] if number % 2 else rng.random() < 0.5
        session.tell("same" if said else "different", who="Ann" if number % 2 else "Bob")
    assert session.round.reliability["Ann"] > session.round.reliability["Bob"]


def test_tables_of_answers_name_no_items_of_the_same_value():
    session = segments(TABLE, "age", seed=SEED)
    table = {"a": ["p0", "p0"], "b": ["p1", "p4"], "same": ["yes", "no"]}
    [row], [problem] = parse_rows(session, table)
    assert row
    assert "p0 (34) and p4 (34) have the same value" in str(problem)


def test_missing_values_are_refused_or_imputed():
    data = {"name": list("abcd"), "age": [20, None, 40, 60]}
    with pytest.raises(DataError, match=r"^column 'age' has no value in row 2; fill it in, leave the rows out, or use"):
        segments(data, "age")
    family = segments(data, "age", missing="impute", seed=SEED).problem.family
    assert [family.texts[i] for i in family.order] == ["a (20)", "b (?)", "c (40)", "d (60)"]  # 40 is the mean


def test_groups_of_any_kind_need_another_study():
    session = answer(segments(TABLE, "age", seed=SEED), questions=2)
    with pytest.raises(SettingError, match="the goal clusters needs other questions than were answered"):
        askwise.change_goal(session, "clusters")


def test_another_goal_takes_up_the_answers():
    session = answer(segments(TABLE, "age", seed=SEED), questions=8)
    askwise.change_goal(session, "segment_of", item="p2")
    assert len(session.answers) == 8
    assert "p2" in session.estimate().value
    copy = askwise.from_json(session.to_json())
    assert copy.ask() == session.ask()
    assert json.loads(session.to_json())["recipe"]["options"]["column"] == "age"


@pytest.mark.parametrize("goal", ["segments", "segment_of"])
def test_what_is_stated_is_true_of_people_drawn_from_the_prior(goal):
    """The distance that certificates state is, on average, that to the truth: within four standard errors."""
    stated, true = [], []
    for seed in range(12):
        rng = generator(seed, 80)
        data, options = {"x": np.arange(30)}, {"noise": 0.05, "seed": seed, "draws": 100}
        made = segments(data, "x", **options) if goal == "segments" else segment_of(data, "x", 11, **options)
        family = made.problem.family
        truth = SegmentationPosterior.prior(family).sample(1, rng).structures
        answer(made, family.labels(truth)[0], 0.05, rng)
        found = made.estimate().structure
        stated.append(made.certificate().expected_distance)
        true.append(float(made.problem.distance.paired(found[None], truth)[0]))
    off = np.array(true) - np.array(stated)
    assert abs(off.mean()) <= 4 * max(off.std(ddof=1), 0.005) / np.sqrt(len(off))


@pytest.mark.parametrize("goal", ["segments", "segment_of"])
def test_answers_by_the_toss_of_a_coin_do_not_settle(goal):
    options = {"item": "p2"} if goal == "segment_of" else {}
    session, rng = askwise.goals.GOALS[goal](TABLE, "age", seed=SEED, **options), generator(12)
    for _ in range(60):
        session.ask()
        session.tell("same" if rng.random() < 0.5 else "different")
    assert session.posterior.diagnostics()["noise"] > 0.15
    assert not session.done


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda: segments(TABLE, "height"), DataError),
        (lambda: segments(TABLE, "city"), DataError),
        (lambda: segments(TABLE, "name"), DataError),
        (lambda: segments({"name": ["a", "b"], "age": [3, 3]}, "age"), DataError),
        (lambda: segments({"name": ["a", "b", "c"], "age": [3, None, 4]}, "age"), DataError),
        (lambda: segments({"name": ["a", "b"], "age": [None, None]}, "age"), DataError),
        (lambda: segments(["a", "b"], "age"), DataError),
        (lambda: segments(TABLE, 3.5), SettingError),
        (lambda: segments(TABLE, "age", features=["city"]), SettingError),
        (lambda: segments(TABLE, "age", noise=0.5), SettingError),
        (lambda: segments(TABLE, "age", noise=-0.1), SettingError),
        (lambda: segments(TABLE, "age", noise="learned"), SettingError),
        (lambda: segment_of(TABLE, "age", "nobody"), DataError),
        (lambda: segment_of(TABLE, "age", 14), SettingError),
        (lambda: segments({"x": np.arange(2001)}, "x"), DataError),
    ],
)
def test_bad_input_gets_one_sentence(call, kind):
    with pytest.raises(kind, match=r"^[^\n]{20,}$") as refused:
        call()
    assert isinstance(refused.value, AskwiseError)
