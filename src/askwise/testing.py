"""Checks for your own family, distance, posterior or strategy, and for every capability that it has.

Each check raises AssertionError with one sentence that says what is wrong. It returns nothing when all is well.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.random import default_rng

from askwise.distances import Distance, HasCentre, HasMatrix, HasPhrase, HasUnit, form_of, verify
from askwise.errors import AskwiseError
from askwise.posteriors import Posterior, Reweighs, UpdatesInBatch
from askwise.problem import Problem
from askwise.strategies import CountsRounds, Strategy
from askwise.structures import (
    CentresPredictions,
    ChecksAtoms,
    DescribesModel,
    DrawsResponses,
    Family,
    HasCosts,
    HasNormalAnswers,
    HasUtilities,
    LinearFamily,
    ProposesAtoms,
    ShowsPrompts,
    SingleScore,
)
from askwise.types import Answer, Atoms, Floats, Sample, Structures

COUNT = 50  # atoms or draws, where the number does not matter
SEED = 20
SINGLE_PRECISION_ERROR = 1e-4  # of a form in 32 bits, where an angle near a half turn is known no better


def check_family(family: Family, structures: Structures, atoms: Atoms | None = None) -> None:
    """Shapes, decisions among the responses, independent rows and columns, repeatable atoms, and each capability.

    `structures` (S) are some of the family's own; `atoms` (A) are drawn if left out.

    :param family: Your family.
    :param structures: Some of its own structures, `(S, ...)`.
    :param atoms: Some of its atoms, `(A, ...)`; drawn if left out.

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
    _check_atom_capabilities(family, atoms, responses)
    _check_prediction_capabilities(family, structures, atoms, predictions)


def _check_atom_capabilities(family: Family, atoms: Atoms, responses: Any) -> None:
    """Prompts, checks, costs and features of atoms."""
    if isinstance(family, ShowsPrompts):
        shown = family.prompt(atoms[0], default_rng(SEED))
        unknown = set(shown.responses) - set(shown.codes)
        _require(shown.kind == "number" or not unknown, f"prompt offers {unknown} without a code for it")
        meant = set(shown.codes.values())
        _require(
            np.ndim(responses) == 2 or meant <= set(responses), f"prompt has codes {meant}; responses are {responses}"
        )
    if isinstance(family, ChecksAtoms):
        _require(
            all(_same(np.asarray(family.checked_atom(atom)), np.asarray(atom)) for atom in atoms),
            "checked_atom changes an atom that draw_atoms gave",
        )
    if isinstance(family, HasCosts):
        costs: Floats = np.asarray(family.cost(atoms))
        right = costs.shape == (len(atoms),) and bool((costs > 0).all() and np.isfinite(costs).all())
        _require(right, f"cost must give a finite number above 0 for each of {len(atoms)} atoms")
    if isinstance(family, LinearFamily):
        shape = np.shape(family.features(atoms))
        _require(len(shape) == 2 and shape[0] == len(atoms), f"features gave shape {shape}; expected one row an atom")


def _check_prediction_capabilities(family: Family, structures: Structures, atoms: Atoms, predictions: Floats) -> None:
    """The model's sentence, utilities, drawn responses and precision of predictions."""
    if isinstance(family, ProposesAtoms):
        proposed = family.propose_atoms(structures, COUNT)
        _require(
            len(proposed) <= COUNT and np.shape(proposed)[1:] == np.shape(atoms)[1:],
            f"propose_atoms must give at most {COUNT} atoms like those of draw_atoms",
        )
    if isinstance(family, DescribesModel):
        said = family.model_sentence
        _require(isinstance(said, str) and bool(said.strip()), f"model_sentence is {said!r}; expected a few words")
    if isinstance(family, HasUtilities):
        shape = np.shape(family.utilities(structures))
        right = len(shape) == 2 and shape[0] == len(structures)
        _require(right, f"utilities gave shape {shape}; expected one row a structure")
    if isinstance(family, DrawsResponses):
        first, second = (family.draw_responses(predictions, default_rng(SEED)) for _ in range(2))
        wanted = np.shape(predictions)[:2]
        _require(np.shape(first) == wanted, f"draw_responses gave shape {np.shape(first)}; expected {wanted}")
        _require(_same(first, second), "draw_responses differs for the same generator; draw only from the one passed")
    if isinstance(family, HasNormalAnswers):
        means, precision = family.normal_answers(predictions)
        shapes, wanted = (np.shape(means), np.shape(precision)), (np.shape(predictions)[:2], (len(structures),))
        _require(shapes == wanted, f"normal_answers gave shapes {shapes}; expected {wanted}")
        _require(bool((np.asarray(precision) > 0).all()), "normal_answers gave a precision that is not above 0")
    if isinstance(family, CentresPredictions):
        shape = np.shape(family.centred(predictions))
        _require(shape == np.shape(predictions), f"centred gave shape {shape}; expected {np.shape(predictions)}")
    if isinstance(family, SingleScore):
        single = family.predict(np.asarray(structures, dtype=np.float32), atoms)
        _require(
            single.dtype == np.float32 and np.allclose(single, predictions, rtol=1e-4, atol=1e-4),
            "single_score promises predictions in the precision of the structures; 32 bits gave others",
        )


