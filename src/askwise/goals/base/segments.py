"""Goals about segments of a sorted column: the options they share, and how they build a session."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from askwise.data.encoding import Items, encode
from askwise.data.readings import numbers_in, text_reading
from askwise.data.tables import Columns, is_vectors, rows_named
from askwise.distances import Distance
from askwise.errors import AnswerError, DataError, SettingError
from askwise.goals.base.clusterings import SAME
from askwise.goals.base.export import Variable
from askwise.goals.base.goal import SessionParts, Summary
from askwise.goals.base.margins import margin_option, repeats_questions, zero_one_problem
from askwise.goals.base.options import option
from askwise.goals.base.tables import TableGoal
from askwise.goals.base.texts import cell, plural
from askwise.options import column, number, shown
from askwise.posteriors.segmentations.posterior import SegmentationPosterior
from askwise.problem import beta_noise, margin_beta
from askwise.session import Session
from askwise.structures import checked_atom
from askwise.structures.intervals import Segmentations
from askwise.types import Floats, Ints


class SegmentGoal(TableGoal):
    """A goal about items that are neighbours in the order of a column. A structure is the cuts between them."""

    asks: ClassVar[str] = "do A and B belong together?"
    answer_columns: ClassVar[tuple[str, ...]] = ("a", "b", "same")
    needs: ClassVar[str] = "a column with two values"
    max_rows: ClassVar[int] = 2_000

    column: str = option(
        kw_only=False, parse=column, typed=str, label="The column that sorts the items", example="age",
        help="The column that sorts the items: numbers or dates.",
    )  # fmt: skip
    noise: float | None = option(
        default=None, parse=number, typed=float,
        help="The share of wrong answers; learned unless given. With 0, answers must not contradict each other.",
    )  # fmt: skip
    margin: float | None = margin_option()
    epsilon: float = 0.02  # as a share of pairs or of all items; a segment is a small part of them
    draws: int = 200

    @abstractmethod
    def parts(self, family: Segmentations) -> Distance:
        """The distance between two segmentations."""

    @abstractmethod
    def around(self, names: Sequence[str]) -> int | None:
        """The item that all questions are about, if there is one."""

    @abstractmethod
    def describe(self, family: Segmentations, segments: Ints) -> Any:
        """The estimate as people read it, from the number of each item's segment (N,)."""

    def items(self, columns: Columns) -> Items:
        """The items, with the column that sorts them as their only feature."""
        given = "embed" if self.features is None else "features"
        if self.features is not None or self.embed:
            told = (
                f"{self.goal_name} looks at one column, {self.column!r}, but {given} is {shown(getattr(self, given))}"
            )
            raise SettingError(f"{told}; leave it out")
        if self.column not in columns:
            known = ", ".join(map(repr, columns))
            raise DataError(f"column= names the column {shown(self.column)}, but the table has only {known}")
        present = [value for value in columns[self.column] if value is not None]
        missing, unknown = str(self.missing), [i for i, value in enumerate(columns[self.column]) if value is None]
        if unknown and missing == "refuse":
            told = f"column {self.column!r} has no value in {rows_named(unknown)}"
            raise DataError(f"{told}; fill it in, leave the rows out, or use missing='impute'")
        if is_vectors(present):
            raise DataError(f"column {self.column!r} holds vectors; expected numbers or dates to sort by")
        reading = text_reading((self.readings or {}).get(self.column))
        numbers = numbers_in(self.column, present, reading)
        if numbers is None:
            odd = next((value for value in present if numbers_in(self.column, [value], reading) is None), present[0])
            raise DataError(f"column {self.column!r} holds {shown(odd)}; expected numbers or dates to sort by")
        if len(set(numbers)) < 2:
            raise DataError(f"column {self.column!r} has no two different values; choose another one to sort by")
        return encode(
            columns, **self.shown_columns, features=[self.column], missing=missing, readings=self.readings or {}
        )

    def build(self, columns: Columns) -> SessionParts:
        items = self.items(columns)
        notes = ["?" if value is None else cell(value) for value in columns[self.column]]
        values = items.encoding[0].raw(columns[self.column])[:, 0]
        family = Segmentations(values, items.names, items.images, self.around(items.names), notes)
        noise = self.noise if self.margin is None else beta_noise(margin_beta(self.margin))
        prior = SegmentationPosterior.prior(family, noise)
        problem = zero_one_problem(family, self.parts(family), prior.beta, self.margin)
        return SessionParts(problem, prior, lambda cuts: self.describe(family, item_segments(family, cuts[None])[0]))

    def repeats(self, rows: int) -> bool:
        return repeats_questions(self.repeat, self.margin)

    def summary(self, session: Session) -> Summary:
        family: Any = session.problem.family
        pairs = (family.count**2 - int((np.diff(family.starts) ** 2).sum())) // 2  # of different values
        return replace(super().summary(session), left_out={}, questions=pairs)

    def data_sentences(self, session: Session, found: Summary) -> list[str]:
        family: Any = session.problem.family
        names, _, *read = super().data_sentences(session, found)
        values = family.value_texts()
        told = f"{plural(len(values), 'different value')} from {values[0]} to {values[-1]}"
        return [names, f"Sorted by column {self.column!r}: {told}.", *read]

    def variables(self, session: Session, structures: Any) -> dict[str, Variable]:
        """The number of every item's segment, in the order of the column."""
        family: Any = session.problem.family
        return {"segment": Variable(item_segments(family, structures), {"item": family.names})}

    def parse_answer(self, session: Session, names: Sequence[Any], response: Any) -> tuple[Any, Any]:
        """Same may be said as yes. Items of the same value are refused."""
        atom, response = super().parse_answer(session, names, response)
        try:
            checked_atom(session.problem.family, atom)
        except SettingError as error:
            raise AnswerError(str(error)) from None
        return atom, SAME.get(str(response).strip().casefold(), response)


def item_segments(family: Segmentations, structures: Floats) -> Ints:
    """(S, C) cuts -> (S, N): the number of every item's segment, from 0.

    >>> item_segments(Segmentations([5.0, 1.0, 5.0]), np.array([[1 / 3], [1.0]])).tolist()
    [[1, 0, 1], [0, 0, 0]]
    """
    return family.labels(structures)[:, family.rank]
