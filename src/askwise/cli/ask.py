"""askwise ask: one question at a time in the terminal."""

from __future__ import annotations

import textwrap
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console

from askwise.certificate import percent
from askwise.cli.common import File, closed, named, opened, plain, typed_address
from askwise.cli.keys import Keyboard, keyboard, meaning
from askwise.cli.terminal import ESCAPE, Keys, picture
from askwise.cluster import on_cluster
from askwise.errors import AskwiseError, SettingError
from askwise.session import Session
from askwise.structures.pooled import PoolRows
from askwise.types import Question

BAR = 20  # characters


def ask(
    file: File,
    who: Annotated[str | None, typer.Option(help="Who answers; kept with each answer.")] = None,
    forecast: Annotated[bool, typer.Option(help="Say about how many questions are to come.")] = True,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="The dask scheduler whose workers search a pool of rows.")
    ] = None,
) -> None:
    """Asks one question after the other. Quit at any time: every answer is kept."""
    session = opened(file)
    with _searched_on(session, cluster), Keys() as keys:
        talk = Talk(session, who, forecast, keys)
        try:
            talk.run()
        finally:
            talk.close()


@contextmanager
def _searched_on(session: Session, cluster: str | None) -> Iterator[None]:
    """The study's pool is searched by the workers of a cluster."""
    if cluster is None:
        yield
        return
    family = session.problem.family
    if not isinstance(family, PoolRows):
        raise SettingError("the study has no pool of rows on disk, so a cluster has nothing to do; leave out --cluster")
    with on_cluster(cluster) as workers:
        family.workers = workers
        yield


@contextmanager
def patiently(console: Console, seconds: float = 1.0) -> Iterator[None]:
    """Says so if it takes longer than that, which is when code is compiled for the first time."""
    slow = threading.Timer(seconds, console.print, ["    [dim]one moment: the first answer of all takes a while[/]"])
    slow.daemon = True
    slow.start()
    try:
        yield
    finally:
        slow.cancel()


