"""The benchmark of evaluations: what it takes as the truth, and what its figures are made of."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import vote_tables
from benchmarks.evals import SHOWN, STOPPED, SYSTEMS, Job, run, summary
from benchmarks.vote_tables import ratings, votes, win_rates


def test_the_true_winner_has_the_largest_mean_win_rate():
    table = np.array([[3.0, 2.0, 1.0], [1.0, 1.0, 0.0]])
    wins = [[[0.5 + 0.5 * np.sign(row[i] - row[j]) for j in range(3) if j != i] for i in range(3)] for row in table]
    assert win_rates(np.sign(table[:, :, None] - table[:, None, :])) == pytest.approx(np.mean(wins, axis=(0, 2)))


@pytest.mark.parametrize(("name", "items"), [("movies", 6), ("wine", 4), ("fries", 3)])
def test_the_tables_have_a_rating_of_every_item_in_every_context(name, items):
    table = ratings(name)
    assert table.shape[1] == items
    assert len(table) >= 18
    assert np.isfinite(table).all()


def test_recorded_votes_are_read_from_a_file_of_r(monkeypatch, tmp_path):
    """One that R would write: three people, three items; the second person did not compare 2 and 3."""
    said, pairs = np.array([[1.0, -1.0, 0.0], [1.0, 1.0, np.nan], [-1.0, 1.0, 1.0]]), [(0, 1), (0, 2), (1, 2)]
    monkeypatch.setattr(vote_tables, "_r_library", lambda: tmp_path)
    monkeypatch.setattr(vote_tables, "_r_data", lambda path: {path.stem: {"preference": (said, pairs)}})
    table = vote_tables._recorded("schools")
    assert table[0].tolist() == [[0, 1, -1], [-1, 0, 0], [1, 0, 0]]
    assert np.isnan(table[1, 1, 2])
    assert np.isnan(table[1, 2, 1])
    assert win_rates(table) == pytest.approx([(2 / 3 + 2 / 3) / 2, (1 / 3 + 3 / 4) / 2, (1 / 3 + 1 / 4) / 2])


def test_a_pair_without_a_vote_is_skipped(monkeypatch):
    table = np.array(votes("wine"))
    table[::2, 0, 1] = table[::2, 1, 0] = np.nan
    monkeypatch.setattr("benchmarks.evals.votes", lambda name: table)
    monkeypatch.setattr("benchmarks.evals.VOTES", 10)
    found = run(Job("replay", "wine", "random", 0))["after"]["10"]
    assert found["votes"] == 10
    assert 0.0 <= found["stated"] <= 1.0
    assert found["right"] == (found["lost"] == 0.0)


def test_counting_finds_a_clear_winner_and_figures_have_errors():
    lines = [run(Job("replay", "wine", model, seed)) for model in ("round robin", "quota") for seed in range(20)]
    found = summary(lines)
    mean, error = found[str(SHOWN[-1])]["right"]
    assert mean > 1 / SYSTEMS
    right = [line["after"]["60"]["right"] for line in lines]
    assert error == pytest.approx(np.std(right, ddof=1) / np.sqrt(40))
    assert found[STOPPED]["share"] == 0.0


@pytest.mark.parametrize("model", ["contexts", "without"])
def test_stated_is_a_probability_of_the_best_guess(model):
    line = run(Job("clusters", "clustered", model, 0))
    assert 1 / SYSTEMS <= line["stated"] <= 1.0
    assert line["log"] >= 0.0
    assert line == run(Job("clusters", "clustered", model, 0))
