"""askwise plan: before asking anybody, how many questions will it take?"""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from askwise.cli.common import AsJson, File, close_study, open_study

TIME_RAN_OUT = "The time ran out; give more with --seconds."


def plan(
    file: File,
    people: Annotated[int, typer.Option(min=2, max=100_000, help="Simulated people for each strategy.")] = 20,
    seconds: Annotated[float, typer.Option(min=1, max=604_800, help="Time for all of them.")] = 45.0,
    workers: Annotated[int | None, typer.Option(min=1, max=1024, help="Processes [one per core].")] = None,
    splitting: Annotated[
        bool, typer.Option("--splitting", help="Also say how well questions split what is undecided.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Estimate with simulated people how many questions it takes.

    They answer as the model expects. Where answers may be wrong, some give one answer in ten by accident. Where items
    have features and nobody has answered yet, some want neither too much nor too little of each feature, and some want
    enough of two features before all. The plan says how far from the truth each end.
    """
    from askwise.simulate.plan import make_plan, save_plan

    session = open_study(file)
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("simulated people", total=None)
        found = make_plan(
            session, people, seconds, workers, lambda done, total: progress.update(bar, completed=done, total=total)
        )
    save_plan(session, found)
    index = session.splitting() if splitting else None
    close_study(session)
    if as_json:
        typer.echo(json.dumps({**found, **({} if index is None else {"splitting": index.to_dict()})}))
        return
    rows = _rows(found)
    if rows:
        Console().print(_table(found, rows))
    more = [TIME_RAN_OUT] if found["cut_short"] else []
    typer.echo("\n".join([*found["advice"], *more, *([] if index is None else [str(index)])]))


def _rows(plan: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The rows of the table: of all who were simulated often enough to say something."""
    own, *others = plan["rules"] or [""]
    outside = {**({} if plan["hasty"] is None else {"hasty people": plan["hasty"]}), **plan["tastes"]}
    found = {own: plan["rules"].get(own), **{f"{own}, {each}": row for each, row in outside.items()}}
    found |= {rule: plan["rules"][rule] for rule in others}
    return {name: row for name, row in found.items() if row is not None and row["spread"] is not None}


def _table(plan: dict[str, Any], rows: dict[str, dict[str, Any]]) -> Table:
    before = f", starting from the {plan['people_before']} people before" if plan["people_before"] else ""
    after = f", after {plan['answers']} answers" if plan["answers"] else before
    table = Table(title=f"Questions that simulated {plan['who']} need{after}")
    for heading in ("strategy", "half need at most", "four of five need", f"{plan['who']} (finished)"):
        table.add_column(heading)
    for name, row in rows.items():
        table.add_row(name, *_counts(row), f"{row['people']} ({row['finished']})")
    return table


def _counts(row: dict[str, Any]) -> tuple[str, str]:
    """What half of the people need, and four of five; nothing where that says nothing."""
    if row["spread"] is None:
        return "", ""
    low, middle, high = (None if value is None else f"{value:.0f}" for value in row["spread"])
    half = f"more than {row['limit']}" if middle is None else middle
    if low is None or low == high:
        return half, low or ""
    return half, f"{low} or more" if high is None else f"{low} to {high}"
