"""The benchmark of the owner's page with many people, with few: changes are sent, and they are small."""

from __future__ import annotations

from benchmarks import overview


def test_changes_are_a_small_part_of_the_overview():
    found = overview.run(overview.parser().parse_args(["--people", "60", "--answers", "2"]))
    assert found["changes"] >= 2
    assert found["changes_bytes_most"] < found["overview_bytes"] / 10
    assert found["overview_bytes"] > 60 * 100
