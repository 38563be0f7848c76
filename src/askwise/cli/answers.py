"""askwise tell and askwise next: answers collected elsewhere, and questions to take away."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track

from askwise.cli.common import AsJson, File, closed, opened, typed_address, visible
from askwise.errors import DataError
from askwise.types import Question

SHOWN = 5  # bad lines that are printed


def tell(
    file: File,
    source: Annotated[Path, typer.Option("--from", metavar="TABLE", help="CSV, TSV, JSONL or Parquet with answers.")],
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Take the good lines even if others are bad.")] = False,
    who: Annotated[str | None, typer.Option(help="Who gave them, if the table does not say.")] = None,
    encoding: Annotated[str, typer.Option(help="Of a text file.")] = "utf-8",
    as_json: AsJson = False,
) -> None:
    """Takes answers from a table: every line is checked first, and nothing is taken if one is bad."""
    from askwise.study.collected import take, understand
    from askwise.study.read import read_table

    if not source.is_file():
        raise DataError(f"there is no table {source}; give a file with answers")
    session = opened(file)
    good, bad = understand(session, read_table(source, encoding))
    if bad and not skip_bad:
        more = f" (and {len(bad) - 1} more bad lines)" if len(bad) > 1 else ""
        raise DataError(f"{bad[0]}{more}; nothing was taken: mend it, or take the good lines with --skip-bad")
    console = Console(stderr=True)
    told = take(session, good, source.read_bytes(), who)
    shown = track(told, "answers", len(good), console=console, transient=True) if console.is_terminal else told
    new = sum(shown)
    closed(session)
    if as_json:
        typer.echo(json.dumps({"taken": new, "known": len(good) - new, "bad": bad, "answers": len(session.answers)}))
        return
    for line in bad[:SHOWN]:
        typer.echo(f"left out, {visible(line)}", err=True)
    known = f", {len(good) - new} were known" if new < len(good) else ""
    typer.echo(f"{new} answer{'s' if new != 1 else ''} taken{known}; the study has {len(session.answers)} now.")


def next_questions(
    file: File,
    count: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many.")] = 1,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A table to fill in: .csv, .tsv, ...")] = None,
    as_json: AsJson = False,
) -> None:
    """Gives the next questions to take away; what comes back goes in with askwise tell."""
    from askwise.study.address import Address
    from askwise.study.files import write

    session = opened(file)
    questions = session.ask(count)
    closed(session)
    if as_json:
        typer.echo(json.dumps({"questions": [_plain(question) for question in questions]}))
    elif output is not None:
        write(_table(questions), output)
        typer.echo(f"{len(questions)} questions are in {visible(str(output))}: fill in the column response, then")
        typer.echo(f"askwise tell {visible(typed_address(Address.of(file)))} --from {visible(quote(str(output)))}")
    else:
        for question in questions:
            typer.echo(f"{question.id}  {visible(str(question))}")
    if len(questions) < count:
        print(f"there were only {len(questions)} questions left to ask", file=sys.stderr)


def _plain(question: Question) -> dict[str, Any]:
    options = [{"name": option.name, "image": option.image} for option in question.options]
    return {
        "id": question.id,
        "kind": question.kind,
        "text": question.text,
        "options": options,
        "responses": list(question.responses),
    }


def _table(questions: list[Question]) -> dict[str, list[Any]]:
    most = max(len(question.options) for question in questions)
    names = {"abc"[place]: [question.options[place].name for question in questions] for place in range(most)}
    return {
        "question": [question.id for question in questions],
        "text": [question.text for question in questions],
        **names,
        "answers": ["/".join(map(str, question.responses)) for question in questions],
        "response": [None for _ in questions],
    }
