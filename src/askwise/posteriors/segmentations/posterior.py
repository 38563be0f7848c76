"""The exact posterior of segmentations: clusterings of a line into segments, asked "do these two belong together?".

Between each two neighbouring values there is a cut or not, independently and with the same chance p. An answer is wrong
with chance `noise`, independently of all others. Neither is known: the log odds of p and the noise have priors on small
grids. Given both, the likelihood of a segmentation is a product over its segments (a product partition model), so that
forward filtering gives the evidence of the answers and backward sampling independent draws, without chains.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.random import Generator

from askwise.errors import AnswerError, AskwiseError, ContradictionError
from askwise.losses import zero_one
from askwise.options import number
from askwise.problem import beta_noise, noise_beta
from askwise.structures.intervals import Segmentations
from askwise.types import Answer, Floats, Ints, Sample

LEAST_CUTS = 0.25  # expected: the lowest chance of a cut is this over the number of gaps
HIGHEST_ODDS = 4.0  # of a cut in a gap
USUAL_NOISE = 0.05
NOISE_LEVELS = np.array([0.01, 0.02, 0.04, 0.08, 0.16, 0.3])
NOISE_WEIGHTS = np.array([0.25, 0.25, 0.2, 0.15, 0.1, 0.05])  # their mean is about .06


@dataclass(frozen=True, kw_only=True)
class SegmentationPosterior:
    """Beliefs about a segmentation, exact up to the grids of two numbers: the chance of a cut, and the noise.

    >>> family = Segmentations([1, 2, 3, 4])
    >>> posterior = SegmentationPosterior.prior(family, noise=0.05).update(Answer((0, 3), 1), np.random.default_rng(0))
    >>> posterior.together([[0, 1], [0, 3]]).round(2)
    array([0.94, 0.9 ])
    """

    loss = zero_one

    family: Segmentations
    beta: float  # what a wrong answer costs, at the usual noise
    chances: Floats  # (P,): of a cut in a gap
    noise: Floats  # (E,): the shares of wrong answers that are possible
    log_prior: Floats  # (P, E): of both
    log_evidence: Floats  # (P, E): of the answers
    pairs: Ints = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))  # (T, 2): values asked about, sorted
    same: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # (T,): what was answered
    strengths: Floats = field(default_factory=lambda: np.empty(0))  # (T,): trust in each answer, 1 if people agree

    @staticmethod
    def prior(family: Segmentations, noise: float | None = None) -> SegmentationPosterior:
        """Beliefs before any answer. A share `noise` of the answers is wrong, from 0 to below 0.5; None learns it.

        The odds of a cut are a grid by factors of 2, all equally likely, from a quarter of a cut in all gaps on.
        """
        lowest = LEAST_CUTS / (len(family.edges) - 2)
        odds = np.geomspace(lowest, HIGHEST_ODDS, 1 + int(np.ceil(np.log2(HIGHEST_ODDS / lowest))))
        levels, weights = NOISE_LEVELS, NOISE_WEIGHTS
        if noise is not None:
            levels, weights = np.array([number("noise", noise, at_least=0, below=0.5)]), np.ones(1)
        log_prior = np.tile(np.log(weights / len(odds)), (len(odds), 1))
        return SegmentationPosterior(
            family=family,
            beta=noise_beta(USUAL_NOISE if noise is None else float(levels[0])),
            chances=odds / (1 + odds),
            noise=levels,
            log_prior=log_prior,
            log_evidence=np.zeros_like(log_prior),
        )

    @property
    def weights(self) -> Floats:
        """(P, E): how plausible each chance of a cut is with each noise; they sum to one."""
        logs = self.log_prior + self.log_evidence
        found = np.exp(logs - logs.max())
        return found / found.sum()

    @property
    def lapse(self) -> float:
        """How far the noise is above that of `beta`, as a share of answers given by the toss of a coin."""
        usual = beta_noise(self.beta)
        return max(0.0, float((self.weights.sum(axis=0) @ self.noise - usual) / (0.5 - usual)))

    def check_answer(self, answer: Answer) -> None:
        """ContradictionError if no answer is wrong and no segments agree with this one and all earlier ones."""
        pair, same = self._checked(answer)
        conflict = conflicting(self.pairs, self.same, pair, same) if self.noise.max() == 0 else None
        if conflict is not None:
            told = "this answer contradicts earlier ones: no segments fit them all; undo one of them, or allow noise"
            raise ContradictionError(told, conflict)

    def update(self, answer: Answer, rng: Generator) -> Self:
        """The beliefs after one more answer; ContradictionError if no segments agree with all of them."""
        return self.update_all([answer], rng)

    def update_all(self, answers: Sequence[Answer], rng: Generator) -> Self:
        """The beliefs after some more answers."""
        now = self
        for answer in answers:
            now.check_answer(answer)
            pair, same = self._checked(answer)
            pairs, said = np.concatenate([now.pairs, [pair]]), np.append(now.same, same)
            now = replace(now, pairs=pairs, same=said, strengths=np.append(now.strengths, 1.0))
        return now._with_evidence() if answers else self

    def reweighed(self, answers: Sequence[Answer], strengths: Floats, rng: Generator) -> Self:
        """The same answers, each trusted by its strength (T,)."""
        return replace(self, strengths=np.asarray(strengths, dtype=float))._with_evidence()

    def sample(self, count: int, rng: Generator) -> Sample:
        """Independent draws. Each has its own chance of a cut and its own noise."""
        from askwise.posteriors.segmentations.filtering import draw_cuts

        weights = self.weights
        cells = np.sort(rng.choice(weights.size, count, p=weights.ravel()))
        states = rng.integers(2**64, size=count, dtype=np.uint64)
        cuts = np.zeros((count, len(self.family.edges) - 2), dtype=bool)
        line = _Line(self.pairs)
        begins = np.empty((len(line.nodes), len(line.nodes)))
        for cell in np.unique(cells):
            chance, noise = self.chances[cell // len(self.noise)], self.noise[cell % len(self.noise)]
            own = slice(*np.searchsorted(cells, [cell, cell + 1]))
            line.filter(chance, *self._likelihoods(noise), begins)
            draw_cuts(begins, line.nodes, chance, states[own], cuts[own])
        order = rng.permutation(count)  # the two halves of a sample must not differ
        return Sample(cuts_of(cuts[order], self.family.edges), np.full(count, 1.0 / count), exact=False)

    def together(self, pairs: Any) -> Floats:
        """(A, 2) items -> (A,): the exact probability that two items belong together.

        It is the evidence of the answers and a true answer "same", over that of the answers. See the class for an
        example.
        """
        found = []
        for pair in np.sort(self.family.rank[np.asarray(pairs)], axis=1):
            line = _Line(np.concatenate([self.pairs, pair[None]]))
            logs = self._log_evidence(line, certain=1)
            with np.errstate(divide="ignore"):
                found.append(float((self.weights * np.exp(logs - self.log_evidence)).sum()))
        return np.array(found)

    def diagnostics(self) -> Mapping[str, float]:
        """What was learned with the segmentation."""
        weights = self.weights
        return {
            "answers": float(len(self.same)),
            "cut_chance": float(weights.sum(axis=1) @ self.chances),
            "log_evidence": float(np.logaddexp.reduce(self.log_prior + self.log_evidence, axis=None)),
            "noise": float(weights.sum(axis=0) @ self.noise),
        }

    def _with_evidence(self) -> Self:
        return replace(self, log_evidence=self._log_evidence(_Line(self.pairs)))

    def _log_evidence(self, line: _Line, certain: int = 0) -> Floats:
        """(P, E): of the answers, and of so many answers "same" after them that are never wrong."""
        row, logs = np.empty((1, len(line.nodes))), np.empty(self.log_prior.shape)
        for place, noise in enumerate(self.noise):
            together, apart = self._likelihoods(noise)
            together, apart = np.append(together, np.ones(certain)), np.append(apart, np.zeros(certain))
            logs[:, place] = [line.filter(chance, together, apart, row) for chance in self.chances]
        return logs

    def _likelihoods(self, noise: float) -> tuple[Floats, Floats]:
        """(T,), (T,): the chance of each answer if its two items are together, and if they are apart."""
        with np.errstate(divide="ignore"):
            odds = (noise / (1 - noise)) ** self.strengths
        right, wrong = 1 / (1 + odds), odds / (1 + odds)
        return np.where(self.same == 1, right, wrong), np.where(self.same == 1, wrong, right)

    def _checked(self, answer: Answer) -> tuple[Ints, int]:
        try:
            pair = self.family.checked_atom(answer.atom)
        except AskwiseError as error:
            raise AnswerError(str(error)) from None
        if answer.response not in (0, 1):
            raise AnswerError(f"a response is 1 (same) or 0 (different); got {answer.response!r}")
        return np.sort(self.family.rank[pair]), int(answer.response)


def conflicting(pairs: Ints, same: Ints, pair: Ints, said: int) -> tuple[int, ...] | None:
    """The places of fewest earlier answers that contradict one more, none being wrong; None if there is room for it.

    Two values that are said to be different contradict "same" answers that together span all gaps between them.

    - `pairs`, `same`: (T, 2) values and (T,) earlier answers, 1 for same.
    - `pair`, `said`: the two values and the answer that is new.

    >>> conflicting(np.array([[0, 2], [1, 4], [0, 1]]), np.array([1, 1, 1]), np.array([0, 3]), 0)
    (0, 1)
    """
    new = len(same)
    told = np.column_stack([np.vstack([pairs, pair]), np.arange(new + 1)])  # from, to, and the place of the answer
    every = np.append(same, said)
    spans, apart = told[every == 1].tolist(), told[every == 0].tolist()
    found: tuple[int, ...] | None = None
    for low, high, different in apart if said else apart[-1:]:
        used, reached = [different], low
        while reached < high:
            end, place = max(((end, place) for start, end, place in spans if start <= reached), default=(reached, -1))
            if end <= reached:
                break
            used.append(place)
            reached = end
        if reached >= high and (found is None or len(used) - 1 < len(found)):
            found = tuple(sorted(place for place in used if place != new))
    return found


class _Line:
    """Answers in the order in which the filter meets them: by the later of their two values."""

    def __init__(self, pairs: Ints):
        self.nodes = np.unique(pairs)  # (K,): the values that answers are about
        places = np.searchsorted(self.nodes, pairs)
        self.order = np.argsort(places[:, 1], kind="stable")
        self.left = places[self.order, 0]
        self.begin = np.searchsorted(places[self.order, 1], np.arange(len(self.nodes) + 1))

    def filter(self, chance: float, together: Floats, apart: Floats, begins: Floats) -> float:
        """The log evidence, if a gap is a cut with this chance; `begins` becomes the filter."""
        from askwise.posteriors.segmentations.filtering import filter_line

        if not len(self.nodes):
            return 0.0
        kept = (1 - chance) ** np.diff(self.nodes, prepend=self.nodes[0])
        return filter_line(kept, self.begin, self.left, together[self.order], apart[self.order], begins)


def cuts_of(cuts: Any, edges: Floats) -> Floats:
    """(S, V - 1) whether each gap is a cut -> (S, C): the cuts in units of mass, padded with ones.

    >>> cuts_of(np.array([[True, False], [True, True]]), np.array([0.0, 0.25, 0.5, 1.0]))
    array([[0.25, 1.  ],
           [0.25, 0.5 ]])
    """
    counts = cuts.sum(axis=1)
    rows, gaps = np.nonzero(cuts)
    found = np.ones((len(cuts), max(int(counts.max(initial=0)), 1)))
    found[rows, np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)] = edges[1 + gaps]
    return found
