"""askwise status and askwise report: where a study stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from askwise.cli.common import AsJson, File, named, opened, visible, write_page
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
    typer.echo(f"Best guess: {visible(named(session.estimate().value))}")
    typer.echo(visible(str(session.certificate())))
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
    target = output or Path(f"{_file_name(session)}.html")
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("going through the answers", total=None)
        text = page(session, progress=lambda done, total: progress.update(bar, completed=done, total=total))
    write_page(text, target)
    typer.echo(f"Open {visible(str(target))}")


def _file_name(session: Session) -> str:
    """What the page of a study is called: after its file, or after its name in the database."""
    store, record = (getattr(session.journal, part) for part in ("store", "record"))
    return Path(store.address.where).stem if store.address.is_file else str(record.name).replace("/", "-")


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
