"""Clusters that are round clouds: a Chinese-restaurant process with Gaussian clusters, sampled by many warm chains.

Items fall into clusters by a Chinese-restaurant process with concentration alpha. Rows of features, if there are any,
have variance s2 around the centre of their cluster, and centres have variance t2 around the mean of all; the centres
are integrated out. All three scales are unknown: each has a wide log-normal prior and is sampled with the clustering.
A clustering that contradicts an answer pays beta (0-1 loss).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.options import LARGEST_SEED, number, whole_number
from askwise.posteriors.clusterings.base import BURN_IN_SWEEPS, SPLIT_MERGE_TRIES, ClusteringChains
from askwise.posteriors.clusterings.rows import MAX_COMPONENTS, feature_rows
from askwise.structures.clusterings import Clusterings, compact

LOG_SCALE_WIDTHS = (1.0, 1.0, 1.0)  # standard deviation of log alpha, log s2, log t2 in the prior


@dataclass(frozen=True, kw_only=True)
class ClusteringPosterior(ClusteringChains):
    """Beliefs about a clustering into round clouds, as one draw a chain. The scales are alpha, s2 and t2.

    >>> from askwise.types import Answer
    >>> family = Clusterings(4)
    >>> prior = ClusteringPosterior.prior(family, beta=3.0, features=[[0.0], [0.1], [5.0], [5.1]])
    >>> posterior = prior.update(Answer((0, 1), 1), np.random.default_rng(0))
    >>> posterior.sample(64, np.random.default_rng(0)).structures.shape
    (64, 4)
    """

    trust: float = 1.0  # the power of the features' likelihood

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

        :param family: Whose clusterings are possible.
        :param beta: What a wrong answer costs.
        :param features: The features of the items, `(N, D)`.
        :param similarity: How similar items are, `(N, N)`, in place of features.
        :param chains: How many chains hold the beliefs.
        :param components: How many principal axes of the features are kept at most.
        :param trust: The power of the features' likelihood.
        :param scales: alpha, s2 and t2; None learns them.
        :param seed: Where the chains start.
        """
        beta = number("beta", beta, above=0)
        chains = whole_number("chains", chains, at_least=2)
        if scales is not None:
            alpha, s2, t2 = (number("scales", scale, above=0) for scale in scales)
            scales = (alpha, s2, t2)
        trust = number("trust", trust, above=0, at_most=1)
        seed = whole_number("seed", seed, at_least=0, at_most=LARGEST_SEED)
        rows = feature_rows(family.count, features, similarity, components)
        variance = float((rows**2).mean()) if rows.size else 1.0
        medians = (1.0, 0.3 * variance, variance) if scales is None else scales
        log_widths = np.array(LOG_SCALE_WIDTHS) if scales is None else np.zeros(3)
        rng = np.random.default_rng([seed, family.count])
        start = rng.integers(min(8, family.count), size=(chains, family.count))  # not all alike: chains should differ
        made = ClusteringPosterior(
            family=family,
            beta=beta,
            features=rows,
            log_medians=np.log(medians),
            log_widths=log_widths,
            labels=start,
            scales=np.tile(np.array(medians), (chains, 1)),
            trust=trust,
        )
        return made._advanced(BURN_IN_SWEEPS, rng)

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
