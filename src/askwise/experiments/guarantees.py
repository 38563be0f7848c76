"""The guarantees about probabilities, checked by simulation: how often each is kept, with a confidence interval.

Families are random tables of answers with random distances and a random prior, so every average is known exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from askwise._runtime.streams import stream
from askwise.distances import TableDistance
from askwise.losses import zero_one
from askwise.posteriors.chains import by_chain
from askwise.posteriors.enumerated import Enumerated
from askwise.problem import Problem
from askwise.stopping import DiameterBelow
from askwise.strategies.select import SHARES_OF_DELTA, Select
from askwise.strategies.split import split
from askwise.structures.finite import Finite
from askwise.theory import select_pairs
from askwise.types import Answer, Floats, Ints, Sample

LEVEL = 0.99  # of the confidence intervals
CHAINS = 64
DRAWS = 600  # at hand, of independent posteriors
STOPPING_LEVELS = ((0.05, 0.05), (0.05, 0.2), (0.2, 0.05), (0.2, 0.2))  # epsilon and delta


class GuaranteeCheck(NamedTuple):
    """How often a guarantee was kept, and the share that was promised."""

    name: str
    kept: int
    runs: int
    promised: float
    low: float  # Clopper-Pearson interval of the true share
    high: float

    @property
    def refuted(self) -> bool:
        """Whether the promise is above what these runs allow."""
        return self.high < self.promised


class SelectReport(NamedTuple):
    """SELECT's two promises, and the pairs it drew as a share of its bound."""

    splits: GuaranteeCheck  # at least (1 - alpha) of the best split
    pairs: GuaranteeCheck  # at most the bound
    share: float  # mean over the runs
    most: float


class Curve(NamedTuple):
    """The mean distance to the truth after 0, 1, 2, ... answers: over the runs, and of the worst run."""

    mean: Floats
    worst: Floats
    beta: float


@dataclass(frozen=True)
class SampledPosterior:
    """A posterior over a finite family that gives only independent draws, as a sampler does."""

    weights: Floats

    def sample(self, count: int, rng: Generator) -> Sample:
        return Sample(rng.choice(len(self.weights), count, p=self.weights), np.full(count, 1 / count), exact=False)

    def update(self, answer: Answer, rng: Generator) -> SampledPosterior:
        return self

    def diagnostics(self) -> Mapping[str, float]:
        return {}


@dataclass(frozen=True)
class ExactPosterior(SampledPosterior):
    """The same, which also gives its weights: every sample is the whole family."""

    def sample(self, count: int, rng: Generator) -> Sample:
        return Sample(np.arange(len(self.weights)), self.weights, exact=True)


