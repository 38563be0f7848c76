"""Groups made of clouds: features decide the clouds, answers decide which of them belong together.

Items fall into clouds by a Chinese-restaurant process, and rows of features are normal around the centre of their
cloud, as in `ClusteringPosterior`. The groups that answers are about are not the clouds. Every cloud has its own shares
of the groups, drawn around common shares: a hierarchical Dirichlet process (Teh, Jordan, Beal and Blei 2006), that is,
two nested Chinese-restaurant processes. Its parameter, the mixing, says how far features inform the groups. Near 0,
every cloud belongs to one group, and groups are unions of clouds, of any shape. If it is large, clouds say nothing. It
is learned with everything else, and only from answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.options import LARGEST_SEED, number, whole_number
from askwise.posteriors.clusterings.base import BURN_IN_SWEEPS, SPLIT_MERGE_TRIES, ClusteringChains
from askwise.posteriors.clusterings.posterior import LOG_SCALE_WIDTHS, ClusteringPosterior
from askwise.posteriors.clusterings.rows import MAX_COMPONENTS, feature_rows
from askwise.structures.clusterings import Clusterings, compact
from askwise.types import Floats, Ints

MAX_CLOUD_COMPONENTS = 16  # principal axes of the features: clouds follow them better than round groups would
MIXING = 3  # its place among the scales
LOG_MIXINGS = np.arange(-8.0, 6.5, 1.0)  # the grid of its logarithm, all alike in the prior
MEDIAN_GROUPS, LOG_GROUPS_WIDTH = 4.0, 1.5  # the concentration of the groups: its prior median, and sd of its logarithm


@dataclass(frozen=True, kw_only=True)
class CloudClusteringPosterior(ClusteringChains):
    """Beliefs about groups made of clouds, as one draw a chain.

    The scales are alpha, s2 and t2 of the clouds, the mixing, and the concentration of the groups.

    >>> from askwise.types import Answer
    >>> family = Clusterings(4)
    >>> prior = CloudClusteringPosterior.prior(family, beta=3.0, features=[[0.0], [0.1], [5.0], [5.1]])
    >>> posterior = prior.update(Answer((0, 2), 1), np.random.default_rng(0))
    >>> posterior.sample(64, np.random.default_rng(0)).structures.shape
    (64, 4)
    """

    clouds: Ints  # (C, N): the cloud of each item
    parts: Ints  # (C, N): items of one cloud that got their group together share a part
    mixings: Floats  # (G,): the grid of the mixing; one value fixes it
    log_mixing_prior: Floats  # (G,)

    @staticmethod
    def prior(
        family: Clusterings,
        beta: float,
        *,
        features: Any = None,
        similarity: Any = None,
        chains: int = 64,
        components: int = MAX_CLOUD_COMPONENTS,
        scales: tuple[float, float, float, float] | None = None,
        mixing: float | None = None,
        seed: int = 0,
    ) -> CloudClusteringPosterior:
        """Beliefs before any answer, held by `chains` chains, which start from `seed`.

        A wrong answer costs `beta`. Items have `features` (N, D), of which at most `components` principal axes are
        kept, or a `similarity` (N, N). `scales` fixes alpha, s2 and t2 of the clouds and the concentration of the
        groups; `mixing` fixes the mixing. None learns them.

        :param family: Whose clusterings are possible.
        :param beta: What a wrong answer costs.
        :param features: The features of the items, `(N, D)`.
        :param similarity: How similar items are, `(N, N)`, in place of features.
        :param chains: How many chains hold the beliefs.
        :param components: How many principal axes of the features are kept at most.
        :param scales: alpha, s2 and t2 of the clouds, and the concentration of the groups; None learns them.
        :param mixing: The mixing; None learns it.
        :param seed: Where the chains start.
        """
        beta = number("beta", beta, above=0)
        chains = whole_number("chains", chains, at_least=2)
        seed = whole_number("seed", seed, at_least=0, at_most=LARGEST_SEED)
        rows = feature_rows(family.count, features, similarity, components)
        variance = float((rows**2).mean()) if rows.size else 1.0
        fixed = scales is not None
        alpha, s2, t2, groups = scales if scales is not None else (1.0, 0.3 * variance, variance, MEDIAN_GROUPS)
        medians = [number("scales", scale, above=0) for scale in (alpha, s2, t2)]
        widths = (0.0,) * 5 if fixed else (*LOG_SCALE_WIDTHS, 0.0, LOG_GROUPS_WIDTH)
        grid = LOG_MIXINGS if mixing is None else np.log([number("mixing", mixing, above=0)])
        medians += [float(np.exp(np.median(grid))), number("scales", groups, above=0)]
        rng = np.random.default_rng([seed, family.count])
        start = compact(rng.integers(min(8, family.count), size=(chains, family.count)))  # not all alike
        made = CloudClusteringPosterior(
            family=family,
            beta=beta,
            features=rows,
            log_medians=np.log(medians),
            log_widths=np.array(widths),
            labels=start,
            scales=np.tile(np.array(medians), (chains, 1)),
            clouds=start,
            parts=start,
            mixings=np.exp(grid),
            log_mixing_prior=np.zeros(len(grid)),
        )
        return made._advanced(BURN_IN_SWEEPS, rng)

    def diagnostics(self) -> Mapping[str, float]:
        """What the chains have learned with the clustering, and how they move."""
        more = {
            "clouds": float((self.clouds.max(axis=1) + 1).mean()),
            "mixing": float(np.exp(np.log(self.scales[:, MIXING]).mean())),
        }
        return dict(sorted({**super().diagnostics(), **more}.items()))

    def _advanced(self, sweeps: int, rng: Generator) -> CloudClusteringPosterior:
        from scipy.special import gammaln

        from askwise.posteriors.clusterings.cloud_chains import CloudModel, CloudStates, advance_clouds  # loads numba

        states = CloudStates(
            self.clouds.astype(np.int64), self.parts.astype(np.int64), self.labels.astype(np.int64), self.scales.copy()
        )
        seeds = rng.integers(2**64, size=len(self.labels), dtype=np.uint64)
        sizes = np.arange(self.family.count + 1)
        model = CloudModel(
            self.features,
            self._links(),
            self.log_medians,
            self.log_widths,
            np.append(0.0, gammaln(sizes + 1)),
            self.mixings,
            self.log_mixing_prior,
            gammaln(self.mixings)[:, None] - gammaln(self.mixings[:, None] + sizes),
        )
        accepted = advance_clouds(states, seeds, model, sweeps, SPLIT_MERGE_TRIES)
        return replace(
            self,
            labels=compact(states.groups),
            clouds=compact(states.clouds),
            parts=compact(states.parts),
            scales=states.scales,
            accepted=accepted / max(2 * len(seeds) * sweeps * SPLIT_MERGE_TRIES, 1),
            sweeps=sweeps,
        )


def clustering_prior(
    family: Clusterings,
    beta: float,
    *,
    features: Any = None,
    similarity: Any = None,
    trust: float | None = None,
    chains: int = 64,
    seed: int = 0,
) -> CloudClusteringPosterior | ClusteringPosterior:
    """The beliefs of the goals before any answer: groups made of clouds or, with a fixed `trust`, round clouds.

    The other arguments are those of the two posteriors. Items without features have no clouds.

    :param family: Whose clusterings are possible.
    :param beta: What a wrong answer costs.
    :param features: The features of the items, `(N, D)`.
    :param similarity: How similar items are, `(N, N)`, in place of features.
    :param trust: A fixed trust in the features, with round clouds; None learns it.
    :param chains: How many chains hold the beliefs.
    :param seed: Where the chains start.

    >>> type(clustering_prior(Clusterings(3), 2.0, features=[[0.0], [1.0], [9.0]], chains=2)).__name__
    'CloudClusteringPosterior'
    >>> type(clustering_prior(Clusterings(3), 2.0, chains=2)).__name__
    'ClusteringPosterior'
    """
    if trust is None:
        rows = feature_rows(family.count, features, similarity, MAX_COMPONENTS)
        if rows.shape[1]:
            return CloudClusteringPosterior.prior(
                family, beta, features=features, similarity=similarity, chains=chains, seed=seed
            )
    trust = 1.0 if trust is None else trust
    return ClusteringPosterior.prior(
        family, beta, features=features, similarity=similarity, trust=trust, chains=chains, seed=seed
    )
