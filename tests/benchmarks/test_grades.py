"""The benchmark of graded answers: how its people answer, and a row of it."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.grades import BEHAVIOURS, TYPICAL, measure, one_person, respond


def test_people_answer_by_the_ordered_logit():
    rng, count = np.random.default_rng(0), 4000
    said = [respond(1.0, TYPICAL, rng) for _ in range(count)]
    expected = 1 / (1 + np.exp(3.6 - 1.0))
    assert said.count("left, much") / count == pytest.approx(expected, abs=4 * np.sqrt(expected / count))
    assert {respond(1.0, BEHAVIOURS["pairs of people who always say left"], rng) for _ in range(50)} == {"left"}


def test_the_same_people_answer_with_and_without_grades():
    row = measure("graded", [0], 3)
    assert row["behaviour"] == "graded"
    assert set(row["questions"]) == {"0.1", "0.05", "0.02"}
    assert len(one_person(0, BEHAVIOURS["pairs"], 2)["regrets"]) == 2
