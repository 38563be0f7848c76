"""Each kind of move on its own: applied to exact draws of the posterior, it must leave draws of the posterior."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaln

from askwise.posteriors.clusterings.gibbs import (
    SizeTables,
    empty_clusters,
    empty_scratch,
    fill_tables,
    rebuild_statistics,
    sweep,
)
from askwise.posteriors.clusterings.posterior import ClusteringPosterior
from askwise.posteriors.clusterings.split_merge import split_or_merge
from askwise.structures.clusterings import Clusterings, compact
from askwise.types import Answer
from tests.helpers import generator
from tests.posteriors.six_items import ANSWERS, PARTITIONS, POINTS, SCALES, exact, worst_error

DRAWS = 20_000
ITEMS = len(POINTS)


def swept(share):
    """A sweep in which such a share of the must-links may bond: none, some, all."""

    def move(clusters, links, tables, scratch, state):
        sweep(clusters, POINTS, links, share, np.array(SCALES), tables, scratch, state)

    return move


def split_merged(clusters, links, tables, scratch, state):
    split_or_merge(clusters, POINTS, links, np.array(SCALES), tables, scratch, state)


@pytest.mark.parametrize("beta", [0.5, 3.0, 8.0])
@pytest.mark.parametrize(
    "move", [swept(0.0), swept(0.5), swept(1.0), split_merged], ids=["items", "some", "bonds", "divide"]
)
def test_a_move_leaves_the_exact_posterior(move, beta):
    rng = generator(540)
    posterior = ClusteringPosterior.prior(Clusterings(ITEMS), beta, features=POINTS, chains=2, scales=SCALES)
    for i, j, same in ANSWERS:
        posterior = posterior.update(Answer((i, j), same), rng)
    links, expected = posterior._links(), exact(POINTS, ANSWERS, beta)
    draws = PARTITIONS[rng.choice(len(PARTITIONS), DRAWS, p=expected)]
    before = draws.copy()
    tables = SizeTables(np.append(0.0, gammaln(np.arange(1, ITEMS + 2))), np.zeros(ITEMS + 2), np.zeros(ITEMS + 2))
    fill_tables(tables, np.array(SCALES), 2.0)
    state = rng.integers(2**63, size=1).astype(np.uint64)
    clusters, scratch = empty_clusters(ITEMS, 2), empty_scratch(ITEMS, 2, len(ANSWERS))
    for row in draws:
        clusters.labels[:] = row
        rebuild_statistics(clusters, POINTS)
        move(clusters, links, tables, scratch, state)
        row[:] = clusters.labels
    draws = compact(draws)
    assert worst_error(draws, expected) < 4
    assert (draws != before).any(axis=1).sum() > 10  # it does move
