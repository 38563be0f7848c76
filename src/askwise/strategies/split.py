"""How good a question is: average diameters, and what an answer would leave of them. Pure functions.

Averages over independent draws leave out the zero distance of a draw to itself (the factor S / (S - 1) for equal
weights). Exact weights of a finite family need no correction.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from askwise.distances import Form, form_of
from askwise.problem import Problem
from askwise.structures import CentresPredictions, SingleScore
from askwise.types import Atoms, Floats, Sample

MIN_ATOMS_PER_BLOCK = 512  # their (S, A) arrays stay in the cache, and memory does not grow with their number
MAX_CELLS_PER_BLOCK = 1 << 17  # of such an array: with few draws, more atoms go together


class Split(NamedTuple):
    """What each answer to each atom would leave, with M_y = weights * likelihood of y; one column an atom.

    See `split` for an example.
    """

    surviving: Floats  # (Y, A): M_y' D M_y
    mass: Floats  # (Y, A): sum M_y
    squared: Floats  # (Y, A): sum M_y^2
    chance: Floats  # (Y, A): the probability of the response, p(y | a)
    diameter: float  # w' D w
    concentration: float  # sum w^2 for draws, 0 for exact weights

    def average_split(self) -> Floats:
        """(A,): the share of the average diameter that any answer removes at least (eq. average splitting definition).

        The correction for draws is the same in numerator and denominator, so it cancels.
        """
        if self.diameter == 0:
            return np.zeros(self.surviving.shape[1])
        return 1.0 - self.surviving.max(axis=0) / self.diameter

    def expected_diameter(self) -> Floats:
        """(A,): the average diameter to be expected after the answer."""
        pairs = self.mass**2 - (self.squared if self.concentration else 0.0)  # the mass of pairs of different draws
        seen = pairs > 1e-9 * self.mass**2
        after = np.where(seen, self.surviving / np.where(seen, pairs, 1.0), 0.0)
        return np.einsum("ya,ya->a", self.chance, np.clip(after, 0.0, 1.0))


def average_diameter(form: Form, weights: Floats, exact: bool) -> float:
    """The mean distance of two structures of the posterior, from the form of their distances and their weights (S,).

    :param form: The distances between the structures.
    :param weights: The weight of each structure, `(S,)`.
    :param exact: Whether the weights are exact; if they are draws, no structure is paired with itself.

    >>> from askwise.distances import Dense
    >>> coin = Dense(np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> [average_diameter(coin, np.array([0.5, 0.5]), exact) for exact in (True, False)]
    [0.5, 1.0]
    """
    pairs = 1.0 - (0.0 if exact else float(weights @ weights))
    return float(weights @ form.apply(weights)) / pairs if pairs > 0 else 0.0


def split(problem: Problem, sample: Sample, atoms: Atoms, form: Form | None = None) -> Split:
    """Scores every atom against every pair of structures, with one matrix product for each response.

    `form` holds the distances between the draws; by default it is found. Draws are scored in 32 bits, since their Monte
    Carlo error is ten thousand times the rounding. Exact weights are scored in 64 bits, though some forms (angles,
    regrets) hold 32.

    :param problem: The family, the loss and the distance.
    :param sample: The draws and their weights.
    :param atoms: The candidates, `(A, ...)`.
    :param form: The distances between the draws; found by default.

    >>> from askwise.structures.finite import Finite
    >>> from askwise.distances.labels import Disagreement
    >>> from askwise.losses import zero_one
    >>> family = Finite([[0, 0, 1], [0, 1, 1]])
    >>> problem = Problem(family, Disagreement(family, np.arange(3)), zero_one, beta=float("inf"))
    >>> split(problem, Sample(np.arange(2), np.array([0.5, 0.5]), exact=True), np.arange(3)).average_split()
    array([0., 1., 0.])
    """
    form = form_of(problem.distance, sample.structures) if form is None else form
    applied = form.apply(sample.weights)
    found = [_split_block(problem, sample, some, form, applied) for some in blocks(atoms, len(sample.weights))]
    surviving, mass, squared, chance = (np.concatenate(columns, axis=1) for columns in zip(*found, strict=True))
    np.clip(surviving, 0.0, mass**2, out=surviving)  # rounding must not make what survives negative or above its mass
    concentration = 0.0 if sample.exact else float(sample.weights @ sample.weights)
    return Split(surviving, mass, squared, chance, float(sample.weights @ applied), concentration)


def blocks(atoms: Atoms, draws: int) -> Iterator[Atoms]:
    """The atoms in parts that are scored together.

    >>> [len(part) for part in blocks(np.arange(1500), draws=600)]
    [512, 512, 476]
    """
    size = max(MIN_ATOMS_PER_BLOCK, MAX_CELLS_PER_BLOCK // draws)
    return (atoms[start : start + size] for start in range(0, len(atoms), size))


def predictions_of(problem: Problem, sample: Sample, atoms: Atoms) -> Floats:
    """(S, A) or (S, A, K): what each structure predicts; in 32 bits for draws, in 64 for exact weights.

    >>> from askwise.structures.finite import Finite
    >>> from askwise.distances.labels import Disagreement
    >>> family = Finite([[0, 0, 1], [0, 1, 1]])
    >>> problem = Problem(family, Disagreement(family, np.arange(3)))
    >>> predictions_of(problem, Sample(np.arange(2), np.full(2, 0.5), exact=False), np.arange(3)).dtype
    dtype('float32')
    """
    dtype: type[np.floating[Any]] = np.float64 if sample.exact else np.float32
    structures = sample.structures
    if isinstance(problem.family, SingleScore):  # the scores may be made in 32 bits from the start
        structures = structures.astype(dtype, copy=False)
    predictions = problem.family.predict(structures, atoms)
    if isinstance(problem.family, CentresPredictions):
        predictions = problem.family.centred(predictions)
    return predictions.astype(dtype, copy=False)


def _split_block(
    problem: Problem, sample: Sample, atoms: Atoms, form: Form, applied: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Surviving, mass, squared and chance, (Y, A) each."""
    predictions = predictions_of(problem, sample, atoms)
    dtype = predictions.dtype
    weights = sample.weights.astype(dtype)
    responses = problem.family.responses(predictions)
    surviving, mass, squared, chance = (np.empty((len(responses), len(atoms))) for _ in range(4))
    two_sided = problem.normalised and len(responses) == 2
    kept_total = _kept_total(problem, predictions) if not problem.normalised and np.ndim(responses) == 1 else None
    for row, held in enumerate(problem.likelihoods(predictions, responses[:1] if two_sided else responses)):
        held *= weights[:, None]
        surviving[row] = form.quadratic(held)
        mass[row] = held.sum(axis=0)
        squared[row] = np.einsum("sa,sa->a", held, held)
        if kept_total is not None:
            chance[row] = (held / kept_total).sum(axis=0)
    if two_sided:  # the other response leaves w - M, so D w gives its form without a second product
        surviving[1] = sample.weights @ applied - 2 * (applied.astype(dtype) @ held) + surviving[0]
        mass[1] = np.maximum(1.0 - mass[0], 0.0)
        squared[1] = sample.weights @ sample.weights - 2 * (weights @ held) + squared[0]
    if problem.normalised:
        chance = mass
    elif kept_total is None:
        chance[:] = 1.0 / len(responses)  # predictive quantiles are equally likely
    return surviving, mass, squared, chance


def _kept_total(problem: Problem, predictions: Floats) -> Floats:
    """(S, A): the sum of the likelihoods over the responses, which makes them chances."""
    total = problem.likelihood(predictions, problem.family.responses(predictions)[0])
    for response in problem.family.responses(predictions)[1:]:
        total += problem.likelihood(predictions, response)
    return total


def splitting_index(problem: Problem, sample: Sample, atoms: Atoms, rho: float) -> float:
    """tau: the share of these random atoms that rho-average split the sample.

    :param problem: The family, the loss and the distance.
    :param sample: The draws and their weights.
    :param atoms: Random atoms, `(A, ...)`.
    :param rho: The share of the average diameter that is to be split off.

    >>> from askwise.structures.finite import Finite
    >>> from askwise.distances.labels import Disagreement
    >>> from askwise.losses import zero_one
    >>> family = Finite([[0, 0, 1], [0, 1, 1]])
    >>> problem = Problem(family, Disagreement(family, np.arange(3)), zero_one, beta=float("inf"))
    >>> round(splitting_index(problem, Sample(np.arange(2), np.array([0.5, 0.5]), True), np.arange(3), rho=0.5), 4)
    0.3333
    """
    return float((split(problem, sample, atoms).average_split() >= rho).mean())
