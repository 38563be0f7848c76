"""An independent sampler to compare with: plain Hamiltonian Monte Carlo on the textbook density, long, in 64 bits."""

from __future__ import annotations

import numpy as np

from askwise.types import Answer


class Rows:
    """A family whose atoms are their own features."""

    def __init__(self, dimension):
        self.dimension = dimension

    def features(self, atoms):
        return np.asarray(atoms, dtype=float)


def answered(rng, dimension, count, scale):
    """Random rows (T, D) and the answers -1, +1 (T,) of a random person with weights of this scale."""
    rows = rng.standard_normal((count, dimension))
    chance = 1 / (1 + np.exp(-rows @ (scale * rng.standard_normal(dimension))))
    return rows, np.where(rng.random(count) < chance, 1, -1)


def told(posterior, rows, responses, rng):
    for row, response in zip(rows, responses, strict=True):
        posterior = posterior.update(Answer(row, int(response)), rng)
    return posterior


def long_run(rows, responses, scale, rng, chains=600, length=40):
    """(length // 2, chains, D) logistic draws: the second half of trajectories that start at the mode."""
    signed = rows * responses[:, None]

    def log_density(weights):
        return -np.logaddexp(0.0, -weights @ signed.T).sum(axis=1) - np.square(weights).sum(axis=1) / (2 * scale**2)

    def gradient(weights):
        return (1 / (1 + np.exp(weights @ signed.T))) @ signed - weights / scale**2

    mode = np.zeros(rows.shape[1])
    for _ in range(100):
        share = 1 / (1 + np.exp(signed @ mode))
        hessian = (signed.T * (share * (1 - share))) @ signed + np.eye(len(mode)) / scale**2
        mode = mode + 0.5 * np.linalg.solve(hessian, gradient(mode[None])[0])
    spread = np.linalg.inv(np.linalg.cholesky(hessian))  # weights = noise @ spread has covariance hessian^-1
    here, kept = mode + rng.standard_normal((chains, len(mode))) @ spread, []
    for turn in range(length):
        push = rng.standard_normal(here.shape)
        there, speed, step = here, push, rng.uniform(0.1, 0.2)
        speed = speed + step / 2 * gradient(there) @ spread.T
        for _ in range(12):
            there = there + step * speed @ spread
            speed = speed + step * gradient(there) @ spread.T
        speed = speed - step / 2 * gradient(there) @ spread.T
        log_ratio = log_density(there) - log_density(here) + (np.square(push) - np.square(speed)).sum(axis=1) / 2
        here = np.where((np.log(rng.random(chains)) < log_ratio)[:, None], there, here)
        if turn >= length // 2:
            kept.append(here)
    return np.array(kept)


def disagreement(draws, reference):
    """Differences of means in standard errors (D,), and standard deviations over those of the reference (D,)."""
    chains = reference.mean(axis=0)  # one mean a chain: chains are independent, their steps are not
    error = np.sqrt(draws.var(axis=0) / len(draws) + chains.var(axis=0) / len(chains))
    return (draws.mean(axis=0) - chains.mean(axis=0)) / error, draws.std(axis=0) / reference.std(axis=(0, 1))
