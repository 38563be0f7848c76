"""The entrywise distance: by its definition, and against the closed forms of Gaussian entries."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from askwise.distances import new_form
from askwise.distances.entries import MAX_COMPARED, EntryDifference
from askwise.errors import SettingError
from askwise.problem import Problem
from askwise.stopping.certificate import estimate
from askwise.strategies.split import average_diameter
from askwise.structures.matrices import Matrices, gaussian, pack
from askwise.testing import check_distance
from askwise.types import Sample
from tests.helpers import generator


def by_hand(left, right, wide):
    shares = [min(1.0, abs(g - h) / wide) for g, h in zip(left.ravel(), right.ravel(), strict=True)]
    return sum(shares) / len(shares)


@pytest.mark.parametrize("rows", [None, [1, 3]])
def test_against_the_definition(rows):
    matrices = generator(1).standard_normal((6, 4, 3))
    chosen = matrices if rows is None else matrices[:, rows]
    exact = [[by_hand(left, right, 1.5) for right in chosen] for left in chosen]
    found = EntryDifference(1.5, rows).pairwise(pack(matrices, np.ones(6)))
    assert np.allclose(found, exact)
    assert (np.abs(chosen[:, None] - chosen) > 1.5).any()  # some differences count as 1


def test_blocks_change_nothing(monkeypatch):
    left, right = generator(2).standard_normal((2, 7, 4, 3))
    whole = EntryDifference(2).paired(left, right)
    assert left.size < MAX_COMPARED
    monkeypatch.setattr("askwise.distances.entries.MAX_COMPARED", 30)
    assert np.array_equal(EntryDifference(2).paired(left, right), whole)


def test_the_shipped_check():
    rng = generator(3)
    check_distance(EntryDifference(1.0), pack(rng.standard_normal((12, 3, 4)), np.ones(12)))
    check_distance(EntryDifference(3.0, rows=[2]), np.repeat(rng.standard_normal((3, 3, 4)), 2, axis=0))


def closed_form(spread, wide):
    """E min(1, |x - y| / wide) of independent x and y, N(m, spread^2)."""
    s = np.sqrt(2) * spread / wide
    return s * np.sqrt(2 / np.pi) * (1 - np.exp(-0.5 / s**2)) + 2 * norm.sf(1 / s)


def test_gaussian_entries_have_a_closed_form():
    """Offsets of known size, no factors: row i and column j give entry (i, j) the variance a_i^2 + b_j^2."""
    rng, draws, wide = generator(4), 3000, 4.0
    row, column = np.array([0.2, 1.0, 3.0]), np.array([0.5, 1.5])
    middle = rng.standard_normal((3, 2))
    rows, columns = rng.standard_normal((draws, 3, 1)), rng.standard_normal((draws, 1, 2))
    structures = pack(middle + row[:, None] * rows + column * columns, np.ones(draws))
    spread = np.hypot(row[:, None], column)
    sample = Sample(structures, np.full(draws, 1 / draws), exact=False)
    distance = EntryDifference(wide)
    pairs = distance.paired(structures[::2], structures[1::2])  # independent pairs, for the standard error
    diameter = average_diameter(new_form(distance, structures), sample.weights, exact=False)
    assert abs(diameter - closed_form(spread, wide).mean()) < 4 * pairs.std() / np.sqrt(len(pairs))
    found, error = estimate(Problem(Matrices((3, 2)), distance, gaussian), sample)
    assert (np.abs(found["matrix"] - middle) < 4 * spread / np.sqrt(draws)).all()
    # to the middle, the difference has half the variance
    to_middle = distance.paired(np.repeat(found[None], draws), structures)
    assert abs(error - closed_form(spread / np.sqrt(2), wide).mean()) < 4 * to_middle.std() / np.sqrt(draws)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"entry_range": 0}, "entry_range is 0; expected a number from 1e-100 to 2e[+]100"),
        ({"entry_range": "wide"}, "entry_range is 'wide'"),
        ({"entry_range": 1, "rows": []}, "expected a list of row numbers from 0"),
    ],
)
def test_bad_options_are_refused(options, words):
    with pytest.raises(SettingError, match=words):
        EntryDifference(**options)
