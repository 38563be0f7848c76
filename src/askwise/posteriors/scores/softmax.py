"""The posterior of linear classifiers of K labels under the softmax loss, by chains of weights and prior scale.

Weights have the prior N(0, scale^2 I), and the scale has the same prior as for two labels (`LogConcave`). Each draw is
a chain of its own. After every answer it moves by split Hamiltonian Monte Carlo around the Gaussian reference of its
scale, and by two kinds of change of scale. Weighing the scales by evidence, as for two labels, failed here: in
(K - 1) D dimensions the references of wide scales cover their posteriors too badly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from askwise.errors import AnswerError
from askwise.losses import logistic, softmax
from askwise.options import whole_number
from askwise.posteriors.scores.evidence import checked_answers
from askwise.posteriors.scores.hmc import Target, run, squares
from askwise.posteriors.scores.label_evidence import LabelEvidence
from askwise.posteriors.scores.logconcave import LogConcave
from askwise.posteriors.scores.pilot import EASY_ACCEPTANCE, LEAPFROG_STEPS, MIN_ACCEPTANCE
from askwise.posteriors.scores.reference import Reference
from askwise.posteriors.scores.softmax_reference import fit_softmax
from askwise.structures.multiclass import SoftmaxPool
from askwise.types import Answer, Floats, Ints, Sample

CHAINS = 600
SWEEPS_PER_ANSWER = 3
EARLY_SWEEPS = 6  # an answer while answers are few, so that each changes much
RESTART_ROUNDS = 30  # sweeps, and rounds of the fit, when chains start from the references
FIT_ROUNDS = 4  # otherwise: the next answer continues from there
EARLY_ANSWERS = 20  # or twice the coordinates, if that is more
REFIT_GROWTH = 1.1  # of the answers, after which references are fitted again: they only guide the sampler
MAX_SCALE_JUMP = 3  # places of the grid


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

    loss = softmax
    beta = 1.0

    family: SoftmaxPool
    grid: Floats  # (G,): prior scales
    log_prior: Floats  # (G,): log weight of each
    evidence: LabelEvidence
    reference: Reference  # of every scale
    points: Floats  # (C, rank): the weights of each chain, in the coordinates of the evidence
    places: Ints  # (C,): the place of its scale
    steps: Ints  # (G,): leapfrog steps of a trajectory
    acceptance: float = 1.0
    answers: int = 0
    fitted: int = 0  # answers when the references were last fitted

    @staticmethod
    def prior(family: SoftmaxPool, sigma: float | None = None, chains: int = CHAINS) -> SoftmaxPosterior:
        """Beliefs before any answer, held by `chains` chains. `sigma` fixes the prior scale; None learns it."""
        same = LogConcave.prior(family, logistic, 1.0, sigma)
        chains = whole_number("chains", chains, at_least=1)
        evidence = LabelEvidence.of_labels(family.dimension // len(family.labels), len(family.labels))
        # as many chains of a scale as its weight says
        places = np.searchsorted(np.cumsum(np.exp(same.log_prior)), (np.arange(chains) + 0.5) / chains)
        places = np.minimum(places, len(same.grid) - 1)
        steps = np.full(len(same.grid), LEAPFROG_STEPS[0])
        return SoftmaxPosterior(
            family, same.grid, same.log_prior, evidence, same.reference, np.zeros((chains, 0)), places, steps
        )

    def update(self, answer: Answer, rng: Generator) -> SoftmaxPosterior:
        """The beliefs after one more answer: every chain moves."""
        updated = self._with_answers([answer])
        if updated.evidence is self.evidence:
            return updated
        early = updated.answers <= max(EARLY_ANSWERS, 2 * updated.evidence.rank)
        refits = early or updated.answers >= REFIT_GROWTH * self.fitted
        more = updated.evidence.rank - self.evidence.rank  # new coordinates have their prior
        fresh = self.grid[self.places, None] * rng.standard_normal((len(self.points), more))
        updated = replace(
            updated,
            points=np.hstack([self.points, fresh]),
            reference=self._reference(updated.evidence, FIT_ROUNDS if refits else 0),
            fitted=updated.answers if refits else self.fitted,
        )
        return updated._swept(EARLY_SWEEPS if early else SWEEPS_PER_ANSWER, rng)

    def update_all(self, answers: Sequence[Answer], rng: Generator) -> SoftmaxPosterior:
        """The beliefs after many answers at once: the chains start again from the references."""
        if not answers:
            return self
        updated = self._with_answers(answers)
        reference = self._reference(updated.evidence, RESTART_ROUNDS)
        chains = len(self.places)
        logs = self.log_prior + reference.bounds
        places = (logs + rng.gumbel(size=(chains, len(logs)))).argmax(axis=1)
        noise = rng.standard_normal((chains, updated.evidence.rank))
        points = reference.centers[places] + np.einsum("cr,crs->cs", noise, reference.roots[places], optimize=True)
        updated = replace(updated, points=points, places=places, reference=reference, fitted=updated.answers)
        return updated._swept(RESTART_ROUNDS, rng)

    def reweighed(self, answers: Sequence[Answer], strengths: Floats, rng: Generator) -> SoftmaxPosterior:
        """The same answers, each trusted by its strength (T,): the chains move on from where they are."""
        evidence = LabelEvidence.of_labels(self.family.dimension // len(self.family.labels), len(self.family.labels))
        evidence = evidence.add(*checked_answers(self.family, answers), np.asarray(strengths))
        return replace(self, evidence=evidence, reference=self._reference(evidence, FIT_ROUNDS))._swept(
            EARLY_SWEEPS, rng
        )

    def _with_answers(self, answers: Sequence[Answer]) -> SoftmaxPosterior:
        labels = len(self.family.labels)
        for answer in answers:
            if answer.response not in range(labels):
                raise AnswerError(f"the response is the place of a label, 0 to {labels - 1}, got {answer.response!r}")
        evidence = self.evidence.add(*checked_answers(self.family, answers), np.ones(len(answers)))
        return replace(self, evidence=evidence, answers=self.answers + len(answers))

    def sample(self, count: int, rng: Generator) -> Sample:
        """`count` draws in random order: one a chain or, if more are wanted, of chains that continue."""
        size, now, parts = len(self.places), self, [self]
        if count > size:
            parts = []
            for _ in range(0, count, size):
                now = now._swept(EARLY_SWEEPS, rng)
                parts.append(now)
        points = np.concatenate([part.points for part in parts])
        scales = self.grid[np.concatenate([part.places for part in parts])]
        chosen = rng.permutation(len(points))[:count]
        structures = scales[chosen, None] * rng.standard_normal((count, self.family.dimension))
        basis = self.evidence.basis
        structures += (points[chosen] - structures @ basis) @ basis.T
        return Sample(structures, np.full(count, 1.0 / count), exact=False, chains=chosen % size)

    def diagnostics(self) -> Mapping[str, float]:
        scales = self.grid[self.places]
        return {
            "acceptance": self.acceptance,
            "answers": float(self.answers),
            "scale": float(np.exp(np.log(scales).mean())),
            "steps": float(self.steps[self.places].mean()),
        }

    def _reference(self, evidence: LabelEvidence, rounds: int) -> Reference:
        """The references in the coordinates of more answers, after that many `rounds` of their fit."""
        old = self.reference
        more = evidence.rank - self.evidence.rank
        centers = np.pad(old.centers, ((0, 0), (0, more)))
        precisions = np.pad(old.precisions, ((0, 0), (0, more), (0, more)))
        new = np.arange(evidence.rank) >= self.evidence.rank
        precisions += np.where(new, self.grid[:, None] ** -2.0, 0.0)[:, :, None] * np.eye(evidence.rank)
        if rounds:
            return fit_softmax(evidence, self.grid, centers, precisions, rounds)
        roots = np.linalg.inv(np.linalg.cholesky(precisions)) if more else old.roots
        return Reference(self.grid, centers, precisions, roots, old.bounds)

    def _swept(self, sweeps: int, rng: Generator) -> SoftmaxPosterior:
        now = self
        for _ in range(sweeps):
            now = now._sweep(rng)
        return now

    def _sweep(self, rng: Generator) -> SoftmaxPosterior:
        """One trajectory for every chain, and two draws of its scale: given the weights, and with them scaled along.

        Given many weights the scale hardly moves. Scaled along, it is held by the answers alone.
        """
        if len(self.grid) == 1:
            return self._trajectory(rng)
        rank, chains = self.evidence.rank, np.arange(len(self.places))
        logs = self.log_prior - rank * np.log(self.grid) - squares(self.points)[:, None] / (2 * self.grid**2)
        places = (logs + rng.gumbel(size=logs.shape)).argmax(axis=1)
        jump = rng.integers(1, MAX_SCALE_JUMP + 1, len(chains)) * rng.choice([-1, 1], len(chains))
        proposed = np.clip(places + jump, 0, len(self.grid) - 1)
        scaled = self.points * (self.grid[proposed] / self.grid[places])[:, None]
        gain = self.evidence.potential(self.points).astype(float) - self.evidence.potential(scaled)
        gain += self.log_prior[proposed] - self.log_prior[places]
        taken = (proposed == places + jump) & (np.log(1 - rng.random(len(chains))) < gain)
        points = np.where(taken[:, None], scaled, self.points)
        return replace(self, points=points, places=np.where(taken, proposed, places))._trajectory(rng)

    def _trajectory(self, rng: Generator) -> SoftmaxPosterior:
        order = np.argsort(self.places, kind="stable")
        counts = np.bincount(self.places, minlength=len(self.grid))
        target, places = Target(self.evidence, self.reference, counts), self.places[order]
        whitened = self.points[order] - self.reference.centers[places]
        roots = np.linalg.cholesky(self.reference.precisions[np.flatnonzero(counts)])
        for part, root in zip(target.parts, roots, strict=True):
            whitened[part] = whitened[part] @ root
        start = whitened.astype(self.evidence.precision)
        ends, chance = run(self.evidence, self.reference, counts, self.steps, start, 1, rng)
        points = np.empty(self.points.shape)
        points[order] = target.points(ends)
        accepted = np.bincount(places, chance, len(counts)) / np.maximum(counts, 1)
        rung = np.searchsorted(LEAPFROG_STEPS, self.steps)
        rung = rung + ((accepted < MIN_ACCEPTANCE) & (counts > 0)) - (accepted > EASY_ACCEPTANCE)
        steps = np.maximum.accumulate(LEAPFROG_STEPS[np.clip(rung, 0, len(LEAPFROG_STEPS) - 1)])
        return replace(self, points=points, steps=steps, acceptance=float(chance.mean()))
