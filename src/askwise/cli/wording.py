"""askwise wording: what people read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from askwise.cli.common import AsJson, File, close_study, one_line, open_study
from askwise.cli.new import read_instructions


def wording(
    file: File,
    question: Annotated[
        str | None, typer.Option(help="The question, with {left}, {right} or {names} for names; empty: as usual.")
    ] = None,
    answers: Annotated[
        str | None, typer.Option(help="Names of answers: 'left=Reply A,right=Reply B'; empty: as usual.")
    ] = None,
    instructions: Annotated[
        Path | None, typer.Option(help="A text file that people read first; an empty one: none.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show or change what people read. Answers stay."""
    changes: dict[str, Any] = {"question": question, "answers": answers}
    if instructions is not None:
        changes["instructions"] = read_instructions(instructions)
    changes = {part: text for part, text in changes.items() if text is not None}
    session = open_study(file)
    if changes:
        session.reword(**changes)
    found, waiting = session.wording, len(session.event_log.open_ids)
    close_study(session)
    if as_json:
        typer.echo(json.dumps(found.as_dict()))
        return
    names = ", ".join(f"{response}={name}" for response, name in found.answers.items())
    for title, text in (("Question", found.question), ("Answers", names), ("Instructions", found.instructions)):
        typer.echo(f"{title}: {one_line(text or 'as usual' if title != 'Instructions' else text or 'none')}")
    if changes and waiting:
        typer.echo("This holds from the next question on. A question that is open keeps its text.")
