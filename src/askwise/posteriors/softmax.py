"""The posterior of linear classifiers of K labels under the softmax loss, by split Hamiltonian Monte Carlo.

Weights have the prior N(0, sigma^2 I). Newton's method finds the mode, its curvature whitens, and trajectories around
that Gaussian, started fresh from it, correct what it misses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from askwise.errors import AnswerError, SettingError
from askwise.structures.multiclass import SoftmaxPool
from askwise.types import Answer, Floats, Ints, Sample

STEPS = 4  # leapfrog steps of a trajectory, a quarter turn together
TRAJECTORIES = 8  # the mode is off the mean by up to a standard deviation when answers are few
JITTER = 0.15  # without it, trajectories of a quarter turn could resonate with the posterior
NEWTON = 50  # steps at most; a warm start takes two to five


@dataclass(frozen=True)
class SoftmaxPosterior:
    """Beliefs about the weights (K * D,) of a softmax classifier.

    >>> family = SoftmaxPool(np.eye(2), labels=("cat", "dog", "eel"))
    >>> rng = np.random.default_rng(0)
    >>> posterior = SoftmaxPosterior.prior(family).update(Answer(0, 2), rng)
    >>> scores = family.predict(posterior.sample(500, rng).structures, np.array([0]))
    >>> int(scores.mean(axis=(0, 1)).argmax())
    2
    """

    family: SoftmaxPool
    sigma: float
    rows: Floats  # (T, D)
    labels: Ints  # (T,)
    mode: Floats  # (K * D,)
    root: Floats  # (K * D, K * D): whitened @ root + mode are weights
    acceptance: float = 1.0

    @staticmethod
    def prior(family: SoftmaxPool, sigma: float = 3.0) -> SoftmaxPosterior:
        if not 0 < sigma < float("inf"):
            raise SettingError(f"sigma must be a positive number, got {sigma}")
        size = family.dimension
        rows = np.zeros((0, family.points.shape[1]))
        return SoftmaxPosterior(family, sigma, rows, np.zeros(0, dtype=int), np.zeros(size), sigma * np.eye(size))

    def update(self, answer: Answer, rng: Generator) -> SoftmaxPosterior:
        if answer.response not in self.family.responses(np.empty((0, 1))):
            raise AnswerError(f"the response is the place of a label, 0 to {len(self.family.labels) - 1}, "
                              f"got {answer.response!r}")  # fmt: skip
        rows = np.vstack([self.rows, self.family.points[int(answer.atom)]])
        told = replace(self, rows=rows, labels=np.append(self.labels, int(answer.response)))
        told = told._at_mode()
        _, chance = told._trajectories(rng.standard_normal((64, len(self.mode))), 2, rng)
        return replace(told, acceptance=float(chance.mean()))

    def sample(self, count: int, rng: Generator) -> Sample:
        """Independent draws, each a short run of its own."""
        whitened: Floats = rng.standard_normal((count, len(self.mode)))
        if len(self.labels):
            whitened, _ = self._trajectories(whitened, TRAJECTORIES, rng)
        return Sample(whitened @ self.root + self.mode, np.full(count, 1.0 / count), exact=False)

    def diagnostics(self) -> Mapping[str, float]:
        return {"acceptance": self.acceptance, "answers": float(len(self.labels)), "scale": self.sigma}

    def potential_and_gradient(self, weights: Floats) -> tuple[Floats, Floats]:
        """(S,) minus the log posterior, and (S, K * D) its gradient."""
        shape = (len(weights), len(self.family.labels), -1)
        scores = weights.reshape(shape) @ self.rows.T  # (S, K, T)
        scores -= scores.max(axis=1, keepdims=True)
        shares = np.exp(scores)
        total = shares.sum(axis=1, keepdims=True)
        places = np.arange(len(self.labels))
        value = (np.log(total[:, 0]) - scores[:, self.labels, places]).sum(axis=1)
        shares /= total
        shares[:, self.labels, places] -= 1.0
        gradient = (shares @ self.rows).reshape(len(weights), -1) + weights / self.sigma**2
        return value + np.einsum("sd,sd->s", weights, weights) / (2 * self.sigma**2), gradient

    def _at_mode(self) -> SoftmaxPosterior:
        """Newton with step halving; the potential is strictly convex."""
        mode = self.mode
        value, gradient = self.potential_and_gradient(mode[None])
        for _ in range(NEWTON):
            step = np.linalg.solve(self._curvature(mode), gradient[0])
            length = 1.0
            while (new := self.potential_and_gradient((mode - length * step)[None]))[0] > value and length > 1e-6:
                length /= 2
            mode, (value, gradient) = mode - length * step, new
            if gradient[0] @ step < 1e-6:
                break
        root = np.linalg.inv(np.linalg.cholesky(self._curvature(mode)))
        return replace(self, mode=mode, root=root)

    def _curvature(self, weights: Floats) -> Floats:
        count, size = len(self.family.labels), self.rows.shape[1]
        scores = self.rows @ weights.reshape(count, size).T  # (T, K)
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        blocks = shares[:, :, None] * (np.eye(count) - shares[:, None, :])  # (T, K, K): diag(p) - p p'
        joint = np.einsum("tkl,td,te->kdle", blocks, self.rows, self.rows, optimize=True)
        return joint.reshape(count * size, -1) + np.eye(count * size) / self.sigma**2

    def _trajectories(self, whitened: Floats, length: int, rng: Generator) -> tuple[Floats, Floats]:
        """So many trajectories of every chain, and the chance (S,) with which the last was accepted."""

        def at(place: Floats) -> tuple[Floats, Floats]:
            value, gradient = self.potential_and_gradient(place @ self.root + self.mode)
            return value, gradient @ self.root.T - place  # what the Gaussian does not explain

        value, residual = at(whitened)
        chance: Floats = np.ones(len(whitened))
        for _ in range(length):
            momentum = rng.standard_normal(whitened.shape)
            angle = rng.uniform(1 - JITTER, 1 + JITTER) * (np.pi / 2) / STEPS
            place, before, force = whitened, value + (momentum**2).sum(axis=1) / 2, residual
            momentum = momentum - angle / 2 * force
            for step in range(STEPS):
                turned = np.cos(angle) * place + np.sin(angle) * momentum
                momentum = np.cos(angle) * momentum - np.sin(angle) * place
                place = turned
                end, force = at(place)
                momentum -= (angle if step < STEPS - 1 else angle / 2) * force
            chance = np.exp(np.minimum(before - end - (momentum**2).sum(axis=1) / 2, 0.0))
            taken = rng.random(len(chance)) < chance
            whitened = np.where(taken[:, None], place, whitened)
            value, residual = np.where(taken, end, value), np.where(taken[:, None], force, residual)
        return whitened, chance
