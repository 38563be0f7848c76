"""The rules people use elsewhere, on the same posterior and the same draws."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from askwise.errors import RuleError
from askwise.posteriors import Drawn
from askwise.problem import Problem
from askwise.structures import Family
from askwise.types import Atoms, Floats, Sample, Scored, Structures

TRIES = 1000  # of query by committee, before it settles for the atom at hand
TARGETS = 200  # atoms that EPIG wants to predict well


def random(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """Any atom, equally likely."""
    return Scored(rng.random(len(atoms)))


def qbc(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """Query by committee: draw an atom and two structures, ask if they disagree, else draw again."""
    gain = np.zeros(len(atoms))
    tried = rng.integers(len(atoms), size=TRIES)
    committee = rng.choice(len(sample.weights), (TRIES, 2), p=sample.weights)
    for start in range(0, TRIES, 50):  # most agree soon: predicting few at a time is cheaper
        batch = slice(start, start + 50)
        asked, column = np.unique(tried[batch], return_inverse=True)
        seats, row = np.unique(committee[batch], return_inverse=True)
        decided = problem.family.decide(problem.family.predict(sample.structures[seats], atoms[asked]))
        row = row.reshape(-1, 2)
        disagree = decided[row[:, 0], column] != decided[row[:, 1], column]
        if disagree.any():
            used = int(disagree.argmax())
            gain[tried[batch][used]] = 1.0
            return Scored(gain, {"tries": start + used + 1})
    gain[tried[-1]] = 1.0
    return Scored(gain, {"tries": TRIES, "note": "no two structures of the committee disagreed"})


def margin(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """The atom whose two likeliest answers are closest in probability."""
    top = np.sort(_predictive(problem, sample, atoms)[0], axis=0)
    return Scored(1.0 - (top[-1] - top[-2]))


def bald(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """The mutual information between the answer and the structure."""
    mean, chances = _predictive(problem, sample, atoms)
    within = np.einsum("s,sa->a", sample.weights, _entropy(chances))
    return Scored(np.maximum(_entropy(mean) - within, 0.0))


def epig(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """The mean mutual information between the answer and the answers to other atoms drawn from D."""
    targets = problem.family.draw_atoms(TARGETS, rng)
    if len(targets) > TARGETS:
        targets = targets[rng.choice(len(targets), TARGETS, replace=False)]
    mean, chances = _predictive(problem, sample, atoms)
    goal_mean, goal_chances = _predictive(problem, sample, targets)
    gain = np.zeros(len(atoms))
    for y, chance in enumerate(chances):
        for z, goal in enumerate(goal_chances):
            joint = chance.T @ (sample.weights[:, None] * goal)  # (A, T)
            alone = mean[y][:, None] * goal_mean[z][None, :]
            ratio = np.divide(joint, alone, out=np.ones_like(joint), where=alone > 0)
            gain += (joint * np.log(np.maximum(ratio, 1e-300))).mean(axis=1)
    return Scored(np.maximum(gain, 0.0))


def variance(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """The atom on whose answer the structures differ most, as a number: its predictive variance without the noise."""
    guesses = np.asarray(problem.family.decide(problem.family.predict(sample.structures, atoms)))
    if guesses.dtype.kind not in "fiub":
        raise RuleError("variance needs answers that are numbers; choose expected or another rule")
    mean = sample.weights @ guesses
    return Scored(sample.weights @ (guesses - mean) ** 2)


def eubo(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """For pairs of items: the expected utility of the better one."""
    liked = items_of(problem.family)(sample.structures)
    pairs = np.asarray(atoms)
    gain = sample.weights @ np.maximum(liked[:, pairs[:, 0]], liked[:, pairs[:, 1]])
    return Scored(gain - gain.min())


def items_of(family: Family) -> Callable[[Structures], Floats]:
    """How a family of tastes values its items: (S, N) for structures (S,)."""
    utilities: Callable[[Structures], Floats] | None = getattr(family, "utilities", None)
    if utilities is None:
        raise RuleError(f"eubo compares items, and {type(family).__name__} has none; choose expected or another rule")
    return utilities


def _predictive(problem: Problem, sample: Sample, atoms: Atoms) -> tuple[Floats, Floats]:
    """p(y | a) (Y, A), and p(y | a, structure) (Y, S, A)."""
    chances = problem.chances(problem.family.predict(sample.structures, atoms))
    return np.einsum("s,ysa->ya", sample.weights, chances), chances


def _entropy(chances: Floats) -> Floats:
    """Over the first axis, in nats."""
    return -(chances * np.log(np.maximum(chances, 1e-300))).sum(axis=0)
