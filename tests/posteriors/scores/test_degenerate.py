"""Loops that wait for a number to change end where it is not a number."""

from __future__ import annotations

import numpy as np
import pytest

from askwise.errors import DataError
from askwise.losses import logistic
from askwise.posteriors.scores import pilot
from askwise.posteriors.scores.evidence import Evidence
from askwise.structures.hierarchies import from_nested
from tests.helpers import generator


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e200, 1e-200, 0.0])
def test_a_basis_has_no_more_columns_than_there_are_features(value):
    rows = np.full((5, 4), value)
    with np.errstate(all="ignore"):
        basis = Evidence.empty(logistic, 4)._extended(rows)
    assert basis.shape[0] == 4
    assert basis.shape[1] <= 1
    assert np.isfinite(basis).all()


@pytest.mark.parametrize("chance", [float("nan"), 0.0, 1.0])
def test_pilot_runs_end_at_the_last_rung(chance, monkeypatch):
    """However few trajectories are accepted, and where their share is not a number."""
    tried = []

    def run(evidence, reference, counts, steps, noise, length, rng):
        tried.append(steps.tolist())
        return noise, np.full(len(noise), chance)

    monkeypatch.setattr(pilot, "run", run)
    steps, heavy = np.full(2, pilot.LEAPFROG_STEPS[0]), np.ones(2, dtype=bool)
    noise = generator(0).standard_normal((6, 3))
    _, found, _ = pilot.adapt_steps(None, None, np.array([3, 3]), noise, steps, heavy, 2, generator(1))
    assert len(tried) == (len(pilot.LEAPFROG_STEPS) if chance == 0.0 else 1)
    assert found.max() <= pilot.LEAPFROG_STEPS[-1]


def test_lists_that_hold_themselves_are_no_tree():
    endless: list = ["a"]
    endless.append(endless)
    with pytest.raises(DataError, match="neither one of the names"):
        from_nested(endless, ["a", "b", "c"])
