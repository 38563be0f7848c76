"""askwise warm: compiles once, so that nobody waits for it."""

from __future__ import annotations

import os
import time

import typer

from askwise.cli.common import one_line
from askwise.errors import SettingError


def warm() -> None:
    """Compile for all goals now, so that no first use waits for it."""
    from askwise._runtime import normals  # noqa: F401  any compiled function finds its folder
    from askwise._runtime.compiled import cache_folders
    from askwise.simulate.first_use import compile_all, study_groups

    if not cache_folders():
        raise SettingError("compiled code cannot be kept; set NUMBA_CACHE_DIR to a folder that can be written to")
    start, groups = time.monotonic(), len(study_groups())
    typer.echo("Uses a small study of each goal, which compiles what is not compiled yet.")
    total, folders = 0, set[str]()
    for number, done in enumerate(compile_all(), 1):
        total += len(done.functions)
        folders |= done.folders
        compiled = f"{len(done.functions)} compiled" if done.functions else "all there"
        typer.echo(f"{100 * number // groups:3d} %  {', '.join(done.studies)}: {compiled}")
    took = (
        f"Compiled {total} functions in {time.monotonic() - start:.0f} s." if total else "Nothing had to be compiled."
    )
    typer.echo(f"{took} The code is kept in {one_line(os.path.commonpath(folders))}.")
