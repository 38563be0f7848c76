"""nutpie: NUTS on a PyMC model compiled by Numba, its own number of warm-up steps. Compiling is not counted."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import nutpie
import pymc as pm

from benchmarks.peers.tasks import SIGMA, Posterior
from benchmarks.peers.worker import Run, print_runs, sampler_record

DRAWS, REFERENCE_DRAWS = 600, 1_000_000


def compile_model() -> Any:
    rows = Posterior.of().rows
    with pm.Model() as model:
        weights = pm.Normal("w", 0.0, SIGMA, shape=rows.shape[1])
        pm.Potential("answers", -pm.math.log1pexp(-(rows @ weights)).sum())
    return nutpie.compile_pymc_model(model)


MODEL = compile_model()


def run(seed: int, draws: int = DRAWS) -> Run:
    options = {"chains": 1, "cores": 1, "progress_bar": False, "seed": seed}
    start = time.process_time()
    trace = nutpie.sample(MODEL, draws=draws, **options)
    seconds = time.process_time() - start
    return sampler_record(np.asarray(trace.posterior["w"])[0], seconds)


if __name__ == "__main__":
    print_runs({"nutpie": run, "nutpie long": lambda seed: run(seed, REFERENCE_DRAWS)}, "nutpie", "pymc")
