"""The average splitting index of one's own problem: which share of all questions splits what is still plausible."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from math import ceil, inf, log
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise import theory
from askwise.losses import zero_one
from askwise.problem import Problem
from askwise.strategies.split import split
from askwise.structures import LinearFamily, SingleScore
from askwise.types import Atoms, Floats, Ints, Sample

RHOS = (0.05, 0.1, 0.25, 0.5)
DELTA = 0.05  # of the theorems
LEVEL = 0.9  # of the intervals
REPLICATES = 40  # of the bootstrap


@dataclass(frozen=True)
class SplitShare:
    """tau: the share of all questions of which every answer splits off rho of the average diameter.

    `low` and `high` are a 90 % interval. `candidates_needed` are enough, in every round, to find such a question with
    probability 1 - 0.05 / 4; infinite if there was none. See `Splitting` for an example.
    """

    rho: float  # the share of the average diameter that is split off
    tau: float  # the share of the questions that do so
    low: float  # the lower end of the interval of tau
    high: float  # its upper end
    candidates_needed: float  # how many candidates are enough to find such a question


@dataclass(frozen=True)
class Splitting:
    """How well random questions split what is still plausible, and what follows for the questions to come.

    `atoms` random questions were tried, or all of them (`listed`). `best` is the largest split among them, `pace` the
    share of the average diameter that the best question is expected to remove. At this pace `questions` more lead to
    `epsilon`. `worst_case` is what the theorem without wrong answers allows if the index stays as it is: None where the
    dimension of the family is unknown.

    >>> from askwise import best_item
    >>> print(best_item(["tea", "coffee", "water"], seed=1).splitting())
    Of all 3 questions, 100 % split off at least 0.5 of the distances that are still open, whatever the answer is. ...
    """

    diameter: float  # the average diameter now
    epsilon: float  # the one that is wanted
    shares: tuple[SplitShare, ...]  # tau for a few values of rho
    atoms: int  # how many questions were tried
    listed: bool  # whether these are all there are
    candidates: int  # how many each question is chosen from
    round: int  # the number of the next question
    best: float  # the largest split among those tried
    pace: float  # the share of the average diameter that the best question should remove
    questions: float  # how many more lead to epsilon at this pace
    worst_case: float | None  # what the theorem allows; None where the dimension is unknown

    @property
    def warning(self) -> str | None:
        """That the candidates are too few to find, in every round, a question that splits; None if they are enough."""
        short = [share for share in self.shares if share.tau > 0 and share.candidates_needed > self.candidates]
        if self.listed or not short:
            return None
        needed = "; ".join(f"{share.candidates_needed:,.0f} for {share.rho:g}" for share in short)
        return f"{self.candidates:,} candidates may miss questions that split well in question {self.round}: {needed}"

    def to_dict(self) -> dict[str, Any]:
        """As plain values for JSON, which knows no infinity: None there."""
        shares = [_finite(asdict(share)) for share in self.shares]
        return {**_finite(asdict(self)), "shares": shares, "warning": self.warning}

    def __str__(self) -> str:
        if not self.diameter > self.epsilon:
            return (
                f"Undecided is {self.diameter:.3g} already, not above {self.epsilon:g}: there is little left to split."
            )
        tried = f"all {self.atoms:,}" if self.listed else f"{self.atoms:,} random"
        certain = sum(share.tau >= 0.995 for share in self.shares)  # of these, the largest rho says it all
        told = [share for place, share in enumerate(self.shares) if place >= certain - 1 and share.tau > 0]
        found = (
            ", ".join(f"{_percent(share)} split off at least {share.rho:g}" for share in told) or "none split off any"
        )
        lines = [f"Of {tried} questions, {found} of the distances that are still open, whatever the answer is."]
        if np.isfinite(self.questions):
            lines.append(
                f"The best one is expected to lower undecided from {self.diameter:.3g} by {100 * self.pace:.2g} %. At "
                f"this pace {self.epsilon:g} is reached after about {self.questions:,.0f} more questions."
            )
        else:
            lines.append("No question is expected to lower undecided.")
        if self.worst_case is not None and np.isfinite(self.worst_case):
            lines.append(f"Without wrong answers, the theorem allows up to {self.worst_case:,.0f}, if this stays so.")
        return " ".join([*lines, *([f"Note: {self.warning}."] if self.warning else [])])


def estimate_splitting(
    problem: Problem,
    sample: Sample,
    atoms: Atoms,
    rng: Generator,
    *,
    listed: bool,
    candidates: int,
    round: int = 1,
    epsilon: float = 0.05,
) -> Splitting:
    """The splitting index of a posterior at a few rho, from draws and random atoms.

    Splits are those of answers without noise; where answers are numbers, those of the model. The interval resamples
    draws (whole chains, if they come from chains) and, unless all atoms are `listed`, the atoms: a binomial share. It
    does not know how far chains are from the posterior. Exact weights with all atoms have no uncertainty.

    - `problem`, `sample`, `atoms`: what is asked, what is believed, and atoms drawn at random.
    - `rng`: for the interval.
    - `listed`: whether these are all atoms.
    - `candidates`, `round`: how many atoms each question is chosen from, and the number of the next one.
    - `epsilon`: the average diameter that is wanted.

    :param problem: The family, the loss and the distance.
    :param sample: The draws and their weights.
    :param atoms: Atoms drawn at random, `(A, ...)`.
    :param candidates: How many atoms each question is chosen from.
    :param round: The number of the next question.

    >>> from askwise.structures.finite import Finite
    >>> from askwise.distances.labels import Disagreement
    >>> family = Finite([[0, 0, 1], [0, 1, 1]])
    >>> problem = Problem(family, Disagreement(family, np.arange(3)), zero_one, beta=inf)
    >>> sample, rng = Sample(np.arange(2), np.full(2, 0.5), exact=True), np.random.default_rng(0)
    >>> found = estimate_splitting(problem, sample, np.arange(3), rng, listed=True, candidates=3)
    >>> found.best, found.pace, round(found.shares[-1].tau, 4)
    (1.0, 1.0, 0.3333)
    """
    numbers = np.ndim(problem.family.responses(problem.family.predict(sample.structures, atoms[:1]))) == 2
    noiseless = problem if numbers else replace(problem, loss=zero_one, beta=inf)
    splits = split(noiseless, sample, atoms).average_split()
    shares = _shares(splits)
    replicates = [_shares(split(noiseless, other, atoms).average_split()) for other in _resampled(sample, rng)]
    spread = np.array(replicates or [shares])
    if not listed:
        spread = rng.binomial(len(atoms), np.repeat(spread, 100, axis=0)) / len(atoms)
    low, high = np.quantile(spread, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    wanted = log(4 * round * (round + 1) / DELTA)
    found = tuple(
        SplitShare(rho, float(tau), float(a), float(b), float(ceil(wanted / tau)) if tau > 0 else inf)
        for rho, tau, a, b in zip(RHOS, shares, low, high, strict=True)
    )
    scores = split(problem, sample, atoms)
    diameter = scores.diameter / (1 - scores.concentration) if scores.concentration < 1 else 0.0
    pace = max(0.0, 1 - float(scores.expected_diameter().min()) / diameter) if diameter > 0 else 0.0
    return Splitting(
        diameter, epsilon, found, len(atoms), listed, candidates, round, float(splits.max()), pace,
        _questions(diameter, epsilon, pace), _worst_case(problem, len(scores.mass), found, epsilon),
    )  # fmt: skip


def _shares(splits: Floats) -> Floats:
    """(R,): the share of atoms that split at least each rho."""
    return np.mean(splits >= np.array(RHOS)[:, None] - 1e-9, axis=1)


def _resampled(sample: Sample, rng: Generator) -> Iterator[Sample]:
    """Bootstrap samples: the same structures with other weights. None for exact weights."""
    if sample.exact:
        return
    chains: Ints = np.arange(len(sample.weights)) if sample.chains is None else sample.chains
    mass = np.bincount(chains, sample.weights)
    for _ in range(REPLICATES):
        times = rng.multinomial(np.count_nonzero(mass), mass)
        weights = sample.weights * times[chains] / np.where(mass > 0, mass, 1.0)[chains]
        yield sample._replace(weights=weights / weights.sum())


def _questions(diameter: float, epsilon: float, pace: float) -> float:
    if diameter <= epsilon:
        return 0.0
    if pace >= 1:
        return 1.0
    return log(diameter / epsilon) / -log(1 - pace) if pace > 1e-9 else inf


def _worst_case(problem: Problem, answers: int, shares: tuple[SplitShare, ...], epsilon: float) -> float | None:
    """The smallest bound that some rho gives. Two answers by the sign of a linear score have the graph dimension of the
    weights."""
    family = problem.family
    if not isinstance(family, LinearFamily) or not isinstance(family, SingleScore) or answers != 2:
        return None
    found = [share for share in shares if share.tau > 0]
    indices = [theory.Index(share.rho, epsilon, share.tau) for share in found]
    bounds = [theory.bayes_resources(1, index, DELTA, dimension=family.dimension).rounds.corrected for index in indices]
    return min(bounds, default=inf)


def _finite(values: dict[str, Any]) -> dict[str, Any]:
    return {name: None if value == inf else value for name, value in values.items()}


def _percent(share: SplitShare) -> str:
    interval = f" ({100 * share.low:.0f} to {100 * share.high:.0f} %)" if share.high - share.low > 0.005 else ""
    return f"{100 * share.tau:.0f} %{interval}"
