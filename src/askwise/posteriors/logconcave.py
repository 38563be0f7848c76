"""The posterior of linear scores under a convex loss: linear classifiers, feature rankings, logit choice.

Weights w have the prior N(0, scale^2 I) and answers the potential beta * loss(features @ w, response). The prior scale
is learned unless it is fixed: every scale of a grid keeps a Gaussian reference, a trial run of the sampler weighs the
scales, and split Hamiltonian Monte Carlo turns fresh draws of the references into draws of the posterior.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, log2

import numpy as np
from numpy.random import Generator

from askwise.losses import Loss
from askwise.options import number
from askwise.posteriors.evidence import Evidence, checked
from askwise.posteriors.hmc import Target, run
from askwise.posteriors.reference import Reference, fit
from askwise.posteriors.trial import Trial, attempt
from askwise.structures import LinearFamily
from askwise.types import Answer, Floats, Ints, Sample

SCALES = np.geomspace(0.3, 30.0, 13)
TYPICAL = 5.0  # where the half-Cauchy weight of the scales has its knee
GROWN = 1.05  # a fixed scale is tried out anew when there are so many times the answers
USUAL = 600  # draws; where more are wanted, they get a trajectory more for each fourfold
SMALLEST_SCALE, LARGEST_SCALE = 1e-6, 1e6  # a fixed scale, whose square must suit numbers of 32 bits
NEGLIGIBLE = 3e-5  # share of the weight below which a scale is left out until a neighbour revives it


@dataclass(frozen=True)
class LogConcave:
    """Beliefs about weights in R^D.

    >>> from askwise.losses import logistic
    >>> class Points:
    ...     dimension = 2
    ...     def features(self, atoms):
    ...         return np.asarray(atoms, dtype=float)
    >>> posterior = LogConcave.prior(Points(), logistic)
    >>> rng = np.random.default_rng(0)
    >>> posterior = posterior.update(Answer((1.0, 0.0), 1), rng)
    >>> draws = posterior.sample(1000, rng)
    >>> draws.structures.shape, bool(draws.structures[:, 0].mean() > 0)
    ((1000, 2), True)
    """

    family: LinearFamily
    beta: float
    log_prior: Floats  # (13,) or (1,): log prior weight of each scale
    grid: Floats  # the scales themselves
    evidence: Evidence
    active: Ints  # the scales still in play, as places in the grid
    reference: Reference  # of the active scales
    trial: Trial  # what the active scales weigh, and how the sampler fared
    answers: int = 0
    tried: int = 0  # answers when the sampler was last tried out

    @staticmethod
    def prior(family: LinearFamily, loss: Loss, beta: float = 1.0, sigma: float | None = None) -> LogConcave:
        """Beliefs before any answer; `sigma` fixes the prior scale, None learns it."""
        beta = number("beta", beta, above=0)
        grid = (
            SCALES
            if sigma is None
            else np.array([number("sigma", sigma, at_least=SMALLEST_SCALE, at_most=LARGEST_SCALE)])
        )
        log_prior = np.log(grid) - np.log1p((grid / TYPICAL) ** 2)  # half-Cauchy, per unit of log scale
        log_prior = log_prior - np.log(np.exp(log_prior).sum())
        active = np.arange(len(grid))
        nothing = np.zeros((len(grid), 0)), np.zeros((len(grid), 0, 0))
        reference = Reference(grid, nothing[0], nothing[1], nothing[1], np.zeros(len(grid)))
        evidence = Evidence.none(loss, family.dimension)
        return LogConcave(family, beta, log_prior, grid, evidence, active, reference, Trial.untried(np.exp(log_prior)))

    def update(self, answer: Answer, rng: Generator) -> LogConcave:
        """The beliefs after one more answer."""
        return self.update_all([answer], rng)

    def update_all(self, answers: Sequence[Answer], rng: Generator) -> LogConcave:
        """The beliefs after some more answers: the references are fitted and the sampler is tried out once."""
        if not answers:
            return self
        count = self.answers + len(answers)
        evidence = self.evidence.add(*checked(self.family, answers), np.full(len(answers), self.beta))
        if evidence is self.evidence:
            return replace(self, answers=count)
        return self._refitted(evidence, count, rng)

    def reweighed(self, answers: Sequence[Answer], strengths: Floats, rng: Generator) -> LogConcave:
        """The same answers, trusted as far as `strengths` (T,) say."""
        evidence = Evidence.none(self.evidence.loss, self.family.dimension)
        evidence = evidence.add(*checked(self.family, answers), self.beta * np.asarray(strengths))
        return self._refitted(evidence, self.answers, rng)

    @property
    def loss(self) -> Loss:
        return self.evidence.loss

    def _refitted(self, evidence: Evidence, count: int, rng: Generator) -> LogConcave:
        active, nearest = self._revived()
        reference = fit(evidence, self.grid[active], *self._start(evidence, active, nearest))
        told = replace(self, evidence=evidence, active=active, reference=reference, answers=count)
        if len(self.grid) == 1 and told.answers < GROWN * self.tried:
            return told  # one scale has nothing to weigh, and the steps that suit it change slowly
        hoped = np.where(np.isin(active, self.active), self.trial.weights[nearest], 0.0)
        steps = self.trial.next_steps()[nearest]
        length = self.trial.trajectories - 1
        trial = attempt(evidence, reference, self.log_prior[active], hoped, steps, length, rng)
        return replace(told, trial=trial, tried=told.answers)

    def sample(self, count: int, rng: Generator) -> Sample:
        """`count` independent draws, in random order."""
        evidence, trial = self.evidence, self.trial
        counts = share_out(trial.weights, count, rng)
        noise = rng.standard_normal((count, evidence.rank), dtype=evidence.precision)
        if evidence.rank:
            # what is left of the start must stay below the draws' own noise: each trajectory halves it or better
            more = ceil(log2(max(count / USUAL, 1.0)) / 2)
            noise, _ = run(evidence, self.reference, counts, trial.steps, noise, trial.trajectories + more, rng)
        points = Target(evidence, self.reference, counts).points(noise)
        structures = points @ evidence.basis.T
        if evidence.rank < self.family.dimension:
            # what no answer spoke about keeps its prior: noise with the part inside the span taken out
            free = rng.standard_normal(structures.shape) * np.repeat(self.reference.scales, counts)[:, None]
            structures += free - (free @ evidence.basis) @ evidence.basis.T
        return Sample(rng.permutation(structures), np.full(count, 1.0 / count), exact=False)

    def diagnostics(self) -> Mapping[str, float]:
        """How the sampler fared when it was tried out in `update`, and what it will do in `sample`."""
        trial, scales = self.trial, self.reference.scales
        return {
            "acceptance": trial.acceptance,
            "answers": float(self.answers),
            "effective_sample_size": trial.effective_sample_size,
            "pareto_shape": trial.pareto_shape,
            "scale": float(np.exp(trial.weights @ np.log(scales))),
            "scales": float(len(scales)),
            "spread": trial.spread,
            "steps": float(trial.weights @ trial.steps),
            "trajectories": float(trial.trajectories),
        }

    def _revived(self) -> tuple[Ints, Ints]:
        """Grid places of the scales that carry weight and of their neighbours, and the nearest that has a reference."""
        heavy = self.active[self.trial.weights > NEGLIGIBLE]
        active = np.unique(np.clip([heavy - 1, heavy, heavy + 1], 0, len(self.grid) - 1))
        return active, np.abs(active[:, None] - self.active).argmin(axis=1)

    def _start(self, evidence: Evidence, active: Ints, nearest: Ints) -> tuple[Floats, Floats]:
        """Last round's references in the coordinates of the new evidence, with the prior of their own scale."""
        old = self.reference
        known, rank = self.evidence.rank, evidence.rank
        centers, precisions = np.zeros((len(active), rank)), np.zeros((len(active), rank, rank))
        centers[:, :known], precisions[:, :known, :known] = old.centers[nearest], old.precisions[nearest]
        tightness = self.grid[active, None] ** -2.0
        change = tightness - old.scales[nearest, None] ** -2.0
        ridge = np.where(np.arange(rank) < known, change, tightness)
        return centers, precisions + ridge[:, :, None] * np.eye(rank)


def share_out(weights: Floats, count: int, rng: Generator) -> Ints:
    """Systematic resampling: how many of `count` draws each weight gets, each within one of its expectation."""
    edges = np.cumsum(weights) * (count / weights.sum())
    edges[-1] = count
    return np.diff(np.ceil(edges - rng.random()).astype(int), prepend=0)
