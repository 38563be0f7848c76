"""The lemmas behind the guarantees, checked on random finite families.

Only the families are random: every answer is enumerated. All arithmetic is in long double, because the promised
decreases can be as small as 1e-8.

Only one atom matters at a time, so a family is its weights, its distances and what each structure answers. Structure 0
is the truth. The noise is the worst that its margin allows. An expectation is linear in the noise, so the worst noise
is at a corner: some wrong responses are as likely as allowed, and the others never come.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from askwise._runtime.streams import stream
from askwise.types import Floats, Ints

LONG_DOUBLE = np.longdouble
ROUNDING = 1e4 * float(np.finfo(LONG_DOUBLE).eps)
SHAPES = [(size, responses) for responses in (2, 3, 4) for size in (2, 3, 5, 8) if size >= responses]
Ratio = Callable[["Families"], Floats]  # (F,): what happened over what is allowed; at most 1 where the lemma holds


class Check(NamedTuple):
    """The outcome for one lemma: `worst` is the largest ratio of what happened to what is allowed."""

    name: str
    families: int
    worst: float
    holds: bool


@dataclass(frozen=True)
class Families:
    """F families of the same size: G structures, Y responses."""

    weights: Floats  # (F, G)
    distances: Floats  # (F, G, G)
    answers: Ints  # (F, G): the response each structure gives, 0 being the truth's
    margin: Floats  # (F,): how much likelier the true response is than any other
    beta_share: Floats  # (F,): beta as a share of the largest that the lemma allows
    responses: int

    def diameter(self, kept: Floats | None = None) -> Floats:
        """(F,): sum over pairs of the mass `kept` times their distance."""
        mass = self.weights if kept is None else self.weights * kept
        return np.einsum("fg,fgh,fh->f", mass, self.distances, mass)

    def update_factors(self, beta: Floats) -> list[Floats]:
        """For each response (F, G): the factor exp(-beta) where a structure answers otherwise (eq. 0-1 loss update)."""
        return [np.exp(-beta[:, None] * (self.answers != y)) for y in range(self.responses)]

    def split(self) -> Floats:
        """(F,): rho, the average split of the atom (eq. average splitting definition)."""
        whole = self.diameter()
        left = [self.diameter((self.answers == y).astype(LONG_DOUBLE)) for y in range(self.responses)]
        return 1 - np.max(left, axis=0) / whole

    def worst_mean(self, values: Floats) -> Floats:
        """(Y, F) -> (F,): the largest expectation of `values` over the noise that the margin allows (bounded noise)."""
        wrong = -np.sort(-values[1:], axis=0)
        means = [values[0]]  # the truth always answers
        for count in range(1, self.responses):
            each = (1 - self.margin) / (1 + count)
            means.append((each + self.margin) * values[0] + each * wrong[:count].sum(axis=0))
        return np.asarray(np.max(means, axis=0))


def random_families(count: int, size: int, responses: int, rng: Generator) -> Families:
    """Random families: weights from even to lopsided, distances smooth, sparse or 0-1, noise from none to nearly all.

    >>> random_families(5, 3, 2, np.random.default_rng(0)).distances.shape
    (5, 3, 3)
    """
    weights = LONG_DOUBLE(rng.gamma(rng.choice([0.1, 0.5, 1.0, 5.0], (count, 1)), size=(count, size)) + 1e-9)
    table = np.triu(rng.random((count, size, size)) ** rng.choice([0.3, 1.0, 4.0], (count, 1, 1)), 1)
    kind = rng.integers(3, size=(count, 1, 1))
    table = np.where(kind == 0, table, np.where(kind == 1, table.round(), table * (rng.random(table.shape) < 0.4)))
    table[:, 0, 1] = np.maximum(table[:, 0, 1], 1e-3)  # an average diameter of 0 leaves nothing to learn
    answers = rng.integers(responses, size=(count, size))
    answers[:, 0] = 0
    margin = np.where(rng.random(count) < 0.1, 1.0, rng.uniform(0.02, 1.0, count))
    beta_share = np.where(rng.random(count) < 0.5, 1.0, rng.uniform(1e-3, 1.0, count))
    return Families(
        weights / weights.sum(axis=1, keepdims=True),
        (table + np.triu(table, 1).transpose(0, 2, 1)).astype(LONG_DOUBLE),
        answers,
        margin.astype(LONG_DOUBLE),
        beta_share.astype(LONG_DOUBLE),
        responses,
    )


def worsen(families: Families, ratio: Ratio, steps: int, rng: Generator) -> Families:
    """Local search for a violation: random steps in weights and distances, kept where they raise the ratio."""
    for step in range(steps):
        size = 0.5 / (1 + step / 10)
        weights = families.weights * np.exp(size * rng.standard_normal(families.weights.shape))
        moved = families.distances + np.triu(size * rng.standard_normal(families.distances.shape), 1)
        upper = np.clip(np.triu(moved, 1), 0, 1)
        upper[:, 0, 1] = np.maximum(upper[:, 0, 1], 1e-3)
        tried = _with(families, weights / weights.sum(axis=1, keepdims=True), upper + upper.transpose(0, 2, 1))
        worse = ratio(tried) > ratio(families)
        families = _with(
            families,
            np.where(worse[:, None], tried.weights, families.weights),
            np.where(worse[:, None, None], tried.distances, families.distances),
        )
    return families


def average_diameter(families: Families) -> Floats:
    """Twice the truth's mass times the mean distance to it, over the average diameter (average diameter guarantee)."""
    to_truth = np.einsum("fg,fg->f", families.weights, families.distances[:, 0])
    return 2 * families.weights[:, 0] * to_truth / families.diameter()