def check_distance(distance: Distance, structures: Structures) -> None:
    """Symmetric, zero on the diagonal, in [0, 1], paired == pairwise; its form agrees and its phrase can be filled in.

    `structures` (S) are some on which the distance is tried.

    :param distance: Your distance.
    :param structures: Structures `(S, ...)` on which it is tried.

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
    close = partial(np.allclose, rtol=0.0, atol=SINGLE_PRECISION_ERROR)
    _require(
        close(form.apply(mass[:, 0]), matrix @ mass[:, 0]),
        "form(structures).apply(weights) differs from pairwise(structures) @ weights",
    )
    _require(
        close(form.quadratic(mass), np.einsum("sa,st,ta->a", mass, matrix, mass)),
        "form(structures).quadratic(mass) differs from the diagonal of mass' pairwise(structures) mass",
    )
    if isinstance(form, HasMatrix):
        _require(close(form.to_matrix(), matrix), "form(structures).to_matrix() differs from pairwise(structures)")
    if isinstance(distance, HasCentre):
        centre = distance.centre(structures, mass[:, 0], matrix @ mass[:, 0])
        there = distance.paired(np.repeat(np.asarray(centre)[None], len(structures), axis=0), structures)
        _require(
            np.shape(there) == (len(structures),) and bool(np.isfinite(there).all()),
            "centre(structures, weights, mean_distances) is no structure that paired could measure",
        )
    if isinstance(distance, HasPhrase):
        try:
            distance.phrase.format(what="it", loss=0.5)
        except (IndexError, KeyError, ValueError):
            raise AssertionError(f"the phrase {distance.phrase!r} may have the places {{what}} and {{loss}}") from None
    if isinstance(distance, HasUnit):
        _require(0 < distance.unit < np.inf, f"the unit of a distance is a positive number, not {distance.unit!r}")


def check_posterior(prior: Posterior, answers: Sequence[Answer]) -> None:
    """Updates make new posteriors and leave the old ones alone; samples are proper and repeatable; each capability.

    `answers` are told to `prior` one after the other.

    :param prior: Your posterior before any answer.
    :param answers: What it is told, one after the other.

    >>> from askwise.losses import zero_one
    >>> from askwise.posteriors.enumerated import Enumerated
    >>> from askwise.structures.finite import Finite
    >>> family = Finite([[0, 0, 1], [0, 1, 1]])
    >>> check_posterior(Enumerated.prior(family, np.arange(2), zero_one, beta=2.0), [Answer(1, 0), Answer(2, 1)])
    """
    posterior = prior
    _check_sample(posterior)
    for number, answer in enumerate(answers):
        before = posterior.sample(COUNT, default_rng(SEED))
        after, again = (posterior.update(answer, default_rng(number)) for _ in range(2))
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
    before = prior.sample(COUNT, default_rng(SEED))
    if isinstance(prior, UpdatesInBatch):
        _check_sample(prior.update_all(answers, default_rng(SEED)))
        same = _same_sample(before, prior.sample(COUNT, default_rng(SEED)))
        _require(same, "update_all changed the posterior it was called on; return a new one")
    if isinstance(posterior, Reweighs):
        before = posterior.sample(COUNT, default_rng(SEED))
        _check_sample(posterior.reweighed(answers, np.ones(len(answers)), default_rng(SEED)))
        same = _same_sample(before, posterior.sample(COUNT, default_rng(SEED)))
        _require(same, "reweighed changed the posterior it was called on; return a new one")


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

    `strategy` is tried on draws of `posterior`, which must suit the `problem`.

    :param strategy: Your strategy.
    :param problem: The problem on which it is tried.
    :param posterior: Beliefs that suit the problem; the strategy is tried on their draws.

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
    alone = strategy(problem, posterior, sample, atoms[:1], default_rng(SEED))
    _require(np.shape(alone.gain) == (1,), f"with one atom the gain has shape {np.shape(alone.gain)}; expected (1,)")
    if isinstance(strategy, CountsRounds):
        counts = [strategy.candidates(COUNT, round) for round in (1, 2)]
        _require(min(counts) >= 1, f"candidates gave {counts} for rounds 1 and 2; expected at least 1")
        later = strategy.for_round(2)(problem, posterior, sample, atoms, default_rng(SEED))
        _require(np.shape(later.gain) == gain.shape, f"in round 2 the gain has shape {np.shape(later.gain)}")


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
