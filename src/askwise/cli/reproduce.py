"""askwise reproduce: the paper's figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

FIGURES = "figure1, classification, samplers, choice, intervals, theory"


def reproduce(
    names: Annotated[list[str] | None, typer.Argument(metavar="[FIGURE]...", help=f"{FIGURES} [all].")] = None,
    runs: Annotated[int, typer.Option(min=1, max=1_000_000, help="Simulated people per curve.")] = 50,
    quick: Annotated[bool, typer.Option("--quick", help="Three people and 30 answers: only a preview.")] = False,
    rules: Annotated[
        str, typer.Option(help="Strategies, separated by commas; or all.")
    ] = "random,qbc,ndbal-paper,expected",
    workers: Annotated[int | None, typer.Option(min=1, max=1024, help="Processes [one per core].")] = None,
    cluster: Annotated[str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler to use instead.")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for figures and numbers.")] = Path("figures"),
) -> None:
    """Draw the figures of the paper. If stopped, it continues later."""
    from askwise.experiments import figures
    from askwise.experiments.reproduce import NAMES
    from askwise.experiments.reproduce import reproduce as run
    from askwise.strategies import strategy

    every = [*figures.PAPER_RULES, *figures.MORE_RULES]
    chosen = every if rules == "all" else [rule.strip() for rule in rules.split(",")]
    for rule in chosen:
        strategy(rule)  # refuses an unknown name before hours of work
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("simulated people", total=None)
        written = run(
            names or NAMES,
            output,
            runs=runs,
            rules=chosen,
            quick=quick,
            workers=workers,
            cluster=cluster,
            progress=lambda finished, total: progress.update(bar, completed=finished, total=total),
        )
    for path in written:
        typer.echo(path)
