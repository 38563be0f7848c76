"""What the commands about studies share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track

from askwise.conversation import Event
from askwise.session import Session

SLOW = 40  # events from which on a replay shows its progress

File = Annotated[str, typer.Argument(metavar="FILE", help="The study: a file, or postgresql://host/database#name.")]
AsJson = Annotated[bool, typer.Option("--json", help="For programs: JSON on standard output.")]


def opened(address: str) -> Session:
    """The session of a study; a long replay shows how far it is."""
    from askwise import study

    return study.open(address, _shown)


def closed(session: Session) -> None:
    from askwise import study

    study.close(session)


def shown_address(session: Session) -> str:
    return str(getattr(session.journal, "store").address)  # noqa: B009


def named(value: Any) -> str:
    """An estimate in one line."""
    if isinstance(value, list):
        return ", ".join(f"({named(part)})" if isinstance(part, list) else str(part) for part in value)
    return str(value)


def _shown(events: list[Event]) -> Iterable[Event]:
    if len(events) < SLOW:
        return events
    console = Console(stderr=True)
    return _tracked(events, console) if console.is_terminal else events


def _tracked(events: list[Event], console: Console) -> Iterator[Event]:
    yield from track(events, "reading the answers", console=console, transient=True)
