"""BlackJAX: NUTS after its window adaptation, one chain, all of it compiled once. Compiling is not counted."""

from __future__ import annotations

import time
from typing import Any

import blackjax
import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.peers.tasks import SIGMA, Posterior
from benchmarks.peers.worker import Run, print_runs, sampler_record

WARM_UP, DRAWS = 400, 600
ROWS = jnp.asarray(Posterior.of().rows)


def log_density(weights: Any) -> Any:
    return jax.nn.log_sigmoid(ROWS @ weights).sum() - weights @ weights / (2 * SIGMA**2)


@jax.jit
def sample(key: Any) -> Any:
    """(600, D)"""
    first, second = jax.random.split(key)
    warm = blackjax.window_adaptation(blackjax.nuts, log_density)
    (state, parameters), _ = warm.run(first, jnp.zeros(ROWS.shape[1]), num_steps=WARM_UP)
    step = blackjax.nuts(log_density, **parameters).step

    def move(state: Any, key: Any) -> Any:
        state, _ = step(key, state)
        return state, state.position

    return jax.lax.scan(move, state, jax.random.split(second, DRAWS))[1]


def run(seed: int) -> Run:
    key = jax.random.key(seed)
    start = time.process_time()
    draws = np.asarray(sample(key).block_until_ready())
    return sampler_record(draws, time.process_time() - start)


if __name__ == "__main__":
    sample(jax.random.key(0)).block_until_ready()
    print_runs({"BlackJAX": run}, "blackjax", "jax")
