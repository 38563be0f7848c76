"""What people see of items within a context: what each item did there, and not its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from askwise.data.encoding import Items
from askwise.data.presentation import BodyColumns, Presentation
from askwise.data.tables import Columns, rows_named
from askwise.errors import DataError
from askwise.types import Option

LETTERS = "AB"  # by which two items are called


class ContextPresentation(Presentation):
    """Completes the options of questions about items within contexts: what the column of the context holds is the body.

    `columns` is the table without the contexts, and `contexts` are their columns, by name. The other arguments are
    those of `Presentation`.

    >>> from functools import partial
    >>> from askwise.data.encoding import encode
    >>> table = {"name": ["old", "new"]}
    >>> present = ContextPresentation({"Add 2 and 2.": ["5", "4"]}, table, partial(encode, table))
    >>> options = [Option("new", row=1), Option("old", row=0)]
    >>> [(option.name, option.body) for option in present(options, "pair", (0, 0, 1))]
    [('A', '4'), ('B', '5')]
    """

    def __init__(
        self,
        contexts: Columns,
        columns: Columns,
        items: Callable[[], Items],
        show: Sequence[str] | None = None,
        bodies: BodyColumns | None = None,
    ):
        super().__init__(columns, items, show, bodies=bodies)
        self.contexts = list(contexts.values())
        for name, texts in contexts.items():
            missing = [row for row, text in enumerate(texts) if text is None]
            if missing:
                problem = f"column {name[:60]!r} is empty in {rows_named(missing)}"
                raise DataError(f"{problem}; fill it, or leave it out of contexts: items are compared in all of them")
            BodyColumns(name).check({name: texts})

    def __call__(self, options: Iterable[Option], kind: str, atom: Any) -> tuple[Option, ...]:
        if atom is None:  # items as such, in no context
            return super().__call__(options, kind, atom)
        texts = self.contexts[int(atom[0])]
        return tuple(
            replace(shown, name=letter, body=str(texts[shown.row]), body_format=self.bodies.body_format, image=None)
            for letter, shown in zip(LETTERS, super().__call__(options, kind, atom), strict=True)
            if shown.row is not None
        )


def check_contexts(columns: Columns, contexts: Sequence[str]) -> None:
    """Refuses contexts that the table does not have.

    >>> check_contexts({"name": ["old", "new"]}, ["a poem"])
    Traceback (most recent call last):
    askwise.errors.DataError: there is no column 'a poem', which contexts names; the columns are name
    """
    for name in contexts:
        if name not in columns:
            known = ", ".join(each[:30] for each in list(columns)[:6])
            raise DataError(f"there is no column {name[:60]!r}, which contexts names; the columns are {known}")
