"""The posterior of K scores of each row, one for each label, whose shape is learned.

The scores of a label over rows have the prior N(0, scale^2 F F'), where the factor F belongs to a shape: linear, or
linear and smooth. An answer may be a lapse, and then any label is as likely; the share of lapses is learned. Each shape
has chains of its own (`SoftmaxPosterior`), whose resampling gives the evidence of the shape. Shapes that lose their
weight keep few chains, which meet answers only now and then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from askwise.errors import AnswerError
from askwise.losses import softmax
from askwise.options import whole_number
from askwise.posteriors.scores.kernels import Shape
from askwise.posteriors.scores.logconcave import systematic_counts
from askwise.posteriors.scores.pilot import log_sum
from askwise.posteriors.scores.shape_sentence import sentence_about_shapes
from askwise.posteriors.scores.shaped import LAPSE_WEIGHTS, LAPSES
from askwise.posteriors.scores.softmax import (
    BATCH_GROWTH,
    CHAINS,
    EARLY_ANSWERS,
    EARLY_SWEEPS,
    SWEEPS_PER_ANSWER,
    SoftmaxPosterior,
)
from askwise.structures.multiclass import SoftmaxPool
from askwise.types import Answer, Bools, Floats, Ints, Response, Sample

MIN_CHAINS = 120  # of a shape, however light
EAGER_ANSWERS = 10  # up to which every shape has all chains and meets every answer
WAITING = ((0.1, 1), (0.02, 2), (1e-3, 4))  # from that weight on, a shape meets answers after so many
GROWTH = 5  # lighter ones when the answers have grown by one part in so many
FORGOTTEN_WEIGHT = 1e-6  # below which they must have grown by half
SPARE_CHAINS = 1.5  # times the chains that a shape needs, above which some are left out
GROWN_SWEEPS = 2  # of a shape whose chains were copied because it gained weight
MANY_ANSWERS = 30  # at once, beyond which fewer chains meet them
BATCH_CHAINS = 64  # of a shape, that then do
LAST_SWEEPS = 4  # after many answers at once


@dataclass(frozen=True)
class ShapeRows:
    """The rows of a family in the coordinates in which a shape is linear."""

    family: SoftmaxPool
    factor: Floats  # (M, D)

    @property
    def labels(self) -> Sequence[Response]:
        """The labels of the family."""
        return self.family.labels

    @property
    def dimension(self) -> int:
        """K D"""
        return len(self.labels) * self.factor.shape[1]

    def features(self, atoms: Ints) -> Floats:
        """(A, D)"""
        return self.family.features(atoms) @ self.factor


@dataclass(frozen=True)
class ShapedSoftmax:
    """Beliefs about the scores or weights (K * M,) of a classifier of K labels.

    >>> from askwise.posteriors.scores.kernels import factor, label_shapes
    >>> from askwise.structures.multiclass import SoftmaxRows
    >>> shapes, weights = label_shapes("learned")
    >>> rows = np.array([[0.0], [1.0], [4.0]])
    >>> factors = [factor(shape, rows, intercept=True) for shape in shapes]
    >>> prior = ShapedSoftmax.prior(SoftmaxRows(3, labels=("cat", "dog", "eel")), shapes, factors, weights)
    >>> rng = np.random.default_rng(0)
    >>> posterior = prior.update(Answer(0, 2), rng)
    >>> scores = prior.family.predict(posterior.sample(500, rng).structures, np.array([0]))
    >>> int(scores.mean(axis=(0, 1)).argmax())
    2
    """

    loss = softmax
    beta = 1.0

    family: SoftmaxPool  # gives the rows of atoms and the labels
    shapes: tuple[Shape, ...]  # the shapes that are possible
    factors: tuple[Floats, ...]  # (M, D) of each shape, in 32 bits
    log_prior: Floats  # (H,): log prior weight of each shape
    members: tuple[SoftmaxPosterior, ...]  # of each shape
    log_weights: Floats  # (H,), not normalised
    missed: Ints  # (H,): the latest answers that each shape has not met
    atoms: Ints  # (T,)
    responses: Ints  # (T,)
    chains: int  # how many chains hold the beliefs

    @staticmethod
    def prior(
        family: SoftmaxPool,
        shapes: Sequence[Shape],
        factors: Sequence[Floats],
        weights: Floats,
        sigma: float | None = None,
        chains: int = CHAINS,
    ) -> ShapedSoftmax:
        """Beliefs before any answer.

        - `family`: gives the rows (A, M) of atoms and the labels.
        - `shapes`: with their `factors` (M, D) and prior `weights` (H,).
        - `sigma`: fixes the prior scale; None learns it.
        - `chains`: as many as draws that will be wanted at a time.

        :param factors: A factor `(M, D)` of the prior covariance of each shape.
        :param weights: The prior weight of each shape, `(H,)`.
        """
        chains = whole_number("chains", chains, at_least=1)
        members = tuple(
            SoftmaxPosterior.prior(ShapeRows(family, each), sigma, chains, (LAPSES, LAPSE_WEIGHTS)) for each in factors
        )
        log_prior = np.log(weights / np.sum(weights))
        nothing = np.zeros(0, dtype=int)
        missed = np.zeros(len(shapes), dtype=int)
        narrow = tuple(each.astype(np.float32) for each in factors)
        return ShapedSoftmax(
            family, tuple(shapes), narrow, log_prior, members, log_prior, missed, nothing, nothing, chains
        )

    def update(self, answer: Answer, rng: Generator) -> ShapedSoftmax:
        """The beliefs after one more answer."""
        sweeps = EARLY_SWEEPS if len(self.atoms) < EARLY_ANSWERS else SWEEPS_PER_ANSWER
        return self._with_answers([answer])._met(1, sweeps, rng)

    def update_all(self, answers: Sequence[Answer], rng: Generator) -> ShapedSoftmax:
        """The beliefs after many answers, met in random order: at first one by one, then a tenth of those before."""
        now, order = self, [answers[place] for place in rng.permutation(len(answers))]
        while order:
            count = max(1, int(BATCH_GROWTH * len(now.atoms)))
            batch, order = order[:count], order[count:]
            chains = self.chains if len(now.atoms) < MANY_ANSWERS else min(BATCH_CHAINS, self.chains)
            now = replace(now._with_answers(batch), chains=chains)._met(len(batch), 1, rng)
        whole = replace(now, chains=self.chains)._resized(now.weights * self.chains >= 1, rng)
        return whole.continued(LAST_SWEEPS, rng) if answers else self

    def continued(self, sweeps: int, rng: Generator) -> ShapedSoftmax:
        """The same beliefs with other draws: every chain of a shape that is drawn from moves on by so many `sweeps`.

        :param sweeps: How many sweeps each chain makes.
        :param rng: The generator of the moves.
        """
        drawn = self.weights * self.chains >= 1
        moved = [one.continued(sweeps, rng) if much else one for one, much in zip(self.members, drawn, strict=True)]
        return replace(self, members=tuple(moved))

    def reweighed(self, answers: Sequence[Answer], strengths: Floats, rng: Generator) -> ShapedSoftmax:
        """The same answers, each trusted by its strength (T,)."""
        due = self.missed == 0
        members = tuple(
            one.reweighed(answers, strengths, rng) if now else one for one, now in zip(self.members, due, strict=True)
        )
        return replace(self, members=members)._weighed(due)

    # ------------------------------------------------------------------ what is known

    @property
    def weights(self) -> Floats:
        """(H,): the posterior weight of each shape."""
        return np.exp(self.log_weights - log_sum(self.log_weights))

    @property
    def lapse(self) -> float:
        """The mean share of answers given by accident."""
        return float(self.weights @ [member.lapses.mean() for member in self.members])

    @property
    def shape_sentence(self) -> str | None:
        """What the answers say about straight lines and curves; None where there is nothing to choose between."""
        return sentence_about_shapes(self.shapes, np.exp(self.log_prior), self.weights)

    def sample(self, count: int, rng: Generator) -> Sample:
        """`count` draws in random order: one a chain or, if more are wanted, of chains that continue."""
        counts = systematic_counts(self.weights, count, rng)
        structures, chains = np.empty((count, self.family.dimension), np.float32), np.empty(count, dtype=int)
        start, first = 0, 0
        for member, factor, wanted in zip(self.members, self.factors, counts.tolist(), strict=True):
            if wanted:
                part = slice(start, start + wanted)
                structures[part], which = member.draws(wanted, rng, factor)
                chains[part] = which + first
            start, first = start + wanted, first + len(member.places)
        order = rng.permutation(count)
        return Sample(structures[order], np.full(count, 1.0 / count), exact=False, chains=chains[order])

    def diagnostics(self) -> Mapping[str, float]:
        """How the sampler does, and what was learned about shape, scale and lapses."""
        weights = self.weights
        each = [member.diagnostics() for member in self.members]
        found = {name: float(weights @ [one[name] for one in each]) for name in ("acceptance", "scale", "steps")}
        bent = sum(weight for shape, weight in zip(self.shapes, weights, strict=True) if shape.bends)
        return {**found, "answers": float(len(self.atoms)), "bent": float(bent), "lapses": self.lapse}

    # ------------------------------------------------------------------ inside

    def _with_answers(self, answers: Sequence[Answer]) -> ShapedSoftmax:
        labels = len(self.family.labels)
        for answer in answers:
            if answer.response not in range(labels):
                raise AnswerError(f"the response is the place of a label, 0 to {labels - 1}, got {answer.response!r}")
        atoms = np.append(self.atoms, [int(answer.atom) for answer in answers])
        return replace(self, atoms=atoms, responses=np.append(self.responses, [int(a.response) for a in answers]))

    def _met(self, more: int, sweeps: int, rng: Generator) -> ShapedSoftmax:
        """With the latest answers met by the shapes that matter now."""
        count, missed = len(self.atoms), self.missed + more
        wait = np.where(self.weights < FORGOTTEN_WEIGHT, count // 2, count // GROWTH)
        wait = np.maximum(wait, WAITING[-1][1])
        for least, answers in reversed(WAITING):
            wait[self.weights >= least] = answers
        due = (missed >= wait) | (count <= EAGER_ANSWERS)
        members = list(self.members)
        for place in np.flatnonzero(due).tolist():
            latest = zip(self.atoms[count - missed[place] :], self.responses[count - missed[place] :], strict=True)
            pending = [Answer(int(atom), int(response)) for atom, response in latest]
            members[place] = members[place].met(pending, max(sweeps, min(len(pending), EARLY_SWEEPS)), rng)
        updated = replace(self, members=tuple(members), missed=np.where(due, 0, missed))._weighed(due)
        return updated if count <= EAGER_ANSWERS else updated._resized(due, rng)

    def _weighed(self, due: Bools) -> ShapedSoftmax:
        """With the weights that the members' evidence gives to due shapes.

        The others are held to have foreseen the answers as well as these did.
        """
        logs = self.log_prior + [member.log_evidence for member in self.members]
        shift = log_sum(logs[due]) - log_sum(self.log_weights[due])
        return replace(self, log_weights=np.where(due, logs, self.log_weights + shift))

    def _resized(self, due: Bools, rng: Generator) -> ShapedSoftmax:
        """With as many chains of each due shape as draws will be wanted of it."""
        wanted = np.maximum(np.ceil(self.weights * self.chains).astype(int) + 1, MIN_CHAINS)
        members = list(self.members)
        for place in np.flatnonzero(due).tolist():
            member, size = members[place], min(int(wanted[place]), self.chains)
            if len(member.places) < size:
                members[place] = member.resized(size, rng).continued(GROWN_SWEEPS, rng)
            elif len(member.places) > SPARE_CHAINS * size:
                members[place] = member.resized(size, rng)
        return replace(self, members=tuple(members))
