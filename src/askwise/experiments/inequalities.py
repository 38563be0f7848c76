"""The other inequalities of the proofs, each computed exactly in random small cases.

A trial gives the largest ratio of what happened to what is allowed, as in `splitting`.
"""

from __future__ import annotations

from itertools import product
from math import ceil, comb, exp, inf, log

import numpy as np
from numpy.random import Generator

from askwise.experiments.guarantees import GuaranteeCheck, check_share
from askwise.experiments.lemmas import Check
from askwise.experiments.splitting import Trial, check_trials
from askwise.theory import graph_dimension, log_odds_bound, log_patterns, posterior_distance
from askwise.types import Bools, Floats, Ints

SHRINK = 15**-0.5  # c_o of the subspace lemma: the share of a small angle that many dimensions keep
POINTS = 12  # of the line


def largest_family(responses: int, atoms: int, dimension: int, rng: Generator) -> Ints:
    """(G, A): a family of this graph dimension to which no structure can be added; they are tried in random order.

    >>> len(largest_family(3, 2, 1, np.random.default_rng(0)))
    5
    """
    rows: list[tuple[int, ...]] = []
    everything = list(product(range(responses), repeat=atoms))
    for place in rng.permutation(len(everything)):
        tried = [*rows, everything[place]]
        if graph_dimension(tried).at_most <= dimension:
            rows = tried
    return np.array(rows)


def pattern_count(rng: Generator) -> float:
    """The size of a largest family over the number of patterns allowed (generalization of Sauer's lemma)."""
    responses, atoms = int(rng.integers(2, 5)), int(rng.integers(1, 4))
    dimension = int(rng.integers(1, atoms + 1))
    count = len(largest_family(responses, atoms, dimension, rng))
    allowed = sum(comb(atoms, i) * (responses - 1) ** i for i in range(dimension + 1))
    return max(count / allowed, log(count) / log_patterns(dimension, atoms, responses).corrected)


def version_space(rng: Generator) -> float:
    """The probability that the version space is small, over e^-c, for the worst c (Bayesian posterior lower bound)."""
    responses, atoms = int(rng.integers(2, 4)), int(rng.integers(2, 5))
    table = rng.integers(responses, size=(int(rng.integers(2, 20)), atoms))
    prior = rng.dirichlet(np.full(len(table), rng.choice([0.2, 1.0])))
    seen = table[:, : int(rng.integers(1, atoms + 1))]
    dimension = max(1, graph_dimension(table).at_most)
    return tail_ratio(prior, seen, log_patterns(dimension, seen.shape[1], responses).corrected)


def tail_ratio(prior: Floats, seen: Ints, patterns: float) -> float:
    """The largest ratio of the probability that log 1 / mass >= c + patterns to e^-c, over all c above 0."""
    _, cell = np.unique(seen, axis=0, return_inverse=True)
    mass = np.bincount(cell.ravel(), prior)  # of the version space of each pattern of answers
    # the ratio is largest where the probability jumps, or at c = 0
    levels = np.minimum(np.exp(-patterns), mass)
    tails = [float(mass[mass <= level * (1 + 1e-12)].sum() / level) for level in levels if level > 0]
    return max(tails) * exp(-patterns)


def printed_version_space_fails() -> float:
    """The ratio for all 256 binary structures on eight atoms, of which one was seen: above 1.

    >>> printed_version_space_fails() > 1.5
    True
    """
    table = np.array(list(product(range(2), repeat=8)))
    return tail_ratio(np.full(256, 1 / 256), table[:, :1], log_patterns(8, 1, 2).printed)


def posterior_distances(rng: Generator) -> float:
    """The mean distance between a draw and the truth over closeness^2 avg-diam, after random answers with noise (eq.
    diameter bounds posterior distance)."""
    size = int(rng.integers(2, 6))
    upper = np.triu(rng.random((size, size)), 1)
    distances, prior = upper + upper.T, rng.dirichlet(np.ones(size))
    nature = prior * np.exp(rng.uniform(-1, 1, size))
    nature /= nature.sum()
    closeness = float(max((nature / prior).max(), (prior / nature).max()))
    likelihood = np.exp(-rng.choice([0.1, 1.0, 10.0]) * rng.random(size))
    left, right = prior * likelihood / (prior @ likelihood), nature * likelihood / (nature @ likelihood)
    allowed = posterior_distance(float(left @ distances @ left), closeness).corrected
    return float(left @ distances @ right) / allowed


