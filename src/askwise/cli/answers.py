"""askwise next and askwise tell: questions to take away, and answers collected elsewhere."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track

from askwise.cli.common import AsJson, File, close_study, one_line, open_study, shell_address
from askwise.errors import DataError, SettingError
from askwise.session import Session
from askwise.session.set_responses import OPTION_COLUMNS
from askwise.types import Question

MAX_PRINTED_LINES = 5  # bad lines
COLUMN_PARTS = ("image", "body", "audio", "video")  # of an option, which options of the goal of these names choose


def tell(
    file: File,
    source: Annotated[Path, typer.Option("--from", metavar="TABLE", help="A CSV, TSV, JSONL or Parquet file.")],
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Import the good lines even if others are bad.")] = False,
    who: Annotated[str | None, typer.Option(help="Who answered, if the table has no column who.")] = None,
    encoding: Annotated[str, typer.Option(help="Encoding of a text file.")] = "utf-8",
    as_json: AsJson = False,
) -> None:
    """Import answers from a table. If one line is bad, nothing is imported."""
    from askwise.data.files import read_table
    from askwise.exchange.answer_rows import apply_rows, parse_rows

    if not source.is_file():
        raise DataError(f"there is no table {source}; give a file with answers")
    session = open_study(file)
    good, bad = parse_rows(session, read_table(source, encoding))
    if bad and not skip_bad:
        more = f" (and {len(bad) - 1} more bad lines)" if len(bad) > 1 else ""
        raise DataError(f"{bad[0]}{more}; nothing was imported: mend it, or import the good lines with --skip-bad")
    console = Console(stderr=True)
    told = apply_rows(session, good, source.read_bytes(), who)
    new = sum(track(told, "answers", len(good), console=console, transient=True) if console.is_terminal else told)
    close_study(session)
    if as_json:
        typer.echo(json.dumps({"taken": new, "known": len(good) - new, "bad": bad, "answers": len(session.answers)}))
        return
    for line in bad[:MAX_PRINTED_LINES]:
        typer.echo(f"left out, {one_line(line)}", err=True)
    known = f", {len(good) - new} were known" if new < len(good) else ""
    typer.echo(f"{new} answer{'s' if new != 1 else ''} imported{known}. The study now has {len(session.answers)}.")


def next_questions(
    file: File,
    count: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many questions.")] = 1,
    per_row: Annotated[int | None, typer.Option(min=1, help="At most so many of a row [matrices].")] = None,
    per_column: Annotated[int | None, typer.Option(min=1, help="At most so many of a column [matrices].")] = None,
    plates: Annotated[
        str | None,
        typer.Option(help="Ask the best whole plate: rows, columns, or a table with plate, row and column [matrices]."),
    ] = None,
    who: Annotated[str | None, typer.Option(help="Whom to ask, of a group that decides together.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A table to fill in: .csv, .tsv, ...")] = None,
    as_json: AsJson = False,
) -> None:
    """Print the next questions, or write them to a table to fill in."""
    from askwise.exchange.files import write_table
    from askwise.oracles.messages import question_message
    from askwise.session import Plate
    from askwise.storage.address import Address

    session = open_study(file)
    if plates is not None:
        if (count, per_row, per_column, who) != (1, None, None, None):
            raise SettingError(
                "a plate is asked whole; give --plates without --count, --per-row, --per-column and --who"
            )
        questions = session.ask(plates=_plates(session, plates))
        count = len(questions)
    else:
        plain = per_row is None and per_column is None
        questions = session.ask(count, eligible=None if plain else Plate(per_row, per_column), who=who)
    close_study(session)
    if as_json:
        typer.echo(
            json.dumps({"questions": [question_message(question) for question in questions], **_plate_name(questions)})
        )
    elif output is not None:
        write_table(_table(session, questions), output)
        table = one_line(quote(str(output)))
        typer.echo(f"Wrote {len(questions)} questions to {one_line(str(output))}. Fill in the column response, then:")
        typer.echo(f"askwise tell {one_line(shell_address(Address.of(file)))} --from {table}")
    else:
        for name in _plate_name(questions).values():
            typer.echo(f"Plate {one_line(name)}:")
        for question in questions:
            typer.echo(f"{question.id}  {one_line(str(question))}")
    if len(questions) < count:
        print(f"only {len(questions)} questions were left to ask", file=sys.stderr)


def _plates(session: Session, given: str) -> dict[str, list[list[int]]]:
    """The plates that were named: all rows, all columns, or those of a table."""
    from askwise.data.files import read_table
    from askwise.exchange.plates import SIDES, plates_by, plates_from

    if given in SIDES:
        return plates_by(session, given)
    if not Path(given).is_file():
        raise DataError(f"there is no table {given}; give rows, columns or a file with plate, row and column")
    return plates_from(session, read_table(Path(given), "utf-8"))


def _plate_name(questions: list[Question]) -> dict[str, str]:
    """The name of the whole plate that the questions are from, if there is one."""
    names = {str(question.info["plate"]) for question in questions if "plate" in question.info}
    return {"plate": names.pop()} if len(names) == 1 else {}


def _table(session: Session, questions: list[Question]) -> dict[str, list[Any]]:
    """All that people see of each question, under the names that the columns have in the study's table."""
    chosen = {} if session.pursued is None else session.pursued["options"]
    parts = {part: chosen[part] for part in COLUMN_PARTS if chosen.get(part) is not None}
    most = max(len(question.options) for question in questions)
    shown: dict[str, list[Any]] = {}
    for place, letter in enumerate(OPTION_COLUMNS[:most]):
        options = [question.options[place] for question in questions]
        shown[letter] = [option.name for option in options]
        for column in dict.fromkeys(column for option in options for column in option.fields):
            shown[f"{letter}.{column}"] = [option.fields.get(column) for option in options]
        for part, column in parts.items():
            shown[f"{letter}.{column}"] = [getattr(option, part) for option in options]
    return {
        "question": [question.id for question in questions],
        **({"who": [question.who for question in questions]} if questions[0].who is not None else {}),
        "text": [question.text for question in questions],
        **shown,
        "answers": [question.choices for question in questions],
        "response": [None for _ in questions],
    }
