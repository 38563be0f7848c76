"""Plates: questions that a lab asks together, under rules of how many of a row or column, or as whole sets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from askwise.distances import new_form
from askwise.errors import NothingToAsk, SettingError
from askwise.options import mapping, parts, shown, whole_number
from askwise.posteriors import Posterior, update_all
from askwise.problem import Problem
from askwise.session.events import hashable_atom
from askwise.strategies import Strategy
from askwise.strategies.baselines import random
from askwise.strategies.batches import initial_scenarios
from askwise.strategies.split import average_diameter
from askwise.structures import DrawsResponses, Family, HasCosts, checked_atom
from askwise.types import Answer, Atom, Atoms, Floats, Sample

Plates = Mapping[str, Sequence[Atom]]  # the atoms of each plate by its name
SIMULATED_TRUTHS = 12  # that answer each plate
MAX_SIMULATED_PLATES = 6  # the strategy chooses them where there are more


@dataclass(frozen=True)
class Plate:
    """Which entries of a matrix may be asked together: at most so many of a row, at most so many of a column.

    It is an `eligible` of `Session.ask` that is plain data.

    :param per_row: The most entries of one row; by default any number.
    :param per_column: The most entries of one column; by default any number.

    >>> plate = Plate(per_row=1)
    >>> plate([[0, 2], [1, 2]], [0, 3]), plate([[0, 2], [1, 2]], [3, 2])
    (False, True)
    """

    per_row: int | None = None
    per_column: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("per_row", self.per_row), ("per_column", self.per_column)):
            if value is not None:
                object.__setattr__(self, name, whole_number(name, value, at_least=1))

    def __call__(self, atoms: Sequence[Atom], atom: Atom) -> bool:
        """Whether the entry may join those that are open."""
        if np.shape(atom) != (2,):
            raise SettingError("a plate is about the entries of a matrix; these questions are about something else")
        limits = (self.per_row, self.per_column)
        return all(
            limit is None or sum(other[side] == atom[side] for other in atoms) < limit
            for side, limit in enumerate(limits)
        )


class ChosenPlate(NamedTuple):
    """A whole plate that was chosen."""

    name: str
    atoms: Atoms
    gain: float  # of the average diameter, that its answers are expected to remove
    gain_per_cost: float


def checked_plates(plates: Any, family: Family) -> dict[str, list[Any]]:
    """Plates by name, the atoms of each as the family writes them.

    >>> from askwise.structures.finite import Finite
    >>> checked_plates({"left": [0]}, Finite([[0, 1], [1, 1]]))
    {'left': [0]}
    """
    given = mapping("plates", plates, "the questions of each plate by its name")
    found = {}
    for name, atoms in given.items():
        each = parts(f"the plate {shown(name)}", atoms, "a list of questions, each as the family writes it")
        found[str(name)] = [np.asarray(checked_atom(family, atom)).tolist() for atom in each]
    return found


def remaining_plates(plates: Plates, taken: Collection[Any]) -> dict[str, Atoms]:
    """The plates without the atoms that are `taken`; those with none left are left out.

    >>> remaining_plates({"left": [0, 1], "right": [2]}, {1, 2})
    {'left': array([0])}
    """
    fresh = {
        name: np.asarray([atom for atom in atoms if hashable_atom(atom) not in taken]) for name, atoms in plates.items()
    }
    left = {name: atoms for name, atoms in fresh.items() if len(atoms)}
    if not left:
        raise NothingToAsk("every question of every plate was asked or skipped; give other plates")
    return left


def choose_plate(
    problem: Problem,
    posterior: Posterior,
    sample: Sample,
    plates: Mapping[str, Atoms],
    rule: Strategy,
    stream: Callable[[str], Generator],
) -> ChosenPlate:
    """The plate with the largest gain per unit of cost; the strategy random takes any.

    Of many plates, the strategy chooses a few: those whose questions have the largest sum of gains per unit of cost.
    `stream` gives a generator by name.
    """
    names = list(plates)
    if rule is random:
        name = names[int(stream("plate").integers(len(names)))]
        return ChosenPlate(name, plates[name], 0.0, 0.0)
    costs = {name: questions_cost(problem.family, plates[name]) for name in names}
    if len(names) > MAX_SIMULATED_PLATES:
        every = np.concatenate([plates[name] for name in names])
        gains = rule(problem, posterior, sample, every, stream("rule")).gain
        ends = np.cumsum([len(plates[name]) for name in names])
        sums = [part.sum() for part in np.split(gains, ends[:-1])]
        ranked = np.argsort([-total / costs[name] for total, name in zip(sums, names, strict=True)], kind="stable")
        names = [names[place] for place in ranked[:MAX_SIMULATED_PLATES]]
    gains = plate_gains(problem, posterior, sample, [plates[name] for name in names], lambda: stream("plate"))
    best = int(np.argmax([gain / costs[name] for gain, name in zip(gains, names, strict=True)]))
    name, gain = names[best], float(gains[best])
    return ChosenPlate(name, plates[name], gain, gain / costs[name])


def plate_gains(
    problem: Problem, posterior: Posterior, sample: Sample, plates: Sequence[Atoms], rng: Callable[[], Generator]
) -> Floats:
    """(P,): how much of the average diameter the answers to each plate are expected to remove.

    Some draws are taken for the truth and answer a whole plate, with noise. The gain is the diameter less its mean
    after these answers. `rng` makes equal generators, so that all plates meet the same truths.
    """
    before = average_diameter(new_form(problem.distance, sample.structures), sample.weights, sample.exact)
    gains = []
    for atoms in plates:
        draw = rng()
        truths = initial_scenarios(posterior, sample, draw)[0].truths
        truths = truths[np.linspace(0, len(truths) - 1, SIMULATED_TRUTHS).astype(int)]
        after = []
        for responses in simulated_responses(problem, problem.family.predict(truths, atoms), draw):
            answers = [Answer(atom, response) for atom, response in zip(atoms, responses, strict=True)]
            updated = update_all(posterior, answers, draw).sample(len(sample.weights), draw)
            form = new_form(problem.distance, updated.structures)
            after.append(average_diameter(form, updated.weights, updated.exact))
        gains.append(before - float(np.mean(after)))
    return np.array(gains)


def simulated_responses(problem: Problem, predictions: Floats, rng: Generator) -> list[list[Any]]:
    """(K, A): what each of K truths answers to each of A questions."""
    if isinstance(problem.family, DrawsResponses):
        drawn: list[list[Any]] = problem.family.draw_responses(predictions, rng).tolist()
        return drawn
    chances = problem.chances(predictions)  # (Y, K, A)
    places = (rng.random(chances.shape[1:]) > np.cumsum(chances, axis=0)[:-1]).sum(axis=0)
    responses = list(problem.family.responses(predictions))
    return [[responses[place] for place in row] for row in places]


def questions_cost(family: Family, atoms: Atoms) -> float:
    """What the answers to these questions cost; 1 each where families have no costs.

    >>> from askwise.structures.matrices import Matrices
    >>> questions_cost(Matrices((1, 2), costs=[1.0, 3.0]), np.array([[0, 0], [0, 1]]))
    4.0
    """
    return float(family.cost(atoms).sum()) if isinstance(family, HasCosts) else float(len(atoms))
