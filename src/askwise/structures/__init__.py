"""What can be true: families of structures, their atoms and their responses. One family a file."""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator

from askwise.errors import SettingError
from askwise.types import Atoms, Floats, Ints, Option, Prompt, Response, Structures

WHOLE_POOL = 4096  # a pool of at most so many atoms is always scored whole, never sampled


class Family(Protocol):
    """A set of structures seen as functions from atoms to responses."""

    def draw_atoms(self, count: int, rng: Generator) -> Atoms: ...  # a ~ D; all of them when the pool is small
    def predict(
        self, structures: Structures, atoms: Atoms
    ) -> Floats: ...  # (S, A) scores; (S, A, K) for K-way families
    def decide(self, predictions: Floats) -> Any: ...  # (S, A) the response each structure would give
    def responses(self, predictions: Floats) -> Sequence[Response] | Floats: ...  # Y answers, or (Y, A) real ones


@runtime_checkable
class LinearFamily(Protocol):
    """What samplers need of a family whose structures are weights: the score of an atom is features . weights."""

    @property
    def dimension(self) -> int: ...
    def features(self, atoms: Atoms) -> Floats: ...  # (A, D)


def draw_pool(size: int, count: int, rng: Generator) -> Ints:
    """Indices of a pool: all of them when it is small, else `count` different ones.

    >>> draw_pool(3, 2, np.random.default_rng(0))
    array([0, 1, 2])
    """
    if size <= max(count, WHOLE_POOL):
        return np.arange(size)
    return np.sort(rng.choice(size, count, replace=False))


def prompt(family: Family, atom: Any, rng: Generator) -> Prompt:
    """The question a person sees: the family's own `prompt(atom, rng)` if it has one, else the bare atom."""
    own = getattr(family, "prompt", None)
    if own is not None:
        result: Prompt = own(atom, rng)
        return result
    name = str(np.asarray(atom).tolist())
    codes = {response: response for response in family.responses(np.empty((0, 1)))}
    return Prompt("atom", (Option(name),), tuple(codes), codes, f"What is the answer to {name}?")


@runtime_checkable
class ChecksAtoms(Protocol):
    """A family that can tell its own atoms from others."""

    def checked_atom(self, atom: Any) -> Any: ...  # as the family writes it; SettingError if it is none


def checked_atom(family: Family, atom: Any) -> Any:
    """The atom as its family writes it; refused if the family has no such atom and can tell."""
    return family.checked_atom(atom) if isinstance(family, ChecksAtoms) else atom


def checked_numbers(atom: Any, *sizes: int, different: bool = False) -> Any:
    """An atom that is one number for each size, counted from 0 and below it; `different` ones are put in order.

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
