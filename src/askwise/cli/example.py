"""askwise example: the tables that ship with the package."""

from __future__ import annotations

from typing import Annotated

import typer


def example(
    name: Annotated[str | None, typer.Argument(help="Which table; without it, they are listed.")] = None,
) -> None:
    """Print a table to try askwise with."""
    from askwise.data.examples import EXAMPLES, example_text

    if name is not None:
        typer.echo(example_text(name), nl=False)
        return
    width = max(map(len, EXAMPLES))
    for each, what in EXAMPLES.items():
        typer.echo(f"{each:{width}}  {what}")
    typer.echo("\nSave one to a file: askwise example cars > cars.csv")
