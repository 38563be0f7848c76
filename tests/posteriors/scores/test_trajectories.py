"""Compiled trajectories against the plain ones, number by number; and what must be refused."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from askwise.losses import davidson, logistic
from askwise.posteriors.scores import hmc
from askwise.posteriors.scores.evidence import Evidence
from askwise.posteriors.scores.reference import fit
from tests.helpers import generator


def told(rng, dimension, count, strength=1.0, loss=logistic):
    taste, rows = 3 * rng.standard_normal(dimension), rng.standard_normal((count, dimension))
    responses = np.sign(rows @ taste + rng.logistic(size=count))
    return Evidence.empty(loss, dimension).add(rows, responses, np.full(count, strength))


def around(evidence, scales):
    rank, count = evidence.rank, len(scales)
    return fit(evidence, scales, np.zeros((count, rank)), np.eye(rank) / scales[:, None, None] ** 2)


@pytest.mark.parametrize("dimension", [1, 3, 4, 10, 24])
@pytest.mark.parametrize("count", [1, 2, 25, 70])
@pytest.mark.parametrize("counts", [[600], [0, 130, 1, 0, 200, 3]])
def test_the_same_numbers(dimension, count, counts):
    rng = generator(700, dimension, count, len(counts))
    evidence = told(rng, dimension, count, 1.3)
    reference = around(evidence, np.geomspace(1, 9, len(counts)))
    counts, steps = np.array(counts), np.sort(rng.choice([2, 3, 4, 8], len(counts)))
    noise = rng.standard_normal((counts.sum(), evidence.rank), dtype=np.float32)
    plain, compiled = (
        run(evidence, reference, counts, steps, noise, 3, generator(701)) for run in (hmc.run_plain, hmc.run_compiled)
    )
    apart = np.abs(plain[0] - compiled[0]).max(axis=1)
    # rounding may decide otherwise whether a chain is accepted, in one chain of some hundred
    assert np.quantile(apart, 0.99) < 1e-3
    assert np.quantile(np.abs(plain[1] - compiled[1]), 0.99) < 1e-3
    assert np.abs(compiled[0] - noise).max() > 0.1  # they did move


def test_a_chain_that_runs_away_is_refused():
    rng = generator(702)
    evidence = told(rng, 3, 20, 1e30)
    reference = around(told(rng, 3, 20), np.array([5.0]))
    noise = rng.standard_normal((300, 3), dtype=np.float32)
    ends, chance = hmc.run_compiled(evidence, reference, np.array([300]), np.array([2]), noise, 2, rng)
    assert np.isfinite(ends).all()
    assert np.isfinite(chance).all()
    stayed = np.abs(ends - noise).max(axis=1) < 1e-3
    assert stayed.mean() > 0.9


@pytest.mark.parametrize(
    ("loss", "dimension", "compiled"), [(logistic, 3, True), (logistic, 25, False), (davidson(), 3, False)]
)
def test_which_is_taken(loss, dimension, compiled, monkeypatch):
    rng = generator(703)
    evidence = told(rng, dimension, 30, loss=loss)
    reference = around(evidence, np.array([2.0]))
    monkeypatch.setattr(hmc, "run_compiled" if compiled else "run_plain", lambda *_: "taken")
    assert hmc.run(evidence, reference, np.array([4]), np.array([2]), np.zeros((4, evidence.rank)), 1, rng) == "taken"


NOWHERE = """
from numba.core import caching
caching.CacheImpl._locator_classes = []
import askwise
session = askwise.best_item(["tea", "milk", "water"], seed=1, draws=40)
for _ in range(2):
    session.ask()
    session.tell("left")
print(len(session.answers))
"""


def test_where_nothing_can_be_written_code_is_compiled_anew():
    """An installation that belongs to somebody else, and no home."""
    found = subprocess.run([sys.executable, "-c", NOWHERE], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "2"
