"""Stopping where draws come from chains that repeat themselves: they count for what they are worth."""

from __future__ import annotations

import numpy as np
import pytest

from askwise.stopping import DiameterBelow
from tests.helpers import generator
from tests.stopping.test_sequential_test import DELTA, EPSILON, PROBLEM, Chained, believing


class Sticky(Chained):
    stay = 0.5


class Blind(Sticky):
    """The same chains, counted as if every draw were one of its own: what the tests below must notice."""

    def sample(self, count, rng):
        return super().sample(count, rng)._replace(chains=None)


@pytest.mark.parametrize("round", [1, 10])
def test_chains_that_repeat_themselves_do_not_stop_too_soon(round):
    """At 1.02 epsilon, with chains that stay in half of their steps: no more often than the round's share of delta."""
    rule, runs, stopped = DiameterBelow(EPSILON, DELTA), 150, dict.fromkeys((Sticky, Blind), 0)
    for kind in stopped:
        for run in range(runs):
            posterior, rng = kind(believing(1.02 * EPSILON).weights, generator(216, run)), generator(217, run, round)
            stopped[kind] += rule(PROBLEM, posterior, posterior.sample(64, rng), 0, round, rng) is not None
    share = DELTA / round / (round + 1)
    allowed = share * runs + 3 * np.sqrt(share * runs)
    assert stopped[Sticky] <= allowed
    assert stopped[Sticky] < stopped[Blind]


def test_chains_that_repeat_themselves_stop_in_the_end():
    rule, stopped = DiameterBelow(EPSILON, DELTA), 0
    for run in range(50):
        posterior, rng = Sticky(believing(0.3 * EPSILON).weights, generator(218, run)), generator(219, run)
        stopped += rule(PROBLEM, posterior, posterior.sample(64, rng), 0, 5, rng) is not None
    assert stopped > 45
