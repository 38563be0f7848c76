"""What the commands about studies share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import track

from askwise.conversation import Event
from askwise.errors import SettingError
from askwise.session import Session

if TYPE_CHECKING:
    from askwise.study.address import Address

SECRETS = ("password", "sslpassword")  # parts of an address that are not shown
STEERING = dict.fromkeys((*range(32), *range(127, 160)), "?") | dict.fromkeys(map(ord, "\t\n\r"), " ")
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


def typed_address(address: Address) -> str:
    """A study as somebody can type it: quoted for the shell; a password is left to PGPASSWORD.

    >>> from askwise.study.address import Address
    >>> typed_address(Address.of("my cars.askwise"))
    "'my cars.askwise'"
    >>> typed_address(Address.of("postgresql://ann:secret@localhost/lab?sslmode=require#cars"))
    "'postgresql://ann@localhost/lab?sslmode=require#cars' (with the password in PGPASSWORD)"
    """
    if address.is_file:
        return quote(str(address))
    from sqlalchemy import URL, make_url

    url = make_url(address.where)
    query = {part: value for part, value in url.query.items() if part not in SECRETS}
    bare = URL.create(url.drivername, url.username, None, url.host, url.port, url.database, query)
    name = "" if address.name is None else "#" + address.name.replace("%", "%25")
    hint = " (with the password in PGPASSWORD)" if url.password or len(query) < len(url.query) else ""
    typed = bare.render_as_string()
    return (typed + name if quote(typed + name[1:]) == typed + name[1:] else quote(typed + name)) + hint


def write_page(text: str, path: Path) -> None:
    try:
        if path.is_fifo():  # which would wait for a reader
            raise SettingError(f"{path} is a pipe; choose a file with --output")
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        told = f"cannot write {str(path)[:100]}: {error.strerror}"
        raise SettingError(f"{told}; choose another file with --output") from None


def visible(text: str) -> str:
    """A text on one line, without what would steer a terminal.

    >>> visible("two\\nlines \\x1b[2J")
    'two lines ?[2J'
    """
    return text.translate(STEERING)


def plain(text: str) -> str:
    """The same where rich prints it: its brackets are no markup."""
    return escape(visible(text))


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
