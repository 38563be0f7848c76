"""askwise backtest: strategies compared on a matrix that is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from askwise.cli.common import AsJson, escape_markup, one_line, write_page

OPTIONS = ("score", "rows", "costs", "rank", "entry_range", "name")  # of the goal


def backtest(
    context: typer.Context,
    table: Annotated[Path, typer.Argument(help="A matrix whose entries are known, at least most of them.")],
    goal: Annotated[str, typer.Option(help="best-column or matrix.")] = "best-column",
    rules: Annotated[str, typer.Option(help="Strategies, with commas between.")] = "expected,random",
    hide: Annotated[float, typer.Option(help="The share of the known entries that is hidden.")] = 0.9,
    runs: Annotated[int, typer.Option(help="How often other entries are hidden.")] = 5,
    questions: Annotated[int, typer.Option(help="Answers per run, at most.")] = 100,
    plates: Annotated[
        str | None, typer.Option(help="Try whole plates, too: rows, columns, or a table with plate, row and column.")
    ] = None,
    score: Annotated[str | None, typer.Option(help="What makes a column good: mean, max or min [mean].")] = None,
    rows: Annotated[str | None, typer.Option(help="The rows that count, with commas between [all].")] = None,
    costs: Annotated[str | None, typer.Option(help="What a question costs: a number, or one for each column.")] = None,
    rank: Annotated[int | None, typer.Option(help="How many factors the matrix has [3].")] = None,
    entry_range: Annotated[float | None, typer.Option(help="The range of the entries [that of the table].")] = None,
    name: Annotated[str | None, typer.Option("--name-column", help="The column with the names of the rows.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same numbers.")] = 0,
    workers: Annotated[int | None, typer.Option(min=1, max=1024, help="Processes [one per core].")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A page with the curves: .html.")] = None,
    encoding: Annotated[str, typer.Option(help="Encoding of a text file.")] = "utf-8",
    as_json: AsJson = False,
) -> None:
    """Compare strategies on a matrix that is known: hide most of it, and let the table answer."""
    from askwise.cli.options import typed_options
    from askwise.data.files import read_table
    from askwise.report.backtest import backtest_page
    from askwise.simulate.backtest import backtest as run

    options = typed_options({option: context.params[option] for option in OPTIONS})
    sides = plates if plates in (None, "rows", "columns") else read_table(Path(plates), encoding)
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("runs", total=None)
        found = run(
            read_table(table, encoding),
            goal,
            rules=[rule.strip() for rule in rules.split(",") if rule.strip()],
            hide=hide,
            runs=runs,
            questions=questions,
            plates=sides,
            seed=seed,
            workers=workers,
            progress=lambda done, total: progress.update(bar, completed=done, total=total),
            **options,
        )
    if output is not None:
        write_page(backtest_page(found, table.name), output)
    if as_json:
        typer.echo(json.dumps(found))
        return
    Console().print(_table(found))
    if output is not None:
        typer.echo(f"Open {one_line(str(output))}")


def _table(found: dict[str, Any]) -> Table:
    from askwise.report.backtest import ERRORS, errors_table

    errors = errors_table(found)
    table = Table(title=f"{ERRORS[found['goal']]} Mean of {found['runs']} runs (68 % interval)")
    for heading in errors.headings:
        table.add_column(heading)
    for row in errors.rows:
        table.add_row(*map(escape_markup, row))
    return table
