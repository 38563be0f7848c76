"""The posterior of clusterings: a Chinese-restaurant process with Gaussian clusters, sampled by many warm chains.

Items fall into clusters by a Chinese-restaurant process with concentration alpha. Rows of features, if there are any,
have variance s2 around the centre of their cluster, and centres have variance t2 around the mean of all; the centres
are integrated out. All three scales are unknown: each has a wide log-normal prior and is sampled with the clustering.
A clustering that contradicts an answer pays beta (0-1 loss).

Features of many dimensions are first projected on their leading principal axes: with spherical clusters, hundreds of
columns would drown any answer. A similarity matrix becomes features by classical scaling (its leading eigenvectors).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from askwise.errors import AnswerError, DataError, SettingError
from askwise.losses import zero_one
from askwise.options import LARGEST_SEED, number, numbers, whole_number
from askwise.posteriors.chains import by_chain
from askwise.structures.clusterings import Clusterings, compact
from askwise.types import Answer, Floats, Ints, Sample

if TYPE_CHECKING:
    from askwise.posteriors.clusterings.gibbs import PairLinks

MAX_COMPONENTS = 8  # principal axes of the features
BURN_IN_SWEEPS = 60
MIN_SWEEPS = 2  # after an answer
MIN_ITEM_VISITS = 120  # after an answer
MAX_SWEEPS = 32  # after an answer that almost no chain expected
THINNING_SWEEPS = 4  # between two draws of one chain: see `sample`
SPLIT_MERGE_TRIES = 4  # after each sweep
MAX_FEATURE = 1e100  # its square and that of its inverse are still numbers
LOG_SCALE_WIDTHS = (1.0, 1.0, 1.0)  # standard deviation of log alpha, log s2, log t2 in the prior


@dataclass(frozen=True)
class ClusteringPosterior:
    """Beliefs about a clustering, as one draw a chain.

    >>> family = Clusterings(4)
    >>> prior = ClusteringPosterior.prior(family, beta=3.0, features=[[0.0], [0.1], [5.0], [5.1]])
    >>> posterior = prior.update(Answer((0, 1), 1), np.random.default_rng(0))
    >>> posterior.sample(64, np.random.default_rng(0)).structures.shape
    (64, 4)
    """

    loss = zero_one

    family: Clusterings
    beta: float
    features: Floats  # (N, D), centred; D may be 0
    log_medians: Floats  # (3,): prior medians of alpha, s2, t2, as logarithms
    log_widths: Floats  # (3,): their prior standard deviations; 0 fixes a scale
    labels: Ints  # (C, N): a clustering a chain
    scales: Floats  # (C, 3): alpha, s2, t2 of each chain
    pairs: Ints  # (T, 2): what was asked
    same: Ints  # (T,): what was answered
    strengths: Floats  # (T,): how far each answer is trusted, 1 unless people turned out to differ
    trust: float = 1.0  # the power of the features' likelihood
    accepted: float = 0.0  # share of split-merge moves accepted in the last advance
    sweeps: int = BURN_IN_SWEEPS  # of the last advance

    @staticmethod
    def prior(
        family: Clusterings,
        beta: float,
        *,
        features: Any = None,
        similarity: Any = None,
        chains: int = 64,
        components: int = MAX_COMPONENTS,
        trust: float = 1.0,
        scales: tuple[float, float, float] | None = None,
        seed: int = 0,
    ) -> ClusteringPosterior:
        """Beliefs before any answer, held by `chains` chains, which start from `seed`.

        A wrong answer costs `beta`. Items may have `features` (N, D), of which at most `components` principal axes are
        kept, or a `similarity` (N, N). `trust` below 1 takes the features' likelihood to that power, for groups that
        are not round clouds. `scales` fixes alpha, s2 and t2; None learns them.
        """
        beta = number("beta", beta, above=0)
        chains = whole_number("chains", chains, at_least=2)
        if scales is not None:
            alpha, s2, t2 = (number("scales", scale, above=0) for scale in scales)
            scales = (alpha, s2, t2)
        trust = number("trust", trust, above=0, at_most=1)
        seed = whole_number("seed", seed, at_least=0, at_most=LARGEST_SEED)
        rows = _feature_rows(family.count, features, similarity, components)
        variance = float((rows**2).mean()) if rows.size else 1.0
        medians = (1.0, 0.3 * variance, variance) if scales is None else scales
        log_widths = np.array(LOG_SCALE_WIDTHS) if scales is None else np.zeros(3)
        rng = np.random.default_rng([seed, family.count])
        start = rng.integers(min(8, family.count), size=(chains, family.count))  # not all alike: chains should differ
        nothing = np.empty((0, 2), dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0)
        tiled = np.tile(np.array(medians), (chains, 1))
        made = ClusteringPosterior(family, beta, rows, np.log(medians), log_widths, start, tiled, *nothing, trust=trust)
        return made._advanced(BURN_IN_SWEEPS, rng)

    def update(self, answer: Answer, rng: Generator) -> ClusteringPosterior:
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

    def reweighed(self, answers: Sequence[Answer], strengths: Floats, rng: Generator) -> ClusteringPosterior:
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
        alpha, spread, centre_variance = np.exp(np.log(self.scales).mean(axis=0))
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

    def _advanced(self, sweeps: int, rng: Generator) -> ClusteringPosterior:
        from scipy.special import gammaln

        from askwise.posteriors.clusterings.chains import ClusteringModel, advance  # loads numba

        labels, scales = self.labels.astype(np.int64), self.scales.copy()
        seeds = rng.integers(2**64, size=len(labels), dtype=np.uint64)
        gamma = np.append(0.0, gammaln(np.arange(1, self.family.count + 2)))
        weight = self.trust * self.features.shape[1]  # a power of the likelihood: fewer dimensions, shorter rows
        rows = np.sqrt(self.trust) * self.features
        model = ClusteringModel(rows, self._links(), self.log_medians, self.log_widths, gamma, weight)
        accepted = advance(labels, scales, seeds, model, sweeps, SPLIT_MERGE_TRIES)
        share = accepted / max(len(labels) * sweeps * SPLIT_MERGE_TRIES, 1)
        return replace(self, labels=compact(labels), scales=scales, accepted=share, sweeps=sweeps)

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


def _feature_rows(count: int, features: Any, similarity: Any, components: int) -> Floats:
    """(N, D): the centred features to cluster by, in at most `components` dimensions; (N, 0) if there are none."""
    if features is not None and similarity is not None:
        raise SettingError("give features or a similarity matrix, not both")
    components = whole_number("components", components, at_least=1)
    if similarity is not None:
        return classical_scaling(similarity, count, components)
    rows: Floats = np.empty((count, 0)) if features is None else numbers("features", features, "rows of numbers")
    if rows.ndim != 2 or len(rows) != count or not np.isfinite(rows).all():
        raise DataError(f"features must be {count} rows of finite numbers, one an item; got shape {rows.shape}")
    if not rows.shape[1]:
        return rows
    largest = np.abs(rows).max()
    if largest > MAX_FEATURE:
        raise DataError(f"features must lie from -{MAX_FEATURE:g} to {MAX_FEATURE:g}, got {largest:g}")
    rows -= rows.mean(axis=0)
    if rows.shape[1] > components:
        left, lengths, _ = np.linalg.svd(rows, full_matrices=False)
        rows = left[:, :components] * lengths[:components]
    return np.ascontiguousarray(rows[:, np.abs(rows).max(axis=0) > 1 / MAX_FEATURE])


def classical_scaling(similarity: Any, count: int, components: int = MAX_COMPONENTS) -> Floats:
    """Classical scaling: rows whose inner products are closest to a symmetric similarity matrix, doubly centred.

    >>> classical_scaling([[1.0, 0.0], [0.0, 1.0]], 2).round(3).tolist() in ([[0.707], [-0.707]], [[-0.707], [0.707]])
    True
    """
    matrix: Floats = numbers("similarity", similarity, "a symmetric matrix of numbers, one row an item")
    if matrix.shape != (count, count) or not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T):
        raise DataError(
            f"similarity must be a symmetric matrix of finite numbers, {count} by {count}; got shape {matrix.shape}"
        )
    centred = matrix - matrix.mean(axis=0) - matrix.mean(axis=1)[:, None] + matrix.mean()
    values, vectors = np.linalg.eigh((centred + centred.T) / 2)
    kept = np.argsort(-values)[:components]
    kept = kept[values[kept] > 1e-9 * max(values.max(), 1e-300)]
    return np.ascontiguousarray(vectors[:, kept] * np.sqrt(values[kept]))