def chernoff(rng: Generator) -> float:
    """The tail of a sum of coin flips over the bound, both sides (multiplicative Chernoff bound)."""
    from scipy.stats import binom

    count, chance, beta = int(rng.integers(1, 200)), rng.uniform(0.01, 0.99), rng.uniform(0.01, 0.99)
    mean = count * chance
    low = binom.cdf(np.floor((1 - beta) * mean + 1e-9), count, chance) / exp(-(beta**2) * mean / 2)
    high = binom.sf(np.ceil((1 + beta) * mean - 1e-9) - 1, count, chance) / exp(-(beta**2) * mean / 3)
    return float(max(low, high))


def log_odds(rng: Generator, corrected: bool = True) -> float:
    """The probability that wrong answers cost more than the bound, over delta (concentration of log-odds)."""
    noise = np.minimum(rng.random(int(rng.integers(1, 11))) ** rng.choice([1, 3]) / 2 + 1e-6, 0.5)
    delta = rng.uniform(0.01, 0.99)
    wrong = np.array(list(product((0, 1), repeat=len(noise))))
    chances = np.where(wrong, noise, 1 - noise).prod(axis=1)
    cost = wrong @ np.log((1 - noise) / noise)
    return float(chances[cost > log_odds_bound(noise.tolist(), delta)[corrected]].sum() / delta)


def cluster_splitting(rng: Generator) -> float:
    """alpha epsilon over the share of pairs of points that 1/4-split random pairs of clusterings at least epsilon apart
    under d_I (cluster identification index, before it is averaged)."""
    start, end = np.sort(rng.choice(np.arange(1, POINTS), 2, replace=False))  # the known points are start, ..., end - 1
    step = int(rng.integers(1, 4))
    epsilon, alpha = 2 * step / POINTS, (end - start) / POINTS
    inner = np.zeros(POINTS + 1, dtype=bool)
    inner[start + 1 : end] = True
    pairs: list[tuple[Bools, Bools]] = []
    wanted = int(rng.integers(1, 7))
    for _ in range(60):
        cuts = (rng.random((2, POINTS + 1)) < rng.choice([0.1, 0.3, 0.6])) & ~inner
        same = [together(cut) for cut in cuts]
        if (same[0][start] != same[1][start]).mean() >= epsilon and len(pairs) < wanted:
            pairs.append((same[0], same[1]))
    if not pairs:
        return 0.0
    both = [sum(((left == y) & (right == y)).astype(int) for left, right in pairs) for y in (True, False)]
    good = np.maximum(*both) <= 0.75 * len(pairs)
    return float(alpha * epsilon / good.mean()) if good.any() else inf


def together(cuts: Bools) -> Bools:
    """(P + 1,) -> (P, P): which points are in the same interval, if cut i lies just before point i.

    >>> together(np.array([False, False, True, False])).astype(int).tolist()
    [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    """
    interval = np.cumsum(cuts[:-1])
    return np.asarray(interval[:, None] == interval[None])


TRIALS: dict[str, tuple[Trial, int]] = {  # how many times fewer trials than of the cheap ones
    "patterns of answers": (pattern_count, 20),
    "version space": (version_space, 1),
    "distance to the truth": (posterior_distances, 1),
    "Chernoff bound": (chernoff, 1),
    "log-odds, printed": (lambda rng: log_odds(rng, corrected=False), 1),
    "log-odds": (log_odds, 1),
    "cluster identification, splitting": (cluster_splitting, 1),
}


def check_inequalities(count: int = 1000, seed: int = 0) -> list[Check]:
    """Every inequality; the slow ones in fewer cases."""
    return [check_trials(name, trial, ceil(count / less), seed) for name, (trial, less) in TRIALS.items()]


def subspace(runs: int, rng: Generator, dimension: int = 100, angle: float = 0.01) -> GuaranteeCheck:
    """How often a random plane keeps a share 1 / sqrt(15) of an angle (subspace lemma).

    In many dimensions a small angle becomes |N| / R of itself, with N normal and R Rayleigh. Three times in four this
    is above 1 / sqrt(15) = .258. Fewer dimensions and larger angles keep more.

    >>> subspace(2000, np.random.default_rng(0), dimension=3).kept > 1500
    True
    """
    planes, _ = np.linalg.qr(rng.standard_normal((runs, dimension, 2)))
    left = planes[:, 0]
    right = np.cos(angle) * planes[:, 0] + np.sin(angle) * planes[:, 1]
    cross = np.abs(left[:, 0] * right[:, 1] - left[:, 1] * right[:, 0])
    found = np.arctan2(cross, np.einsum("rd,rd->r", left, right))
    kept = int((found >= SHRINK * angle).sum())
    return check_share(f"subspace lemma, {dimension} dimensions, angle {angle}", kept, runs, 0.75)
