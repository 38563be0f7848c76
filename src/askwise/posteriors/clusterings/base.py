"""What all models of clusterings share: chains that answers move on, each of which gives a draw."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.random import Generator

from askwise.errors import AnswerError
from askwise.losses import zero_one
from askwise.posteriors.chains import by_chain
from askwise.structures.clusterings import Clusterings
from askwise.types import Answer, Floats, Ints, Sample

if TYPE_CHECKING:
    from askwise.posteriors.clusterings.gibbs import PairLinks

BURN_IN_SWEEPS = 60
MIN_SWEEPS = 2  # after an answer
MIN_ITEM_VISITS = 120  # after an answer
MAX_SWEEPS = 32  # after an answer that almost no chain expected
THINNING_SWEEPS = 4  # between two draws of one chain: see `sample`
SPLIT_MERGE_TRIES = 4  # after each sweep


@dataclass(frozen=True, kw_only=True)
class ClusteringChains(ABC):
    """Beliefs about a clustering, as one draw a chain. A model adds how its chains move."""

    loss = zero_one

    family: Clusterings  # whose clusterings are possible
    beta: float  # what a wrong answer costs
    features: Floats  # (N, D), centred; D may be 0
    log_medians: Floats  # (M,): prior medians of the scales of the model, as logarithms
    log_widths: Floats  # (M,): their prior standard deviations; 0 fixes a scale
    labels: Ints  # (C, N): a clustering a chain
    scales: Floats  # (C, M): the scales of each chain
    pairs: Ints = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))  # (T, 2): what was asked
    same: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # (T,): what was answered
    strengths: Floats = field(default_factory=lambda: np.empty(0))  # (T,): trust in each answer, 1 if people agree
    accepted: float = 0.0  # share of split-merge moves accepted in the last advance
    sweeps: int = BURN_IN_SWEEPS  # of the last advance

    @abstractmethod
    def _advanced(self, sweeps: int, rng: Generator) -> Self:
        """The same beliefs after so many more sweeps of every chain."""

    def update(self, answer: Answer, rng: Generator) -> Self:
        """The beliefs after one more answer: every chain moves on, further after a surprise."""
        pair, same_cluster = self._checked(answer)
        agree = ((self.labels[:, pair[0]] == self.labels[:, pair[1]]) == same_cluster).mean()
        pairs, same, strengths = (
            np.vstack([self.pairs, pair]),
            np.append(self.same, same_cluster),
            np.append(self.strengths, 1.0),
        )
        updated = replace(self, pairs=pairs, same=same, strengths=strengths)
        return updated._advanced(sweeps_for(float(agree), self.family.count), rng)

    def reweighed(self, answers: Sequence[Answer], strengths: Floats, rng: Generator) -> Self:
        """The same answers, each trusted by its strength (T,): the chains move on from where they are."""
        return replace(self, strengths=strengths)._advanced(sweeps_for(1.0, self.family.count), rng)

    def sample(self, count: int, rng: Generator) -> Sample:
        """One draw a chain, as it is. If more draws are wanted than there are chains, all are fresh: the chains move on
        by 4 sweeps as often as needed, and the draws are sorted by chain.

        Two draws of one chain, 4 sweeps apart, had distances to a good estimate that were correlated by .05 at most
        (2 sweeps apart, by up to .18). Sorted by chain, the two halves of a sample come from different chains.
        """
        chains = len(self.labels)
        if count <= chains:
            return Sample(self.labels[:count], np.full(count, 1.0 / count), exact=False, chains=np.arange(count))
        batches, posterior = [], self
        for _ in range(0, count, chains):
            posterior = posterior._advanced(THINNING_SWEEPS, rng)
            batches.append(posterior.labels)
        return by_chain(batches, count)

    def diagnostics(self) -> Mapping[str, float]:
        """What the chains have learned with the clustering, and how they move."""
        alpha, spread, centre_variance = np.exp(np.log(self.scales[:, :3]).mean(axis=0))
        contradicted = (self.labels[:, self.pairs[:, 0]] == self.labels[:, self.pairs[:, 1]]) != (self.same == 1)
        return {
            "accepted_splits": self.accepted,
            "alpha": float(alpha),
            "answers": float(len(self.same)),
            "chains": float(len(self.labels)),
            "clusters": float((self.labels.max(axis=1) + 1).mean()),
            "contradicted": float(contradicted.sum(axis=1).mean()),
            "spread": float(np.sqrt(spread)),
            "spread_of_centres": float(np.sqrt(centre_variance)),
            "sweeps": float(self.sweeps),
        }

    def _links(self) -> PairLinks:
        from askwise.posteriors.clusterings.gibbs import PairLinks

        items = np.concatenate([self.pairs[:, 0], self.pairs[:, 1]])
        order = np.argsort(items, kind="stable")
        start = np.searchsorted(items[order], np.arange(self.family.count + 1))
        near = np.concatenate([self.pairs[:, 1], self.pairs[:, 0]])[order]
        first, second = np.ascontiguousarray(self.pairs.T)
        number = order % max(len(self.same), 1)
        cost = self.beta * self.strengths
        return PairLinks(first, second, self.same, start, near, self.same[number], number, cost, -np.expm1(-cost))

    def _checked(self, answer: Answer) -> tuple[Ints, int]:
        pair = np.asarray(answer.atom)
        if pair.shape != (2,) or pair.dtype.kind not in "iu" or len({*pair.tolist()} & {*range(self.family.count)}) < 2:
            raise AnswerError(
                f"an answer is about two different items from 0 to {self.family.count - 1}; got {answer.atom!r}"
            )
        if answer.response not in (0, 1):
            raise AnswerError(f"a response is 1 (same) or 0 (different); got {answer.response!r}")
        return pair.astype(np.int64), int(answer.response)


def sweeps_for(agree: float, count: int) -> int:
    """Sweeps after an answer that a share `agree` of the chains expected: from 2, and 120 visits to items, up to 32.

    A few items are visited quickly, and answers tie them up most. Surprises are rare, so they cost little on average.

    >>> [sweeps_for(agree, 150) for agree in (0.9, 0.5, 0.2, 0.0)], sweeps_for(0.9, 6)
    ([2, 2, 10, 32], 20)
    """
    usual = max(MIN_SWEEPS, -(-MIN_ITEM_VISITS // count))
    return usual if agree >= 0.5 else max(usual, min(ceil(2.0 / max(agree, 1e-9)), MAX_SWEEPS))
