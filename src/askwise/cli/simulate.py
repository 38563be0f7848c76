"""askwise simulate: simulated people on a synthetic task, with any strategy."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from askwise.cli.common import AsJson, escape_markup

MAX_ROWS = 11  # of the table; --json has every step
SETTINGS = (  # of tasks; an option that is not given is left to the task
    "dim", "sigma", "items", "intervals", "distance", "noise", "drift", "margin", "adversarial", "told_sigma",
    "learn_scale", "shown", "worst",
)  # fmt: skip


class TaskName(StrEnum):
    classify = "classify"
    choice = "choice"
    line = "line"
    clusters = "clusters"
    hierarchy = "hierarchy"
    columns = "columns"
    segments = "segments"
    top_ranking = "top_ranking"
    matrix = "matrix"


def simulate(
    context: typer.Context,
    task: Annotated[TaskName, typer.Argument(help="What the simulated people answer.")],
    rule: Annotated[
        str,
        typer.Option(
            help="The strategy: random, qbc, margin, bald, epig, eubo, ndbal, ndbal-paper, pdbal, "
            "expected, expected-capped, expected-margin, select, variance."
        ),
    ] = "expected",
    questions: Annotated[int, typer.Option(max=1_000_000, help="Answers per run.")] = 100,
    runs: Annotated[int, typer.Option(max=1_000_000, help="Simulated people.")] = 10,
    seed: Annotated[int, typer.Option(help="The same seed gives the same numbers.")] = 0,
    dim: Annotated[
        int | None, typer.Option(max=1000, help="Features per item [classify, choice, top_ranking; 10].")
    ] = None,
    sigma: Annotated[
        float | None, typer.Option(help="Spread of the true weights [classify, choice, top_ranking; 5].")
    ] = None,
    items: Annotated[
        int | None,
        typer.Option(max=100_000, help="Items [choice, top_ranking, hierarchy; 50; clusters, segments; 150]."),
    ] = None,
    intervals: Annotated[
        int | None, typer.Option(max=10_000, help="Intervals of the line [line; 8; segments; 6].")
    ] = None,
    distance: Annotated[
        str | None, typer.Option(help="item, best, regret or kendall [choice; item]; d_I or d_c [line; d_I].")
    ] = None,
    noise: Annotated[float | None, typer.Option(help="Share of wrong answers [0].")] = None,
    drift: Annotated[
        float | None, typer.Option(help="Drift of the taste per answer [classify, choice, top_ranking; 0].")
    ] = None,
    margin: Annotated[float | None, typer.Option(help="Bounded noise with this margin [line].")] = None,
    adversarial: Annotated[bool, typer.Option("--adversarial", help="The worst bounded noise [line].")] = False,
    told_sigma: Annotated[
        float | None, typer.Option(help="A wrong sigma for askwise [classify, choice, top_ranking].")
    ] = None,
    learn_scale: Annotated[
        bool, typer.Option("--learn-scale", help="Learn sigma [classify, choice, top_ranking].")
    ] = False,
    shown: Annotated[int | None, typer.Option(max=6, help="Items at a time [choice; 2].")] = None,
    worst: Annotated[bool, typer.Option("--worst", help="Of 3 or more, name the worst, too [choice].")] = False,
    workers: Annotated[int | None, typer.Option(max=1024, help="Processes [one per core].")] = None,
    cluster: Annotated[str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler to use instead.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show how the error falls while simulated people answer."""
    from askwise.experiments.runner import simulate as run

    given = {name: context.params[name] for name in SETTINGS}
    settings = {name: value for name, value in given.items() if value is not None and value is not False}
    shared: dict[str, Any] = {
        "rule": rule,
        "questions": questions,
        "runs": runs,
        "seed": seed,
        "workers": workers,
        "cluster": cluster,
    }
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task(f"{task}, {escape_markup(rule)}", total=runs)
        update = lambda finished, total: progress.update(bar, completed=finished)  # noqa: E731
        result = run(str(task), progress=update, **shared, **settings)
    if as_json:
        typer.echo(json.dumps(result))
    else:
        Console().print(_table(result))


def _table(result: dict[str, Any]) -> Table:
    title = f"{result['task']}, {result['rule']}: mean of {result['runs']} runs (68 % interval)"
    table = Table(title=title, caption=f"{result['cpu_ms_per_question']:.1f} ms of CPU per question")
    table.add_column("answers", justify="right")
    for name in result["metrics"]:
        table.add_column(name.replace("_", " "))
    curves = result["metrics"].values()
    for step in sorted({round(row * result["questions"] / (MAX_ROWS - 1)) for row in range(MAX_ROWS)}):
        cells = (f"{c['mean'][step]:.3f} ({c['low'][step]:.3f} to {c['high'][step]:.3f})" for c in curves)
        table.add_row(str(step), *cells)
    return table
