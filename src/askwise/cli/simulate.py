"""askwise simulate: simulated people on a synthetic task, any rule, error curves."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from askwise.cli.common import plain

SHOWN = 11  # rows of the table for people; --json has every step


class TaskName(StrEnum):
    classify = "classify"
    choice = "choice"
    line = "line"
    clusters = "clusters"
    hierarchy = "hierarchy"
    columns = "columns"


def simulate(
    task: Annotated[TaskName, typer.Argument(help="classify, choice, line, clusters, hierarchy or columns")],
    rule: Annotated[
        str, typer.Option(help="random, qbc, margin, bald, epig, eubo, ndbal, ndbal-paper, expected, select, variance.")
    ] = "expected",
    questions: Annotated[int, typer.Option(max=1_000_000, help="Answers in a run.")] = 100,
    runs: Annotated[int, typer.Option(max=1_000_000, help="Simulated people.")] = 10,
    seed: Annotated[int, typer.Option(help="The same seed, the same numbers.")] = 0,
    dim: Annotated[
        int | None, typer.Option(max=1000, help="Features of a point or item [classify, choice; 10].")
    ] = None,
    sigma: Annotated[float | None, typer.Option(help="Spread of the hidden weights [classify, choice; 5].")] = None,
    items: Annotated[int | None, typer.Option(max=100_000, help="Items to choose from [choice; 50].")] = None,
    intervals: Annotated[int | None, typer.Option(max=10_000, help="Cells of the line [line; 8].")] = None,
    distance: Annotated[
        str | None, typer.Option(help="item, best, regret or kendall [choice; item]; d_I or d_c [line; d_I].")
    ] = None,
    noise: Annotated[float | None, typer.Option(help="Share of answers that are simply wrong [0].")] = None,
    drift: Annotated[float | None, typer.Option(help="How far tastes wander an answer [classify, choice; 0].")] = None,
    margin: Annotated[float | None, typer.Option(help="Bounded noise with this margin [line].")] = None,
    adversarial: Annotated[
        bool, typer.Option("--adversarial", help="Bounded noise, the worst allowed [line].")
    ] = False,
    told_sigma: Annotated[
        float | None, typer.Option(help="What the learner wrongly takes for sigma [classify, choice].")
    ] = None,
    learn_scale: Annotated[
        bool, typer.Option("--learn-scale", help="The learner is not told sigma [classify, choice].")
    ] = False,
    workers: Annotated[int | None, typer.Option(max=1024, help="Processes on this machine [one a core].")] = None,
    cluster: Annotated[str | None, typer.Option(metavar="ADDRESS", help="A dask scheduler, for many machines.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Every step as JSON on standard output.")] = False,
) -> None:
    """Lets simulated people answer and shows how the error falls."""
    from askwise.experiments.runner import simulate as run

    given = {
        "dim": dim,
        "sigma": sigma,
        "items": items,
        "intervals": intervals,
        "distance": distance,
        "noise": noise,
        "drift": drift,
        "margin": margin,
        "adversarial": adversarial or None,
        "told_sigma": told_sigma,
        "learn_scale": learn_scale or None,
    }
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task(f"{task}, {plain(rule)}", total=runs)
        result = run(
            str(task),
            rule=rule,
            questions=questions,
            runs=runs,
            seed=seed,
            workers=workers,
            cluster=cluster,
            progress=lambda finished, total: progress.update(bar, completed=finished),
            **{option: value for option, value in given.items() if value is not None},
        )
    if as_json:
        typer.echo(json.dumps(result))
    else:
        Console().print(_table(result))


def _table(result: dict[str, Any]) -> Table:
    title = f"{result['task']}, {result['rule']}: mean of {result['runs']} runs (68 % interval)"
    table = Table(title=title, caption=f"{result['cpu_ms_per_question']:.1f} ms of CPU a question")
    table.add_column("answers", justify="right")
    for name in result["metrics"]:
        table.add_column(name.replace("_", " "))
    steps = sorted({round(i * result["questions"] / (SHOWN - 1)) for i in range(SHOWN)})
    for step in steps:
        curves = result["metrics"].values()
        table.add_row(
            str(step), *(f"{c['mean'][step]:.3f} ({c['low'][step]:.3f} to {c['high'][step]:.3f})" for c in curves)
        )
    return table
