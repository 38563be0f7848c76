"""SELECT: draw pairs of structures until one atom surely splits them nearly as well as the best one.

The paper's Algorithm 2 halts at a fixed amount of split distance. Here an atom's mean split distance has a lower and an
upper bound that hold at every pair at once (the empirical Bernstein confidence sequence of Waudby-Smith and Ramdas
2023), and it halts as soon as they tell enough. The promise is the same, from fewer pairs. The algorithm as published
is in `askwise.experiments.published_select`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, inf, log

import numpy as np
from numpy.random import Generator

from askwise.errors import SettingError
from askwise.losses import zero_one
from askwise.options import whole_number
from askwise.posteriors import Drawn
from askwise.posteriors.chains import pairs
from askwise.problem import Problem
from askwise.strategies.split import split
from askwise.types import Atoms, Floats, Sample, Scored, Structures

PAIRS_PER_BLOCK = 256  # drawn together
PAIRS_PER_CHECK = 16
MAX_BET = 0.5  # how strongly a bound follows one pair
MAX_PAIRS_FACTOR = 120  # of ln((m + |Y|) / delta) / (alpha^2 split): ten times what Algorithm 2 needs
SHARES_OF_DELTA = 4  # in the paper's theorems: candidates, SELECT, the answers' chance, stopping


@dataclass(frozen=True)
class Select:
    """With probability 1 - delta, an atom whose average split is at least (1 - alpha) times the best candidate's.

    What is promised, for one call: the atom's average split without noise (`askwise.strategies.split`, the 0-1 loss at
    infinite beta) compared with the best of the `atoms`, if the pairs are independent draws of the posterior. Exact
    weights and independent samplers give such pairs. Pairs of chains that continue are not independent: for those
    nothing is proved.

    In a session, question t has delta / (4 t (t + 1)) of `delta` (`for_round`), so that SELECT fails in any of them
    with probability delta / 4 at most, and candidates grow with t (`candidates`). If a share tau of at least
    ln(8 / delta) / candidates of all atoms always rho-average splits the posterior, one of them is among the candidates
    of every question, but for another delta / 4 (if questions may be repeated, or answers have no noise). Then every
    question (1 - alpha) rho-average splits it. The rest of delta is for the answers' chance and for stopping, as in the
    paper's theorems.

    `info` reports the pairs used, and a note if no candidate splits the draws at hand: the plain loop would not end.
    Nothing is promised for such a question.

    >>> Select(alpha=0.5, delta=0.05).for_round(3)
    Select(alpha=0.5, delta=0.00104...)
    """

    alpha: float = 0.5  # how much worse than the best candidate the atom may be, as a share
    delta: float = 0.05  # the probability of failure

    def __post_init__(self) -> None:
        if not (0 < self.alpha < 1 and 0 < self.delta < 1):
            raise SettingError(f"alpha and delta must lie between 0 and 1, got {self.alpha} and {self.delta}")

    def for_round(self, round: int) -> Select:
        """SELECT for question `round` = 1, 2, ... of a session, with its share of delta."""
        round = whole_number("round", round, at_least=1)
        return replace(self, delta=self.delta / (SHARES_OF_DELTA * round * (round + 1)))

    def candidates(self, count: int, round: int) -> int:
        """How many atoms to draw for a question, if `count` are drawn for the first: they grow like ln(t (t + 1)).

        >>> [Select(delta=0.05).candidates(500, round) for round in (1, 10, 100)]
        [500, 895, 1341]
        """
        grown = log(SHARES_OF_DELTA * round * (round + 1) / self.delta) / log(2 * SHARES_OF_DELTA / self.delta)
        return ceil(count * grown - 1e-9)

    def __call__(self, problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
        gain = np.zeros(len(atoms))
        codes = np.asarray(problem.family.responses(problem.family.predict(sample.structures, atoms)))
        scores = split(replace(problem, loss=zero_one, beta=inf), sample, atoms)
        best = float(scores.average_split().max()) * scores.diameter
        if best < 1e-12:
            return Scored(gain, {"pairs": 0, "note": "no candidate question tells what is still plausible apart"})
        most = int(MAX_PAIRS_FACTOR * log((len(atoms) + len(codes)) / self.delta) / (self.alpha**2 * best))
        winner, used = self.halt(removed_by_pairs(problem, _pairs(posterior, sample, rng, most), atoms, codes))
        if winner is None:
            return Scored(gain, {"pairs": used, "note": f"no candidate split enough of {used} pairs to halt"})
        gain[winner] = 1.0
        return Scored(gain, {"pairs": used})

    def halt(self, removed: Iterator[Floats]) -> tuple[int | None, int]:
        """The atom that is surely good enough, and the pairs seen by then, from blocks of `removed` distances
        (B, Y, A).

        Let y be the response under which a bad atom splits least. It is chosen only if its lower bound there is above
        its mean, or if an upper bound of the best atom, under some response, is below its mean. So m + |Y| bounds must
        hold.

        :param removed: Blocks of distances that are split off, `(B, Y, A)` each.
        """
        bounds: Bounds | None = None
        for block in removed:
            if bounds is None:
                bounds = Bounds(block.shape[1:], log((block.shape[2] + block.shape[1]) / self.delta))
            for start in range(0, len(block), PAIRS_PER_CHECK):
                bounds.add(block[start : start + PAIRS_PER_CHECK])
                lower, upper = (side.min(axis=0) for side in bounds.lower_and_upper())
                leader = int(lower.argmax())
                upper[leader] = 0.0
                if lower[leader] > 0 and lower[leader] >= (1 - self.alpha) * upper.max():
                    return leader, bounds.count
        return None, 0 if bounds is None else bounds.count


class Bounds:
    """Bounds on the means of values in [0, 1] that hold at all times: each side of each mean fails with probability
    e^-level at most.

    >>> bounds = Bounds((1,), level=3.0)
    >>> for _ in range(100):
    ...     bounds.add(np.full((16, 1), 0.25))
    >>> [float(side[0].round(3)) for side in bounds.lower_and_upper()]
    [0.246, 0.254]
    """

    def __init__(self, shape: tuple[int, ...], level: float):
        self.level, self.count = level, 0
        self.total, self.squares, self.bet_total, self.bets, self.penalty = (np.zeros(shape) for _ in range(5))

    def add(self, values: Floats) -> None:
        """Takes (B, ...) values; how strongly it bets on them depends on earlier values only."""
        size, before = len(values), self.count + 1
        mean = (0.5 + self.total) / before
        spread = np.maximum(self.squares - self.total**2 / max(self.count, 1), 0.0)
        self.count += size
        scale = (0.25 + spread) / before * self.count * log(1 + self.count)
        bet = np.minimum(np.sqrt(2 * self.level / scale), MAX_BET)
        total, squares = values.sum(axis=0), np.square(values).sum(axis=0)
        self.bet_total += bet * total
        self.bets += size * bet
        self.penalty += (squares - 2 * mean * total + size * mean**2) * (-np.log1p(-bet) - bet)
        self.total += total
        self.squares += squares

    def lower_and_upper(self) -> tuple[Floats, Floats]:
        """The bounds of each mean, from all values so far."""
        middle, width = self.bet_total / self.bets, (self.level + self.penalty) / self.bets
        return middle - width, middle + width


def removed_by_pairs(
    problem: Problem, pairs: Iterator[tuple[Structures, Structures]], atoms: Atoms, codes: Floats
) -> Iterator[Floats]:
    """(B, Y, A) for each block of pairs: the distance of a pair that response y to atom a does not leave together."""
    for left, right in pairs:
        distances = problem.distance.paired(left, right)
        decided = [problem.family.decide(problem.family.predict(side, atoms)) for side in (left, right)]
        alike = np.stack([(decided[0] == y) & (decided[1] == y) for y in codes], axis=1)
        yield distances[:, None, None] * ~alike


def _pairs(posterior: Drawn, sample: Sample, rng: Generator, most: int) -> Iterator[tuple[Structures, Structures]]:
    """Pairs from the posterior, block by block, at least `most` of them; draws of chains are paired across chains."""
    for _ in range(0, most, PAIRS_PER_BLOCK):
        if sample.exact:
            draws = sample.structures[rng.choice(len(sample.weights), 2 * PAIRS_PER_BLOCK, p=sample.weights)]
            yield draws[np.arange(PAIRS_PER_BLOCK)], draws[np.arange(PAIRS_PER_BLOCK, 2 * PAIRS_PER_BLOCK)]
        else:
            fresh = posterior.sample(2 * PAIRS_PER_BLOCK, rng)
            left, right = pairs(fresh)
            yield fresh.structures[left], fresh.structures[right]
