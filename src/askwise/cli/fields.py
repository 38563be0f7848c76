"""The fields of the options of a question, as a terminal shows them."""

from __future__ import annotations

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from askwise.cli.common import one_line
from askwise.data.formats import heading_of
from askwise.data.presentation import differing_columns
from askwise.types import Question

INDENT = 2
MAX_LISTED = 4  # differing fields in one line


def fields_table(question: Question) -> Padding | None:
    """The options side by side, a field a line; None if no field is shown.

    Fields that differ are bold. Fields that are equal are dim and have a mark, which pipes show, too.
    """
    options, differing = question.options, differing_columns(question.options)
    columns = list(dict.fromkeys(column for option in options for column in option.fields))
    if not columns:
        return None
    table = Table(box=None, show_header=len(options) > 1, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("", *(option.name for option in options)):
        table.add_column(Text(one_line(heading)), overflow="fold")
    for column in columns:
        values = [option.fields.get(column, "") for option in options]
        same = len(options) > 1 and column not in differing
        heading = heading_of(column, *values)
        style = "dim" if same else "bold" if len(options) > 1 else ""
        cells = [Text(one_line(value), style=style) for value in values]
        table.add_row(Text(f"{'=' if same else ' '} {one_line(heading)}", style="dim"), *cells)
    return Padding(table, (0, 0, 0, INDENT), expand=False)


def differing_line(question: Question) -> str:
    """The first fields in which the options differ, in one line: "price 8,400 or 36,100, drive front or rear"."""
    differing = differing_columns(question.options)
    shown = [column for column in question.options[0].fields if column in differing][:MAX_LISTED]
    values = {column: [option.fields[column] for option in question.options] for column in shown}
    return one_line(", ".join(f"{heading_of(column, *each)} {' or '.join(each)}" for column, each in values.items()))
