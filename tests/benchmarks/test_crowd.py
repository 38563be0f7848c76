"""The benchmark of a crowd on people few enough for a test."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

from benchmarks import crowd


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(crowd, "POSITIONS", (1, 5))
    monkeypatch.setattr(crowd, "ANSWERS", 6)
    monkeypatch.setattr(crowd, "DRAWS", 40)
    monkeypatch.setattr(crowd, "SHOWN", (0, 6))
    cached = (crowd.answers_of, crowd.learned_population)
    for function in cached:
        function.cache_clear()
    yield
    for function in cached:
        function.cache_clear()


def test_later_people_start_from_those_before(small, monkeypatch, tmp_path, capsys):
    started = []

    def run_person(utilities, seed, population, run_person=crowd.run_person):
        started.append(population)
        return run_person(utilities, seed, population)

    monkeypatch.setattr(crowd, "run_person", run_person)
    command = ["crowd", "--json", "--people", "2", "--store", str(tmp_path / "runs.jsonl")]
    monkeypatch.setattr(sys, "argv", command)
    crowd.main()
    first, fifth, known = json.loads(capsys.readouterr().out)
    assert [row["position"] for row in (first, fifth, known)] == [1, 5, "known"]
    assert len(first["regrets"]) == len(fifth["errors"]) == 7
    assert all(0 <= regret <= 1 for row in (first, fifth, known) for regret in row["regrets"])
    assert started[:5] == [None] * 5  # the two measured as the first, and the first three
    assert [population.people for population in started[5:]] == [3, 4, 4, 10**6, 10**6]
    crowd.main()
    assert json.loads(capsys.readouterr().out) == [first, fifth, known]
    assert len(started) == 10  # nothing was run again


def test_the_known_population_is_that_of_the_people():
    rng = np.random.default_rng(0)
    people = np.array([crowd.draw_person(crowd.common_taste(3), rng) for _ in range(4000)])
    known = crowd.known_population(3)
    np.testing.assert_allclose(people.mean(axis=0), known.mean, atol=4 * people.std(axis=0).max() / np.sqrt(4000))
    found = known.covariance(np.eye(crowd.ITEMS))
    variances = np.diag(found)
    errors = np.sqrt((np.outer(variances, variances) + found**2) / 4000)
    assert (np.abs(np.cov(people.T) - found) < 6 * errors).all()  # of 820 entries


def test_questions_until_the_mean_regret_is_small():
    regrets = np.array([[0.5, 0.2, 0.0], [0.3, 0.0, 0.0]])
    found = crowd.summarise(regrets)
    assert found["questions_0.1"] == [1, 1.0, 2.0]
    assert found["questions_0.05"][0] == 2
