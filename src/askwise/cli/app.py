"""The commands."""

from __future__ import annotations

from typing import Annotated

import typer

from askwise.cli import demo as demo_command
from askwise.cli import reproduce as reproduce_command
from askwise.cli import simulate as simulate_command

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


app.command("demo")(demo_command.demo)
app.command("reproduce")(reproduce_command.reproduce)
app.command("simulate")(simulate_command.simulate)