class Talk:
    """One sitting."""

    def __init__(self, session: Session, who: str | None, forecast: bool, keys: Keys):
        self.session = session
        self.who = who
        self.where = plain(typed_address(getattr(session.journal, "store").address))  # noqa: B009
        self.console = Console(highlight=False)
        self.keys = keys
        self.start = session.diameter if not session.answers else None
        self.ahead: threading.Thread | None = None
        self.forecaster: Any = None
        if forecast and self.keys.single:
            from askwise.study.forecasts import Forecaster

            self.forecaster = Forecaster(session)

    def run(self) -> None:
        if self.session.done and not self._go_on():
            return
        told = ""
        while True:
            question = self.session.ask()
            if told != (told := keyboard(question, self.keys.single).help):
                self.console.print(f"[dim]{told}[/]\n")
            self.keys.forget()
            self._show(question)
            if not self._answered(question):
                self._print_where()
                return
            if self.session.done and not self._go_on():
                return

    def close(self) -> None:
        if self.forecaster is not None:
            self.forecaster.close()
        if self.ahead is not None:
            self.ahead.join()
        closed(self.session)

    def _answered(self, question: Question) -> bool:
        """Reads keys until the question is answered, skipped or undone; False to quit."""
        begun, key = time.monotonic(), uuid.uuid4().hex
        self._prepare()
        keys = keyboard(question, self.keys.single)
        while True:
            typed = self._typed(question, keys)
            took = round(time.monotonic() - begun, 3)
            if typed is None:
                return False
            if not typed.strip() or typed == ESCAPE:
                continue
            try:
                command = keys.command(typed)
                if command == "q":
                    return False
                if command == "s":
                    self.session.skip(question, who=self.who, seconds=took, key=key)
                    self.console.print("    [dim]→ can't tell[/]\n")
                    return True
                if command == "u":
                    self.session.undo(who=self.who)
                    self.console.print("    [dim]→ the last answer is taken back[/]\n")
                    return True
                if command == "w":
                    self._why(question)
                    continue
                response = keys.find(typed)
                with patiently(self.console):
                    self.session.tell(
                        typed if response is None else response, question, self.who, seconds=took, key=key
                    )
                said = self.session.conversation.closing[question.id]["response"]
                self.console.print(f"    → [bold]{plain(meaning(question, said))}[/]\n")
                return True
            except AskwiseError as refusal:
                if not self.keys.single:
                    raise
                self.console.print(f"    [yellow]{plain(str(refusal))}[/]")
                if self.session.conversation.status.get(question.id) != "open":
                    return True  # somebody else answered it

    def _typed(self, question: Question, keys: Keyboard) -> str | None:
        """A key, a label typed letter by letter, or a line; None when there is no more."""
        if question.kind == "number":
            return self.keys.line("    a number: ")
        pressed = self.keys.read()
        if not self.keys.single or not pressed:
            return pressed
        if keys.is_key(pressed) or not keys.begins(pressed):
            return pressed
        return self.keys.typed(pressed, keys.begins, lambda text: text[0] == keys.mark and bool(keys.command(text)))

    def _show(self, question: Question) -> None:
        number = len(self.session.answers) + 1
        self.console.print(f"[bold]{number}.[/] {plain(question.text)}", soft_wrap=True)
        for option in question.options:
            self._picture(option.image)
        if question.kind != "number":
            for keys, response in keyboard(question).shown:
                shown = f"    [cyan]{plain(keys):6}[/] {plain(meaning(question, response))}"
                self.console.print(shown, soft_wrap=True)
        self.console.print(f"    {self._bar()}")

    def _bar(self) -> str:
        diameter = self.session.diameter
        if self.start is None:
            self.start = max(diameter, self._first_diameter())
        filled = round(BAR * min(1.0, diameter / self.start)) if self.start else 0
        coming = self.forecaster.now() if self.forecaster is not None else None
        more = f"   {coming}" if coming is not None else ""
        return f"[cyan]{'█' * filled}{'░' * (BAR - filled)}[/] [dim]undecided {diameter:.3f}{more}[/]"

    def _first_diameter(self) -> float:
        """Before any answer; an older study remembers it from its first question."""
        asked: dict[str, Any] = next((event for event in self.session.log if event["event"] == "ask"), {"info": {}})
        return float(asked["info"].get("diameter", 1.0))

    def _prepare(self) -> None:
        """Works out what follows each answer while the person thinks."""
        if self.ahead is not None:
            self.ahead.join()
        ahead = threading.Thread(target=self.session.prepare, args=(self.who,), daemon=True)
        ahead.start()
        self.ahead = ahead  # only now: one that a signal kept from starting cannot be waited for
        if self.forecaster is not None:
            self.forecaster.refresh()

    def _why(self, question: Question) -> None:
        self.console.print("    [dim]what each answer would settle:[/]")
        for found in self.session.why(question):
            said = found.response if question.kind == "number" else meaning(question, found.response)
            likely = "" if question.kind == "number" else f" ({percent(found.chance)} likely)"
            guess = plain(textwrap.shorten(named(found.estimate.value), 60, placeholder=" ..."))
            shown = f"{said:.3g}" if isinstance(said, float) else plain(str(said))
            self.console.print(f"      {shown}{likely}: undecided {found.diameter:.3f}, best guess {guess}")

    def _picture(self, image: str | None) -> None:
        if image is None:
            return
        journal: Any = self.session.journal
        content = journal.store.image(journal.record.study, image)
        drawn = picture(content) if content is not None and self.console.is_terminal else None
        if drawn is None:
            self.console.print(f"    [dim]{plain(image)}[/]")
        else:
            self.console.file.write(f"    {drawn}\n")

    def _go_on(self) -> bool:
        """Shows the result; True if the person wants to answer more."""
        certificate = self.session.certificate()
        self.console.print(f"\n[bold green]{plain(named(self.session.estimate().value))}[/]", soft_wrap=True)
        self.console.print(f"Settled after {self._count()}: {self.session.reason}.")
        self.console.print(plain(str(certificate)), soft_wrap=True)
        self.console.print(f"The whole result as a page: askwise report {self.where}", soft_wrap=True)
        if not self.keys.single or self.session.reason == "every question was asked":
            return False
        self.console.print("[dim]c to answer more all the same, any other key to end[/]")
        self.keys.forget()
        return (self.keys.read() or "").lower() == "c"

    def _print_where(self) -> None:
        self.console.print(f"\n{self._count()} kept. Go on with: askwise ask {self.where}", soft_wrap=True)

    def _count(self) -> str:
        count = len(self.session.answers)
        return f"{count} answer{'s' if count != 1 else ''}"
