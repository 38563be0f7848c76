"""Weights that agree with every answer: against angles, areas, rejection and all permutations; and what contradicts."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest

from askwise.distances.labels import Angle
from askwise.errors import AnswerError, ContradictionError
from askwise.posteriors.scores.version_space import VersionSpace, conflicting, faces_of
from askwise.structures.choice import ItemScores
from askwise.structures.linear import LinearSphere, unit_rows
from askwise.structures.multiclass import SoftmaxPool
from askwise.types import Answer
from tests.helpers import generator


def space_after(answers, dimension, rng, chains):
    truth = rng.standard_normal(dimension)
    space = VersionSpace.prior(LinearSphere(dimension), chains)
    for _ in range(answers):
        atom = rng.standard_normal(dimension)
        space = space.update(Answer(atom, int(np.sign(atom @ truth))), rng)
    return space


@pytest.mark.parametrize("dimension", [2, 3, 5])
def test_draws_are_uniform_on_the_cone(dimension):
    """Means of the directions and of their pairwise angles, in standard errors of both samples."""
    rng = generator(920, dimension)
    space = space_after(6, dimension, rng, 4000)
    points = space.sample(4000, rng).structures
    assert (points @ space.faces.T >= -1e-12).all()
    assert (np.linalg.norm(points, axis=1) <= 1 + 1e-12).all()
    everywhere = unit_rows(rng.standard_normal((2_000_000, dimension)))
    inside = everywhere[(everywhere @ space.faces.T >= 0).all(axis=1)]
    assert len(inside) > 500
    found = unit_rows(points)
    error = np.sqrt(found.var(axis=0) / len(found) + inside.var(axis=0) / len(inside))
    assert (np.abs(found.mean(axis=0) - inside.mean(axis=0)) < 4.5 * error).all()
    angles = [Angle().paired(x[: len(x) // 2], x[len(x) // 2 : 2 * (len(x) // 2)]) for x in (found, inside)]
    error = np.sqrt(sum(x.var() / len(x) for x in angles))
    assert abs(angles[0].mean() - angles[1].mean()) < 4.5 * error


def test_a_thin_wedge_of_the_plane():
    """Forty answers that halve the angle leave a wedge of 2^-40 of a half turn; its angles are uniform."""
    rng, low, high = generator(921), -np.pi / 2, np.pi / 2
    space = VersionSpace.prior(LinearSphere(2), 2000).update(Answer((1.0, 0.0), 1), rng)
    for place in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if place % 3 else (low, middle)
        space = space.update(Answer((-np.sin(middle), np.cos(middle)), 1 if low == middle else -1), rng)
    sample = space.sample(2000, rng)
    share = (np.arctan2(*sample.structures.T[::-1]) - low) / (high - low)
    assert (share > -1e-2).all()  # in units of the wedge: 64 bits end here
    assert (share < 1.01).all()
    assert abs(share.mean() - 0.5) < 4.5 * np.sqrt(1 / 12 / 2000)


@pytest.mark.parametrize(("items", "answers"), [(5, 4), (6, 8), (7, 9)])
def test_orders_of_names_are_uniform(items, answers):
    """Scores of names: all permutations that agree are equally likely."""
    rng = generator(922, items)
    truth = rng.permutation(items)
    pairs = rng.permutation(list(combinations(range(items), 2)))[:answers]
    told = [Answer(pair, 1 if truth[pair[0]] > truth[pair[1]] else -1) for pair in pairs]
    every = np.array(list(permutations(range(items))))
    fits = [np.sign(every[:, i] - every[:, j]) == np.sign(truth[i] - truth[j]) for i, j in pairs]
    exact = every[np.all(fits, axis=0)]
    space = VersionSpace.prior(ItemScores(items), 4000)
    for answer in told:
        space = space.update(answer, rng)
    ranks = space.sample(4000, rng).structures.argsort(axis=1).argsort(axis=1)
    known, counts = np.unique(ranks, axis=0, return_counts=True)
    assert {tuple(order) for order in known} <= {tuple(order) for order in exact}
    expected = 4000 / len(exact)
    squares = np.square(counts - expected).sum() / expected + (len(exact) - len(counts)) * expected
    freedom = len(exact) - 1
    assert squares < freedom + 5 * np.sqrt(2 * freedom) + 5


def test_several_labels_by_rejection():
    rng = generator(923)
    family = SoftmaxPool(rng.standard_normal((20, 2)), labels="abc")
    truth = rng.standard_normal((1, 6))
    answers = [Answer(row, int(family.decide(family.predict(truth, np.array([row])))[0, 0])) for row in range(4)]
    space = VersionSpace.prior(family, 3000)
    for answer in answers:
        space = space.update(answer, rng)
    everywhere = rng.standard_normal((400_000, 6))
    rows = np.arange(20)
    inside = everywhere[(family.decide(family.predict(everywhere, rows[:4])) == [a.response for a in answers]).all(1)]
    found, exact = (
        np.stack([(family.decide(family.predict(x, rows)) == label).mean(axis=0) for label in range(3)])
        for x in (space.sample(3000, rng).structures, inside)
    )
    error = np.sqrt(exact * (1 - exact) * (1 / 3000 + 1 / len(inside)))
    assert (np.abs(found - exact) <= 4.5 * error + 1e-12).all()


def test_a_rare_answer_is_approached_in_steps():
    """One answer of probability 1/3000, which no draw expects: where it leads is known."""
    rng = generator(924)
    angle = np.pi / 3000
    space = VersionSpace.prior(LinearSphere(3), 500).update(Answer((1.0, 0.0, 0.0), 1), rng)
    space = space.update(Answer((-np.cos(angle), np.sin(angle), 0.0), 1), rng)
    points = unit_rows(space.sample(500, rng).structures)
    share = (np.arctan2(points[:, 1], points[:, 0]) - np.pi / 2 + angle) / angle
    assert ((share > 0) & (share < 1)).all()
    assert abs(share.mean() - 0.5) < 4.5 * np.sqrt(1 / 12 / 500)
    assert abs(points[:, 2].mean()) < 4.5 * np.sqrt(1 / 3 / 500)


def test_hundreds_of_answers_leave_draws_worth_their_number():
    """The spread of the mean over independent runs is that of as many independent draws, or nearly."""
    means, variances = [], []
    rng = generator(925)
    truth, atoms = rng.standard_normal(6), rng.standard_normal((150, 6))
    for run in range(8):
        rng, space = generator(926, run), VersionSpace.prior(LinearSphere(6), 200)
        for atom in atoms:
            space = space.update(Answer(atom, int(np.sign(atom @ truth))), rng)
        points = unit_rows(space.sample(200, rng).structures)
        means.append(points.mean(axis=0))
        variances.append(points.var(axis=0))
    ratio = np.var(means, axis=0, ddof=1) / np.mean(variances, axis=0) * 200
    assert ratio.mean() < 2.5  # six chi squares with seven degrees of freedom each, on average 1


@pytest.mark.parametrize("seed", range(12))
def test_a_contradiction_is_a_smallest_one(seed):
    """The answers named leave no room with the new one, and any of them can be spared."""
    rng = generator(927, seed)
    dimension = int(rng.integers(2, 6))
    truth = rng.standard_normal(dimension)
    faces = rng.standard_normal((25, dimension))
    faces = unit_rows(faces * np.sign(faces @ truth)[:, None])
    wrong = -(rng.random(25) @ faces)[None]
    found = conflicting(faces, wrong)
    assert found is not None
    assert conflicting(faces[found], wrong) is not None
    for spared in range(len(found)):
        assert conflicting(faces[np.delete(found, spared)], wrong) is None
    assert conflicting(faces, -wrong) is None


def test_a_cycle_is_refused_and_named():
    rng = generator(928)
    space = VersionSpace.prior(ItemScores(5), 50)
    for pair in [(0, 1), (3, 4), (1, 2), (2, 3)]:
        space = space.update(Answer(pair, 1), rng)
    with pytest.raises(ContradictionError, match="contradicts earlier ones") as caught:
        space.update(Answer((0, 2), -1), rng)
    assert caught.value.others == (0, 2)
    assert space.update(Answer((0, 2), 1), rng).answers == 5


def test_equal_rows_say_nothing_and_ties_are_refused():
    rng = generator(929)
    space = VersionSpace.prior(LinearSphere(2), 20)
    same = space.update(Answer((0.0, 0.0), 1), rng)
    assert same.answers == 1
    assert not len(same.faces)
    with pytest.raises(AnswerError, match="decides nothing"):
        faces_of(LinearSphere(2), Answer((1.0, 0.0), 0))
    assert same.sample(7, rng).chains is None