def potential_decrease(families: Families, k: int = 2, times: float = 1.0) -> Floats:
    """The decrease rho margin beta / 2 that is promised of avg-diam / mass^k, over the actual one (general k 0-1 loss
    decrease). beta is `times` what the lemma allows."""
    beta = times * families.beta_share * families.margin / (2 + 2 * k**2)
    promised = families.split() * families.margin * beta / 2
    decrease = 1 - families.worst_mean(_after(families, beta, k))
    still = np.abs(decrease) + promised < 100 * ROUNDING  # next to nothing is promised, and next to nothing happens
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(still, 0, np.where(decrease > 0, promised / decrease, np.inf))


def mass_supermartingale(families: Families, k: int = 2, times: float = 1.0) -> Floats:
    """The expected 1 / mass^k of the truth after the answer, over that before it (pi-mass supermartingale)."""
    beta = times * families.beta_share * families.margin / k
    after = [
        (np.einsum("fg,fg->f", families.weights, kept) / kept[:, 0]) ** k for kept in families.update_factors(beta)
    ]
    return families.worst_mean(np.array(after))


def normaliser_decrease(families: Families, times: float = 1.0) -> Floats:
    """Z^2 avg-diam after the least helpful answer, over 1 - rho (1 - e^-beta) times that before it (Bayesian potential
    decrease). Every beta is allowed; `beta_share` stretches over 0 to 8."""
    beta = 8 * times * families.beta_share
    after = np.max([families.diameter(kept) for kept in families.update_factors(beta)], axis=0) / families.diameter()
    return after / (1 - families.split() * (1 - np.exp(-beta)))


def check(name: str, ratio: Ratio, count: int = 2000, steps: int = 0, seed: int = 0) -> Check:
    """One lemma on `count` families of all shapes, each made worse by `steps` random steps.

    >>> check("average diameter", average_diameter, count=100).holds
    True
    """
    each, worst = -(-count // len(SHAPES)), -np.inf
    for place, (size, responses) in enumerate(SHAPES):
        rng = stream(seed, place, f"lemma {name}")
        families = worsen(random_families(each, size, responses, rng), ratio, steps, rng)
        worst = max(worst, float(ratio(families).max()))
    return Check(name, each * len(SHAPES), worst, worst <= 1 + ROUNDING)


def check_all(count: int = 2000, steps: int = 0, seed: int = 0) -> list[Check]:
    """Every lemma; the two with a power k for k up to 4."""
    ratios: dict[str, Ratio] = {"average diameter": average_diameter, "normaliser decrease": normaliser_decrease}
    for k in (2, 3, 4):
        ratios[f"potential decrease, k={k}"] = partial(potential_decrease, k=k)
    for k in (1, 2, 3, 4):
        ratios[f"mass supermartingale, k={k}"] = partial(mass_supermartingale, k=k)
    return [check(name, ratio, count, steps, seed) for name, ratio in ratios.items()]


def bayes_counterexample(noise: float = 0.1) -> float:
    """By which factor avg-diam / mass^2 grows on average at the Bayes beta, ten times the lemma's limit or more.

    The truth is near two structures that are far from each other and agree against it.

    >>> round(bayes_counterexample(), 2)
    7.46
    """
    distances = np.array([[[0.0, 0.1, 0.1], [0.1, 0.0, 1.0], [0.1, 1.0, 0.0]]], dtype=LONG_DOUBLE)
    weights, one = np.array([[0.2, 0.4, 0.4]], dtype=LONG_DOUBLE), np.ones(1, dtype=LONG_DOUBLE)
    margin = np.array([1 - 2 * LONG_DOUBLE(noise)])
    families = Families(weights, distances, np.array([[0, 1, 1]]), margin, one, responses=2)
    beta = np.log((1 - LONG_DOUBLE(noise)) / LONG_DOUBLE(noise))
    after = _after(families, np.array([beta]), 2)
    return float((1 - noise) * after[0, 0] + noise * after[1, 0])


def _after(families: Families, beta: Floats, k: int) -> Floats:
    """(Y, F): avg-diam / mass^k of the truth after each answer, over that before it."""
    before = families.diameter()
    growth = []
    for kept in families.update_factors(beta):
        total = np.einsum("fg,fg->f", families.weights, kept)
        growth.append(families.diameter(kept) / before * total ** (k - 2) / kept[:, 0] ** k)
    return np.array(growth)


def _with(families: Families, weights: Floats, distances: Floats) -> Families:
    return Families(weights, distances, families.answers, families.margin, families.beta_share, families.responses)
