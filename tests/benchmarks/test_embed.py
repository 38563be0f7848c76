"""The benchmark of embedded texts: its titles are real and distinct, and its errors are counted on all of them."""

from __future__ import annotations

import pytest

from benchmarks import embed


def test_titles_belong_to_one_subject_each():
    titles, subjects = embed.courses(embed.SUBJECTS, 30, seed=1)
    assert len(set(titles)) == len(titles) == 120
    assert {subject: subjects.count(subject) for subject in subjects} == dict.fromkeys(embed.SUBJECTS, 30)
    assert embed.courses(embed.SUBJECTS, 30, seed=2)[0] != titles


@pytest.mark.parametrize("task", ["field", "cluster_of"])
def test_errors_are_shares_of_all_titles(task, monkeypatch):
    monkeypatch.setattr(embed, "ANSWERS", (2, 4))
    monkeypatch.setattr(embed, "CLUSTER_ANSWERS", (2, 4))
    monkeypatch.setattr(embed.vectors, "MAX_DIRECTIONS", 32)  # the benchmark changes it
    line = embed.measure(embed.Run(task, "ngrams", 8, 0))
    assert list(line["errors"]) == [2, 4]
    assert all(0 < error < 0.6 for error in line["errors"].values())


def test_means_have_standard_errors():
    lines = [
        {"task": "field", "model": "m", "directions": 8, "seed": seed, "errors": {25: error}}
        for seed, error in enumerate((0.1, 0.2, 0.3))
    ]
    (found,) = embed.summary(lines)
    assert found["error"] == pytest.approx(0.2)
    assert found["standard_error"] == pytest.approx(0.1 / 3**0.5)
