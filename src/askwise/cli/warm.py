"""askwise warm: compiles once, so that nobody waits for it."""

from __future__ import annotations

import os
import time

import typer

from askwise.cli.common import one_line


def warm() -> None:
    """Compile for all goals now, so that no first use waits for it."""
    from askwise.simulate.first_use import compile_all, study_groups

    start, groups = time.monotonic(), len(study_groups())
    typer.echo("Uses a small study of each goal, which compiles what is not compiled yet.")
    total, folders = 0, set[str]()
    for number, done in enumerate(compile_all(), 1):
        total += len(done.functions)
        folders |= done.folders
        compiled = f"{len(done.functions)} compiled" if done.functions else "all there"
        typer.echo(f"{100 * number // groups:3d} %  {', '.join(done.studies)}: {compiled}")
    where = one_line(os.path.commonpath(folders)) if folders else None
    if where is None:
        typer.echo("No folder can be written to, so nothing is kept; set NUMBA_CACHE_DIR to one.", err=True)
        raise typer.Exit(1)
    took = (
        f"Compiled {total} functions in {time.monotonic() - start:.0f} s." if total else "Nothing had to be compiled."
    )
    typer.echo(f"{took} The code is kept in {where}.")
