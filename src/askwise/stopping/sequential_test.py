"""Stop once the average diameter is below epsilon: a sequential test by betting, with confidence over all rounds.

Bettors bet against "the mean distance is epsilon or more", pair of draws by pair, each a fixed share of their wealth.
If the claim were true, their mean wealth would reach 1 / delta with probability delta at most (Ville 1939; Waudby-Smith
and Ramdas 2024).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log

import numpy as np
from numpy.random import Generator

from askwise.distances import form_of
from askwise.options import number
from askwise.posteriors import Posterior
from askwise.posteriors.chains import independent_draws, pairs
from askwise.problem import Problem
from askwise.stopping.rule import StopReason
from askwise.strategies.split import average_diameter
from askwise.types import Floats, Ints, Sample

MIN_PAIRS_PER_DRAW = 128
MAX_PAIRS_PER_DRAW = 1024
FUTILITY_STANDARD_ERRORS = 3  # by which the draws at hand must miss the target for the test to be left out
RETRY_STANDARD_ERRORS = 2  # by which fresh pairs must miss it for the test to be given up
UNSEEN_PAIRS = 3  # of n, that may be unlike all n seen: more is less likely than .05
MAX_CHAIN_SHARE = 0.75  # of the target, up to which chains are drawn from
BETS = np.array([0.1, 0.3, 0.6, 0.95])  # shares of the wealth: large ones win where no distance is large
MIN_LEVEL = 1e-300  # of epsilon and delta: below, there are more pairs of draws than can be counted
MAX_CLOSENESS = 1e100  # beyond, its square is too large to divide by
MIN_DRAWS_FOR_ERROR = 30  # with fewer, their pairs say nothing about their own error


@dataclass(frozen=True)
class DiameterBelow:
    """Stop once the average diameter is below `epsilon`.

    The test stops too soon, in any round of a session, with probability `delta` at most. For independent draws this is
    a proof. Pairs of draws of chains are not independent: they count for what the spread of the chains' means says they
    are worth, which is an estimate.

    The test is left out or given up where the draws leave little hope. It may then miss a round in which it would have
    stopped, and one more question is asked. At half of epsilon that happened in fewer than one round of a hundred (see
    the tests). It takes at most the paper's (48 / eps) ln(t (t + 1) / delta) pairs.

    `closeness` (at least 1) is how far the prior may be from the truth's own distribution: epsilon shrinks by its
    square.

    >>> DiameterBelow(0.1, delta=0.05).pairs(100)
    5864
    """

    epsilon: float  # the average diameter below which it stops, above 0 and at most 1
    delta: float = 0.05  # the largest risk to stop too early
    closeness: float = 1.0  # how many times likelier or less likely than the prior says the truth may be

    def __post_init__(self) -> None:
        epsilon, delta = (
            number("epsilon", self.epsilon, above=0, at_most=1),
            number("delta", self.delta, above=0, below=1),
        )
        object.__setattr__(self, "epsilon", number("epsilon", epsilon, at_least=MIN_LEVEL))
        object.__setattr__(self, "delta", number("delta", delta, at_least=MIN_LEVEL))
        object.__setattr__(self, "closeness", number("closeness", self.closeness, at_least=1, at_most=MAX_CLOSENESS))

    @property
    def target(self) -> float:
        """Epsilon over the square of the closeness."""
        return self.epsilon / self.closeness**2

    def pairs(self, round: int) -> int:
        """n_t = (48 / eps) ln(t (t + 1) / delta).

        :param round: t, from 1.
        """
        return ceil(48 / self.target * log(round * (round + 1) / self.delta))

    def __call__(
        self, problem: Problem, posterior: Posterior, sample: Sample, answers: int, round: int, rng: Generator
    ) -> StopReason | None:
        reason = f"undecided is below {self.target:.3g}"
        if sample.exact:
            diameter = average_diameter(form_of(problem.distance, sample.structures), sample.weights, exact=True)
            return StopReason(reason, "settled") if diameter <= self.target else None
        required = log(round * (round + 1) / self.delta)
        total = self.pairs(round) // (2 if sample.chains is None else 1)  # pairs of chains are worth less
        at_hand = pair_distances(problem, sample)
        if self._futile(at_hand, total, required, FUTILITY_STANDARD_ERRORS) or self._far_above(problem, sample):
            return None
        seen = at_hand[:total] if sample.chains is None else at_hand[:0]  # independent draws are the first of the test
        wealth = log_wealth(seen.values, self.target)
        while not wealth.max(initial=0.0) * seen.share() >= required:  # also if NaN
            if len(seen) and self._futile(seen, total, required, RETRY_STANDARD_ERRORS):
                return None
            size = min(self._missing_pairs(seen, wealth, required), total - len(seen))
            fresh = pair_distances(problem, posterior.sample(2 * size, rng)) if size else seen[:0]
            if not len(fresh):
                return None  # all pairs are used up, or the posterior gives no draws
            seen += fresh
            wealth = log_wealth(seen.values, self.target)
        return StopReason(f"{reason} with confidence {100 * (1 - self.delta):.6g} %", "settled")

    def _missing_pairs(self, seen: PairDistances, wealth: Floats, required: float) -> int:
        """How many more pairs will about suffice; at most as many as were seen, which may tell too little."""
        if not len(seen):
            return MIN_PAIRS_PER_DRAW
        growth = expected_growth(seen.values, self.target)
        missing = (required / seen.share() - float(wealth[-1])) / growth if growth > 0 else np.inf
        return int(max(min(missing, len(seen), MAX_PAIRS_PER_DRAW), MIN_PAIRS_PER_DRAW))

    def _futile(self, seen: PairDistances, total: int, required: float, errors: float) -> bool:
        """True if `total` such distances hardly suffice, even if these are too large by `errors` standard errors."""
        share, values = seen.share(), seen.values
        worth = share * len(values)
        # a few draws that happen to be alike have no variance, which must not rule the test out: others may be 0
        too_large = errors * values.std() / np.sqrt(worth) + UNSEEN_PAIRS / worth * values.mean()
        if values.mean() - too_large > self._hopeless(seen.chains):
            return True
        return share * total * expected_growth(values, self.target + too_large) < required + log(len(BETS))

    def _hopeless(self, chains: Ints | None) -> float:
        """The diameter above which the test is not tried. Draws of chains take long: below the target by less than a
        quarter, which the paper's test does not pass either, they would be too many."""
        return self.target if chains is None else MAX_CHAIN_SHARE * self.target

    def _far_above(self, problem: Problem, sample: Sample) -> bool:
        """True if all pairs of the draws rule it out: a few chains say more so than in disjoint pairs."""
        count = len(sample.weights)
        if count < MIN_DRAWS_FOR_ERROR:
            return False
        means = form_of(problem.distance, sample.structures).apply(sample.weights) * count / (count - 1)
        # the error of a mean over all pairs comes from its rows: twice their own (Hoeffding 1948)
        error = FUTILITY_STANDARD_ERRORS * 2 * means.std() / np.sqrt(count)
        return bool(means.mean() - error > self._hopeless(sample.chains))


