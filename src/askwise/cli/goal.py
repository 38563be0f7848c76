"""askwise goal: another goal on the same answers."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from askwise.cli.common import AsJson, File, closed, named, opened, typed_address, visible


def goal(
    file: File,
    name: Annotated[str, typer.Argument(metavar="GOAL", help="For example top-k, ranking, cluster-of.")],
    k: Annotated[int | None, typer.Option(help="How many [top-k].")] = None,
    item: Annotated[str | None, typer.Option(help="Whose cluster, by name [cluster-of].")] = None,
    by: Annotated[str | None, typer.Option(help="regret, distance or exact [best-item].")] = None,
    score: Annotated[str | None, typer.Option(help="mean, max or min [best-column].")] = None,
    rows: Annotated[str | None, typer.Option(help="Rows that count, with commas between [best-column].")] = None,
    fair_on: Annotated[str | None, typer.Option(help="The column to be fair on [classifier].")] = None,
    epsilon: Annotated[float | None, typer.Option(help="How undecided it may stay when it stops.")] = None,
    delta: Annotated[float | None, typer.Option(help="Chance of stopping too early.")] = None,
    budget: Annotated[int | None, typer.Option(help="Answers at most.")] = None,
    rule: Annotated[str | None, typer.Option(help="How questions are chosen.")] = None,
    as_json: AsJson = False,
) -> None:
    """Takes up another goal: nothing is asked again that is already known."""
    from askwise.goals import change_goal
    from askwise.study.address import Address

    options: dict[str, Any] = {
        "k": k,
        "item": item,
        "by": by,
        "score": score,
        "rows": None if rows is None else [row.strip() for row in rows.split(",")],
        "fair_on": fair_on,
        "epsilon": epsilon,
        "delta": delta,
        "budget": budget,
        "rule": rule,
    }
    session = opened(file)
    change_goal(session, name.replace("-", "_"), **{key: value for key, value in options.items() if value is not None})
    closed(session)
    if as_json:
        found = {"goal": name, "answers": len(session.answers), "done": session.done, "reason": session.reason}
        typer.echo(json.dumps({**found, "estimate": session.estimate().value}))
        return
    again = visible(typed_address(Address.of(file)))
    typer.echo(f"The {len(session.answers)} answers so far speak for: {visible(named(session.estimate().value))}")
    typer.echo(f"That settles it: {session.reason}." if session.done else f"Not settled yet: askwise ask {again}")
