"""A line on the terminal that says how far an oracle is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from askwise.oracles.loop import AnsweringLoop


@contextmanager
def show_progress(loop: AnsweringLoop, wanted: bool) -> Iterator[None]:
    """Shows what the oracle has done so far, if that is wanted and somebody looks at a terminal."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not wanted or not console.is_terminal:
        yield
        return
    columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as display:
        line = display.add_task("asking", total=None)

        def update() -> None:
            counts = loop.counts
            parts = [f"{counts.answers} answers"]
            parts += [f"{counts.skips} skips"] if counts.skips else []
            parts += [f"{counts.failures} failed calls"] if counts.failures else []
            parts += [f"cost {counts.cost:.6g}"] if counts.cost else []
            display.update(line, description=f"{', '.join(parts)}, undecided {loop.session.diameter:.3f}")

        loop.changed = update
        yield
