"""askwise plan: before asking anybody, how many questions will it take?"""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from askwise.cli.common import AsJson, File, closed, opened


def plan(
    file: File,
    people: Annotated[int, typer.Option(min=2, max=100_000, help="Simulated people for each rule.")] = 20,
    seconds: Annotated[float, typer.Option(min=1, max=604_800, help="Time for all of them.")] = 45.0,
    workers: Annotated[int | None, typer.Option(min=1, max=1024, help="Processes [one a core].")] = None,
    as_json: AsJson = False,
) -> None:
    """Lets simulated people answer, with the study's rule and at random, and recommends rule and epsilon."""
    from askwise.study.planning import keep
    from askwise.study.planning import plan as planned

    session = opened(file)
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("simulated people", total=2 * people)
        found = planned(session, people, seconds, workers, lambda: progress.advance(bar))
    keep(session, found)
    closed(session)
    if as_json:
        typer.echo(json.dumps(found))
        return
    Console().print(_table(found))
    typer.echo("\n".join(found["advice"]))


def _table(found: dict[str, Any]) -> Table:
    known = f" after {found['answers']} answers" if found["answers"] else ""
    table = Table(title=f"Questions until it stops, simulated people{known}")
    for heading in ("rule", "half need at most", "four of five need", "people (settled)"):
        table.add_column(heading)
    for rule, row in found["rules"].items():
        low, middle, high = (
            f"more than {row['limit']}" if value is None else f"{value:.0f}" for value in row["spread"]
        )
        table.add_row(rule, middle, f"{low} to {high}", f"{row['people']} ({row['finished']})")
    return table
