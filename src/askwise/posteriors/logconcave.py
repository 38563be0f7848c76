"""The posterior of linear scores under a convex loss: linear classifiers, feature rankings, logit choice.

Weights w have the prior N(0, scale^2 I) and answers the potential beta * loss(features @ w, response). The prior scale
is learned unless it is fixed: every scale of a grid keeps a Gaussian reference, importance draws from the references
weigh the scales, and split Hamiltonian Monte Carlo turns fresh draws of the references into draws of the posterior.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.random import Generator

from askwise.errors import AnswerError, SettingError
from askwise.losses import Loss
from askwise.posteriors.evidence import Evidence
from askwise.posteriors.hmc import Target, trajectory
from askwise.posteriors.psis import pareto_shape
from askwise.posteriors.reference import Reference, fit
from askwise.types import Answer, Atoms, Floats, Ints, Sample

SCALES = np.geomspace(0.3, 30.0, 13)
TYPICAL = 5.0  # where the half-Cauchy weight of the scales has its knee
NEGLIGIBLE = 1e-5  # share of the weight below which a scale is left out until a neighbour revives it
DRAWS = 600  # importance draws, shared by the scales
PILOT = 64  # chains that measure acceptance in update


class LinearFamily(Protocol):
    """What the sampler needs to know of a family: how an atom becomes a row of features."""

    @property
    def dimension(self) -> int: ...
    def features(self, atoms: Atoms) -> Floats: ...  # (A, ...) -> (A, D)


@dataclass(frozen=True)
class Effort:
    """How hard `sample` works, and how well the references did when `update` tried them out."""

    steps: int = 2
    trajectories: int = 3
    acceptance: float = 1.0
    effective_sample_size: float = float(DRAWS)
    pareto_shape: float = 0.0


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
    weights: Floats  # of the active scales
    effort: Effort
    answers: int = 0

    @staticmethod
    def prior(family: LinearFamily, loss: Loss, beta: float = 1.0, sigma: float | None = None) -> LogConcave:
        """Beliefs before any answer; `sigma` fixes the prior scale, None learns it."""
        if not 0 < beta < float("inf"):
            raise SettingError(f"beta must be a positive number, got {beta}; a noiseless update needs a finite family")
        if sigma is not None and not 0 < sigma < float("inf"):
            raise SettingError(f"sigma must be a positive number or None, got {sigma}")
        if loss.decides or loss.name == "softmax":
            raise SettingError(f"the {loss.name} loss is not a convex function of one score; use logistic or davidson")
        grid = SCALES if sigma is None else np.array([float(sigma)])
        log_prior = np.log(grid) - np.log1p((grid / TYPICAL) ** 2)  # half-Cauchy, per unit of log scale
        log_prior = log_prior - np.log(np.exp(log_prior).sum())
        active = np.arange(len(grid))
        nothing = np.zeros((len(grid), 0)), np.zeros((len(grid), 0, 0))
        reference = Reference(grid, nothing[0], nothing[1], nothing[1], np.zeros(len(grid)))
        evidence = Evidence.none(loss, family.dimension)
        return LogConcave(family, beta, log_prior, grid, evidence, active, reference, np.exp(log_prior), Effort())

    def update(self, answer: Answer, rng: Generator) -> LogConcave:
        """The beliefs after one more answer."""
        features = np.asarray(self.family.features(np.asarray(answer.atom)[None]), dtype=float)[0]
        try:
            response = float(answer.response)
        except ValueError:
            raise AnswerError(f"response {answer.response!r} is not a number") from None
        if not (np.isfinite(response) and np.isfinite(features).all()):
            raise AnswerError(f"response {response} to an atom with features {features} is not finite")
        evidence = self.evidence.add(features, response, self.beta)
        if evidence is self.evidence:
            return replace(self, answers=self.answers + 1)
        active = self._revived()
        reference = fit(evidence, self.grid[active], *self._start(evidence, active))
        weights, effort = weigh(evidence, reference, self.log_prior[active], rng)
        return replace(
            self,
            evidence=evidence,
            active=active,
            reference=reference,
            weights=weights,
            effort=effort,
            answers=self.answers + 1,
        )

    def sample(self, count: int, rng: Generator) -> Sample:
        """`count` independent draws, in random order."""
        counts = share_out(self.weights, count, rng)
        points = draw(self.evidence, self.reference, counts, self.effort, rng)
        scales = np.repeat(self.reference.scales, counts)[:, None]
        # what no answer spoke about keeps its prior: noise with the part inside the span taken out
        structures = scales * rng.standard_normal((count, self.family.dimension))
        structures += (points - structures @ self.evidence.basis) @ self.evidence.basis.T
        return Sample(rng.permutation(structures), np.full(count, 1.0 / count), exact=False)

    def diagnostics(self) -> Mapping[str, float]:
        """How the sampler fared when it was tried out in `update`, and what it will do in `sample`."""
        effort = self.effort
        return {
            "acceptance": effort.acceptance,
            "effective_sample_size": effort.effective_sample_size,
            "importance_draws": float(DRAWS),
            "pareto_shape": effort.pareto_shape,
            "scale": float(np.exp(self.weights @ np.log(self.reference.scales))),
            "scales": float(len(self.active)),
            "steps": float(effort.steps),
            "trajectories": float(effort.trajectories),
        }

    def _revived(self) -> Ints:
        """Places in the grid of the scales that carry weight, and of their neighbours."""
        heavy = np.zeros(len(self.grid), dtype=bool)
        heavy[self.active[self.weights > NEGLIGIBLE]] = True
        heavy[1:] |= heavy[:-1].copy()
        heavy[:-1] |= heavy[1:].copy()
        return np.flatnonzero(heavy)

    def _start(self, evidence: Evidence, active: Ints) -> tuple[Floats, Floats]:
        """Last round's references in the coordinates of the new evidence; a revived scale starts at its neighbour's."""
        nearest = np.abs(active[:, None] - self.active).argmin(axis=1)
        more, rank = evidence.rank - self.evidence.rank, evidence.rank
        centers = np.pad(self.reference.centers[nearest], ((0, 0), (0, more)))
        precisions = np.pad(self.reference.precisions[nearest], ((0, 0), (0, more), (0, more)))
        tightness = self.grid[active] ** -2.0
        change = tightness - self.grid[self.active[nearest]] ** -2.0
        ridge = np.where(np.arange(rank) < rank - more, change[:, None], tightness[:, None])
        return centers, precisions + ridge[:, :, None] * np.eye(rank)


def weigh(evidence: Evidence, reference: Reference, log_prior: Floats, rng: Generator) -> tuple[Floats, Effort]:
    """Posterior weights of the scales, and how well the references serve.

    Draws of all references together form one proposal, the even mixture; the likelihood of a draw does not depend on
    the scale, so each draw serves every scale.
    """
    counts = np.full(len(log_prior), -(-DRAWS // len(log_prior)))
    noise = rng.standard_normal((int(counts.sum()), evidence.rank))
    points = np.concatenate([reference.draw(k, part) for k, part in enumerate(np.split(noise, len(counts)))])
    proposal = np.logaddexp.reduce(reference.log_density(points), axis=0)  # (S,)
    size = np.square(points).sum(axis=1)
    scales = reference.scales[:, None]
    prior = log_prior[:, None] - evidence.rank * np.log(scales) - size / scales**2 / 2  # (K, S)
    joint = prior - evidence.potential(points) - proposal
    shares = np.exp(joint - joint.max())
    weights = shares.sum(axis=1) / shares.sum()
    single = shares.sum(axis=0)
    ess = single.sum() ** 2 / np.square(single).sum()
    effort = Effort(effective_sample_size=float(ess), pareto_shape=pareto_shape(np.log(single)))
    return weights, effort


def share_out(weights: Floats, count: int, rng: Generator) -> Ints:
    """Systematic resampling: how many of `count` draws each weight gets, each within one of its expectation."""
    edges = np.cumsum(weights) * (count / weights.sum())
    edges[-1] = count
    return np.diff(np.ceil(edges - rng.random()).astype(int), prepend=0)


def draw(evidence: Evidence, reference: Reference, counts: Ints, effort: Effort, rng: Generator) -> Floats:
    """Fresh draws of the references, moved to the posterior by a few trajectories: (S, R) in order of the scales."""
    target = Target(evidence, reference, counts)
    noise = rng.standard_normal((int(counts.sum()), evidence.rank), dtype=evidence.precision)
    chains = target.chains(noise)
    for _ in range(effort.trajectories):
        chains, _ = trajectory(target, chains, effort.steps, rng)
    return target.points(chains.whitened).astype(float)
