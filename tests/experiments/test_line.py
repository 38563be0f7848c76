"""The quick exact count of questions on the line, against the library's own NDBAL on the full pool of pairs."""

from __future__ import annotations

import csv
from math import inf

import numpy as np
import pytest

from askwise.distances import TableDistance
from askwise.distances.intervals import IntervalMembership, PairDisagreement
from askwise.errors import SettingError
from askwise.experiments import line
from askwise.experiments.files import write_table
from askwise.losses import zero_one
from askwise.problem import Problem
from askwise.strategies.split import split
from askwise.structures.finite import Finite
from askwise.structures.intervals import IntervalClusterings, hard_clusterings
from askwise.theory import hard_line
from askwise.types import Sample
from tests.helpers import generator


def full_pool(k, goal, alpha, epsilon):
    """Questions for each truth, (end, cut), by scoring every pair of points against every surviving clustering."""
    structures, points = hard_clusterings(k, alpha)
    atoms = IntervalClusterings(points).draw_atoms(len(points) ** 2, generator(0))
    family = Finite(IntervalClusterings(points).predict(structures, atoms))
    distance = PairDisagreement() if goal == "d_c" else IntervalMembership(alpha / 2)
    problem = Problem(family, TableDistance(distance.pairwise(structures)), zero_one, inf)
    truths = [(end, cut) for end in range(k) for cut in [k, *range(end, k)]]
    asked = np.full((k, k + 1), -1)
    pending = [(np.arange(len(structures)), 0)]
    while pending:
        alive, count = pending.pop()
        scores = split(problem, Sample(alive, np.full(len(alive), 1 / len(alive)), exact=True), np.arange(len(atoms)))
        if scores.diameter < epsilon:
            for place in alive:
                asked[truths[place]] = count
            continue
        left = scores.surviving.max(axis=0)
        atom = int((left <= left.min() * (1 + 1e-9)).argmax())  # ties, which rounding breaks, go to the first pair
        answers = family.table[alive, atom]
        pending += [(alive[answers == y], count + 1) for y in (0, 1)]
    return asked


@pytest.mark.parametrize(("alpha", "share"), [(0.5, 0.5), (0.25, 0.1), (0.3, 0.8)])
@pytest.mark.parametrize("goal", ["d_c", "d_I"])
@pytest.mark.parametrize("k", [2, 5, 8, 16])
def test_as_the_full_pool(k, goal, alpha, share):
    slow = full_pool(k, goal, alpha, share * ((1 - alpha) / k) ** 2)
    np.testing.assert_array_equal(line.count_questions(k, goal, alpha, share), slow)


@pytest.mark.parametrize("goal", ["d_c", "d_I"])
@pytest.mark.parametrize("alpha", [0.5, 0.25])
def test_distances_are_the_library_s(goal, alpha):
    """The sum of all distances from counts of ends and cuts, against the closed forms over all pairs of clusterings."""
    k = 7
    structures, _ = hard_clusterings(k, alpha)
    distance = PairDisagreement() if goal == "d_c" else IntervalMembership(alpha / 2)
    all_clusterings = np.triu(np.ones((k, k + 1), dtype=bool))
    now, _ = line.surviving(line.LineDistance.of(k, goal, alpha), all_clusterings, np.arange(k), np.arange(k + 1))
    unit = (1 - alpha) / k / line.cell_units(alpha)
    assert now * unit**2 == pytest.approx(distance.pairwise(structures).sum())


def test_known_numbers():
    """Under d_c as many as 8, 17, 34; under d_I half of the truths need at most 3, 4, 5."""
    rows = line.table([8, 16, 32])
    assert [row.questions_dc for row in rows] == [8, 17, 34]
    assert [row.questions_dI for row in rows] == [4, 5, 7]
    assert [row.median_dI for row in rows] == [3, 4, 5]
    assert [round(row.mean_dI) for row in rows] == [3, 4, 5]


def test_the_lower_bound_is_kept():
    for row in line.table([8, 16]):
        assert row.questions_dc >= hard_line(row.k, 1 / (8 * row.k**2)).corrected - 1


def test_the_hardest_truth_is_the_centre_of_the_star():
    asked = line.count_questions(16, "d_c")
    assert asked[0, 16] == asked.max()  # the known cluster is the interval itself, and nothing is cut


def test_every_clustering_is_counted():
    asked = line.count_questions(9, "d_I")
    assert (asked >= 0).sum() == len(hard_clusterings(9)[0])


def test_written_as_csv(tmp_path):
    write_table(line.table([2, 4]), tmp_path / "line.csv")
    with open(tmp_path / "line.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0][:3] == ["k", "questions_dc", "questions_dI"]
    assert [row[0] for row in rows[1:]] == ["2", "4"]


@pytest.mark.parametrize("settings", [(1, "d_c"), (8, "d"), (8, "d_c", 1.0), (8, "d_c", 0.5, 1.0)])
def test_refuses(settings):
    with pytest.raises(SettingError, match="k must be at least 2"):
        line.count_questions(*settings)
