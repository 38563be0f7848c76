"""Draws of the cone against rejection sampling; NDBAL needs few questions more for half the distance, random twice."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from askwise.distances.labels import Angle
from askwise.errors import SettingError
from askwise.experiments import ranking
from askwise.experiments.ranking import Cone, error_curve, growth, questions_needed
from askwise.structures.linear import unit_rows
from askwise.types import Answer
from tests.helpers import SEED, generator


def cone_after(answers, dimension, rng, draws):
    truth = rng.standard_normal(dimension)
    cone = Cone.whole(dimension, rng, draws)
    for _ in range(answers):
        atom = rng.standard_normal(dimension)
        cone = cone.update(Answer(atom, int(np.sign(atom @ truth))), rng)
    return cone


@pytest.mark.parametrize("dimension", [2, 3, 5])
def test_draws_are_uniform_on_the_cone(dimension):
    """Means of the directions and of their pairwise angles, in standard errors of both samples."""
    rng = generator(920, dimension)
    cone = cone_after(6, dimension, rng, draws=4000)
    assert (cone.points @ cone.faces.T >= -1e-12).all()
    assert (np.linalg.norm(cone.points, axis=1) <= 1 + 1e-12).all()
    everywhere = unit_rows(rng.standard_normal((2_000_000, dimension)))
    inside = everywhere[(everywhere @ cone.faces.T >= 0).all(axis=1)]
    assert len(inside) > 500
    found = unit_rows(cone.points)
    error = np.sqrt(found.var(axis=0) / len(found) + inside.var(axis=0) / len(inside))
    assert (np.abs(found.mean(axis=0) - inside.mean(axis=0)) < 4.5 * error).all()
    angles = [Angle().paired(x[: len(x) // 2], x[len(x) // 2 : 2 * (len(x) // 2)]) for x in (found, inside)]
    error = np.sqrt(sum(x.var() / len(x) for x in angles))
    assert abs(angles[0].mean() - angles[1].mean()) < 4.5 * error


def test_radii_are_those_of_the_ball():
    """The radius of a point in a cone has the distribution function r^D, whatever the cone."""
    cone = cone_after(5, 3, generator(921), draws=4000)
    heights = np.linalg.norm(cone.points, axis=1) ** 3
    assert abs(heights.mean() - 0.5) < 4.5 * np.sqrt(1 / 12 / 4000)


def test_an_answer_that_no_draw_expected():
    rng = generator(922)
    cone = Cone.whole(2, rng, draws=5)
    aside = Cone(np.abs(cone.points), cone.faces)
    updated = aside.update(Answer(np.array([1.0, 0.0]), -1), rng)
    assert (updated.points[:, 0] <= 0).all()
    stuck = Cone(np.full((5, 2), 0.1), np.array([[1.0, 0.0]]))
    with pytest.raises(SettingError, match="no draw agrees"):
        stuck.update(Answer(np.array([1.0, 0.0]), -1), rng)


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
