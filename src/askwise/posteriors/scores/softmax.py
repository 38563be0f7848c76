"""The posterior of linear classifiers of K labels under the softmax loss, by chains of weights and prior scale.

Weights have the prior N(0, scale^2 I), and the scale has the same prior as for two labels (`LogConcave`). Each draw is
a chain of its own. After every answer it moves by split Hamiltonian Monte Carlo around the prior, and by two draws of
its scale. Gaussian references fitted to the posterior, as for two labels, were tried: in (K - 1) D dimensions they cost
far more than they save, and weighing the scales by them failed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.random import Generator

from askwise.errors import AnswerError
from askwise.losses import logistic, softmax
from askwise.options import whole_number
from askwise.posteriors.scores.evidence import checked_answers
from askwise.posteriors.scores.hmc import squares
from askwise.posteriors.scores.label_evidence import LabelEvidence
from askwise.posteriors.scores.label_resampling import bearable_power, completed, resample
from askwise.posteriors.scores.logconcave import LogConcave
from askwise.posteriors.scores.softmax_hmc import PriorReference
from askwise.types import Answer, Floats, Ints, Response, Sample

CHAINS = 600
SWEEPS_PER_ANSWER = 1
EARLY_SWEEPS = 4  # an answer while answers are few, so that each changes much
EARLY_ANSWERS = 20
BATCH_GROWTH = 0.1  # share of the answers so far that chains meet next when they start again
LAST_SWEEPS = 16  # that then see all answers
SWEEPS_BETWEEN_DRAWS = 6  # of one chain
LEAPFROG_STEPS = np.array([2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64])  # a trajectory may take
MIN_ACCEPTANCE = 0.7  # below this a trajectory takes more and shorter steps
EASY_ACCEPTANCE = 0.92  # above this it takes fewer next time
NO_LAPSES = np.zeros(1), np.ones(1)
GOLDEN_RATIO = (5**0.5 - 1) / 2  # its multiples fill the unit interval evenly


class LabelledRows(Protocol):
    """Rows with labels, in features in which the scores of each label are linear."""

    @property
    def labels(self) -> Sequence[Response]: ...
    @property
    def dimension(self) -> int: ...  # K D
    def features(self, atoms: Ints) -> Floats: ...  # (A, D)


@dataclass(frozen=True)
class SoftmaxPosterior:
    """Beliefs about the weights (K * D,) of a softmax classifier.

    >>> from askwise.structures.multiclass import SoftmaxPool
    >>> family = SoftmaxPool(np.eye(2), labels=("cat", "dog", "eel"))
    >>> rng = np.random.default_rng(0)
    >>> posterior = SoftmaxPosterior.prior(family).update(Answer(0, 2), rng)
    >>> scores = family.predict(posterior.sample(500, rng).structures, np.array([0]))
    >>> int(scores.mean(axis=(0, 1)).argmax())
    2
    """

    loss = softmax
    beta = 1.0

    family: LabelledRows  # gives the rows of atoms and the labels
    grid: Floats  # (G,): prior scales
    log_prior: Floats  # (G,): log weight of each
    evidence: LabelEvidence  # the answers so far, as the sampler needs them
    points: Floats  # (C, rank): the weights of each chain, in the coordinates of the evidence
    places: Ints  # (C,): the place of its scale
    lapse_grid: Floats  # (E,): shares of answers given by accident; all above 0, or 0 alone
    log_lapse_prior: Floats  # (E,)
    lapse_places: Ints  # (C,): the place of the share of each chain
    steps: Ints  # (G,): leapfrog steps of a trajectory
    acceptance: float = 1.0  # the share of moves that the sampler accepted
    answers: int = 0  # how many there are
    log_evidence: float = 0.0  # of all answers, prior scale averaged out; NaN if they came many at once

    @staticmethod
    def prior(
        family: LabelledRows,
        sigma: float | None = None,
        chains: int = CHAINS,
        lapses: tuple[Floats, Floats] = NO_LAPSES,
    ) -> SoftmaxPosterior:
        """Beliefs before any answer.

        - `family`: gives the rows of atoms and the labels.
        - `sigma`: fixes the prior scale; None learns it.
        - `chains`: as many as draws that will be wanted at a time.
        - `lapses`: shares of answers given by accident (E,), and the prior weight of each.
        """
        same = LogConcave.prior(family, logistic, 1.0, sigma)
        chains = whole_number("chains", chains, at_least=1)
        evidence = LabelEvidence.of_labels(family.dimension // len(family.labels), len(family.labels))
        # as many chains of a scale, and of a share of lapses, as its weight says
        even = (np.arange(chains) + 0.5) / chains
        places = _places_at(even, np.exp(same.log_prior))
        spread = even * chains * GOLDEN_RATIO % 1  # evenly over the chains of each scale, too
        steps = np.full(len(same.grid), LEAPFROG_STEPS[0])
        return SoftmaxPosterior(
            family, same.grid, same.log_prior, evidence, np.zeros((chains, 0)), places, lapses[0], np.log(lapses[1]),
            _places_at(spread, lapses[1]), steps,
        )  # fmt: skip

    def update(self, answer: Answer, rng: Generator) -> SoftmaxPosterior:
        """The beliefs after one more answer: every chain moves."""
        sweeps = EARLY_SWEEPS if self.answers < EARLY_ANSWERS else SWEEPS_PER_ANSWER
        return self.met([answer], sweeps, rng)

    def met(
        self, answers: Sequence[Answer], sweeps: int, rng: Generator, chains: int | None = None
    ) -> SoftmaxPosterior:
        """The beliefs after more answers: chains are resampled by their likelihood, then they move.

        Without resampling the scales would lag behind: trajectories change the weights at once, but scales slowly.
        Answers that hardly any chain expected are met in parts, with one sweep after each, so that many chains survive.

        - `answers`: so few that one fit of the chains to all of them is not worth while.
        - `sweeps`: of every chain in the end.

        :param rng: The generator of resampling and moves.
        :param chains: How many chains hold the beliefs afterwards; None: as many as before.
        """
        updated = self._with_answers(answers)
        whole = updated.evidence
        new = whole.strengths.sum() - self.evidence.strengths.sum()
        silent = (len(answers) - new) * np.log(len(self.family.labels))  # of rows of zeros: all labels are as likely
        updated = replace(updated, evidence=self.evidence, log_evidence=self.log_evidence - silent)
        return updated._moved_to(whole, sweeps, rng)

    def update_all(self, answers: Sequence[Answer], rng: Generator) -> SoftmaxPosterior:
        """The beliefs after many answers at once: the chains start again from the prior.

        They meet the answers in random order and in batches: at first one by one, then a tenth of those before at a
        time. So few sweeps see all answers. `log_evidence` is NaN if a batch was too much for the chains.
        """
        if not answers:
            return self
        updated = self._with_answers(answers)
        whole, chains = updated.evidence, len(self.places)
        places = (self.log_prior + rng.gumbel(size=(chains, len(self.grid)))).argmax(axis=1)
        points = self.grid[places, None] * rng.standard_normal((chains, whole.rank))
        guesses = (self.log_lapse_prior + rng.gumbel(size=(chains, len(self.lapse_grid)))).argmax(axis=1)
        updated = replace(updated, points=points, places=places, lapse_places=guesses, log_evidence=0.0)
        order, count, exact = rng.permutation(len(whole.rows)), 0, True
        while count < len(order):
            batch = order[count : count + max(1, int(BATCH_GROWTH * count))]
            fresh, logs = updated._completed(whole.only(batch), rng)
            power = bearable_power(logs, 1.0)
            exact = exact and power == 1
            count += len(batch)
            updated = updated._resampled(power * logs, fresh, rng)
            updated = replace(updated, evidence=whole.only(order[:count]))._swept(1, rng)
        known = updated.log_evidence if exact else float("nan")
        return replace(updated, evidence=whole, log_evidence=known)._swept(LAST_SWEEPS, rng)

    def log_evidences(self) -> Floats:
        """(G,): the log evidence of the answers under each prior scale of `grid`, -inf where no chain has that scale.

        The posterior weight of a scale is the share of chains that have it, so this costs nothing beyond the chains.
        """
        shares = np.bincount(self.places, minlength=len(self.grid)) / len(self.places)
        logs = np.log(shares, out=np.full(len(shares), -np.inf), where=shares > 0)
        return self.log_evidence + logs - self.log_prior

    def reweighed(self, answers: Sequence[Answer], strengths: Floats, rng: Generator) -> SoftmaxPosterior:
        """The same answers, each trusted by its strength (T,): the chains move on from where they are."""
        evidence = self.evidence.trusted(*checked_answers(self.family, answers), np.asarray(strengths))
        return self._moved_to(evidence, EARLY_SWEEPS, rng)

    def resized(self, count: int, rng: Generator) -> SoftmaxPosterior:
        """The same beliefs held by so many chains: some are left out, or taken twice.

        :param count: How many chains are wanted.
        :param rng: The generator of the choice.
        """
        size = len(self.places)
        kept = np.concatenate([rng.permutation(size) for _ in range(-(-count // size))])[:count]
        return replace(self, points=self.points[kept], places=self.places[kept], lapse_places=self.lapse_places[kept])

    def _with_answers(self, answers: Sequence[Answer]) -> SoftmaxPosterior:
        labels = len(self.family.labels)
        for answer in answers:
            if answer.response not in range(labels):
                raise AnswerError(f"the response is the place of a label, 0 to {labels - 1}, got {answer.response!r}")
        evidence = self.evidence.add(*checked_answers(self.family, answers), np.ones(len(answers)))
        return replace(self, evidence=evidence, answers=self.answers + len(answers))

    def sample(self, count: int, rng: Generator) -> Sample:
        """`count` draws in random order: one a chain or, if more are wanted, of chains that continue."""
        structures, chains = self.draws(count, rng)
        return Sample(structures.astype(float), np.full(count, 1.0 / count), exact=False, chains=chains)

    def draws(self, count: int, rng: Generator, factor: Floats | None = None) -> tuple[Floats, Ints]:
        """Draws (S, K D) of the weights, and the chain (S,) that each comes from.

        - `factor`: (M, D); weights (D,) of a label are then multiplied by it: (S, K M).

        :param count: How many draws.
        :param rng: The generator that everything random comes from.
        """
        size, now, parts = len(self.places), self, [self]
        if count > size:
            parts = []
            for _ in range(0, count, size):
                now = now._swept(SWEEPS_BETWEEN_DRAWS, rng)
                parts.append(now)
        points = np.concatenate([part.points for part in parts])
        scales = self.grid[np.concatenate([part.places for part in parts])]
        chosen = rng.permutation(len(points))[:count]
        # what answers do not inform keeps its prior: noise with the informed part taken out
        real, contrasts = np.float32, self.evidence.contrasts.astype(np.float32)
        labels, basis = len(contrasts), self.evidence.answers.basis.astype(real)
        noise = rng.standard_normal((count * labels, len(basis)), dtype=real)
        noise *= np.repeat(scales[chosen].astype(real), labels)[:, None]
        informed = points[chosen].astype(real).reshape(count, basis.shape[1], labels - 1).swapaxes(1, 2)
        known = contrasts.T @ (noise @ basis).reshape(count, labels, basis.shape[1])
        moved = (contrasts @ (informed - known)).reshape(count * labels, basis.shape[1])
        free: Floats = noise if factor is None else noise @ factor.T
        image: Floats = basis if factor is None else factor @ basis
        return (free + moved @ image.T).reshape(count, -1), chosen % size

    def diagnostics(self) -> Mapping[str, float]:
        scales = self.grid[self.places]
        return {
            "acceptance": self.acceptance,
            "answers": float(self.answers),
            "scale": float(np.exp(np.log(scales).mean())),
            "steps": float(self.steps[self.places].mean()),
        }

    @property
    def lapses(self) -> Floats:
        """(C,): the share of lapses of each chain."""
        return self.lapse_grid[self.lapse_places]

    def _completed(self, evidence: LabelEvidence, rng: Generator) -> tuple[Floats, Floats]:
        return completed(evidence, self.points, self.grid[self.places], self.lapses, rng)

    def _moved_to(self, evidence: LabelEvidence, sweeps: int, rng: Generator) -> SoftmaxPosterior:
        """With more answers, or with other strengths: chains are resampled by what changes, then they move."""
        known = np.pad(self.evidence.strengths, (0, len(evidence.rows) - len(self.evidence.rows)))
        now, new = self, evidence.strengths - known
        share = 0.0 if new.any() else 1.0  # of the change that was met
        while share < 1:
            fresh, logs = now._completed(evidence.with_strengths(new), rng)
            power = bearable_power(logs, 1 - share)
            now, share = now._resampled(power * logs, fresh, rng), share + power
            if share < 1:
                now = replace(now, evidence=evidence.with_strengths(known + share * new))._swept(1, rng)
        return replace(now, evidence=evidence)._swept(sweeps, rng)

    def _resampled(self, logs: Floats, fresh: Floats, rng: Generator) -> SoftmaxPosterior:
        """Chains in proportion to the likelihood of new answers; `fresh` and `logs` are what `completed` found.

        The log evidence grows by the log of their mean likelihood.
        """
        kept, drawn, gained = resample(logs, rng)
        points = np.hstack([self.points[kept], fresh[kept, drawn]])
        return replace(
            self, points=points, places=self.places[kept], lapse_places=self.lapse_places[kept],
            log_evidence=self.log_evidence + gained,
        )  # fmt: skip

    def continued(self, sweeps: int, rng: Generator) -> SoftmaxPosterior:
        """The same beliefs with other draws: every chain moves on by that many `sweeps`.

        :param sweeps: How many sweeps each chain makes.
        :param rng: The generator of the moves.
        """
        return self._swept(sweeps, rng)

    def _swept(self, sweeps: int, rng: Generator) -> SoftmaxPosterior:
        now, reference = self, PriorReference(self.evidence)
        for _ in range(sweeps if self.evidence.rank else 0):
            now = now if len(self.grid) == 1 else now._scaled(reference, rng)
            now = now if len(self.lapse_grid) == 1 else now._lapsed(reference, rng)
            now = now._trajectory(reference, rng)
        return now

    def _scaled(self, reference: PriorReference, rng: Generator) -> SoftmaxPosterior:
        """Two draws of each chain's scale, given the weights and with them scaled along.

        Given many weights the scale hardly moves. Scaled along, it is held by the answers alone.
        """
        rank = self.evidence.rank
        logs = self.log_prior - rank * np.log(self.grid) - squares(self.points)[:, None] / (2 * self.grid**2)
        places = (logs + rng.gumbel(size=logs.shape)).argmax(axis=1)
        unscaled = self.points / self.grid[places, None]
        logs = self.log_prior - reference.potentials(unscaled, self.grid, self.lapses)
        places = (logs + rng.gumbel(size=logs.shape)).argmax(axis=1)
        return replace(self, points=unscaled * self.grid[places, None], places=places)

    def _lapsed(self, reference: PriorReference, rng: Generator) -> SoftmaxPosterior:
        """A draw of each chain's share of lapses, given the weights."""
        logs = self.log_lapse_prior - reference.potentials_by_lapse(self.points, self.lapse_grid)
        return replace(self, lapse_places=(logs + rng.gumbel(size=logs.shape)).argmax(axis=1))

    def _trajectory(self, reference: PriorReference, rng: Generator) -> SoftmaxPosterior:
        counts = np.bincount(self.places, minlength=len(self.grid))
        points, chance = reference.run(self.points, self.grid[self.places], self.lapses, self.steps[self.places], rng)
        accepted = np.bincount(self.places, chance, len(counts)) / np.maximum(counts, 1)
        rung = np.searchsorted(LEAPFROG_STEPS, self.steps)
        rung = rung + ((accepted < MIN_ACCEPTANCE) & (counts > 0)) - (accepted > EASY_ACCEPTANCE)
        steps = np.maximum.accumulate(LEAPFROG_STEPS[np.clip(rung, 0, len(LEAPFROG_STEPS) - 1)])
        return replace(self, points=points, steps=steps, acceptance=float(chance.mean()))


def _places_at(shares: Floats, weights: Floats) -> Ints:
    """(C,): the place of the weight in which each share of all weights falls."""
    return np.minimum(np.searchsorted(np.cumsum(weights), shares), len(weights) - 1)
