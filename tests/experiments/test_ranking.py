"""NDBAL needs few questions more for half the distance, random twice as many."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from askwise.errors import SettingError
from askwise.experiments import ranking
from askwise.experiments.ranking import error_curve, growth, questions_needed
from tests.helpers import SEED


def test_ndbal_against_random():
    """A tenth of the distance costs NDBAL a constant number of questions, random questions a factor of about ten."""
    levels = (0.2, 0.1, 0.05, 0.02)
    clever = questions_needed("ndbal", levels=levels, runs=4, seed=SEED)
    blind = questions_needed("random", levels=levels, runs=8, seed=SEED)
    assert (np.diff(clever.mean) > 0).all()
    assert clever.mean[-1] < 15
    assert blind.mean[-1] > 25
    assert growth(clever.levels, clever.mean).late < 0.6
    assert growth(blind.levels, blind.mean).power > 0.7


def test_side_by_side():
    found = ranking.compare(runs=2, seed=SEED, levels=(0.3, 0.2))
    assert sorted(found) == ["ndbal", "random"]
    for rule, (result, grown) in found.items():
        assert result.rule == rule
        assert len(result.curves) == 2
        assert grown == growth(result.levels, result.mean)


def test_growth_tells_logarithms_from_powers():
    levels = np.geomspace(0.2, 0.01, 10)
    log_like, power = growth(levels, 4 * np.log2(1 / levels)), growth(levels, 2 * levels**-0.5)
    assert log_like.fit_log == pytest.approx(1)
    assert log_like.per_halving == pytest.approx(4)
    assert log_like.late < log_like.early
    assert power.fit_power == pytest.approx(1)
    assert (power.early, power.late) == pytest.approx((0.5, 0.5))


def test_first_below():
    curve = np.array([0.5, 0.3, 0.1, 0.2])
    assert [ranking._first(curve, level) for level in (0.6, 0.3, 0.15, 0.05)] == [0, 1, 2, inf]
    assert len(error_curve("random", 3, 0.01, most=4, seed=SEED)) == 5  # gives up after so many questions


def test_same_seed_same_curve():
    first, again = (error_curve("ndbal", 3, 0.2, 20, seed=3, candidates=100) for _ in range(2))
    assert (first == again).all()


@pytest.mark.parametrize("settings", [{"dimension": 1}, {"runs": 1}, {"levels": (0.6,)}])
def test_refuses(settings):
    with pytest.raises(SettingError, match="dimension and runs must be at least 2"):
        questions_needed("random", **settings)
