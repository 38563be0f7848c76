"""askwise status and askwise report: where a study stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from askwise.cli.common import AsJson, File, named, opened
from askwise.errors import SettingError
from askwise.session import Session


def status(file: File, as_json: AsJson = False) -> None:
    """Says where a study stands: answers, the best guess, its certificate, what is to come."""
    session = opened(file)
    facts = _facts(session)
    if as_json:
        typer.echo(json.dumps(facts))
        return
    counts = ", ".join(f"{facts[kind]} {kind}" for kind in ("answers", "skips", "open"))
    typer.echo(f"{facts['goal']}: {counts}")
    typer.echo(f"Best guess: {named(session.estimate().value)}")
    typer.echo(str(session.certificate()))
    if session.done:
        typer.echo(f"Settled: {session.reason}.")
    else:
        coming = f", {facts['forecast']}" if facts["forecast"] else ""
        typer.echo(f"Not settled yet: undecided {session.diameter:.3f}{coming}.")


def report(
    file: File,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The page [FILE.html].")] = None,
) -> None:
    """Writes one page with the result, the certificate and the pictures; it needs no network."""
    from askwise.report.page import page

    session = opened(file)
    target = output or Path(Path(file.rpartition("#")[2]).stem + ".html")
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("going through the answers", total=None)
        text = page(session, progress=lambda done, total: progress.update(bar, completed=done, total=total))
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as refused:
        raise SettingError(f"cannot write {target}: {refused.strerror}; choose another file with --output") from None
    typer.echo(f"Open {target}")


def _facts(session: Session) -> dict[str, Any]:
    from askwise.study.forecasts import Forecaster

    standing = list(session.conversation.status.values())
    certificate, coming = session.certificate(), None if session.done else Forecaster(session).now()
    pursued = session.pursued or {"goal": "", "options": {}}
    return {
        "goal": pursued["goal"].replace("_", "-"),
        "answers": len(session.answers),
        "skips": standing.count("skipped"),
        "open": standing.count("open"),
        "done": session.done,
        "reason": session.reason,
        "estimate": session.estimate().value,
        "diameter": session.diameter,
        "expected_distance": certificate.expected_distance,
        "upper_bound": certificate.upper_bound,
        "probability_exact": certificate.probability_exact,
        "certificate": str(certificate),
        "warning": certificate.warning,
        "forecast": None if coming is None else str(coming),
    }
