"""The references of the benchmark of numeric answers, against a dense sum over the answers."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.numbers import closed_form, expected_diameter
from tests.helpers import generator, random_distances


def test_references_agree_with_sums_over_answers():
    rng = generator(950)
    means, precision, distances = rng.standard_normal(6), rng.gamma(4.0, 0.5, size=6), random_distances(rng, 6)
    answers = np.linspace(-20, 20, 20_001)
    width = answers[1] - answers[0]
    density = np.sqrt(precision / (2 * np.pi)) * np.exp(-precision / 2 * (answers[:, None] - means) ** 2)
    triples = [(g, h, t) for g in range(6) for h in range(6) for t in range(6) if len({g, h, t}) == 3]
    left = sum(
        distances[g, h]
        * (density[:, g] * density[:, h] * density[:, t]).sum()
        * width
        * 2
        * np.pi
        * np.e
        / precision[t]
        for g, h, t in triples
    )
    assert closed_form(means, precision, distances) == pytest.approx(left / len(triples), rel=1e-9)
    pairs = [(g, h) for g in range(6) for h in range(6) if g != h]
    weighted = sum(distances[g, h] * density[:, g] * density[:, h] for g, h in pairs)
    mass = sum(density[:, g] * density[:, h] for g, h in pairs)
    after = (weighted / np.maximum(mass, 1e-300) * density.mean(axis=1)).sum() * width
    assert expected_diameter(means, precision, distances) == pytest.approx(after, rel=1e-4)
