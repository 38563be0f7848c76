"""The splitting index of small families, exactly, and the statements that rest on it.

A family is a table of answers with distances, and its atoms are equally likely. A sequence of pairs counts only
through its frequencies, so the worst sequence for a set of atoms is a linear program. A trial draws a family and gives
the largest ratio of what happened to what is allowed: at most 1 where the statement holds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations, product
from math import ceil, inf

import numpy as np
from numpy.random import Generator

from askwise._runtime.streams import stream
from askwise.experiments.lemmas import Check
from askwise.theory import average_index, coarse_average_index, coarse_index, expected_split
from askwise.types import Bools, Floats, Ints

SOLVER_ERROR = 1e-7  # of the linear programs
PRIORS = 40  # tried for each family, and then pushed towards a violation
PUSHES = 20
Trial = Callable[[Generator], float]


def random_answers(rng: Generator) -> tuple[Ints, int]:
    """(G, A): what 3 to 5 structures answer to 3 or 4 atoms, with 2 or 3 responses; and the number of responses."""
    size, atoms, responses = (int(rng.integers(*limits)) for limits in ((3, 6), (3, 5), (2, 4)))
    return rng.integers(responses, size=(size, atoms)), responses


def random_distances(answers: Ints, rng: Generator) -> Floats:
    """(G, G): any symmetric distance that is 0 where the answers are the same (assumption identifiable distance)."""
    size = len(answers)
    upper = np.triu(rng.random((size, size)) ** rng.choice([0.3, 1.0, 4.0]), 1)
    upper = upper.round() if rng.random() < 0.3 else upper
    upper *= (answers[:, None] != answers[None]).any(axis=2)
    return np.asarray(upper + upper.T)


def random_metric(answers: Ints, rng: Generator) -> Floats:
    """(G, G): the weighted share of atoms that two structures answer differently, which is a metric."""
    weights = rng.dirichlet(np.ones(answers.shape[1]))
    return np.asarray((answers[:, None] != answers[None]) @ weights)


def separation(answers: Ints, distances: Floats) -> float:
    """p: the least share of atoms that two structures at a distance answer differently."""
    shares = (answers[:, None] != answers[None]).mean(axis=2)
    return float(shares[distances > 0].min(initial=1.0))


def splitting_rho(answers: Ints, far: Bools, tau: float) -> float:
    """The largest rho for which a share tau of the atoms rho-splits every sequence of pairs in `far` (G, G).

    >>> star = np.vstack([np.zeros((1, 4), dtype=int), np.eye(4, dtype=int)])
    >>> far = np.zeros((5, 5), dtype=bool)
    >>> far[0, 1:] = True
    >>> round(splitting_rho(star, far, tau=0.25), 9)
    0.25
    """
    left, right = np.nonzero(np.triu(far | far.T, 1))
    if not len(left):
        return 1.0
    atoms = answers.shape[1]
    both = [  # for each atom, the pairs (E,) that each response leaves
        [kept for y in np.unique(column) if (kept := (column[left] == y) & (column[right] == y)).any()]
        for column in answers.T
    ]
    size = atoms - good_atoms(tau, atoms) + 1  # if so many atoms do not split, there is no index
    most = 0.0
    for chosen in combinations(range(atoms), size):
        for kept in product(*(both[atom] for atom in chosen)):
            most = max(most, _least_kept(np.array(kept, dtype=float)))
    return 1 - most


def good_atoms(tau: float, atoms: int) -> int:
    """How many of the atoms are a share tau."""
    return max(1, ceil(tau * atoms - 1e-9))


def average_splits(answers: Ints, distances: Floats, priors: Floats) -> tuple[Floats, Floats]:
    """(W, A), (W,): the average split of each atom under each of the priors (W, G), and their average diameters."""
    whole = np.einsum("wg,gh,wh->w", priors, distances, priors)
    left = np.zeros((len(priors), answers.shape[1]))
    for y in np.unique(answers):
        mass = priors[:, :, None] * (answers == y)  # (W, G, A)
        left = np.maximum(left, np.einsum("wga,gh,wha->wa", mass, distances, mass))
    return 1 - left / np.maximum(whole, 1e-300)[:, None], whole


def coarse_splitting(rng: Generator) -> float:
    """(1 - gamma) p over the exact rho at tau = gamma p (coarse splitting bounds)."""
    answers, _ = random_answers(rng)
    distances = random_distances(answers, rng)
    epsilon = rng.uniform(0.01, 0.5)
    index = coarse_index(separation(answers, distances), epsilon, rng.uniform(0.05, 0.95)).corrected
    return index.rho / max(splitting_rho(answers, distances > epsilon, index.tau), 1e-12)


def splitting_to_average(rng: Generator) -> float:
    """rho / (4 log) of the exact splitting index over the average split of the worst prior found (theorem splitting
    implies average splitting)."""
    answers, _ = random_answers(rng)
    distances, tau = random_distances(answers, rng), float(rng.choice([0.2, 0.5, 0.8]))
    epsilon = rng.uniform(0.01, 0.25)
    rho = splitting_rho(answers, distances > epsilon, tau)
    if rho < SOLVER_ERROR:
        return 0.0
    promised = average_index(rho, epsilon, tau).corrected
    return _worst_prior(answers, distances, rng, lambda diameter: promised.rho, tau, above=promised.epsilon)


def coarse_average(rng: Generator, corrected: bool = True) -> float:
    """The rho of the corollary over the average split of the worst prior found, at tau = p / 2 (average splitting index
    lower bound)."""
    answers, _ = random_answers(rng)
    distances = random_distances(answers, rng)
    apart = separation(answers, distances)
    return _worst_prior(
        answers, distances, rng, lambda diameter: coarse_average_index(apart, diameter)[corrected].rho, apart / 2
    )


def expected_splitting(rng: Generator, corrected: bool = True) -> float:
    """The mean split that is promised of SELECT over that of the worst SELECT which keeps its own promise, for one to
    three candidates (expected splitting lower bound)."""
    answers, _ = random_answers(rng)
    distances = random_distances(answers, rng)
    if not distances.any():
        return 0.0
    alpha, delta, count = rng.uniform(0.01, 0.9), rng.uniform(0.01, 0.9), int(rng.integers(1, 4))
    priors = rng.dirichlet(np.full(len(answers), rng.choice([0.3, 1.0])), size=PRIORS)
    splits, diameters = average_splits(answers, distances, priors)
    found = np.zeros(PRIORS)
    draws = list(product(range(answers.shape[1]), repeat=count))
    for drawn in draws:
        candidates = splits[:, list(drawn)]
        enough = candidates >= (1 - alpha) * candidates.max(axis=1, keepdims=True)
        found += (1 - delta) * np.where(enough, candidates, inf).min(axis=1) / len(draws)
    apart = separation(answers, distances)
    ratios = [
        float(expected_split(apart, float(diameter), alpha, delta)[corrected] / mean)
        for diameter, mean in zip(diameters, found, strict=True)
        if diameter > 1e-9
    ]
    return max(ratios, default=0.0)


def random_star(rng: Generator) -> tuple[Ints, Floats, int]:
    """A centre, 2 to 5 points that differ from it on atoms of their own, perhaps others; a metric; and the points."""
    points, spare = int(rng.integers(2, 6)), int(rng.integers(0, 3))
    atoms, responses = points + spare, int(rng.integers(2, 4))
    centre = rng.integers(responses, size=atoms)
    owner = rng.permutation(np.append(np.arange(points), rng.integers(-1, points, size=spare)))
    changed = (centre + rng.integers(1, responses, size=atoms)) % responses
    rays = np.where(owner == np.arange(points)[:, None], changed, centre)
    others = rng.integers(responses, size=(int(rng.integers(0, 3)), atoms))
    answers = np.vstack([centre[None], rays, others])
    return answers, random_metric(answers, rng), points


def star_split(rng: Generator) -> float:
    """N times the largest rho by which some atom splits the rays of a star of N points (star-shaped bound)."""
    answers, _, points = random_star(rng)
    rays = np.zeros((len(answers),) * 2, dtype=bool)
    rays[0, 1 : points + 1] = True
    return splitting_rho(answers, rays, tau=1 / answers.shape[1]) * points


def star_labels(rng: Generator) -> float:
    """N over the labels that the best learner needs for the worst target of a star (star-shaped bound)."""
    answers, distances, points = random_star(rng)
    epsilon = 0.999 * distances[0, 1 : points + 1].min()
    return points / labels_needed(answers, distances < epsilon / 2)


def splitting_labels(rng: Generator) -> float:
    """1 / rho over the labels that the best learner needs for the worst target, if it may see all atoms and no atom
    splits by more than rho (splitting lower bound)."""
    answers, _ = random_answers(rng)
    distances = random_metric(answers, rng)
    epsilon = rng.uniform(0, 0.9) * distances.max()
    needed = labels_needed(answers, distances <= epsilon / 2)
    rho = splitting_rho(answers, distances > epsilon, tau=1 / answers.shape[1])
    return 0.0 if needed == inf else 1 / rho / max(needed, 1)


def labels_needed(answers: Ints, near: Bools) -> float:
    """The labels after which the best learner surely knows a structure that is `near` (G, G) the target.

    >>> labels_needed(np.eye(4, dtype=int), np.eye(4, dtype=bool))
    3
    """
    parts = [[answers[:, atom] == y for y in np.unique(answers[:, atom])] for atom in range(answers.shape[1])]

    @cache
    def depth(alive: tuple[bool, ...]) -> float:
        members = np.array(alive)
        if near[:, members].all(axis=1).any():
            return 0
        splits = [[members & part for part in atom if (members & part).any()] for atom in parts]
        useful = [kept for kept in splits if len(kept) > 1]
        return 1 + min((max(depth(tuple(part.tolist())) for part in kept) for kept in useful), default=inf)

    return depth((True,) * len(answers))


def guessing_success(points: int = 5, labels: int = 4) -> float:
    """How often a learner succeeds for the worst target of a star if it asks about `labels` of its points at random.

    With 4 of 5 labels it succeeds with probability above 3/4 for each target, but never for all of them at once.

    >>> guessing_success()
    0.8
    """
    asked = list(combinations(range(points), labels))
    return min(sum(target in chosen for chosen in asked) / len(asked) for target in range(points))


TRIALS: dict[str, tuple[Trial, int]] = {  # how many times fewer trials than of the cheap ones
    "coarse splitting": (coarse_splitting, 10),
    "splitting to average splitting": (splitting_to_average, 10),
    "coarse average splitting, printed": (lambda rng: coarse_average(rng, corrected=False), 10),
    "coarse average splitting": (coarse_average, 10),
    "expected splitting, printed": (lambda rng: expected_splitting(rng, corrected=False), 1),
    "expected splitting": (expected_splitting, 1),
    "star: the split": (star_split, 10),
    "star: the labels": (star_labels, 1),
    "splitting lower bound": (splitting_labels, 10),
}


def check_trials(name: str, trial: Trial, count: int, seed: int = 0) -> Check:
    """One statement on `count` random families.

    >>> check_trials("star: the labels", star_labels, count=20).holds
    True
    """
    worst = max(trial(stream(seed, place, f"trial {name}")) for place in range(count))
    return Check(name, count, worst, worst <= 1 + SOLVER_ERROR)


def check_splitting(count: int = 1000, seed: int = 0) -> list[Check]:
    """Every statement about splitting; those that need linear programs on fewer families."""
    return [check_trials(name, trial, ceil(count / less), seed) for name, (trial, less) in TRIALS.items()]


def _least_kept(kept: Floats) -> float:
    """(B, E) -> the largest share that some frequencies of the pairs keep under each of these answers."""
    from scipy.optimize import linprog

    if kept.all(axis=0).any():
        return 1.0
    rows, pairs = kept.shape
    # maximise v with kept @ frequencies >= v, frequencies adding up to 1
    solved = linprog(
        np.append(np.zeros(pairs), -1.0),
        A_ub=np.hstack([-kept, np.ones((rows, 1))]),
        b_ub=np.zeros(rows),
        A_eq=np.append(np.ones(pairs), 0.0)[None],
        b_eq=[1.0],
    )
    return float(-solved.fun)


def _worst_prior(
    answers: Ints,
    distances: Floats,
    rng: Generator,
    promised: Callable[[float], float],
    tau: float,
    above: float = 0.0,
) -> float:
    """The largest ratio of the split that is promised at an average diameter to the one that a share tau of the atoms
    has, over random priors whose average diameter is `above`, each pushed towards a violation."""
    place = -good_atoms(tau, answers.shape[1])

    def ratio(priors: Floats) -> Floats:
        splits, diameters = average_splits(answers, distances, priors)
        split = np.sort(splits, axis=1)[:, place]
        allowed = [promised(float(diameter)) if diameter > max(above, 1e-9) else 0.0 for diameter in diameters]
        return np.array(allowed) / np.maximum(split, 1e-12)

    priors = rng.dirichlet(np.full(len(answers), rng.choice([0.3, 1.0, 3.0])), size=PRIORS)
    worst = ratio(priors)
    for step in range(PUSHES):
        moved = priors * np.exp(rng.standard_normal(priors.shape) / (1 + step / 5))
        moved /= moved.sum(axis=1, keepdims=True)
        found = ratio(moved)
        priors, worst = np.where((found > worst)[:, None], moved, priors), np.maximum(found, worst)
    return float(worst.max())
