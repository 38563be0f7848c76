"""Checks for people who write a family, a distance, a posterior or a rule of their own.

Each check raises AssertionError with one sentence that says what is wrong, and returns nothing when all is well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import default_rng

from askwise.distances import Distance, form_of, verify
from askwise.errors import AskwiseError
from askwise.posteriors import Posterior
from askwise.problem import Problem
from askwise.strategies import Strategy
from askwise.structures import Family
from askwise.types import Answer, Atoms, Floats, Sample, Structures

COUNT = 50  # atoms or draws asked for where the number does not matter
SEED = 20
ROUNDED = 1e-4  # a form may work in 32 bits, where angles near a half turn are no better known


def check_family(family: Family, structures: Structures, atoms: Atoms | None = None) -> None:
    """Shapes, decisions among the responses, rows and columns that stand on their own, repeatable atoms.

    >>> from askwise.structures.finite import Finite
    >>> check_family(Finite([[0, 0, 1], [0, 1, 1]]), np.arange(2))
    """
    first, second = (family.draw_atoms(COUNT, default_rng(SEED)) for _ in range(2))
    _require(_same(first, second), "draw_atoms gives other atoms for the same generator; draw only from the one passed")
    atoms = first if atoms is None else atoms
    predictions = family.predict(structures, atoms)
    shape = (len(structures), len(atoms))
    _require(
        np.shape(predictions)[:2] == shape and np.ndim(predictions) in (2, 3),
        f"predict gave shape {np.shape(predictions)}; expected {shape}, or that and one axis of scores",
    )
    _require(bool(np.isfinite(predictions).all()), "predict gave numbers that are not finite")
    _require(_same(predictions, family.predict(structures, atoms)), "predict gives other numbers when called again")
    rows, columns = np.arange(shape[0])[::-2], np.arange(shape[1])[::-2]
    part = family.predict(structures[rows], atoms[columns])
    _require(
        np.allclose(part, np.asarray(predictions)[np.ix_(rows, columns)], rtol=1e-9, atol=1e-12),
        "predict on some structures and atoms differs from the same rows and columns of the whole batch",
    )
    decided, responses = np.asarray(family.decide(predictions)), family.responses(predictions)
    _require(decided.shape == shape, f"decide gave shape {decided.shape}; expected one response a prediction, {shape}")
    if np.ndim(responses) == 1:
        codes = list(responses)
        _require(len(codes) >= 2, f"responses gave {codes}; a question needs at least two")
        _require(len(set(codes)) == len(codes), f"responses gave {codes}; each may appear once")
        _require(bool(np.isin(decided, codes).all()), f"decide gave something that is not among the responses {codes}")
    else:
        _require(
            np.ndim(responses) == 2 and np.shape(responses)[1] == shape[1],
            f"responses gave shape {np.shape(responses)}; expected a list, or a grid with one column an atom",
        )


def check_distance(distance: Distance, structures: Structures) -> None:
    """Symmetric, zero on the diagonal, in [0, 1], paired == pairwise, and form == pairwise if there is one.

    >>> from askwise.distances.items import BestItem
    >>> check_distance(BestItem(np.eye(3)), default_rng(0).standard_normal((8, 3)))
    """
    try:
        verify(distance, structures)
    except AskwiseError as error:
        raise AssertionError(str(error)) from None
    matrix, form = np.asarray(distance.pairwise(structures)), form_of(distance, structures)
    _require(np.abs(matrix - matrix.T).max(initial=0.0) < 1e-6, "pairwise is not symmetric; average it with its mirror")
    itself = np.asarray(distance.paired(structures, structures))
    _require(np.abs(itself).max(initial=0.0) < 1e-6, "paired does not give zero for a structure and itself")
    mass = default_rng(SEED).dirichlet(np.ones(len(structures)), size=5).T  # (S, 5)
    _require(
        np.allclose(form.apply(mass[:, 0]), matrix @ mass[:, 0], rtol=0.0, atol=ROUNDED),
        "form(structures).apply(weights) differs from pairwise(structures) @ weights",
    )
    _require(
        np.allclose(form.quadratic(mass), np.einsum("sa,st,ta->a", mass, matrix, mass), rtol=0.0, atol=ROUNDED),
        "form(structures).quadratic(mass) differs from the diagonal of mass' pairwise(structures) mass",
    )


def check_posterior(prior: Posterior, answers: Sequence[Answer]) -> None:
    """Updates make new posteriors and leave the old ones alone; samples are proper and repeatable.

    >>> from askwise.losses import zero_one
    >>> from askwise.posteriors.enumerated import Enumerated
    >>> from askwise.structures.finite import Finite
    >>> family = Finite([[0, 0, 1], [0, 1, 1]])
    >>> check_posterior(Enumerated.prior(family, np.arange(2), zero_one, beta=2.0), [Answer(1, 0), Answer(2, 1)])
    """
    posterior = prior
    _check_sample(posterior)
    for turn, answer in enumerate(answers):
        before = posterior.sample(COUNT, default_rng(SEED))
        after, again = (posterior.update(answer, default_rng(turn)) for _ in range(2))
        _require(after is not posterior, "update returned the posterior it was called on; return a new one")
        _require(
            _same_sample(before, posterior.sample(COUNT, default_rng(SEED))),
            "update changed the posterior it was called on; leave it as it was and return a new one",
        )
        _require(
            _same_sample(after.sample(COUNT, default_rng(SEED)), again.sample(COUNT, default_rng(SEED))),
            "the same update with the same generator gives another posterior; draw only from the one passed",
        )
        posterior = after
        _check_sample(posterior)


def _check_sample(posterior: Posterior) -> None:
    first, second = (posterior.sample(COUNT, default_rng(SEED)) for _ in range(2))
    _require(
        _same_sample(first, second), "sample gives other draws for the same generator; draw only from the one passed"
    )
    weights = np.asarray(first.weights)
    count = len(first.structures)
    _require(weights.shape == (count,), f"a sample has {count} structures but weights of shape {weights.shape}")
    _require(
        bool(np.isfinite(weights).all() and (weights >= 0).all()) and abs(weights.sum() - 1) < 1e-6,
        f"the weights of a sample must be at least 0 and sum to one; they sum to {weights.sum():.6g}",
    )
    _require(first.exact or count == COUNT, f"sample({COUNT}) gave {count} draws")
    of = first.chains
    _require(
        of is None or (np.shape(of) == (count,) and len(set(of)) >= 2),
        f"chains must say for each of {count} draws which of at least two chains it came from, or be None",
    )
    for name, value in posterior.diagnostics().items():
        _require(isinstance(value, float), f"the diagnostic {name!r} is a {type(value).__name__}; make it a float")


def check_strategy(strategy: Strategy, problem: Problem, posterior: Posterior) -> None:
    """A gain for each atom, finite and at least 0, the same for the same generator.

    >>> from askwise.distances.labels import Disagreement
    >>> from askwise.losses import zero_one
    >>> from askwise.posteriors.enumerated import Enumerated
    >>> from askwise.strategies.expected import expected
    >>> from askwise.structures.finite import Finite
    >>> family = Finite([[0, 0, 1], [0, 1, 1]])
    >>> problem = Problem(family, Disagreement(family, np.arange(3)), zero_one, beta=2.0)
    >>> check_strategy(expected, problem, Enumerated.prior(family, np.arange(2), zero_one, beta=2.0))
    """
    sample = posterior.sample(4 * COUNT, default_rng(SEED))
    atoms = problem.family.draw_atoms(COUNT, default_rng(SEED))
    first, second = (strategy(problem, posterior, sample, atoms, default_rng(SEED)) for _ in range(2))
    gain: Floats = np.asarray(first.gain)
    _require(gain.shape == (len(atoms),), f"the gain has shape {gain.shape}; expected one number an atom, {len(atoms)}")
    _require(bool(np.isfinite(gain).all()), "the gain of some atom is not a finite number")
    _require(bool((gain >= 0).all()), f"the gain of some atom is {gain.min(initial=0.0):.3g}; gains are at least 0")
    _require(_same(gain, second.gain), "the gain differs for the same generator; draw only from the one passed")
    few = strategy(problem, posterior, sample, atoms[:1], default_rng(SEED))
    _require(np.shape(few.gain) == (1,), f"with one atom the gain has shape {np.shape(few.gain)}; expected (1,)")


def _require(condition: bool, sentence: str) -> None:
    if not condition:
        raise AssertionError(sentence)


def _same_sample(left: Sample, right: Sample) -> bool:
    return _same(left.structures, right.structures) and _same(left.weights, right.weights) and left.exact == right.exact


def _same(left: Any, right: Any) -> bool:
    """Equal arrays, or structs of arrays with equal parts."""
    if isinstance(left, np.ndarray) or not hasattr(left, "__dict__"):
        return np.array_equal(left, right)
    return all(_same(part, getattr(right, name)) for name, part in vars(left).items())
