"""The shipped checks: everything of ours passes, and every kind of mistake is found and named in one sentence."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from askwise.distances import Custom, Dense, TableDistance
from askwise.distances.intervals import IntervalMembership, PairDisagreement
from askwise.distances.items import BestItem, BestItemDistance, ItemDistance, ItemRegret, KendallTau, TopK, TopKendall
from askwise.distances.labels import Angle, Disagreement
from askwise.losses import davidson, logistic, zero_one
from askwise.posteriors.enumerated import Enumerated
from askwise.posteriors.scores.logconcave import LogConcave
from askwise.problem import Problem
from askwise.strategies import strategies
from askwise.structures.choice import Choice, ChoiceAmongMany, ItemScores
from askwise.structures.finite import Finite
from askwise.structures.intervals import IntervalClusterings, Segmentations, hard_clusterings
from askwise.structures.linear import LinearPool, LinearScores, LinearSphere, RowScores
from askwise.testing import check_distance, check_family, check_posterior, check_strategy
from askwise.types import Answer, Sample, Scored
from tests.helpers import generator, label_problem, random_distances, score_problem

ROWS = generator(400).standard_normal((9, 3))
TASTES = generator(401).standard_normal((12, 3))
LINES, POINTS = hard_clusterings(4)
SORTED = Segmentations([3, 1, 4, 1, 5, 9, 2, 6])
TABLE = generator(402).integers(3, size=(12, 8))

FAMILIES = {
    "finite": (Finite(TABLE), np.arange(12)),
    "choice": (Choice(ROWS), TASTES),
    "choice with ties": (Choice(ROWS, ties=True), TASTES),
    "choice of very many": (ChoiceAmongMany(np.eye(100)), generator(403).standard_normal((5, 100))),
    "scores of items": (ItemScores(8), generator(407).standard_normal((5, 8))),
    "pool": (LinearPool(ROWS), TASTES),
    "scores of rows": (RowScores(8), generator(408).standard_normal((5, 8))),
    "sphere": (LinearSphere(3), TASTES),
    "intervals": (IntervalClusterings(), LINES),
    "intervals of points": (IntervalClusterings(POINTS), LINES),
    "segments": (SORTED, SORTED.edges[[[1, 5], [3, 4], [2, 6]]]),
    "segments of very many": (Segmentations(np.arange(120), around=7), np.array([[0.25, 0.5], [0.1, 1.0]])),
}
DISTANCES = {
    "angle": (Angle(), TASTES),
    "best item": (BestItem(ROWS), TASTES),
    "best item distance": (BestItemDistance(ROWS), TASTES),
    "custom": (Custom(lambda g, h: float(np.tanh(np.abs(g - h).sum()))), TASTES),
    "disagreement": (Disagreement(Finite(TABLE), np.arange(8)), np.arange(12)),
    "interval membership": (IntervalMembership(0.1), LINES),
    "item regret": (ItemRegret(ROWS), TASTES),
    "kendall": (KendallTau(ROWS), TASTES),
    "pair disagreement": (PairDisagreement(), LINES),
    "tabled": (TableDistance(random_distances(generator(404), 12)), np.arange(12)),
    "top k": (TopK(ROWS, 3), TASTES),
    "top order": (TopKendall(ROWS, 3), TASTES),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family(name):
    check_family(*FAMILIES[name])


@pytest.mark.parametrize("name", DISTANCES)
def test_every_distance(name):
    check_distance(*DISTANCES[name])


def test_no_distance_or_family_is_forgotten():
    from askwise import distances
    from askwise.distances import intervals as line
    from askwise.distances import items, labels
    from askwise.structures import choice, finite, intervals, linear

    def classes(modules, method):
        own = (vars(module).values() for module in modules)
        found = {c for values in own for c in values if isinstance(c, type) and hasattr(c, method)}
        return {c for c in found if not getattr(c, "_is_protocol", False)} - {ItemDistance, LinearScores}

    assert classes((distances, items, labels, line), "paired") == {type(d) for d, _ in DISTANCES.values()}
    assert classes((choice, finite, intervals, linear), "predict") == {type(f) for f, _ in FAMILIES.values()}


CHOICE = Choice(ROWS)
PROBLEMS = {
    "labels": label_problem(generator(405), 3, 2.0),
    "labels without noise": label_problem(generator(405), 3, inf),
    "scores": score_problem(generator(406)),
    "items": (Problem(CHOICE, ItemRegret(ROWS)), LogConcave.prior(CHOICE, logistic)),
    "tastes": (Problem(CHOICE, BestItem(ROWS)), Enumerated.prior(CHOICE, TASTES, logistic)),
    "ties": (Problem(Choice(ROWS, ties=True), TopK(ROWS, 2), davidson()), Enumerated.prior(CHOICE, TASTES, davidson())),
}


FITTING = [
    (rule, name) for rule in strategies() for name in PROBLEMS if rule != "eubo" or name in ("items", "tastes", "ties")
]


@pytest.mark.parametrize(("rule", "problem"), FITTING)
def test_every_strategy(rule, problem):
    check_strategy(strategies()[rule], *PROBLEMS[problem])


PRIORS = {
    "enumerated": (label_problem(generator(407), 3, 2.0)[1], [Answer(0, 1), Answer(5, 0), Answer(0, 1)]),
    "log-concave": (LogConcave.prior(CHOICE, logistic), [Answer((0, 1), 1), Answer((2, 5), -1), Answer((0, 1), 1)]),
    "log-concave, fixed scale": (LogConcave.prior(CHOICE, logistic, 1.0, 2.0), [Answer((0, 1), 1)]),
    "log-concave, ties": (
        LogConcave.prior(Choice(ROWS, ties=True), davidson()),
        [Answer((0, 1), 0), Answer((1, 2), 1)],
    ),
}


@pytest.mark.parametrize("name", PRIORS)
def test_every_posterior(name):
    check_posterior(*PRIORS[name])


# ------------------------------------------------------------------ what the checks find


def altered(kind, **parts):
    """A class like `kind` with some parts replaced."""
    return type("Altered", (kind,), parts)


BAD_FAMILIES = {
    "draw_atoms gives other atoms": {"draw_atoms": lambda self, count, rng: np.random.default_rng().permutation(8)},
    "predict gave shape": {"predict": lambda self, s, a: Finite.predict(self, s, a).T},
    "not finite": {"predict": lambda self, s, a: np.full((len(s), len(a)), np.nan)},
    "when called again": {"predict": lambda self, s, a: np.random.default_rng().random((len(s), len(a)))},
    "rows and columns of the whole": {
        "predict": lambda self, s, a: Finite.predict(self, s, a) - Finite.predict(self, s, a).mean()
    },
    "decide gave shape": {"decide": lambda self, predictions: predictions[0]},
    "not among the responses": {"decide": lambda self, predictions: predictions + 7},
    "at least two": {"responses": lambda self, predictions: [1]},
    "may appear once": {"responses": lambda self, predictions: [0, 1, 2, 2]},
    "a grid with one column": {"responses": lambda self, predictions: np.zeros((4, 3))},
}


@pytest.mark.parametrize("message", BAD_FAMILIES)
def test_check_family_finds(message):
    with pytest.raises(AssertionError, match=message) as found:
        check_family(altered(Finite, **BAD_FAMILIES[message])(TABLE), np.arange(12))
    assert "\n" not in str(found.value)


BAD_DISTANCES = {
    "not symmetric": {"paired": lambda self, a, b: np.tril(self.table)[a, b]},
    "must lie in": {"paired": lambda self, a, b: 3 * self.table[a, b]},
    "paired and pairwise disagree": {"pairwise": lambda self, s: 0.5 * self.table[np.ix_(s, s)]},
    "pairwise is not symmetric": {"pairwise": lambda self, s: np.triu(self.table)[np.ix_(s, s)]},
    "for a structure and itself": {"paired": lambda self, a, b: np.where(a == b, 0.3, self.table[a, b])},
    "apply": {"form": lambda self, s: Dense(0.9 * self.table)},
    "quadratic": {"form": lambda self, s: altered(Dense, quadratic=lambda f, mass: mass.sum(axis=0))(self.table)},
}


@pytest.mark.parametrize("message", BAD_DISTANCES)
def test_check_distance_finds(message):
    distance = altered(TableDistance, **BAD_DISTANCES[message])(random_distances(generator(408), 12))
    with pytest.raises(AssertionError, match=message) as found:
        check_distance(distance, np.arange(12))
    assert "\n" not in str(found.value)


class Good:
    """A posterior that remembers how many answers it has, in the simplest way."""

    def __init__(self, answers=0):
        self.answers = answers

    def sample(self, count, rng):
        return Sample(self.answers + rng.random((count, 2)), np.full(count, 1 / count), exact=False)

    def update(self, answer, rng):
        return type(self)(self.answers + 1)

    def diagnostics(self):
        return {"answers": float(self.answers)}


def in_place(self, answer, rng):
    self.answers += 1
    return type(self)(self.answers)


BAD_POSTERIORS = {
    "returned the posterior it was called on": {"update": lambda self, answer, rng: self},
    "changed the posterior it was called on": {"update": in_place},
    "gives another posterior": {"update": lambda self, answer, rng: type(self)(np.random.default_rng().random())},
    "sample gives other draws": {"sample": lambda self, count, rng: Good.sample(self, count, np.random.default_rng())},
    "sum to one": {"sample": lambda self, count, rng: Sample(np.zeros((count, 2)), np.full(count, 1.0), False)},
    "weights of shape": {"sample": lambda self, count, rng: Sample(np.zeros((count, 2)), np.full(3, 1 / 3), False)},
    "at least two chains": {
        "sample": lambda self, count, rng: Sample(
            np.zeros((count, 2)), np.full(count, 1 / count), False, np.zeros(count, dtype=int)
        )
    },
    "gave 4 draws": {"sample": lambda self, count, rng: Sample(np.zeros((4, 2)), np.full(4, 0.25), False)},
    "make it a float": {"diagnostics": lambda self: {"answers": "many"}},
}


def test_check_posterior_passes_a_good_one():
    check_posterior(Good(), [Answer(0, 1), Answer(1, 1)])


@pytest.mark.parametrize("message", BAD_POSTERIORS)
def test_check_posterior_finds(message):
    with pytest.raises(AssertionError, match=message) as found:
        check_posterior(altered(Good, **BAD_POSTERIORS[message])(), [Answer(0, 1), Answer(1, 1)])
    assert "\n" not in str(found.value)


BAD_RULES = {
    "the gain has shape": lambda problem, posterior, sample, atoms, rng: Scored(np.ones(len(atoms) + 1)),
    "not a finite number": lambda problem, posterior, sample, atoms, rng: Scored(np.full(len(atoms), np.inf)),
    "gains are at least 0": lambda problem, posterior, sample, atoms, rng: Scored(-np.ones(len(atoms))),
    "differs for the same generator": lambda problem, posterior, sample, atoms, rng: Scored(
        np.random.default_rng().random(len(atoms))
    ),
    "with one atom": lambda problem, posterior, sample, atoms, rng: Scored(
        np.ones(len(atoms) if len(atoms) > 1 else 2)
    ),
}


@pytest.mark.parametrize("message", BAD_RULES)
def test_check_strategy_finds(message):
    with pytest.raises(AssertionError, match=message) as found:
        check_strategy(BAD_RULES[message], *PROBLEMS["labels"])
    assert "\n" not in str(found.value)


def test_structs_of_arrays_are_compared_part_by_part():
    class Trees:
        def __init__(self, left):
            self.left = left

        def __len__(self):
            return len(self.left)

    class Forest(Good):
        def sample(self, count, rng):
            return Sample(Trees(rng.random(count) + self.answers), np.full(count, 1 / count), exact=False)

    check_posterior(Forest(), [Answer(0, 1)])
    with pytest.raises(AssertionError, match="changed the posterior"):
        check_posterior(altered(Forest, update=in_place)(), [Answer(0, 1)])


def test_zero_one_family_keeps_its_loss():
    """The checks of a strategy do not change the problem they are given."""
    problem, prior = PROBLEMS["labels"]
    before = prior.log_weights.copy()
    check_strategy(strategies()["select"], problem, prior)
    assert problem.loss is zero_one
    assert (prior.log_weights == before).all()
