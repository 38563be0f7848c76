"""How often the stopping test misses a round, and how often chains that repeat themselves make it stop too soon.

`python -m benchmarks.stopping [--runs 1000]`. Posteriors are simulated, so that the average diameter is known. The
first table counts rounds at half of epsilon that the test should pass but misses, with independent draws. Distances of
0 and 1 vary most; halves vary less. The second table counts rounds just above epsilon in which the test stops although
it should not, with 64 chains that stay where they are in a share of their steps. "in full" counts every pair as an
independent one. The third table says how many independent draws the 4,000 draws of a certificate are worth, for goals
whose posterior consists of chains, after eight answers about six items.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise._runtime.streams import stream
from askwise.distances import TableDistance
from askwise.experiments.guarantees import weights_with_diameter
from askwise.goals import clusters, hierarchy
from askwise.losses import zero_one
from askwise.posteriors.chains import by_chain
from askwise.problem import Problem
from askwise.session import Session
from askwise.stopping import DiameterBelow
from askwise.structures.finite import Finite
from askwise.types import Floats, Sample

SIZE = 40  # structures of the simulated family
DRAWS = 600  # current draws of an independent posterior
CHAINS = 64
MISSES = ((0.05, 1), (0.05, 10), (0.05, 100), (0.2, 100), (0.01, 10))  # epsilon and round
STAYS = (0.5, 0.9)  # shares of steps in which a chain stays
SHARE_ABOVE = 1.02  # the average diameter over epsilon where the test must not stop


class FirstOfPair:
    """Each draw is itself the distance of the pair it comes first in."""

    def paired(self, left: Floats, right: Floats) -> Floats:
        return left

    def pairwise(self, structures: Floats) -> Floats:
        return np.zeros((len(structures),) * 2)


@dataclass(frozen=True)
class Distances:
    """Independent distances: `largest` with a probability that gives them this mean, else 0."""

    mean: float
    largest: float

    def sample(self, count: int, rng: Generator) -> Sample:
        values = self.largest * (rng.random(count) < self.mean / self.largest)
        return Sample(values, np.full(count, 1 / count), exact=False)


@dataclass
class StayingChains:
    """Chains over structures with these weights; at each step a chain stays with probability `stay`."""

    weights: Floats
    stay: float
    counted_in_full: bool
    state: Any

    def sample(self, count: int, rng: Generator) -> Sample:
        at, batches = self.state, []
        for _ in range(0, count, CHAINS):
            moved = rng.choice(SIZE, CHAINS, p=self.weights)
            at = np.where(rng.random(CHAINS) < self.stay, at, moved)
            batches.append(at)
        drawn = by_chain(batches, count)
        return drawn._replace(chains=None) if self.counted_in_full else drawn


def simulated_problem() -> Problem:
    return Problem(Finite(np.arange(SIZE)[:, None] % 2), TableDistance(1.0 - np.eye(SIZE)), zero_one, inf)


def missed_rounds(epsilon: float, turn: int, largest: float, runs: int) -> float:
    """The share of rounds that the test misses although the average diameter is half of epsilon."""
    rule, posterior = DiameterBelow(epsilon), Distances(epsilon / 2, largest)
    problem, missed = replace(simulated_problem(), distance=FirstOfPair()), 0
    for run in range(runs):
        rng = stream(run, turn, f"missed {epsilon} {largest}")
        missed += rule(problem, posterior, posterior.sample(DRAWS, rng), 0, turn, rng) is None  # type: ignore[arg-type]
    return missed / runs


def stopped_too_soon(epsilon: float, level: float, stay: float, in_full: bool, runs: int) -> float:
    """The share of rounds in which the test stops although the average diameter is above epsilon.

    `level` is the probability that a round may spend: with delta = 2 * level, it is that of round 1.
    """
    rule, problem, stopped = DiameterBelow(epsilon, 2 * level), simulated_problem(), 0
    weights = weights_with_diameter(SHARE_ABOVE * epsilon, SIZE)
    for run in range(runs):
        rng = stream(run, 1, f"chains {epsilon} {stay}")
        posterior = StayingChains(weights, stay, in_full, rng.choice(SIZE, CHAINS, p=weights))
        stopped += rule(problem, posterior, posterior.sample(CHAINS, rng), 0, 1, rng) is not None  # type: ignore[arg-type]
    return stopped / runs


def certificate_worth(goal: Callable[..., Session], seed: int) -> int:
    """How many independent draws the draws of a certificate are worth: its assumptions name the number."""
    session = goal(list("abcdef"), seed=seed)
    for _ in range(8):
        session.tell(session.ask().responses[0])
    return int(session.certificate().assumptions[-1].split()[-3])


def print_rows(rows: Iterable[tuple[Any, ...]]) -> None:
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000, help="rounds for each figure")
    runs = parser.parse_args().runs
    print_rows([("epsilon", "round", "missed, distances 0 or 1", "missed, distances 0 or 1/2")])
    for epsilon, turn in MISSES:
        shares = (missed_rounds(epsilon, turn, largest, runs) for largest in (1.0, 0.5))
        print_rows([(epsilon, turn, *(f"{100 * share:.2f} %" for share in shares))])
    print_rows([("epsilon", "level", "chains stay", "stopped too soon", "stopped too soon, in full")])
    for epsilon, level in ((0.2, 0.1), (0.05, 0.00005)):
        for stay in STAYS:
            shares = (stopped_too_soon(epsilon, level, stay, in_full, runs) for in_full in (False, True))
            print_rows([(epsilon, level, stay, *(f"{100 * share:.1f} %" for share in shares))])
    print_rows([("goal", "worth of 4,000 draws, five seeds")])
    for goal in (hierarchy, clusters):
        print_rows([(goal.__name__, ", ".join(str(certificate_worth(goal, seed)) for seed in range(5)))])


if __name__ == "__main__":
    main()
