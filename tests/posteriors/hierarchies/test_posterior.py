"""The chains against all trees of five and six items, and the moves against their definition."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.errors import AnswerError, DataError, SettingError
from askwise.posteriors.hierarchies.posterior import HierarchyPosterior, answer_beta
from askwise.posteriors.hierarchies.preorder_tree import feature_costs
from askwise.simulate.people import LabellingPerson
from askwise.structures.hierarchies import Hierarchies, all_trees, clades, random_trees, triples_at
from askwise.testing import check_posterior
from askwise.types import Answer
from tests.helpers import generator


def exact(posterior):
    """Every tree, and its posterior weight by definition."""
    trees = all_trees(posterior.family.count)
    logs = posterior.log_prior(trees) - posterior.beta * wrong_answers(posterior, trees)
    weights = np.exp(logs - logs.max())
    return trees, weights / weights.sum()


def wrong_answers(posterior, trees):
    """Counted from scratch, each answer as far as it is trusted."""
    if not len(posterior.triples):
        return np.zeros(len(trees))
    answers = posterior.family.answers(trees, posterior.triples)
    wrong = posterior.triples[np.arange(len(posterior.odd)), answers] != posterior.odd
    return wrong @ (posterior.weight / posterior.full)


def frequencies(posterior, trees, steps, moves, rng):
    """(C, G): how often each chain visits each tree."""
    place = {answers: row for row, answers in enumerate(map(bytes, signature(posterior.family, trees)))}
    counts = np.zeros((len(posterior.trees), len(trees)))
    for _ in range(steps):
        posterior = posterior.advanced(moves, rng)
        rows = [place[answers] for answers in map(bytes, signature(posterior.family, posterior.trees))]
        counts[np.arange(len(rows)), rows] += 1 / steps
    return counts


def signature(family, trees):
    """What makes two trees the same, as bytes."""
    size = family.count
    return family.answers(trees, triples_at(np.arange(size * (size - 1) * (size - 2) // 6), size))


def told(posterior, count, rng, person=None):
    for atom in rng.permutation(posterior.family.draw_atoms(count, rng))[:count]:
        said = int(rng.integers(3)) if person is None else person.respond(atom, rng)
        posterior = posterior.update(Answer(atom, said), rng)
    return posterior


def standard_scores(counts, weights):
    """Differences in standard errors: chains are independent, the steps of one are not."""
    binomial = weights * (1 - weights) / len(counts) / 10  # a rare tree that no chain saw has no spread of its own
    spread = np.sqrt(np.maximum(counts.var(axis=0, ddof=1) / len(counts), binomial))
    return (counts.mean(axis=0) - weights) / spread


@pytest.mark.parametrize("informed", [False, True])
def test_answers_that_are_trusted_less(informed):
    """All trees of five items again, the answers of several people weighed; then one more answer in full."""
    rng = generator(69, informed)
    features = rng.standard_normal((5, 2)) if informed else None
    family = Hierarchies(5)
    posterior, answers = HierarchyPosterior.prior(family, 2.0, features, chains=256), []
    for atom in rng.permutation(family.draw_atoms(10, rng))[:8]:
        answers.append(Answer(atom, int(rng.integers(3))))
        posterior = posterior.update(answers[-1], rng)
    strengths = rng.choice([0.02, 0.3, 0.78, 1.0], len(answers))
    posterior = posterior.reweighed(answers, strengths, rng)
    np.testing.assert_allclose(posterior.weight / posterior.full, strengths)
    posterior = posterior.update(Answer((0, 2, 4), 1), rng)
    assert posterior.weight[-1] == posterior.full
    np.testing.assert_allclose(posterior.wrong / posterior.full, wrong_answers(posterior, posterior.trees))
    trees, weights = exact(posterior)
    scores = standard_scores(frequencies(posterior, trees, 30, 12, rng), weights)
    assert np.abs(scores).max() < 4
    assert np.square(scores).mean() < 1.5


@pytest.mark.parametrize("beta", [0.5, 3.0, 8.0])
@pytest.mark.parametrize("informed", [False, True])
@pytest.mark.parametrize("items", [5, 6])
def test_all_trees_of_few_items(items, informed, beta):
    rng = generator(60, items, informed, int(2 * beta))
    features = rng.standard_normal((items, 2)) if informed else None
    posterior = told(HierarchyPosterior.prior(Hierarchies(items), beta, features, chains=256), 8, rng)
    trees, weights = exact(posterior)
    scores = standard_scores(frequencies(posterior, trees, 30, 12, rng), weights)
    assert np.abs(scores).max() < 4
    assert np.square(scores).mean() < 1.5


@pytest.mark.parametrize("beta", [0.5, 3.0, 8.0])
def test_right_after_an_answer_all_trees_have_their_share(beta):
    """Copies must not tilt the shares: many small populations, each as its updates left it."""
    rng = generator(69, int(2 * beta))
    family = Hierarchies(5)
    atoms = family.draw_atoms(10, rng)
    answers = [Answer(atoms[row], int(rng.integers(3))) for row in rng.permutation(10)[:6]]
    prior, found, copied = HierarchyPosterior.prior(family, beta, chains=24), [], 0.0
    for _ in range(400):
        posterior = replace(prior, trees=random_trees(24, 5, rng))
        for each in answers:
            posterior = posterior.update(each, rng)
            copied += posterior.copied
        found.append(posterior)
    trees, weights = exact(posterior)
    place = {answers: row for row, answers in enumerate(map(bytes, signature(family, trees)))}
    rows = [[place[answers] for answers in map(bytes, signature(family, at.trees))] for at in found]
    counts = np.array([np.bincount(row, minlength=len(trees)) / 24 for row in rows])
    scores = standard_scores(counts, weights)
    assert copied > 0
    assert np.abs(scores).max() < 4
    assert np.square(scores).mean() < 1.5


def test_the_prior_with_features_prefers_trees_that_join_the_similar():
    features = np.array([[0.0], [0.1], [3.0], [3.1], [9.0]])
    prior = HierarchyPosterior.prior(Hierarchies(5), 3.0, features)
    trees = all_trees(5)
    best = clades(trees[prior.log_prior(trees).argmax()])
    assert {frozenset({0, 1}), frozenset({2, 3}), frozenset({0, 1, 2, 3})} <= best


def test_features_that_differ_nowhere_say_nothing():
    prior = HierarchyPosterior.prior(Hierarchies(4), 3.0, np.ones((4, 3)))
    assert np.ptp(prior.log_prior(all_trees(4))) == 0
    assert prior.diagnostics()["strength"] == 0


def test_feature_costs_by_definition():
    rng = generator(61)
    trees, features = random_trees(5, 7, rng), rng.standard_normal((7, 3))
    for tree, cost in zip(trees, feature_costs(trees, features), strict=True):
        parts = [np.var(features[sorted(clade)], axis=0, ddof=1).sum() for clade in clades(tree)]
        assert cost == pytest.approx(sum(parts))


@pytest.mark.parametrize("items", [4, 5])
def test_moves_are_symmetric_and_reach_every_place(items):
    """Without answers a move cuts any subtree and puts it on any edge alike: by enumeration, and as the chains do."""
    trees = all_trees(items)
    place = {clades(tree): row for row, tree in enumerate(trees)}
    matrix = np.zeros((len(trees), len(trees)))
    for row, tree in enumerate(trees):
        for node in np.flatnonzero(tree >= 0):
            reached = regrafted(tree, int(node))
            for other in reached:
                matrix[row, place[clades(other)]] += 1 / (2 * items - 2) / len(reached)
    assert matrix == pytest.approx(matrix.T)
    assert (np.linalg.matrix_power(matrix, 6) > 0).all()
    prior = HierarchyPosterior.prior(Hierarchies(items), 3.0, chains=4000)
    for row in (0, len(trees) - 1):
        here = HierarchyPosterior(**{**vars(prior), "trees": np.repeat(trees[row][None], 4000, axis=0)})
        share = frequencies(here, trees, 1, 1, generator(62, items, row)).mean(axis=0)
        error = np.sqrt(matrix[row] * (1 - matrix[row]) / 4000) + 1e-12
        assert (np.abs(share - matrix[row]) / error).max() < 4


def regrafted(tree, node):
    """Every tree that cutting this node's subtree and putting it back can give, by rewriting parents."""
    joint = tree[node]
    beside = next(i for i in range(len(tree)) if tree[i] == joint and i != node)
    rest = tree.copy()
    rest[beside] = tree[joint]
    below = {node, joint}
    while len(grown := below | {i for i in range(len(tree)) if tree[i] in below - {joint}}) > len(below):
        below = grown
    found = []
    for edge in set(range(len(tree))) - below:
        again = rest.copy()
        again[joint], again[edge] = rest[edge], joint
        found.append(again)
    return found


