"""The benchmark of a crowd on people few enough for a test."""

from __future__ import annotations

from benchmarks import crowd


def test_later_people_start_from_those_before(monkeypatch):
    monkeypatch.setattr(crowd, "POSITIONS", (1, 5))
    monkeypatch.setattr(crowd, "ANSWERS", 6)
    monkeypatch.setattr(crowd, "MAX_ANSWERS", 3)
    monkeypatch.setattr(crowd, "DRAWS", 40)
    started = []

    def run_person(*options, run_person=crowd.run_person):
        started.append(options[-1])
        return run_person(*options)

    monkeypatch.setattr(crowd, "run_person", run_person)
    first, fifth = crowd.run_crowd(measured=2, seed=3)
    assert (first["position"], fifth["position"]) == (1, 5)
    assert len(first["regrets"]) == len(fifth["errors"]) == 4
    assert all(0 <= regret <= 1 for row in (first, fifth) for regret in row["regrets"])
    assert started[:5] == [None] * 5  # the two measured as the first, and the first three
    assert started[-1].people == 4
