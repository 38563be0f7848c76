"""Matrices: entries as atoms, equally likely answers, and the paper's worst answer found on them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from askwise.distances.columns import BestColumn
from askwise.errors import DataError, SettingError
from askwise.problem import Problem
from askwise.strategies.split import split
from askwise.structures.matrices import ANSWER_QUANTILES, Matrices, gaussian, matrices_of, pack
from askwise.testing import check_family
from askwise.types import Sample
from tests.helpers import generator


def batch(rng, size=60, shape=(4, 6), noise=(0.3, 0.5)):
    return pack(rng.standard_normal((size, *shape)), rng.uniform(*noise, size) ** -2.0)


def test_the_shipped_check():
    check_family(Matrices((4, 6)), batch(generator(1)))


def test_a_prompt_names_the_entry():
    family = Matrices((2, 2), ["Ann", "Ben"], ["tea", "milk"], decimals=1)
    shown = family.prompt([0, 1], generator(0))
    assert (shown.kind, shown.responses, shown.codes) == ("number", ("number",), {})
    assert shown.text == "What is Ann x milk (to 1 decimal)?"
    assert [option.name for option in shown.options] == ["Ann", "milk"]


def test_only_what_may_be_asked_is_drawn():
    family = Matrices((2, 3), askable=[[True, False, True], [False, False, True]])
    assert family.draw_atoms(10, generator(0)).tolist() == [[0, 0], [0, 2], [1, 2]]


def test_large_matrices_are_sampled():
    atoms = Matrices((100, 60)).draw_atoms(500, generator(0))
    assert len(np.unique(atoms, axis=0)) == 500


def test_costs_by_entry():
    family = Matrices((2, 2), costs=[[1, 2], [3, 4]])
    assert family.cost(np.array([[1, 0], [0, 1]])).tolist() == [3, 2]
    assert Matrices((2, 2), costs=[5, 7]).cost(np.array([[1, 0], [0, 1]])).tolist() == [5, 7]


def test_the_loss_is_minus_the_log_density_up_to_a_constant():
    structures = batch(generator(2))
    predictions = Matrices((4, 6)).predict(structures, np.array([[0, 0], [3, 5]]))
    found = gaussian.value(predictions, np.array([0.4, -1.0]))
    spread = structures["precision"][:, None] ** -0.5
    exact = -norm.logpdf([0.4, -1.0], structures["matrix"][:, [0, 3], [0, 5]], spread)
    assert np.ptp(found - exact) < 1e-9
    assert found.min() >= 0
    step = 1e-6
    moved = predictions.copy()
    moved[..., 0] += step
    slope = (gaussian.value(moved, 0.4) - gaussian.value(predictions, 0.4)) / step
    assert np.allclose(slope, gaussian.slope(predictions, 0.4), atol=1e-4)
    precision = np.repeat(structures["precision"][:, None], 2, axis=1)
    assert np.allclose(gaussian.curvature(predictions, 0.4), precision)


def test_answers_on_the_grid_are_equally_likely():
    structures = batch(generator(3), size=400, noise=(0.2, 1.5))
    family = Matrices((4, 6))
    atoms = family.draw_atoms(1, generator(0))
    predictions = family.predict(structures, atoms)
    grid = family.responses(predictions)
    assert grid.shape == (ANSWER_QUANTILES, 24)
    spread = structures["precision"][:, None] ** -0.5
    below = norm.cdf((grid[:, None] - predictions[None, ..., 0]) / spread).mean(axis=1)  # of the mixture itself
    # 400 draws with one noise value each: an order statistic of share q is off by sqrt(q (1 - q) / 400), at most .025
    assert np.abs(below - (np.arange(ANSWER_QUANTILES)[:, None] + 0.5) / ANSWER_QUANTILES).max() < 4 * 0.025


@pytest.mark.parametrize("spread", [0.2, 1.0, 3.0])
def test_the_worst_answer_is_found_on_the_grid(spread):
    """exp(-b((z-y)^2 + (z'-y)^2)) = exp(-b(z-z')^2/2) exp(-2b(y-(z+z')/2)^2): what survives is a mixture."""
    rng, noise, size = generator(4), 0.3, 64
    family, distance = Matrices((4, 6)), BestColumn()
    structures = pack(spread * rng.standard_normal((size, 4, 6)), np.full(size, noise**-2.0))
    sample = Sample(structures, np.full(size, 1 / size), exact=False)
    atoms = family.draw_atoms(1, rng)
    found = split(Problem(family, distance, gaussian), sample, atoms).surviving.max(axis=0)
    beta, apart = 1 / (2 * noise**2), distance.pairwise(structures) / size**2
    exact = []
    for row, column in atoms[:8]:
        z = structures["matrix"][:, row, column]
        heights = (apart * np.exp(-beta * (z[:, None] - z) ** 2 / 2)).ravel()
        y = np.arange(z.min(), z.max(), noise / 20)
        exact.append((heights @ np.exp(-2 * beta * (y - ((z[:, None] + z) / 2).reshape(-1, 1)) ** 2)).max())
    found, exact, whole = found[:8], np.array(exact), apart.sum()
    assert (found <= exact * (1 + 1e-3)).all()  # its own steps are a twentieth of the noise
    assert (exact - found).max() / whole < 0.02  # as shares of the diameter, which is what atoms are compared by
    assert (found / exact).min() > 0.75


def test_plain_arrays_are_matrices_too():
    plain = np.zeros((2, 3, 4))
    assert matrices_of(plain) is plain
    assert matrices_of(pack(plain, np.ones(2))).shape == (2, 3, 4)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"shape": (0, 3)}, SettingError, "a whole number of at least 1"),
        ({"shape": (2.5, 3)}, SettingError, "is 2.5; expected a whole number"),
        ({"shape": (1000, 1000)}, DataError, "leave some out"),
        ({"row_names": ["a"]}, DataError, "2 rows need 2 different names"),
        ({"column_names": ["a", "a", "b"]}, DataError, "3 columns need 3 different names"),
        ({"costs": -1}, SettingError, "positive finite numbers"),
        ({"costs": [1, 2]}, SettingError, "one for each entry"),
        ({"costs": "dear"}, SettingError, "one for each entry"),
        ({"askable": [True]}, SettingError, "expected one yes or no an entry"),
        ({"decimals": -1}, SettingError, "decimals is -1; expected a whole number of at least 0"),
    ],
)
def test_bad_settings_are_refused_in_one_sentence(options, error, words):
    with pytest.raises(error, match=words) as refused:
        Matrices(**{"shape": (2, 3), **options})
    assert "\n" not in str(refused.value)
