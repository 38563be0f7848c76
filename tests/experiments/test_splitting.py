"""Splitting indices against brute force; each statement holds, and fails where a condition is dropped."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import inf

import numpy as np
import pytest

from askwise.experiments import splitting
from askwise.experiments.splitting import average_splits, check_trials, labels_needed, splitting_rho
from askwise.theory import coarse_average_index, star_bound
from tests.helpers import SEED, generator


def test_every_statement_holds():
    for found in splitting.check_splitting(count=60, seed=SEED):
        assert found.holds, found


def plain_rho(answers, far, tau, length):
    """The least over all sequences of up to `length` pairs of the best rho that a share tau of the atoms reaches."""
    edges = [(g, h) for g in range(len(answers)) for h in range(g) if far[g, h]]
    atoms, best = answers.shape[1], 1.0
    for size in range(1, length + 1):
        for sequence in combinations_with_replacement(edges, size):
            splits = []
            for a in range(atoms):
                left = [answers[g, a] for g, h in sequence if answers[g, a] == answers[h, a]]
                splits.append(1 - max((left.count(y) for y in left), default=0) / size)
            needed = next(count for count in range(1, atoms + 1) if count / atoms >= tau - 1e-9)
            best = min(best, sorted(splits, reverse=True)[needed - 1])
    return best


@pytest.mark.parametrize("trial", range(8))
def test_the_index_is_that_of_the_worst_sequence(trial):
    """Short sequences come close from above, and often reach it."""
    rng = generator(920, trial)
    answers, tau = rng.integers(2, size=(3, 3)), [0.3, 0.5, 1.0][trial % 3]
    far = ~np.eye(3, dtype=bool)
    exact, plain = splitting_rho(answers, far, tau), plain_rho(answers, far, tau, length=6)
    assert exact - 1e-7 <= plain <= exact + 1 / 6


def test_average_splits_against_loops():
    rng = generator(921)
    answers, distances = rng.integers(3, size=(4, 3)), rng.random((4, 4))
    distances = np.triu(distances, 1) + np.triu(distances, 1).T
    prior = rng.dirichlet(np.ones(4))
    found, whole = average_splits(answers, distances, prior[None])
    assert whole[0] == pytest.approx(sum(prior[g] * prior[h] * distances[g, h] for g in range(4) for h in range(4)))
    for a in range(3):
        left = [
            sum(
                prior[g] * prior[h] * distances[g, h]
                for g in range(4)
                for h in range(4)
                if answers[g, a] == answers[h, a] == y
            )
            for y in range(3)
        ]
        assert found[0, a] == pytest.approx(1 - max(left) / whole[0])


def test_the_labels_of_the_best_learner():
    """Thresholds on seven atoms by halving; one of eight marked atoms by trying all but one."""
    thresholds = np.tri(8, 7, -1, dtype=int)
    assert labels_needed(thresholds, np.eye(8, dtype=bool)) == 3
    assert labels_needed(np.eye(8, dtype=int), np.eye(8, dtype=bool)) == 7
    assert labels_needed(np.zeros((2, 1), dtype=int), np.eye(2, dtype=bool)) == inf
    assert labels_needed(np.eye(8, dtype=int), np.ones((8, 8), dtype=bool)) == 0


def test_a_star_without_the_triangle_inequality_needs_no_label():
    """A structure that is near all others is always a right answer."""
    star = np.vstack([np.zeros((1, 4), dtype=int), np.eye(4, dtype=int)])
    distances = 1.0 - np.eye(5)
    assert labels_needed(star, distances < 0.45) == 4 == star_bound(4, epsilon=0.9).corrected.questions
    hub = np.vstack([star, np.ones((1, 4), dtype=int)])
    wider = np.zeros((6, 6))
    wider[:5, :5] = distances
    assert labels_needed(hub, wider < 0.45) == 0


def test_success_for_each_target_needs_fewer_labels_than_for_all_at_once():
    assert splitting.guessing_success(points=5, labels=4) == 0.8
    rays = np.zeros((6, 6), dtype=bool)
    rays[0, 1:] = True
    star = np.vstack([np.zeros((1, 5), dtype=int), np.eye(5, dtype=int)])
    rho = 1.01 * splitting_rho(star, rays, tau=0.2)
    assert 1 / rho > 4  # so the printed bound would ask for more labels


def test_the_corollary_is_reached_without_its_half():
    """Two structures that differ on one atom of four: an average split of 1 there, else 0; p = 1/4."""
    answers = np.array([[0, 0, 0, 0], [1, 0, 0, 0]])
    splits, _ = average_splits(answers, 1.0 - np.eye(2), np.array([[0.5, 0.5]]))
    np.testing.assert_allclose(splits[0], [1, 0, 0, 0])
    assert coarse_average_index(0.25, 0.5).corrected.tau <= 0.25


@pytest.mark.parametrize(
    "broken",
    [
        lambda rng: 2.1 * splitting.coarse_average(rng),
        lambda rng: 1.2 * splitting.expected_splitting(rng),
        lambda rng: 1.01 * splitting.star_split(rng),
        lambda rng: 1.01 * splitting.star_labels(rng),
        lambda rng: 1.01 * splitting.splitting_labels(rng),
    ],
)
def test_sharper_statements_fail(broken):
    assert not check_trials("broken", broken, count=60, seed=SEED).holds
