"""The posterior of linear scores under a convex loss: linear classifiers, feature rankings, logit choice.

Weights w have the prior N(0, scale^2 I), and an answer has the potential beta * loss(features @ w, response). The prior
scale is learned unless it is fixed. Every scale of a grid keeps a Gaussian reference, a pilot run of the sampler weighs
the scales, and split Hamiltonian Monte Carlo turns fresh draws of the references into draws of the posterior.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, log2

import numpy as np
from numpy.random import Generator

from askwise.losses import Loss
from askwise.options import number
from askwise.posteriors.scores.evidence import Evidence, checked_answers
from askwise.posteriors.scores.hmc import Target, run
from askwise.posteriors.scores.pilot import PilotRun, run_pilot
from askwise.posteriors.scores.reference import Reference, fit
from askwise.structures import LinearFamily
from askwise.types import Answer, Floats, Ints, Sample

PRIOR_SCALES = np.geomspace(0.3, 30.0, 13)
TYPICAL_SCALE = 5.0  # where the half-Cauchy weight of the scales has its knee
PILOT_GROWTH = 1.05  # a fixed scale has another pilot run once the answers have grown by this factor
USUAL_DRAWS = 600  # each fourfold of it takes one more trajectory
MIN_SCALE, MAX_SCALE = 1e-6, 1e6  # of a fixed scale, whose square must fit in 32 bits
NEGLIGIBLE_WEIGHT = 3e-5  # below which a scale is left out until a neighbour gains weight


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

    family: LinearFamily  # gives the features of atoms
    beta: float  # the weight of a loss
    log_prior: Floats  # (13,) or (1,): log prior weight of each scale
    grid: Floats  # (13,) or (1,): the scales themselves
    evidence: Evidence  # the answers so far, as the sampler needs them
    active: Ints  # (K,): the scales that carry weight, as places in the grid
    reference: Reference  # of the active scales
    pilot: PilotRun  # the weights of the active scales, and how to sample them
    answers: int = 0  # how many there are
    pilot_answers: int = 0  # answers at the last pilot run

    @staticmethod
    def prior(family: LinearFamily, loss: Loss, beta: float = 1.0, sigma: float | None = None) -> LogConcave:
        """Beliefs before any answer.

        `family` gives the features of atoms; answers cost `beta` times the `loss`. `sigma` fixes the prior scale; None
        learns it.

        :param family: Gives the features of atoms.
        :param loss: What weights pay for an answer.
        :param beta: The weight of a loss.
        :param sigma: The prior scale; None learns it.
        """
        beta = number("beta", beta, above=0)
        grid = (
            PRIOR_SCALES if sigma is None else np.array([number("sigma", sigma, at_least=MIN_SCALE, at_most=MAX_SCALE)])
        )
        log_prior = np.log(grid) - np.log1p((grid / TYPICAL_SCALE) ** 2)  # half-Cauchy, per unit of log scale
        log_prior = log_prior - np.log(np.exp(log_prior).sum())
        active = np.arange(len(grid))
        nothing = np.zeros((len(grid), 0)), np.zeros((len(grid), 0, 0))
        reference = Reference(grid, nothing[0], nothing[1], nothing[1], np.zeros(len(grid)))
        evidence = Evidence.empty(loss, family.dimension)
        return LogConcave(
            family, beta, log_prior, grid, evidence, active, reference, PilotRun.of_prior(np.exp(log_prior))
        )

    def update(self, answer: Answer, rng: Generator) -> LogConcave:
        """The beliefs after one more answer."""
        return self.update_all([answer], rng)

    def update_all(self, answers: Sequence[Answer], rng: Generator) -> LogConcave:
        """The beliefs after more answers: one fit of the references and one pilot run for all of them."""
        if not answers:
            return self
        count = self.answers + len(answers)
        evidence = self.evidence.add(*checked_answers(self.family, answers), np.full(len(answers), self.beta))
        if evidence is self.evidence:
            return replace(self, answers=count)
        return self._refitted(evidence, count, rng)

    def reweighed(self, answers: Sequence[Answer], strengths: Floats, rng: Generator) -> LogConcave:
        """The same answers, trusted as far as `strengths` (T,) say."""
        evidence = Evidence.empty(self.evidence.loss, self.family.dimension)
        evidence = evidence.add(*checked_answers(self.family, answers), self.beta * np.asarray(strengths))
        return self._refitted(evidence, self.answers, rng)

    @property
    def loss(self) -> Loss:
        """The loss of an answer."""
        return self.evidence.loss

    def _refitted(self, evidence: Evidence, count: int, rng: Generator) -> LogConcave:
        active, nearest = self._active_scales()
        reference = fit(evidence, self.grid[active], *self._start(evidence, active, nearest))
        updated = replace(self, evidence=evidence, active=active, reference=reference, answers=count)
        if len(self.grid) == 1 and updated.answers < PILOT_GROWTH * self.pilot_answers:
            return updated  # one scale has nothing to weigh, and the steps that suit it change slowly
        rough_weights = np.where(np.isin(active, self.active), self.pilot.weights[nearest], 0.0)
        steps = self.pilot.next_steps()[nearest]
        length = self.pilot.trajectories - 1
        pilot = run_pilot(evidence, reference, self.log_prior[active], rough_weights, steps, length, rng)
        return replace(updated, pilot=pilot, pilot_answers=updated.answers)

    def sample(self, count: int, rng: Generator) -> Sample:
        """`count` independent draws, in random order."""
        evidence, pilot = self.evidence, self.pilot
        counts = systematic_counts(pilot.weights, count, rng)
        noise = rng.standard_normal((count, evidence.rank), dtype=evidence.precision)
        if evidence.rank:
            # the bias of the start must stay below the draws' own noise; each trajectory halves it or better
            more = ceil(log2(max(count / USUAL_DRAWS, 1.0)) / 2)
            noise, _ = run(evidence, self.reference, counts, pilot.steps, noise, pilot.trajectories + more, rng)
        points = Target(evidence, self.reference, counts).points(noise)
        structures = points @ evidence.basis.T
        if evidence.rank < self.family.dimension:
            # directions without answers keep their prior: noise with the part inside the span taken out
            free = rng.standard_normal(structures.shape) * np.repeat(self.reference.scales, counts)[:, None]
            structures += free - (free @ evidence.basis) @ evidence.basis.T
        return Sample(rng.permutation(structures), np.full(count, 1.0 / count), exact=False)

    def diagnostics(self) -> Mapping[str, float]:
        """How the sampler did in the pilot run of `update`, and what it will do in `sample`."""
        pilot, scales = self.pilot, self.reference.scales
        return {
            "acceptance": pilot.acceptance,
            "answers": float(self.answers),
            "effective_sample_size": pilot.effective_sample_size,
            "pareto_shape": pilot.pareto_shape,
            "scale": float(np.exp(pilot.weights @ np.log(scales))),
            "scales": float(len(scales)),
            "spread": pilot.spread,
            "steps": float(pilot.weights @ pilot.steps),
            "trajectories": float(pilot.trajectories),
        }

    def _active_scales(self) -> tuple[Ints, Ints]:
        """Grid places of the scales with weight and of their neighbours, and for each the nearest with a reference."""
        heavy = self.active[self.pilot.weights > NEGLIGIBLE_WEIGHT]
        active = np.unique(np.clip([heavy - 1, heavy, heavy + 1], 0, len(self.grid) - 1))
        return active, np.abs(active[:, None] - self.active).argmin(axis=1)

    def _start(self, evidence: Evidence, active: Ints, nearest: Ints) -> tuple[Floats, Floats]:
        """Where the fit starts: the last references in the coordinates of the new evidence, each with its own prior."""
        old = self.reference
        known, rank = self.evidence.rank, evidence.rank
        centers, precisions = np.zeros((len(active), rank)), np.zeros((len(active), rank, rank))
        centers[:, :known], precisions[:, :known, :known] = old.centers[nearest], old.precisions[nearest]
        tightness = self.grid[active, None] ** -2.0
        change = tightness - old.scales[nearest, None] ** -2.0
        ridge = np.where(np.arange(rank) < known, change, tightness)
        return centers, precisions + ridge[:, :, None] * np.eye(rank)


def systematic_counts(weights: Floats, count: int, rng: Generator) -> Ints:
    """Systematic resampling: how many of `count` draws each weight gets, each within one of its expectation.

    `weights` (K,) need not sum to one.

    >>> systematic_counts(np.array([0.5, 0.25, 0.25]), 8, np.random.default_rng(0)).tolist()
    [4, 2, 2]
    """
    edges = np.cumsum(weights) * (count / weights.sum())
    edges[-1] = count
    return np.diff(np.ceil(edges - rng.random()).astype(int), prepend=0)