def log_wealth(values: Floats, level: float) -> Floats:
    """(n,) -> (n,): the log of the wealth after each value, from betting that the mean is below `level`.

    The mean wealth of bettors who start with equal shares; none can lose everything. If the mean of independent values
    in [0, 1] is `level` or more, the wealth ever reaches 1 / delta with probability delta at most.

    >>> [round(float(log_wealth(np.full(300, value), 0.05)[-1]), 1) for value in (0.02, 0.05)]
    [7.1, 0.0]
    """
    wealths = np.cumsum(np.log1p(BETS[:, None] * (level - values)), axis=1)
    top = wealths.max(axis=0)
    return np.asarray(top + np.log(np.exp(wealths - top).mean(axis=0)))


def expected_growth(values: Floats, level: float) -> float:
    """How much another such value adds to the log wealth of the bettor who does best.

    >>> steady, varied = np.full(100, 0.02), np.repeat([0.0, 1.0], [98, 2])
    >>> expected_growth(steady, 0.05) > expected_growth(varied, 0.05) > 0
    True
    """
    return float(np.log1p(BETS[:, None] * (level - values)).mean(axis=1).max())


@dataclass(frozen=True)
class PairDistances:
    """Distances of disjoint pairs of draws.

    >>> PairDistances(np.array([0.0, 1.0, 0.0, 1.0]), np.array([0, 0, 1, 1])).share()
    1.0
    """

    values: Floats  # (K,)
    chains: Ints | None  # (K,): the first chain of each pair; None: all pairs are independent

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, part: slice) -> PairDistances:
        return PairDistances(self.values[part], None if self.chains is None else self.chains[part])

    def __add__(self, more: PairDistances) -> PairDistances:
        if self.chains is None or more.chains is None:
            return PairDistances(np.append(self.values, more.values), None)
        return PairDistances(np.append(self.values, more.values), np.append(self.chains, more.chains))

    def share(self) -> float:
        """How many independent pairs each pair is worth."""
        return independent_draws(self.values, self.chains) / len(self) if len(self) else 1.0


def pair_distances(problem: Problem, sample: Sample) -> PairDistances:
    """The distances of disjoint pairs of a sample, of different chains where it comes from chains.

    >>> from askwise.distances import TableDistance
    >>> from askwise.structures.finite import Finite
    >>> problem = Problem(Finite([[0], [1]]), TableDistance(1.0 - np.eye(2)))
    >>> pair_distances(problem, Sample(np.array([0, 0, 1, 0]), np.full(4, 0.25), exact=False)).values
    array([1., 0.])
    """
    left, right = pairs(sample)
    values = problem.distance.paired(sample.structures[left], sample.structures[right])
    return PairDistances(values, None if sample.chains is None else sample.chains[left])
