"""The commands."""

from __future__ import annotations

from typing import Annotated

import typer

from askwise.cli import (
    answers,
    ask,
    demo,
    goal,
    new,
    plan,
    reproduce,
    serve,
    simulate,
    status,
    transfer,
)

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


def show_version(wanted: bool) -> None:
    if wanted:
        from askwise import __version__

        typer.echo(f"askwise {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print it.")] = False,
) -> None:
    """Ask the fewest questions that settle what you want to know, and know when to stop."""


# a study, in the order somebody meets the commands; then what shows the method
app.command("new")(new.new)
app.command("ask")(ask.ask)
app.command("serve")(serve.serve)
app.command("tell")(answers.tell)
app.command("next")(answers.next_questions)
app.command("plan")(plan.plan)
app.command("goal")(goal.goal)
app.command("status")(status.status)
app.command("report")(status.report)
app.command("export")(transfer.export)
app.command("import")(transfer.import_study)
app.command("copy")(transfer.copy)
app.command("demo")(demo.demo)
app.command("simulate")(simulate.simulate)
app.command("reproduce")(reproduce.reproduce)
