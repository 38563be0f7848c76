"""The posterior of linear classifiers of K labels under the softmax loss, by chains of weights and prior scale.

Weights have the prior N(0, scale^2 I), the scale the same weights on the same grid as for two labels (`LogConcave`).
Each draw is a chain of its own, moved on after every answer by split Hamiltonian Monte Carlo around the Gaussian
reference of its scale and by two kinds of change of scale. Weighing the scales by evidence, as for two labels, failed
here: in (K - 1) D dimensions the references of wide scales cover their posteriors too badly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from askwise.errors import AnswerError
from askwise.losses import logistic, softmax
from askwise.options import whole_number
from askwise.posteriors.evidence import checked
from askwise.posteriors.hmc import Target, run, squares
from askwise.posteriors.logconcave import LogConcave
from askwise.posteriors.reference import Reference
from askwise.posteriors.trial import ACCEPTANCE, EASY, LADDER
from askwise.posteriors.votes import Votes, fit
from askwise.structures.multiclass import SoftmaxPool
from askwise.types import Answer, Floats, Ints, Sample

CHAINS = 600
SWEEPS = 3  # after an answer
MORE = 6  # where answers are few for what is to be learned, so that each changes much
AFRESH = 30  # sweeps, and rounds of the fit, when chains start from the references
ROUNDS = 4  # of the fit otherwise: the next answer goes on from there
FEW = 20  # answers, or twice the coordinates if that is more
GROWN = 1.1  # references are fitted anew when there are so many times the answers: they only guide the sampler
WIDEST = 3  # places of the grid that a change of scale goes at most


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
    votes: Votes
    reference: Reference  # of every scale
    points: Floats  # (C, rank): the weights of each chain, in the coordinates of the votes
    places: Ints  # (C,): the place of its scale
    steps: Ints  # (G,): leapfrog steps of a trajectory
    acceptance: float = 1.0
    answers: int = 0
    fitted: int = 0  # answers when the references were last fitted

    @staticmethod
    def prior(family: SoftmaxPool, sigma: float | None = None, chains: int = CHAINS) -> SoftmaxPosterior:
        """Beliefs before any answer; `sigma` fixes the prior scale, None learns it."""
        same = LogConcave.prior(family, logistic, 1.0, sigma)
        chains = whole_number("chains", chains, at_least=1)
        votes = Votes.of(family.dimension // len(family.labels), len(family.labels))
        # as many chains of a scale as its weight says
        places = np.searchsorted(np.cumsum(np.exp(same.log_prior)), (np.arange(chains) + 0.5) / chains)
        places = np.minimum(places, len(same.grid) - 1)
        steps = np.full(len(same.grid), LADDER[0])
        return SoftmaxPosterior(
            family, same.grid, same.log_prior, votes, same.reference, np.zeros((chains, 0)), places, steps
        )

    def update(self, answer: Answer, rng: Generator) -> SoftmaxPosterior:
        """The beliefs after one more answer: every chain moved on."""
        told = self._hear([answer])
        if told.votes is self.votes:
            return told
        few = told.answers <= max(FEW, 2 * told.votes.rank)
        again = few or told.answers >= GROWN * self.fitted
        more = told.votes.rank - self.votes.rank  # what no answer spoke about before has its prior
        fresh = self.grid[self.places, None] * rng.standard_normal((len(self.points), more))
        told = replace(
            told,
            points=np.hstack([self.points, fresh]),
            reference=self._reference(told.votes, ROUNDS if again else 0),
            fitted=told.answers if again else self.fitted,
        )
        return told._swept(MORE if few else SWEEPS, rng)

    def update_all(self, answers: Sequence[Answer], rng: Generator) -> SoftmaxPosterior:
        """The beliefs after many answers at once: the chains start afresh, from the references."""
        if not answers:
            return self
        told = self._hear(answers)
        reference = self._reference(told.votes, AFRESH)
        chains = len(self.places)
        logs = self.log_prior + reference.bounds
        places = (logs + rng.gumbel(size=(chains, len(logs)))).argmax(axis=1)
        noise = rng.standard_normal((chains, told.votes.rank))
        points = reference.centers[places] + np.einsum("cr,crs->cs", noise, reference.roots[places], optimize=True)
        told = replace(told, points=points, places=places, reference=reference, fitted=told.answers)
        return told._swept(AFRESH, rng)

    def reweighed(self, answers: Sequence[Answer], strengths: Floats, rng: Generator) -> SoftmaxPosterior:
        """The same answers, trusted as far as `strengths` (T,) say: the chains move on from where they are."""
        votes = Votes.of(self.family.dimension // len(self.family.labels), len(self.family.labels))
        votes = votes.add(*checked(self.family, answers), np.asarray(strengths))
        return replace(self, votes=votes, reference=self._reference(votes, ROUNDS))._swept(MORE, rng)

    def _hear(self, answers: Sequence[Answer]) -> SoftmaxPosterior:
        labels = len(self.family.labels)
        for answer in answers:
            if answer.response not in range(labels):
                raise AnswerError(f"the response is the place of a label, 0 to {labels - 1}, got {answer.response!r}")
        votes = self.votes.add(*checked(self.family, answers), np.ones(len(answers)))
        return replace(self, votes=votes, answers=self.answers + len(answers))

    def sample(self, count: int, rng: Generator) -> Sample:
        """`count` draws: one a chain as they stand; or, where more are wanted, chains run on, in random order."""
        size, now, parts = len(self.places), self, [self]
        if count > size:
            parts = []
            for _ in range(0, count, size):
                now = now._swept(MORE, rng)
                parts.append(now)
        points = np.concatenate([part.points for part in parts])
        scales = self.grid[np.concatenate([part.places for part in parts])]
        chosen = rng.permutation(len(points))[:count]
        structures = scales[chosen, None] * rng.standard_normal((count, self.family.dimension))
        basis = self.votes.basis
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

    def _reference(self, votes: Votes, rounds: int) -> Reference:
        """The references in the coordinates of more answers, after so many rounds of their fit."""
        old = self.reference
        more = votes.rank - self.votes.rank
        centers = np.pad(old.centers, ((0, 0), (0, more)))
        precisions = np.pad(old.precisions, ((0, 0), (0, more), (0, more)))
        new = np.arange(votes.rank) >= self.votes.rank
        precisions += np.where(new, self.grid[:, None] ** -2.0, 0.0)[:, :, None] * np.eye(votes.rank)
        if rounds:
            return fit(votes, self.grid, centers, precisions, rounds)
        roots = np.linalg.inv(np.linalg.cholesky(precisions)) if more else old.roots
        return Reference(self.grid, centers, precisions, roots, old.bounds)

    def _swept(self, sweeps: int, rng: Generator) -> SoftmaxPosterior:
        now = self
        for _ in range(sweeps):
            now = now._sweep(rng)
        return now

    def _sweep(self, rng: Generator) -> SoftmaxPosterior:
        """A trajectory of every chain, and its scale drawn anew: once given the weights, once with them scaled along.

        Given the weights the scale hardly moves where they are many; scaled along, it is held by the answers alone.
        """
        if len(self.grid) == 1:
            return self._trajectory(rng)
        rank, chains = self.votes.rank, np.arange(len(self.places))
        logs = self.log_prior - rank * np.log(self.grid) - squares(self.points)[:, None] / (2 * self.grid**2)
        places = (logs + rng.gumbel(size=logs.shape)).argmax(axis=1)
        hop = rng.integers(1, WIDEST + 1, len(chains)) * rng.choice([-1, 1], len(chains))
        there = np.clip(places + hop, 0, len(self.grid) - 1)
        scaled = self.points * (self.grid[there] / self.grid[places])[:, None]
        gain = self.votes.potential(self.points).astype(float) - self.votes.potential(scaled)
        gain += self.log_prior[there] - self.log_prior[places]
        taken = (there == places + hop) & (np.log(1 - rng.random(len(chains))) < gain)
        points = np.where(taken[:, None], scaled, self.points)
        return replace(self, points=points, places=np.where(taken, there, places))._trajectory(rng)

    def _trajectory(self, rng: Generator) -> SoftmaxPosterior:
        order = np.argsort(self.places, kind="stable")
        counts = np.bincount(self.places, minlength=len(self.grid))
        target, places = Target(self.votes, self.reference, counts), self.places[order]
        whitened = self.points[order] - self.reference.centers[places]
        roots = np.linalg.cholesky(self.reference.precisions[np.flatnonzero(counts)])
        for part, root in zip(target.parts, roots, strict=True):
            whitened[part] = whitened[part] @ root
        start = whitened.astype(self.votes.precision)
        ends, chance = run(self.votes, self.reference, counts, self.steps, start, 1, rng)
        points = np.empty(self.points.shape)
        points[order] = target.points(ends)
        accepted = np.bincount(places, chance, len(counts)) / np.maximum(counts, 1)
        rung = np.searchsorted(LADDER, self.steps)
        rung = rung + ((accepted < ACCEPTANCE) & (counts > 0)) - (accepted > EASY)
        steps = np.maximum.accumulate(LADDER[np.clip(rung, 0, len(LADDER) - 1)])
        return replace(self, points=points, steps=steps, acceptance=float(chance.mean()))
