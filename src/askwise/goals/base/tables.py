"""Goals about the rows of a table: how names, pictures and features are found, and what is said about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import comb
from typing import Any, ClassVar, Self

from askwise.data.embeddings import embedded_name, read_columns
from askwise.data.encoding import FREE_TEXT, IS_EMBEDDED, MISSING_POLICIES, SHOWN_REASONS, Column, Items, encode
from askwise.data.presentation import BODY_FORMATS, MAX_DEFAULT_FIELDS, BodyColumns, Presentation
from askwise.data.readings import check_readings, reading_example
from askwise.data.tables import Columns, Rows, table
from askwise.goals.base.goal import Goal, Summary, place_of
from askwise.goals.base.options import named_or_object, option
from askwise.goals.base.texts import abbreviate, one_of, there_are
from askwise.options import choice, column, columns, text
from askwise.session import Session

FILL = "a function that fills a column"
MAX_READINGS = 4  # columns of which an example is told


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
    embed: Sequence[str] | None = option(
        default=None, parse=columns, typed=list, example="review", advanced=True,
        label="Columns of texts to learn from",
        help="The columns of texts or pictures to learn from: each becomes a vector, and those that mean or show the "
        "same have similar ones.",
    )  # fmt: skip
    embed_model: str | None = option(
        default=None, parse=text, typed=str, example="ngrams",
        help="The model that makes the vectors: wordllama (the default for texts), ngrams (shared letters; needs no "
        "model), a folder with a model, or an .onnx file. Nothing is downloaded.",
    )  # fmt: skip
    readings: Mapping[str, Any] | None = option(
        default=None, parse=check_readings, help="How a saved session reads its columns; leave it out.",
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

    def resolve(self, data: Rows) -> tuple[Columns, Self]:
        columns, goal = super().resolve(data)
        if not isinstance(self.missing, str):  # the study keeps the table as it was filled
            fill = self.missing
            filled = {name: list(fill(values)) if None in values else values for name, values in columns.items()}
            columns, goal = table(filled), replace(goal, missing="refuse")
        if self.readings is not None:
            return columns, goal
        embedded = list(dict.fromkeys(self.embed or ()))
        columns, readings = read_columns(columns, embedded, self.embed_model, self.image)
        features = goal.features
        if features is not None and embedded:
            features = [*(each for each in features if each not in embedded), *map(embedded_name, embedded)]
        return columns, replace(goal, readings=readings, features=features)

    def item_columns(self, columns: Columns) -> Columns:
        """The columns that say something about the items themselves."""
        return columns

    def items(self, columns: Columns) -> Items:
        """The rows as named items with features."""
        how = {"missing": str(self.missing), "readings": self.readings or {}}
        return encode(self.item_columns(columns), **self.shown_columns, features=self.features, **how)  # type: ignore[arg-type]

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
        known = (*SHOWN_REASONS.values(), IS_EMBEDDED)
        unused = {label: why for label, why in items.left_out.items() if why not in known}
        present = self.presentation(session.pursued["data"])
        return Summary(
            self.goal_name,
            rows,
            next((label for label, why in items.left_out.items() if why == "is the name"), None),
            list(map(_told, items.encoding)),
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
            *self._reading_sentences(session, found),
        ]

    def _reading_sentences(self, session: Session, found: Summary) -> list[str]:
        """Texts that are read as numbers or dates, with an example of each column: it may have meant something else.
        And texts that are not learned from, but could be."""
        assert session.pursued is not None
        data = session.pursued["data"]
        read = [each for each in self.items(data).encoding if each.reading is not None]
        told = [f"{each.name} ({reading_example(data[each.name], each.reading)})" for each in read if each.reading]
        free = [column for column, why in found.left_out.items() if why == FREE_TEXT]
        return [
            *([f"Texts read as numbers and dates: {abbreviate(told, MAX_READINGS)}."] if told else []),
            *([f"To learn from the texts of {abbreviate(free, MAX_READINGS)}, embed them."] if free else []),
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


def _told(column: Column) -> str:
    """A feature for people, with how many numbers it consists of."""
    count = len(column.labels)
    if column.levels is not None:
        return f"{column.name} ({count} kinds)"
    whole = (column.vectors or {}).get("size", count)
    return f"{column.name} ({count}{'' if whole == count else f' of {whole}'} numbers)" if column.size else column.name


def feature_names(goal: Any, session: Session, count: int) -> list[str]:
    """What weights belong to: the features of the table; numbered if the session keeps no table. There may be none."""
    if session.pursued is None:
        return [f"feature {place + 1}" for place in range(count)]
    return list(goal.items(session.pursued["data"]).columns)
