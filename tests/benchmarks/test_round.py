"""The timing benchmark on problems small enough for a test."""

from __future__ import annotations

import pytest

from benchmarks.round import learned_choice, learned_shape, many_labels, measure


def test_a_small_run_times_every_part():
    for task in ("classify", "choice"):
        figures = measure(task, dim=3, answers=8, times=2, draws=40, atoms=20)
        assert set(figures) == {"round_ms", "sampler_ms", "learned_sampler_ms", "scoring_ms", "gemm_ms"}
        assert figures["round_ms"] > 0
        assert figures["learned_sampler_ms"] > 0


def test_a_person_is_timed_from_first_to_last_answer():
    figures = learned_choice(times=30, items=5, dim=2)  # more rounds than one person needs
    assert figures["round_ms"] >= figures["learned_sampler_ms"] > 0


@pytest.mark.parametrize("goal", ["best_item", "classifier"])
def test_a_learned_shape_is_timed_after_so_many_answers(goal):
    found = learned_shape(goal, rows=12, times=2, answers=(2, 5))
    assert set(found) == {"round_t2_ms", "round_t5_ms"}
    assert min(found.values()) > 0


def test_many_labels():
    found = many_labels(1, rows=40, answers=3)
    assert found["round_ms"] > 0
    assert 0 <= found["wrong_share"] <= 1
