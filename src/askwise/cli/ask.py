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
from rich.markup import escape

from askwise.cli.common import File, closed, named, opened, shown_address
from askwise.cli.terminal import END, Keys, picture
from askwise.cluster import on_cluster
from askwise.errors import AskwiseError, SettingError
from askwise.session import Session
from askwise.structures.pooled import PoolRows
from askwise.types import Question

BAR = 20  # characters
ARROWS = ("←", "→", "↓")
PRESSED = {"←": "left", "→": "right", "↓": "down"}
COMMANDS = "s can't tell   u undo   w why this question   q quit (all is kept)"


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
        self.where = shown_address(session)
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
        self.console.print(f"[dim]{COMMANDS}[/]\n")
        while True:
            question = self.session.ask()
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
        keys = keys_of(question)
        while True:
            pressed = self.keys.line("    a number: ") if question.kind == "number" else self.keys.read()
            took = round(time.monotonic() - begun, 3)
            command = pressed.lower() if len(pressed) == 1 else pressed
            try:
                if command in ("q", END):
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
                if not pressed:
                    continue
                response = keys.get(command, pressed)
                with patiently(self.console):
                    self.session.tell(response, question, self.who, seconds=took, key=key)
                said = self.session.conversation.closing[question.id]["response"]
                self.console.print(f"    → [bold]{escape(meaning(question, said))}[/]\n")
                return True
            except AskwiseError as refusal:
                if not self.keys.single:
                    raise
                self.console.print(f"    [yellow]{escape(str(refusal))}[/]")
                if self.session.conversation.status.get(question.id) != "open":
                    return True  # somebody else answered it

    def _show(self, question: Question) -> None:
        number = len(self.session.answers) + 1
        self.console.print(f"[bold]{number}.[/] {escape(question.text)}", soft_wrap=True)
        for option in question.options:
            self._picture(option.image)
        if question.kind != "number":
            shown = keys_shown(question)
            for keys, response in shown:
                self.console.print(f"    [cyan]{keys:6}[/] {escape(meaning(question, response))}", soft_wrap=True)
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
        self.ahead = threading.Thread(target=self.session.prepare, args=(self.who,), daemon=True)
        self.ahead.start()
        if self.forecaster is not None:
            self.forecaster.refresh()

    def _why(self, question: Question) -> None:
        self.console.print("    [dim]what each answer would settle:[/]")
        for found in self.session.why(question):
            said = found.response if question.kind == "number" else meaning(question, found.response)
            likely = "" if question.kind == "number" else f" ({found.chance:.0%} likely)"
            guess = escape(textwrap.shorten(named(found.estimate.value), 60, placeholder=" ..."))
            shown = f"{said:.3g}" if isinstance(said, float) else escape(str(said))
            self.console.print(f"      {shown}{likely}: undecided {found.diameter:.3f}, best guess {guess}")

    def _picture(self, image: str | None) -> None:
        if image is None:
            return
        journal: Any = self.session.journal
        content = journal.store.image(journal.record.study, image)
        drawn = picture(content) if content is not None and self.console.is_terminal else None
        if drawn is None:
            self.console.print(f"    [dim]{escape(image)}[/]")
        else:
            self.console.file.write(f"    {drawn}\n")

    def _go_on(self) -> bool:
        """Shows the result; True if the person wants to answer more."""
        certificate = self.session.certificate()
        self.console.print(f"\n[bold green]{escape(named(self.session.estimate().value))}[/]", soft_wrap=True)
        self.console.print(f"Settled after {self._count()}: {self.session.reason}.")
        self.console.print(escape(str(certificate)), soft_wrap=True)
        self.console.print(f"The whole result as a page: askwise report {self.where}")
        if not self.keys.single or self.session.reason == "every question was asked":
            return False
        self.console.print("[dim]c to answer more all the same, any other key to end[/]")
        return self.keys.read().lower() == "c"

    def _print_where(self) -> None:
        self.console.print(f"\n{self._count()} kept. Go on with: askwise ask {self.where}")

    def _count(self) -> str:
        count = len(self.session.answers)
        return f"{count} answer{'s' if count != 1 else ''}"


def keys_shown(question: Question) -> list[tuple[str, Any]]:
    """(what is printed, response) in the order of the responses: numbers, and arrows where there are two sides."""
    arrows = ARROWS if question.kind in ("pair", "same") else ()
    return [
        (f"{place + 1} {arrows[place]}" if place < len(arrows) else str(place + 1), response)
        for place, response in enumerate(question.responses)
    ]


def keys_of(question: Question) -> dict[str, Any]:
    """The key for each response; only the first nine have one."""
    keys: dict[str, Any] = {}
    for shown, response in keys_shown(question):
        for key in shown.split():
            keys[PRESSED.get(key, key)] = response
    return {key: response for key, response in keys.items() if len(key) == 1 or key in PRESSED.values()}


def meaning(question: Question, response: Any) -> str:
    """A response as the person would say it: the item, where it names a side."""
    sides = {"left": 0, "right": 1}
    if question.kind == "pair" and response in sides:
        return question.options[sides[response]].name
    return f"{response:g}" if isinstance(response, float) else str(response)