@given(items=st.integers(3, 12), answers=st.integers(1, 30), seed=st.integers(0, 2**32), informed=st.booleans())
def test_wrong_answers_are_counted_along(items, answers, seed, informed):
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((items, 2)) if informed else None
    posterior = HierarchyPosterior.prior(Hierarchies(items), 1.5, features, chains=4, strength=2.0)
    for _ in range(answers):
        atom = np.sort(rng.choice(items, 3, replace=False))
        posterior = posterior.update(Answer(atom, int(rng.integers(3))), rng)
    assert posterior.wrong.tolist() == wrong_answers(posterior, posterior.trees).tolist()
    for tree in posterior.trees:
        assert len(clades(tree)) == items - 1


def test_answers_find_the_tree():
    rng = generator(64)
    family = Hierarchies(8)
    truth = random_trees(1, 8, rng)
    posterior = told(HierarchyPosterior.prior(family, answer_beta(0.0)), 56, rng, LabellingPerson(family, truth[0]))
    assert {clades(tree) for tree in posterior.sample(64, rng).structures} == {clades(truth[0])}
    assert posterior.diagnostics()["wrong"] == 0


def test_useful_features_are_trusted_and_useless_ones_are_not():
    rng = generator(65)
    family = Hierarchies(16)
    truth = random_trees(1, 16, rng)
    member = np.array([[leaf in clade for clade in clades(truth[0])] for leaf in range(16)], dtype=float)
    strengths = []
    for features in (member, rng.standard_normal((16, 5))):
        prior = HierarchyPosterior.prior(family, 4.0, features)
        strengths.append(told(prior, 60, generator(66), LabellingPerson(family, truth[0])).diagnostics()["strength"])
    assert strengths[0] > 2 * strengths[1]


