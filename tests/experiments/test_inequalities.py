"""The inequalities of the proofs hold in small cases, and the printed ones fail where a condition is missing."""

from __future__ import annotations

from itertools import product
from math import comb, log

import numpy as np
import pytest

from askwise.experiments import inequalities
from askwise.experiments.inequalities import largest_family, subspace, tail_ratio, together
from askwise.experiments.splitting import check_trials
from askwise.theory import log_patterns
from tests.helpers import SEED, generator


def test_every_inequality_holds():
    for found in inequalities.check_inequalities(count=100, seed=SEED):
        assert found.holds, found


@pytest.mark.parametrize(("responses", "atoms", "dimension"), [(2, 4, 2), (3, 2, 1), (4, 3, 1), (3, 3, 2)])
def test_the_largest_families_have_as_many_patterns_as_allowed(responses, atoms, dimension):
    """So k - 1 is the best possible factor; the paper prints k + 1."""
    sizes = [len(largest_family(responses, atoms, dimension, generator(930, trial))) for trial in range(5)]
    allowed = sum(comb(atoms, i) * (responses - 1) ** i for i in range(dimension + 1))
    assert max(sizes) == allowed
    assert log(allowed) <= log_patterns(dimension, atoms, responses).corrected
    assert log_patterns(dimension, atoms, responses).corrected < log_patterns(dimension, atoms, responses).printed


def test_the_printed_mass_fails_with_fewer_atoms_than_dimensions():
    assert inequalities.printed_version_space_fails() > 1.5
    table = np.array(list(product(range(2), repeat=8)))
    corrected = log_patterns(8, 1, 2).corrected
    assert corrected == pytest.approx(log(2))
    assert tail_ratio(np.full(256, 1 / 256), table[:, :1], corrected) == pytest.approx(1)


def test_tail_ratio_by_hand():
    """Masses .1, .2, .7 and N = 3: the mass is at most e^-c / 3 with probability .1 at .3 = e^-c, .3 at e^-c = .6."""
    prior, seen = np.array([0.1, 0.2, 0.7]), np.array([[0], [1], [2]])
    assert tail_ratio(prior, seen, log(3)) == pytest.approx(0.3 / 0.6)


@pytest.mark.parametrize(
    "broken",
    [
        lambda rng: 1.01 * inequalities.pattern_count(rng),
        lambda rng: 1.1 * inequalities.posterior_distances(rng),
        lambda rng: 3 * inequalities.chernoff(rng),
        lambda rng: 10 * inequalities.log_odds(rng),
        lambda rng: 5 * inequalities.cluster_splitting(rng),
        lambda rng: 4 * inequalities.version_space(rng),
    ],
)
def test_sharper_inequalities_fail(broken):
    assert not check_trials("broken", broken, count=150, seed=SEED).holds


def test_points_are_together_between_cuts():
    same = together(np.array([True, False, True, False, True, True]))
    expected = [[0, 1], [2, 3], [4]]
    for i, j in product(range(5), repeat=2):
        assert same[i, j] == any(i in part and j in part for part in expected)


def test_the_share_of_an_angle_that_a_plane_keeps():
    """Two dimensions keep all of it; a hundred keep 1 / sqrt(15) three times in four, and no more."""
    assert subspace(100, generator(931), dimension=2).kept == 100
    many = subspace(20_000, generator(932))
    assert not many.refuted
    assert many.low < 0.76
