"""What the commands share: opening studies, printing safely, and sentences about a session."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import track

from askwise.errors import SettingError
from askwise.session import Session
from askwise.session.events import Event
from askwise.stopping.certificate import Certificate, percent

if TYPE_CHECKING:
    from askwise.storage.address import Address

CONTROL_CHARACTERS = dict.fromkeys((*range(32), *range(127, 160)), "?") | dict.fromkeys(map(ord, "\t\n\r"), " ")
BAR_WIDTH = 20  # characters
MAX_TABLE_LETTERS = 200  # of an estimate that is a table
MIN_PROGRESS_EVENTS = 40  # from here on, replaying a study shows its progress

File = Annotated[str, typer.Argument(metavar="FILE", help="The study: a file, or postgresql://host/database#name.")]
Person = Annotated[
    str | None,
    typer.Option("--person", metavar="NAME", help="Whose answers, if everybody has a result of their own."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def open_study(address: str | Address, person: str | None = None) -> Session:
    """The session of a study, or of one person in it; a long replay shows its progress."""
    from askwise import storage
    from askwise.storage.address import Address
    from askwise.storage.participants import log_of
    from askwise.storage.store import Store

    store = Store.at(address if isinstance(address, Address) else Address.of(address))
    log = None if person is None else log_of(store, store.record(), person)
    return storage.resume(store, log, _with_progress)


def close_study(session: Session) -> None:
    """Leaves a checkpoint and lets go of the study."""
    from askwise import storage

    storage.close(session)


def shell_address(address: Address) -> str:
    """A study's address as one can type it: quoted for the shell, without a password.

    >>> from askwise.storage.address import Address
    >>> shell_address(Address.of("my cars.askwise"))
    "'my cars.askwise'"
    >>> shell_address(Address.of("postgresql://ann:secret@localhost/lab?sslmode=require#cars"))
    "'postgresql://ann@localhost/lab?sslmode=require#cars' (with the password in PGPASSWORD)"
    """
    if address.is_file:
        return quote(str(address))
    from sqlalchemy import URL

    url = address.url
    query = {part: value for part, value in url.query.items() if "password" not in part}
    bare = URL.create(url.drivername, url.username, None, url.host, url.port, url.database, query)
    name = "" if address.name is None else "#" + address.name.replace("%", "%25")
    hint = " (with the password in PGPASSWORD)" if url.password or len(query) < len(url.query) else ""
    text = bare.render_as_string()
    return (text + name if quote(text + name[1:]) == text + name[1:] else quote(text + name)) + hint


def write_page(text: str, path: Path, private: bool = False) -> None:
    """Writes a page; a path that cannot be written is refused in one sentence. A new file that is `private` can be read
    by its owner alone."""
    mode = 0o600 if private else 0o666
    try:
        if path.is_fifo():  # writing would wait for a reader
            raise SettingError(f"{path} is a pipe; choose a file with --output")
        with open(path, "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(text)
    except OSError as error:
        problem = f"cannot write {str(path)[:100]}: {error.strerror}"
        raise SettingError(f"{problem}; choose another file with --output") from None


def one_line(text: str) -> str:
    """A text on one line, without control characters that a terminal would obey.

    >>> one_line("two\\nlines \\x1b[2J")
    'two lines ?[2J'
    """
    return text.translate(CONTROL_CHARACTERS)


def escape_markup(text: str) -> str:
    """One line for rich, which would read brackets as markup."""
    return escape(one_line(text))


def draw_bar(diameter: float, first: float) -> str:
    """How undecided it is, as a bar: full where it is as undecided as at `first`.

    >>> draw_bar(0.1, 0.4)
    '█████░░░░░░░░░░░░░░░'
    """
    filled = round(BAR_WIDTH * min(1.0, diameter / first)) if first else 0
    return "█" * filled + "░" * (BAR_WIDTH - filled)


def describe_estimate(value: Any) -> str:
    """An estimate in one line, the beginning of it if it is a table.

    >>> describe_estimate([["tea", "milk"], ["water"]])
    '(tea, milk), (water)'
    """
    if isinstance(value, dict):
        from askwise.goals.base.texts import one_line, shorten

        return shorten(one_line(value), MAX_TABLE_LETTERS)
    if isinstance(value, list):
        parts = (f"({describe_estimate(part)})" if isinstance(part, list) else str(part) for part in value)
        return ", ".join(parts)
    return str(value)


def describe_certainty(certificate: Certificate) -> str:
    """How likely the estimate is exactly right, in brackets; nothing where that cannot be said."""
    if not certificate.probability_exact:
        return ""
    return f" ({percent(certificate.probability_exact, certificate.confidence == 1)} likely to be exactly right)"


def count_answers(session: Session) -> str:
    """How many answers there are: "1 answer", "2 answers"."""
    count = len(session.answers)
    return f"{count} answer{'s' if count != 1 else ''}"


def stop_reason(session: Session) -> str:
    """Why it is time to stop, in plain words."""
    reason = session.reason
    if reason is None:
        return ""
    return "we are confident enough to stop" if reason.kind == "settled" else reason


def stop_sentence(session: Session) -> str:
    """That it is time to stop, and why, in plain words.

    >>> from askwise.goals import best_item
    >>> session = best_item(["tea", "coffee"], budget=1, draws=50)
    >>> question = session.ask()
    >>> session.tell("left")
    >>> stop_sentence(session)
    'Stopped after 1 answer: the budget of 1 answers is used up.'
    """
    if session.reason is not None and session.reason.kind == "settled":
        return f"Settled after {count_answers(session)}. We are confident enough to stop."
    return f"Stopped after {count_answers(session)}: {session.reason}."


def _with_progress(events: list[Event]) -> Iterable[Event]:
    if len(events) < MIN_PROGRESS_EVENTS:
        return events
    console = Console(stderr=True)
    return _track(events, console) if console.is_terminal else events


def _track(events: list[Event], console: Console) -> Iterator[Event]:
    yield from track(events, "reading the answers", console=console, transient=True)