@pytest.mark.parametrize("informed", [False, True])
def test_check_posterior(informed):
    rng = generator(67)
    features = rng.standard_normal((7, 2)) if informed else None
    answers = [Answer(atom, int(rng.integers(3))) for atom in Hierarchies(7).draw_atoms(5, rng)[:5]]
    check_posterior(HierarchyPosterior.prior(Hierarchies(7), 2.0, features, chains=16), answers)


def test_importing_askwise_compiles_nothing():
    modules = "sys, askwise, askwise.posteriors.hierarchies.posterior, askwise.goals.hierarchy"
    code = f"import {modules}; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"beta": 0.0}, SettingError, "beta is 0.0; expected a number above 0"),
        ({"beta": float("inf")}, SettingError, "beta is inf; expected a number above 0"),
        ({"chains": 1}, SettingError, "chains is 1; expected a whole number of at least 2"),
        ({"strength": -1.0}, SettingError, "strength is -1.0; expected a number from 0 to"),
        ({"features": np.ones((3, 2))}, DataError, r"5 rows of finite numbers, one an item; got shape \(3, 2\)"),
        ({"features": np.full((5, 2), np.nan)}, DataError, "5 rows of finite numbers"),
    ],
)
def test_refuses_settings(options, error, sentence):
    with pytest.raises(error, match=sentence):
        HierarchyPosterior.prior(Hierarchies(5), **{"beta": 2.0, **options})


@pytest.mark.parametrize(
    ("atom", "response", "sentence"),
    [
        ((0, 1), 0, "three different items from 0 to 4"),
        ((0, 1, 1), 0, "three different items"),
        ((0, 1, 5), 0, "three different items from 0 to 4"),
        ((0.5, 1, 2), 0, "three different items"),
        ((0, 1, 2), 3, "the place 0, 1 or 2 of the item left out, got 3"),
        ((0, 1, 2), "eel", "got 'eel'"),
    ],
)
def test_refuses_answers(atom, response, sentence):
    prior = HierarchyPosterior.prior(Hierarchies(5), 2.0)
    with pytest.raises(AnswerError, match=sentence):
        prior.update(Answer(atom, response), generator(68))
