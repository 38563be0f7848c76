"""The usual query strategies of other tools, on the same posterior and the same draws.

Two structures that differ on the second of two atoms: every strategy but `random` asks that one.

>>> from askwise.distances import TableDistance
>>> from askwise.losses import zero_one
>>> from askwise.structures.finite import Finite
>>> problem = Problem(Finite([[0, 0], [0, 1]]), TableDistance(1.0 - np.eye(2)), zero_one, beta=3.0)
>>> sample, rng = Sample(np.arange(2), np.full(2, 0.5), exact=True), np.random.default_rng(0)
>>> [int(rule(problem, None, sample, np.arange(2), rng).gain.argmax()) for rule in (qbc, margin, bald, epig, variance)]
[1, 1, 1, 1, 1]
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from askwise.errors import StrategyError
from askwise.posteriors import Drawn
from askwise.problem import Problem
from askwise.structures import Family, HasUtilities
from askwise.types import Atoms, Floats, Sample, Scored

MAX_TRIES = 1000  # of query by committee, before it takes the last atom
MAX_TARGETS = 200  # atoms that EPIG wants to predict


def random(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """Any atom, equally likely."""
    return Scored(rng.random(len(atoms)))


def qbc(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """Query by committee: draw an atom and two structures, ask if they disagree, else draw again."""
    gain = np.zeros(len(atoms))
    tried = rng.integers(len(atoms), size=MAX_TRIES)
    committee = rng.choice(len(sample.weights), (MAX_TRIES, 2), p=sample.weights)
    for start in range(0, MAX_TRIES, 50):  # a disagreement comes soon: predicting a few at a time is cheaper
        batch = slice(start, start + 50)
        asked, column = np.unique(tried[batch], return_inverse=True)
        members, row = np.unique(committee[batch], return_inverse=True)
        decided = problem.family.decide(problem.family.predict(sample.structures[members], atoms[asked]))
        row = row.reshape(-1, 2)
        disagree = decided[row[:, 0], column] != decided[row[:, 1], column]
        if disagree.any():
            used = int(disagree.argmax())
            gain[tried[batch][used]] = 1.0
            return Scored(gain, {"tries": start + used + 1})
    gain[tried[-1]] = 1.0
    return Scored(gain, {"tries": MAX_TRIES, "note": "no two structures of the committee disagreed"})


def margin(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """The atom whose two likeliest answers are closest in probability."""
    top = np.sort(_predictive(problem, sample, atoms)[0], axis=0)
    return Scored(1.0 - (top[-1] - top[-2]))


def bald(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """The mutual information between the answer and the structure."""
    mean, chances = _predictive(problem, sample, atoms)
    within = np.einsum("s,sa->a", sample.weights, entropy(chances))
    return Scored(np.maximum(entropy(mean) - within, 0.0))


def epig(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """The mean mutual information between the answer and the answers to other atoms drawn from D."""
    targets = problem.family.draw_atoms(MAX_TARGETS, rng)
    if len(targets) > MAX_TARGETS:
        targets = targets[rng.choice(len(targets), MAX_TARGETS, replace=False)]
    mean, chances = _predictive(problem, sample, atoms)
    goal_mean, goal_chances = _predictive(problem, sample, targets)
    gain = np.zeros(len(atoms))
    for y, chance in enumerate(chances):
        for z, goal in enumerate(goal_chances):
            joint = chance.T @ (sample.weights[:, None] * goal)  # (A, T)
            independent = mean[y][:, None] * goal_mean[z][None, :]
            ratio = np.divide(joint, independent, out=np.ones_like(joint), where=independent > 0)
            gain += (joint * np.log(np.maximum(ratio, 1e-300))).mean(axis=1)
    return Scored(np.maximum(gain, 0.0))


def variance(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """The atom on whose answer the structures differ most, as a number: its predictive variance without the noise."""
    guesses = np.asarray(problem.family.decide(problem.family.predict(sample.structures, atoms)))
    if guesses.dtype.kind not in "fiub":
        raise StrategyError("variance needs answers that are numbers; choose expected or another strategy")
    mean = sample.weights @ guesses
    return Scored(sample.weights @ (guesses - mean) ** 2)


def eubo(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """For pairs or sets of items: the expected utility of the best one.

    >>> from askwise.distances.items import BestItem
    >>> from askwise.structures.choice import Choice
    >>> items, tastes = np.eye(3), np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0]])
    >>> problem = Problem(Choice(items), BestItem(items))
    >>> sample = Sample(tastes, np.full(2, 0.5), exact=False)
    >>> eubo(problem, None, sample, np.array([[0, 1], [0, 2], [1, 2]]), np.random.default_rng(0)).gain
    array([0.5, 0. , 0. ])
    """
    liked = require_utilities(problem.family).utilities(sample.structures)
    best = liked[:, np.asarray(atoms)[:, 0]]
    for items in np.asarray(atoms).T[1:]:
        best = np.maximum(best, liked[:, items])
    gain = sample.weights @ best
    return Scored(gain - gain.min())


def require_utilities(family: Family) -> HasUtilities:
    """The family, if it has items with utilities; else it is refused."""
    if not isinstance(family, HasUtilities):
        raise StrategyError(
            f"eubo compares items, and {type(family).__name__} has none; choose expected or another strategy"
        )
    return family


def _predictive(problem: Problem, sample: Sample, atoms: Atoms) -> tuple[Floats, Floats]:
    """p(y | a) (Y, A), and p(y | a, structure) (Y, S, A)."""
    chances = problem.chances(problem.family.predict(sample.structures, atoms))
    return np.einsum("s,ysa->ya", sample.weights, chances), chances


def entropy(chances: Floats) -> Floats:
    """(Y, ...) -> (...): over the first axis, in nats.

    >>> entropy(np.array([[0.5, 0.9], [0.5, 0.1]])).round(4)
    array([0.6931, 0.3251])
    """
    return -(chances * np.log(np.maximum(chances, np.finfo(chances.dtype).tiny))).sum(axis=0)
