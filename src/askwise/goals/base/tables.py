"""Goals about the rows of a table: how names, pictures and features are found, and what is said about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import comb
from typing import Any, ClassVar, Self

from askwise.data.encoding import MISSING_POLICIES, SHOWN_REASONS, Items, encode
from askwise.data.presentation import BODY_FORMATS, MAX_DEFAULT_FIELDS, BodyColumns, Presentation
from askwise.data.tables import Columns, table
from askwise.goals.base.goal import Goal, Summary, place_of
from askwise.goals.base.options import named_or_object, option
from askwise.goals.base.texts import abbreviate, one_of, there_are
from askwise.options import choice, column, columns
from askwise.session import Session

FILL = "a function that fills a column"


def missing_names() -> Mapping[str, None]:
    """What may be done about missing values, by name."""
    return dict.fromkeys(MISSING_POLICIES)


class TableGoal(Goal):
    """A goal about the rows of a table, which have names, pictures and features."""

    shown_together: ClassVar[int] = 2  # rows that one question shows

    name: str | None = option(
        default=None, parse=column, typed=str, flag="--name-column",
        help="The column with the names; by default the one called name, title, item or id.",
    )  # fmt: skip
    image: str | None = option(
        default=None, parse=column, typed=str, flag="--image-column",
        label="Column of pictures", advanced=True, help="The column with the files of the pictures.",
    )  # fmt: skip
    body: str | None = option(
        default=None, parse=column, typed=str, flag="--body-column", label="Column of long texts", advanced=True,
        help="The column with long texts, Markdown or code, which questions show and nothing is learned from.",
    )  # fmt: skip
    body_format: str = option(
        default="markdown", parse=partial(choice, known=BODY_FORMATS), typed=str, choices=BODY_FORMATS,
        changeable=True, shown=True, label="How long texts are written", advanced=True,
        help="How the long texts are written: markdown, text (as it is) or code.",
    )  # fmt: skip
    audio: str | None = option(
        default=None, parse=column, typed=str, flag="--audio-column", label="Column of sounds", advanced=True,
        help="The column with the files of the sounds.",
    )  # fmt: skip
    video: str | None = option(
        default=None, parse=column, typed=str, flag="--video-column", label="Column of films", advanced=True,
        help="The column with the files of the films.",
    )  # fmt: skip
    features: Sequence[str] | None = option(
        default=None, parse=columns, typed=list, example="price,power",
        help="The columns to learn from; by default all that are suitable.",
    )  # fmt: skip
    show: Sequence[str] | None = option(
        default=None, parse=columns, typed=list, example="price,power", changeable=True, shown=True,
        help="The columns that questions show, also ones that are no features; an empty list shows none. By default "
        "up to 8 features, the most telling first.",
    )  # fmt: skip
    missing: str | Callable[[list[Any]], Sequence[Any]] = option(
        default="refuse", parse=named_or_object(missing_names, missing_names, FILL),
        typed=str, choices=MISSING_POLICIES,
        help='"refuse" missing values, or "impute" them: numbers by the mean, categories by a level of their own.',
        in_python="Or a function that fills a column: it gets all values, None where one is missing, and returns them.",
    )  # fmt: skip

    @property
    def rows_shown(self) -> int:
        """How many rows one question shows."""
        return self.shown_together

    def resolve(self, data: Any) -> tuple[Columns, Self]:
        columns, goal = super().resolve(data)
        if isinstance(self.missing, str):
            return columns, goal
        fill = self.missing
        filled = {name: list(fill(values)) if None in values else values for name, values in columns.items()}
        return table(filled), replace(goal, missing="refuse")  # the study keeps the table as it was filled

    def items(self, columns: Columns) -> Items:
        """The rows as named items with features."""
        return encode(columns, **self.shown_columns, features=self.features, missing=str(self.missing))

    @property
    def shown_columns(self) -> dict[str, str | None]:
        """The columns that are shown and not learned from, by option."""
        return {each: getattr(self, each) for each in SHOWN_REASONS}

    def presentation(self, columns: Columns) -> Presentation:
        bodies = BodyColumns(self.body, self.body_format, self.audio, self.video)
        return Presentation(columns, partial(self.items, columns), self.show, bodies=bodies)

    def summary(self, session: Session) -> Summary:
        assert session.pursued is not None
        items, rows = self.items(session.pursued["data"]), self.total_rows(session.pursued["data"])
        unused = {label: why for label, why in items.left_out.items() if why not in SHOWN_REASONS.values()}
        present = self.presentation(session.pursued["data"])
        levels: dict[str, int] = {}
        for label in items.columns:
            original = label.split("=")[0]
            levels[original] = levels.get(original, 0) + 1
        return Summary(
            self.goal_name,
            rows,
            next((label for label, why in items.left_out.items() if why == "is the name"), None),
            [label if label in items.columns else f"{label} ({count} kinds)" for label, count in levels.items()],
            unused,
            [str(response) for response in session.ask().responses],
            comb(rows, self.rows_shown),
            present.offered,
            present.shown,
        )

    def data_sentences(self, session: Session, found: Summary) -> list[str]:
        return [
            (f"Names: column {found.name!r}." if found.name else "Names: none found, so items are numbered.")
            + (f" Long texts: column {self.body!r}." if self.body else ""),
            f"Features used: {abbreviate(found.features, 12) or 'none; each item stands for itself'}.",
        ]

    def question_sentences(self, found: Summary) -> str:
        fields = f" with {abbreviate(found.shown, MAX_DEFAULT_FIELDS)}" if found.shown else ""
        if self.rows_shown == 1:
            row = f"one row{fields}, to be labelled {one_of(found.responses)}"
            return f"Each question shows {row}. {there_are(found.questions, 'row')}"
        shown, noun = ("two", "pair") if self.rows_shown == 2 else ("three", "triple")
        return f"Each question shows {shown} items{fields}. {there_are(found.questions, noun)}"

    def as_named(self, session: Session, names: Sequence[Any], response: Any) -> Any:
        """A response that is one of the names of its row in a table of answers, as the study spells it."""
        family: Any = session.problem.family
        return family.names[place_of(response, family.names, "item")] if response in names else response


def feature_names(goal: Any, session: Session, count: int) -> list[str]:
    """What weights belong to: the features of the table; numbered if the session keeps no table. There may be none."""
    if session.pursued is None:
        return [f"feature {place + 1}" for place in range(count)]
    return list(goal.items(session.pursued["data"]).columns)
