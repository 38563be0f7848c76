"""What can be true: families of structures, with their atoms and responses, one family a file.

This module declares the `Family` protocol and its optional capabilities: a family has a capability when it has its
members, and generic code asks ``isinstance(family, HasCosts)``, never for a class. This package knows losses, options
and data tables; it knows no distance, posterior or session.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from askwise.errors import SettingError
from askwise.types import Atom, Atoms, Capability, Floats, Ints, Option, Prompt, Response, Structures

if TYPE_CHECKING:
    from askwise.data.parquet import Pool, Reader

MAX_ATOMS_SCORED_WHOLE = 4096  # with more, candidates are sampled


@runtime_checkable
class Family(Protocol):
    """A set of structures, seen as functions from atoms to responses.

    :param count: How many atoms to draw; all of them if they are few.
    :param rng: The generator that everything random comes from.
    :param structures: The structures `(S, ...)`, as the family writes them.
    :param atoms: The atoms `(A, ...)`, as the family writes them.
    :param predictions: What `predict` returned: `(S, A)`, or `(S, A, K)` for K labels.
    """

    def draw_atoms(self, count: int, rng: Generator) -> Atoms: ...  # a ~ D; all of them when they are few
    def predict(self, structures: Structures, atoms: Atoms) -> Floats: ...  # (S, A), or (S, A, K) for K labels
    def decide(self, predictions: Floats) -> NDArray[Any]: ...  # (S, A) the response each structure would give
    def responses(self, predictions: Floats) -> Sequence[Response] | Floats: ...  # Y answers, or (Y, A) real ones


@runtime_checkable
class ShowsPrompts(Capability, Protocol):
    """Words a question for a person; without it a person sees the bare atom.

    :param atom: The atom that is asked about.
    :param rng: The generator of the order in which options are shown.
    """

    def prompt(self, atom: Atom, rng: Generator) -> Prompt: ...


@runtime_checkable
class ChecksAtoms(Capability, Protocol):
    """Tells its own atoms from others; without it any atom is accepted.

    :param atom: What may be an atom.
    """

    def checked_atom(self, atom: Atom) -> Atom: ...  # as the family writes it; SettingError if there is no such atom


@runtime_checkable
class HasCosts(Capability, Protocol):
    """Answers cost more or less; a session then asks what gains most per unit of cost.

    :param atoms: The atoms `(A, ...)` whose cost is wanted.
    """

    def cost(self, atoms: Atoms) -> Floats: ...  # (A,), above 0


@runtime_checkable
class HasUtilities(Capability, Protocol):
    """Structures are tastes over N items; `eubo` needs it.

    :param structures: The tastes `(S, ...)`.
    """

    def utilities(self, structures: Structures) -> Floats: ...  # (S, N)


@runtime_checkable
class HasLabels(Capability, Protocol):
    """Atoms are named rows, and a response is a label; predictions can then be exported."""

    names: Sequence[str]  # of the rows, in the order of their numbers
    labels: Sequence[Response]  # as people say them, in the order of the family's responses


@runtime_checkable
class DrawsResponses(Capability, Protocol):
    """Answers are numbers, and the family draws noisy ones; planning, batches and certificates need it then.

    :param predictions: What `predict` returned, `(S, A)`.
    :param rng: The generator of the noise.
    """

    def draw_responses(self, predictions: Floats, rng: Generator) -> Floats: ...  # (S, A)


@runtime_checkable
class HasNormalAnswers(Capability, Protocol):
    """Answers are numbers, normally distributed around each structure's own value; `pdbal` needs it then.

    :param predictions: What `predict` returned, with one row a structure.
    """

    def normal_answers(self, predictions: Floats) -> tuple[Floats, Floats]: ...  # means (S, A) and precisions (S,)


@runtime_checkable
class CentresPredictions(Capability, Protocol):
    """Gives predictions in units that lose nothing in 32 bits, with the same likelihoods.

    :param predictions: What `predict` returned, `(S, A, ...)`.
    """

    def centred(self, predictions: Floats) -> Floats: ...  # of the shape given


@runtime_checkable
class LinearFamily(Capability, Protocol):
    """Structures are weight vectors, and an atom has a row of features; samplers of linear scores need it.

    :param atoms: The atoms `(A, ...)` whose features are wanted.
    """

    @property
    def dimension(self) -> int: ...  # of the weights
    def features(self, atoms: Atoms) -> Floats: ...  # (A, D)


@runtime_checkable
class DescribesModel(Capability, Protocol):
    """Says in words what it assumes about the truth; certificates and reports list it."""

    model_sentence: str


@runtime_checkable
class SingleScore(Capability, Protocol):
    """A prediction is one score, features . weights, in the precision of the structures: 32 bits in, 32 bits out."""

    single_score: bool


@runtime_checkable
class ShowsSets(Capability, Protocol):
    """Asks for the best of several items, or for the best and the worst; structures are those of pairs of them.

    :param atom: The set of items that was shown.
    :param response: The answer to it.
    :param shown: How many items are shown at a time.
    """

    pairs: Any  # the family of A-or-B questions about the same items
    shown: int  # items at a time, 3 or more
    worst: bool  # whether the worst is asked for, too

    def differences(self, atom: Atom, response: Response) -> Ints: ...  # (M, 2): the pairs that an answer compares
    def best_of(self, shown: int) -> Any: ...  # the family of questions for the best of so many items


@runtime_checkable
class ProposesAtoms(Capability, Protocol):
    """Names atoms that draws make worth scoring; they join the random candidates of a family too large to list.

    :param structures: Draws `(S, ...)` that say which atoms matter.
    :param count: How many atoms at most.
    """

    def propose_atoms(self, structures: Structures, count: int) -> Atoms: ...  # at most `count`


@runtime_checkable
class AsksPeople(Capability, Protocol):
    """Every atom asks one of several people; a session then chooses whom to ask, and tastes may differ.

    :param atoms: The atoms `(A, ...)`, each of which asks one person.
    """

    people: Sequence[str]  # their names; of a group of which only the size is known, numbers in place of names
    named: bool  # whether these are their names

    def places(self, atoms: Atoms) -> Ints: ...  # (A,): whom each atom asks, as a place in `people`


@runtime_checkable
class PooledRows(Capability, Protocol):
    """Atoms are rows of a pool on disk, which is screened before the rows that are left are scored.

    :param atoms: Numbers of rows `(A,)`.
    :param weights: The weights of the structures, `(S, D)`.
    :param rows: The numbers of the rows that were read, in order.
    :param points: The features of these rows.
    """

    pool: Pool
    reader: Reader
    workers: Executor | None  # where the pool is screened; None: the cores of this machine

    def features(self, atoms: Atoms) -> Floats: ...  # (A, D); also of rows that were just read
    @property
    def row_dimension(self) -> int: ...  # D
    def row_scorer(self, weights: Floats) -> Callable[[Floats], Floats]: ...  # (S, D) -> rows that were read -> (S, A)
    def remember(self, rows: Ints, points: Floats) -> None: ...  # keeps rows that were read, their numbers in order


CAPABILITIES = (
    AsksPeople,
    CentresPredictions,
    ChecksAtoms,
    DescribesModel,
    DrawsResponses,
    HasCosts,
    HasLabels,
    HasNormalAnswers,
    HasUtilities,
    LinearFamily,
    PooledRows,
    ProposesAtoms,
    ShowsPrompts,
    ShowsSets,
    SingleScore,
)


def draw_indices(size: int, count: int, rng: Generator) -> Ints:
    """Indices below `size`: all of them when they are few, else `count` different ones.

    :param size: How many there are.
    :param count: How many are wanted.
    :param rng: The generator of the choice.

    >>> draw_indices(3, 2, np.random.default_rng(0))
    array([0, 1, 2])
    """
    if size <= max(count, MAX_ATOMS_SCORED_WHOLE):
        return np.arange(size)
    return np.sort(rng.choice(size, count, replace=False))


def prompt(family: Family, atom: Atom, rng: Generator) -> Prompt:
    """The question that a person sees: the family's own prompt if it has one, else the bare atom.

    :param family: The family of the atom.
    :param atom: What is asked about.
    :param rng: The generator of the order in which options are shown.

    >>> from askwise.structures.finite import Finite
    >>> prompt(Finite([[0], [1]], names=["the door"]), 0, np.random.default_rng(0)).text
    'What is the answer to the door?'
    """
    if isinstance(family, ShowsPrompts):
        return family.prompt(atom, rng)
    name = str(np.asarray(atom).tolist())
    codes = {response: response for response in family.responses(np.empty((0, 1)))}
    return Prompt("atom", (Option(name),), tuple(codes), codes, f"What is the answer to {name}?")


def checked_atom(family: Family, atom: Atom) -> Atom:
    """The atom as its family writes it; refused if the family can tell that it has no such atom.

    :param family: The family that the atom should belong to.
    :param atom: What may be an atom.

    >>> from askwise.structures.finite import Finite
    >>> int(checked_atom(Finite([[0, 1], [1, 1]]), 1))
    1
    """
    return family.checked_atom(atom) if isinstance(family, ChecksAtoms) else atom


def checked_numbers(atom: Atom, *sizes: int, different: bool = False) -> Atom:
    """An atom that is one whole number for each of `sizes`, from 0 and below it.

    With `different` the numbers must differ, and are sorted.

    :param atom: What may be an atom.
    :param sizes: The number of choices for each of its numbers.
    :param different: Whether the numbers must differ.

    >>> checked_numbers([2, 0], 3, 3, different=True).tolist()
    [0, 2]
    >>> checked_numbers([2, 2], 3, 3, different=True)
    Traceback (most recent call last):
    askwise.errors.SettingError: the atom is [2, 2]; expected 2 different whole numbers from 0 to 2
    """
    try:
        found = np.asarray(atom)
    except (TypeError, ValueError):  # ragged lists
        found = np.empty(0)
    shape = () if len(sizes) == 1 else (len(sizes),)
    whole = found.shape == shape and found.dtype.kind in "iu"
    if (
        not whole
        or (found < 0).any()
        or (found >= sizes).any()
        or (different and len(set(found.tolist())) < len(sizes))
    ):
        count = f"{len(sizes)} {'different ' if different else ''}whole numbers" if shape else "a whole number"
        below = " and ".join(dict.fromkeys(f"from 0 to {size - 1}" for size in sizes))
        raise SettingError(f"the atom is {reprlib.repr(atom)}; expected {count} {below}")
    return np.sort(found) if different else found
