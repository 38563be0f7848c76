"""The benchmark of large studies, on small ones."""

from __future__ import annotations

from benchmarks import large


def test_every_part_measures_something():
    found = {
        "open": large.opening(answers=3),
        "clusters": large.clusters(items=20, groups=2, questions=5),
        "fit": large.fit(rows=60, digits=20, pixels=4),
        "labels": large.labels(1, (20, 3, 2, 2), {"rows": (30,), "features": (4,), "answers": (3,), "labels": (3,)}),
        "items": large.items(1, (20, 3, 2), {"items": (30,), "features": (4,), "answers": (3,)}),
    }
    assert set(found) == set(large.PARTS)
    assert all(value > 0 for figures in found.values() for value in figures.values())
