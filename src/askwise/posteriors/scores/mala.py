"""The paper's sampler for linear scores: Metropolis-adjusted Langevin chains, kept warm from answer to answer.

All chains move at once. It needs many small steps where `LogConcave` needs a few large ones; it is here for comparison.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from askwise.losses import Loss
from askwise.options import number, whole_number
from askwise.posteriors.scores.evidence import Evidence, checked_answers
from askwise.structures import LinearFamily
from askwise.types import Answer, Floats, Sample

TARGET_REJECTION = 0.4  # share of proposals: near the best one for Langevin proposals
STEP_SIZE_GAIN = 0.5  # how fast the step size adapts


class _ChainState(NamedTuple):
    """The state of the chains: weights (C, D), log density (C,) and its gradient (C, D)."""

    weights: Floats
    log_density: Floats
    gradient: Floats


@dataclass(frozen=True)
class Mala:
    """Beliefs about weights in R^D with the prior N(0, sigma^2 I), as chains.

    >>> from askwise.losses import logistic
    >>> class Points:
    ...     dimension = 2
    ...     def features(self, atoms):
    ...         return np.asarray(atoms, dtype=float)
    >>> rng = np.random.default_rng(0)
    >>> posterior = Mala.prior(Points(), logistic, chains=200).update(Answer((1.0, 0.0), 1), rng)
    >>> bool(posterior.sample(200, rng).structures[:, 0].mean() > 0)
    True
    """

    family: LinearFamily  # gives the features of atoms
    beta: float  # the weight of a loss
    sigma: float  # the prior scale
    chains: int  # how many chains there are
    steps: int  # how many steps each makes after an answer
    evidence: Evidence  # the answers so far
    weights: Floats  # (C, D) where the chains stand; (0, D) before the first answer
    step_size: float  # of a step, adapted on the way
    rejection: float = TARGET_REJECTION  # the share of steps that were rejected
    answers: int = 0  # how many there are

    @staticmethod
    def prior(
        family: LinearFamily, loss: Loss, beta: float = 1.0, sigma: float = 1.0, chains: int = 600, steps: int = 48
    ) -> Mala:
        """Beliefs before any answer, with prior scale `sigma`; each answer moves `chains` chains by `steps` steps.

        :param family: Gives the features of atoms.
        :param loss: What weights pay for an answer.
        :param beta: The weight of a loss.
        :param sigma: The prior scale.
        :param chains: How many chains there are.
        :param steps: How many steps each makes after an answer.
        """
        beta, sigma = number("beta", beta, above=0), number("sigma", sigma, above=0)
        chains, steps = whole_number("chains", chains, at_least=1), whole_number("steps", steps, at_least=1)
        evidence = Evidence.empty(loss, family.dimension)
        size = sigma**2 * family.dimension ** (-1 / 3)  # suits the prior
        return Mala(family, beta, sigma, chains, steps, evidence, np.zeros((0, family.dimension)), size)

    def update(self, answer: Answer, rng: Generator) -> Mala:
        """The beliefs after one more answer: the same chains, moved on."""
        evidence = self.evidence.add(*checked_answers(self.family, [answer]), np.array([self.beta]))
        updated = replace(self, evidence=evidence, answers=self.answers + 1)
        if evidence is self.evidence:
            return updated
        return updated._advanced(self.weights if len(self.weights) else self._prior_draws(self.chains, rng), rng)

    def sample(self, count: int, rng: Generator) -> Sample:
        """The chains as they are, in random order; if more draws are wanted, also as they are some steps later."""
        if not len(self.weights):
            return Sample(self._prior_draws(count, rng), np.full(count, 1.0 / count), exact=False)
        state, parts = self, [self.weights]
        while len(parts) * self.chains < count:
            state = state._advanced(state.weights, rng)
            parts.append(state.weights)
        chosen = rng.permutation(len(parts) * self.chains)[:count]
        points = np.concatenate(parts)[chosen]
        return Sample(points, np.full(count, 1.0 / count), exact=False, chains=chosen % self.chains)

    def diagnostics(self) -> Mapping[str, float]:
        """How the chains did after the last answer."""
        return {
            "acceptance": 1.0 - self.rejection,
            "answers": float(self.answers),
            "chains": float(self.chains),
            "step_size": self.step_size,
            "steps": float(self.steps),
        }

    def _prior_draws(self, count: int, rng: Generator) -> Floats:
        return self.sigma * rng.standard_normal((count, self.family.dimension))

    def _advanced(self, weights: Floats, rng: Generator) -> Mala:
        current, size, rejection = self._at(weights), self.step_size, 0.0
        for _ in range(self.steps):
            mean = current.weights + size * current.gradient
            proposed = self._at(mean + np.sqrt(2 * size) * rng.standard_normal(mean.shape))
            reverse_mean = proposed.weights + size * proposed.gradient
            forward_square = np.square(proposed.weights - mean).sum(axis=1)
            reverse_square = np.square(current.weights - reverse_mean).sum(axis=1)
            log_ratio = proposed.log_density - current.log_density + (forward_square - reverse_square) / (4 * size)
            chance = np.exp(np.minimum(log_ratio, 0.0))
            refused = rng.random(len(chance)) >= chance
            for new, old in zip(proposed, current, strict=True):
                new[refused] = old[refused]
            current, share = proposed, 1.0 - float(chance.mean())
            rejection += share / self.steps
            size *= float(np.exp(STEP_SIZE_GAIN * (TARGET_REJECTION - share)))
        return replace(self, weights=current.weights, step_size=size, rejection=rejection)

    def _at(self, weights: Floats) -> _ChainState:
        basis, tightness = self.evidence.basis, self.sigma**-2
        potential, slopes = self.evidence.potential_and_gradient((weights @ basis).astype(self.evidence.precision))
        log_density = -potential.astype(float) - tightness * np.square(weights).sum(axis=1) / 2
        return _ChainState(weights, log_density, -(slopes @ basis.T) - tightness * weights)
