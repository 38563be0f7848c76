"""A person who takes part in an evaluation, at the terminal or in the browser."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from askwise.session import Session

if TYPE_CHECKING:
    from askwise.evaluate.judging import Person

POLL_SECONDS = 0.5  # between two looks at what came from the browser


class Quit(Exception):
    """The person does not want to answer more."""


@contextmanager
def person_at_terminal(session: Session) -> Iterator[Person]:
    """Somebody who answers with keys."""
    from askwise.cli.ask import AskLoop
    from askwise.cli.terminal import KeyReader
    from askwise.evaluate.judging import HUMAN, TOLD

    with KeyReader() as reader:
        loop = AskLoop(session, HUMAN, False, reader)

        def person(question: Any) -> object:
            while session.event_log.status.get(question.id) == "open":
                if not loop.ask(question):
                    raise Quit
            return TOLD

        try:
            yield person
        finally:
            loop.wait()


@contextmanager
def person_in_browser(session: Session, address: str) -> Iterator[Person]:
    """Somebody who answers on a page, whose address is printed. The server runs until the evaluation ends."""
    from askwise.cli.serve import serving
    from askwise.evaluate.judging import HUMAN, TOLD

    with serving(address) as url:
        typer.echo(f"Answer in the browser: {url}{_link(session)}", err=True)

        def person(_: Any) -> object:
            before = session.event_log.closed_count(HUMAN)
            while session.event_log.closed_count(HUMAN) == before and not session.done:
                time.sleep(POLL_SECONDS)
                session.refresh()
            return TOLD

        yield person


def _link(session: Session) -> str:
    """The path of the person's page; it is the same whenever the study is served."""
    from askwise.evaluate.judging import HUMAN
    from askwise.storage.journal import journal_of
    from askwise.storage.participants import invite, people
    from askwise.web.overview import participant_link

    journal = journal_of(session)
    store, record = journal.store, journal.record
    known = [each for each in people(store, record.study) if each.name == HUMAN] or [invite(store, record, HUMAN)]
    return participant_link(store, record.name, record.study, known[0].participant)