@dataclass(frozen=True)
class ChainPosterior(SampledPosterior):
    """The same as chains: at each step a chain stays with probability `stay`, else it draws anew.

    The autocorrelation at lag k is stay^k, so n steps of a chain are worth about n (1 - stay) / (1 + stay) independent
    draws. As the chains of the library, they go on from the same `state` at every call.
    """

    stay: float
    state: Ints  # (C,)

    @staticmethod
    def start(weights: Floats, stay: float, rng: Generator, chains: int = CHAINS) -> ChainPosterior:
        return ChainPosterior(weights, stay, rng.choice(len(weights), chains, p=weights))

    def sample(self, count: int, rng: Generator) -> Sample:
        steps = -(-count // len(self.state))
        moved = rng.choice(len(self.weights), (steps, len(self.state)), p=self.weights)
        stays = rng.random(moved.shape) < self.stay
        at, batches = self.state, []
        for step in range(steps):
            at = np.where(stays[step], at, moved[step])
            batches.append(at)
        return by_chain(batches, count)


def check_share(name: str, kept: int, runs: int, promised: float, level: float = LEVEL) -> GuaranteeCheck:
    """The count of kept promises with its Clopper-Pearson interval.

    >>> result = check_share("coin", kept=5, runs=10, promised=0.5)
    >>> round(result.low, 3), round(result.high, 3), result.refuted
    (0.128, 0.872, False)
    """
    from scipy.stats import beta

    tail = (1 - level) / 2
    low = float(beta.ppf(tail, kept, runs - kept + 1)) if kept else 0.0
    high = float(beta.ppf(1 - tail, kept + 1, runs - kept)) if kept < runs else 1.0
    return GuaranteeCheck(name, kept, runs, promised, low, high)


def random_problem(
    rng: Generator, size: int = 12, atoms: int = 20, responses: int = 2, beta: float = inf
) -> tuple[Problem, Floats]:
    """A random table of answers with random distances, and random prior weights."""
    answers = rng.integers(responses, size=(size, atoms))
    distances = np.triu(rng.random((size, size)), 1)
    family = Finite(answers, responses=list(range(responses)))
    return Problem(family, TableDistance(distances + distances.T), zero_one, beta), rng.dirichlet(np.ones(size))


def near_tie_problem(rng: Generator, alpha: float, size: int = 200, atoms: int = 20) -> tuple[Problem, Floats]:
    """Atom 0 splits best, all others just below (1 - alpha) of it: the hardest case for SELECT."""
    best = 1 - 0.5**2  # of atom 0, when all structures are at distance 1 and half of them answer yes
    minority = int(size * (1 - np.sqrt(1 - 0.98 * (1 - alpha) * best)))
    answers = np.stack([rng.permutation(size) < (minority if atom else size // 2) for atom in range(atoms)], axis=1)
    problem = Problem(Finite(answers, responses=[0, 1]), TableDistance(1.0 - np.eye(size)), zero_one, inf)
    return problem, np.full(size, 1 / size)


def select(rule: Select, runs: int = 300, responses: int = 2, near_tie: bool = False, seed: int = 0) -> SelectReport:
    """SELECT on a new problem in each run, random or a near tie (select lemma).

    The rule may be `askwise.strategies.select.Select` or, as published, `PublishedSelect`; the bound on the pairs is
    that of the published one.

    >>> select(Select(alpha=0.5, delta=0.1), runs=5).pairs.kept
    5
    """
    good, within, shares = 0, 0, []
    for run in range(runs):
        rng = stream(seed, run, "select")
        problem, weights = near_tie_problem(rng, rule.alpha) if near_tie else random_problem(rng, responses=responses)
        atoms = problem.family.draw_atoms(1, rng)  # all of them, since they are few
        exact = split(problem, Sample(np.arange(len(weights)), weights, exact=True), atoms)
        rho, posterior = exact.average_split(), SampledPosterior(weights)
        scored = rule(problem, posterior, posterior.sample(600, rng), atoms, rng)
        best = float(rho.max()) * exact.diameter
        bound = select_pairs(rule.alpha, rule.delta, len(atoms), len(exact.mass), best).corrected
        good += bool(rho[scored.gain.argmax()] >= (1 - rule.alpha) * rho.max())
        shares.append(scored.info["pairs"] / bound)
        within += shares[-1] <= 1
    return SelectReport(
        check_share("SELECT: the split", good, runs, 1 - rule.delta),
        check_share("SELECT: the pairs", within, runs, 1 - rule.delta),
        float(np.mean(shares)),
        float(np.max(shares)),
    )


def select_in_session(rule: Select, runs: int = 100, rounds: int = 10, seed: int = 0) -> GuaranteeCheck:
    """Does every question of a session split (1 - alpha) of what the best candidate does (noiseless Bayesian
    convergence, the part of SELECT)?

    Sessions of so many questions about random families, with 20 % wrong answers; question t has its share of delta.

    >>> select_in_session(Select(alpha=0.5, delta=0.1), runs=2, rounds=3).kept
    2
    """
    kept, beta = 0, float(np.log(4.0))
    for run in range(runs):
        rng = stream(seed, run, "select in a session")
        problem, weights = random_problem(rng, beta=beta)
        structures, atoms = np.arange(len(weights)), problem.family.draw_atoms(1, rng)
        truth = problem.family.predict(structures[:1], atoms)[0].astype(int)
        noiseless = Problem(problem.family, problem.distance, zero_one, inf)
        posterior, good = Enumerated.prior(problem.family, structures, zero_one, beta, weights), True
        for round in range(1, rounds + 1):
            rho = split(noiseless, Sample(structures, posterior.weights, exact=True), atoms).average_split()
            drawn = SampledPosterior(posterior.weights)
            gain, info = rule.for_round(round)(problem, drawn, drawn.sample(600, rng), atoms, rng)
            if "note" in info:  # all draws are alike: it says so, and promises nothing
                break
            asked = int(gain.argmax())
            good &= bool(rho[asked] >= (1 - rule.alpha) * rho.max())
            answer = truth[asked] if rng.random() < 0.8 else 1 - truth[asked]
            posterior = posterior.update(Answer(asked, int(answer)), rng)
        kept += good
    return check_share("SELECT: every question of a session", kept, runs, 1 - rule.delta / SHARES_OF_DELTA)


def noise_table(rng: Generator, truth: Ints, responses: int, margin: float, adversarial: bool) -> Floats:
    """(A, Y): probabilities of the responses that keep the `margin` (bounded noise).

    Adversarial noise has one wrong response per atom, as likely as the margin allows. Other noise is random.

    >>> noise_table(np.random.default_rng(0), np.array([0, 1]), 2, margin=0.5, adversarial=True)
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    atoms = np.arange(len(truth))
    chances = np.zeros((len(truth), responses))
    if adversarial:
        rival = (truth + rng.integers(1, responses, size=len(truth))) % responses
        chances[atoms, rival] = (1 - margin) / 2
        chances[atoms, truth] = (1 + margin) / 2
        return chances
    wrong = rng.dirichlet(np.ones(responses), size=len(truth))
    wrong[atoms, truth] = 0.0
    # the true response must lead the largest wrong one by the margin: s max + margin <= 1 - s sum
    most = (1 - margin) / (wrong.max(axis=1) + wrong.sum(axis=1))
    chances = wrong * np.minimum(1.0, most * rng.random(len(truth)))[:, None]
    chances[atoms, truth] = 1 - chances.sum(axis=1)
    return chances


def consistency(
    runs: int = 10, answers: int = 600, margin: float = 0.8, responses: int = 2, adversarial: bool = True, seed: int = 0
) -> Curve:
    """The mean distance to the truth under NDBAL at beta = margin / 10, the largest the proof allows (theorem DBAL
    consistency).

    >>> consistency(runs=1, answers=5).mean.shape
    (6,)
    """
    beta, curves = margin / 10, np.empty((runs, answers + 1))
    for run in range(runs):
        rng = stream(seed, run, f"consistency {responses} {adversarial}")
        problem, weights = random_problem(rng, responses=responses, beta=beta)
        noiseless = Problem(problem.family, problem.distance, zero_one, inf)
        table, structures = problem.family.predict(np.arange(len(weights)), np.arange(20)), np.arange(len(weights))
        chances = noise_table(rng, table[0].astype(int), responses, margin, adversarial)
        posterior = Enumerated.prior(problem.family, structures, zero_one, beta, weights)
        to_truth = problem.distance.paired(structures, np.zeros(len(weights), dtype=int))
        for count in range(answers + 1):
            curves[run, count] = posterior.weights @ to_truth
            sample = Sample(structures, posterior.weights, exact=True)
            atom = int(split(noiseless, sample, np.arange(20)).average_split().argmax())
            response = int(rng.choice(responses, p=chances[atom]))
            posterior = posterior.update(Answer(atom, response), rng)
    return Curve(curves.mean(axis=0), curves.max(axis=0), beta)


def weights_with_diameter(diameter: float, size: int = 40) -> Floats:
    """Weights with this average diameter if all structures are at distance 1: one leads, the rest are equal.

    >>> weights = weights_with_diameter(0.2)
    >>> round(1 - float(weights @ weights), 9)
    0.2
    """
    rest = size - 1
    # 1 - (1 - x)^2 - x^2 / rest = diameter, the smaller root
    x = (1 - np.sqrt(1 - diameter * (1 + 1 / rest))) / (1 + 1 / rest)
    return np.append(1 - x, np.full(rest, x / rest))


POSTERIORS: Mapping[str, Callable[[Floats, Generator], SampledPosterior]] = {
    "exact": lambda weights, rng: ExactPosterior(weights),
    "independent draws": lambda weights, rng: SampledPosterior(weights),
    "chains, autocorrelation .5": lambda weights, rng: ChainPosterior.start(weights, 0.5, rng),
    "chains, autocorrelation .9": lambda weights, rng: ChainPosterior.start(weights, 0.9, rng),
}


def stopping(
    runs: int = 200,
    epsilon: float = 0.2,
    delta: float = 0.2,
    rounds: int = 12,
    posterior: str = "independent draws",
    seed: int = 0,
) -> tuple[GuaranteeCheck, GuaranteeCheck]:
    """Does the stopping test never stop too early and never too late (stopping criterion)?

    The diameter is just above epsilon in `rounds` rounds, and just below epsilon / 2 in as many others. `posterior` is
    one of `POSTERIORS`.

    >>> [kept.kept for kept in stopping(runs=3, delta=0.05, rounds=2)]
    [3, 3]
    """
    rule, size = DiameterBelow(epsilon, delta), 40
    problem = Problem(Finite(np.arange(size)[:, None] % 2), TableDistance(1.0 - np.eye(size)), zero_one, inf)

    def stops(share: float, run: int, round: int) -> bool:
        rng = stream(seed, run, f"stopping {share} {round}")
        belief = POSTERIORS[posterior](weights_with_diameter(share * epsilon, size), rng)
        at_hand = belief.sample(CHAINS if isinstance(belief, ChainPosterior) else DRAWS, rng)
        return rule(problem, belief, at_hand, round - 1, round, rng) is not None

    never_early = sum(not any(stops(1.01, run, round) for round in range(1, rounds + 1)) for run in range(runs))
    never_late = sum(all(stops(0.495, run, round) for round in range(1, rounds + 1)) for run in range(runs))
    where = f"epsilon {epsilon}, delta {delta}, {posterior}"
    return (
        check_share(f"stopping: not while above epsilon, {where}", never_early, runs, 1 - delta),
        check_share(f"stopping: at once below epsilon / 2, {where}", never_late, runs, 1 - delta),
    )


def stopping_checks(runs: int = 200, rounds: int = 12, seed: int = 0) -> list[GuaranteeCheck]:
    """Both promises of the stopping test for each of `STOPPING_LEVELS` and `POSTERIORS`.

    >>> len(stopping_checks(runs=1, rounds=1))
    32
    """
    return [
        check
        for posterior in POSTERIORS
        for epsilon, delta in STOPPING_LEVELS
        for check in stopping(1 if posterior == "exact" else runs, epsilon, delta, rounds, posterior, seed)
    ]
