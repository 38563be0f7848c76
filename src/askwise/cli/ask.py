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

from askwise._runtime.cluster import on_cluster
from askwise.cli.bodies import read_bodies, show_bodies
from askwise.cli.common import (
    File,
    close_study,
    count_answers,
    describe_certainty,
    describe_estimate,
    draw_bar,
    escape_markup,
    open_study,
    shell_address,
    stop_sentence,
)
from askwise.cli.fields import fields_table
from askwise.cli.keys import Keyboard, answer_label, keyboard_for
from askwise.cli.terminal import ERASE, ESCAPE, KeyReader, image_sequence
from askwise.errors import AnswerError, AskwiseError, SettingError
from askwise.session import Session
from askwise.session.set_responses import BEST_WORST, BETWEEN, outlooks_by_best
from askwise.stopping.certificate import percent
from askwise.structures import AsksPeople, PooledRows
from askwise.types import Question, named_text

LISTED_KINDS = ("pair", "triple", "set", BEST_WORST)  # whose answers are the items, listed below the text


def ask(
    file: File,
    who: Annotated[
        str | None, typer.Option(help="Who answers; stored with each answer. Of a group, only this person is asked.")
    ] = None,
    forecast: Annotated[bool, typer.Option(help="Show about how many questions are still to come.")] = True,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler whose workers search a pool.")
    ] = None,
) -> None:
    """Answer questions in the terminal. Quit at any time."""
    session = open_study(file)
    with _pool_searched_on(session, cluster), KeyReader() as reader:
        loop = AskLoop(session, who, forecast, reader)
        try:
            loop.run()
        finally:
            loop.close()


@contextmanager
def _pool_searched_on(session: Session, cluster: str | None) -> Iterator[None]:
    """Lets the workers of a cluster search the study's pool."""
    if cluster is None:
        yield
        return
    family = session.problem.family
    if not isinstance(family, PooledRows):
        raise SettingError("the study has no pool of rows on disk, so a cluster has nothing to do; leave --cluster out")
    with on_cluster(cluster) as workers:
        family.workers = workers
        yield


@contextmanager
def explain_wait(console: Console, seconds: float = 1.0) -> Iterator[None]:
    """Prints a line if the work takes longer: code is compiled when it is used for the first time."""
    timer = threading.Timer(seconds, console.print, ["    [dim]one moment: the first answers take a while[/]"])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class AskLoop:
    """Asks, reads keys and answers, until the person quits or the goal is settled."""

    def __init__(self, session: Session, who: str | None, forecast: bool, reader: KeyReader):
        from askwise.storage.journal import journal_of

        self.session = session
        self.who = who
        self.asks_people = isinstance(session.problem.family, AsksPeople)
        self.last_person: str | None = who  # at the keyboard
        self.journal = journal_of(session)
        self.address = escape_markup(shell_address(self.journal.store.address))
        self.console = Console(highlight=False)
        self.reader = reader
        self.shown_help = ""
        self.first_diameter = session.diameter if not session.answers else None
        self.preparation: threading.Thread | None = None
        self.forecaster: Any = None
        if forecast and reader.single_keys:
            from askwise.simulate.forecaster import Forecaster

            self.forecaster = Forecaster(session)

    def run(self) -> None:
        if self.session.done and not self._go_on():
            return
        if self.session.wording.instructions and not self.session.answers:
            for line in [*self.session.wording.instructions.splitlines(), ""]:
                self.console.print(escape_markup(line))
        while True:
            if not self.ask(self.session.ask(who=self.who if self.asks_people else None)):
                kept = f"\n{count_answers(self.session)} kept. Continue with: askwise ask {self.address}"
                self.console.print(kept, soft_wrap=True)
                return
            if self.session.done and not self._go_on():
                return

    def ask(self, question: Question) -> bool:
        """Shows a question and reads keys until it is answered or skipped, or an answer is undone; False to quit."""
        help = self._keyboard(question).help
        if help != self.shown_help:
            self.console.print(f"[dim]{help}[/]\n")
            self.shown_help = help
        self.reader.discard_pending()
        self._show(question)
        return self._handle_input(question)

    def close(self) -> None:
        if self.forecaster is not None:
            self.forecaster.close()
        self.wait()
        close_study(self.session)

    def wait(self) -> None:
        """Waits for what is computed in the background."""
        if self.preparation is not None:
            self.preparation.join()

    def _keyboard(self, question: Question) -> Keyboard:
        return keyboard_for(question, self.reader.single_keys)

    def _handle_input(self, question: Question) -> bool:
        """Reads keys until the question is answered or skipped, or an answer is undone; False to quit."""
        start, key = time.monotonic(), uuid.uuid4().hex
        self._prepare()
        keys = self._keyboard(question)
        while True:
            typed = self._read(question, keys)
            seconds = round(time.monotonic() - start, 3)
            if typed is None:
                return False
            if not typed.strip() or typed == ESCAPE:
                continue
            try:
                command = keys.find_command(typed)
                if command == "q":
                    return False
                if command == "s":
                    self.session.skip(question, who=self.who, seconds=seconds, key=key)
                    self.console.print("    [dim]→ can't tell[/]\n")
                    return True
                if command == "u":
                    self.session.undo(who=self.who)
                    self.console.print("    [dim]→ the last answer was taken back[/]\n")
                    return True
                if command == "r":
                    read_bodies(self.console, question)
                    continue
                if command == "w":
                    self._explain(question)
                    continue
                found = keys.find_response(typed)
                if found is None and self.reader.single_keys and keys.key_labels and len(typed) == 1:
                    known = ", ".join(key for key, _ in keys.key_labels)
                    raise AnswerError(f"{typed!r} is no answer here; press one of {known}")
                with explain_wait(self.console):
                    self.session.tell(typed if found is None else found, question, self.who, seconds=seconds, key=key)
                response = self.session.event_log.closing_events[question.id]["response"]
                self.console.print(f"    → [bold]{escape_markup(answer_label(question, response))}[/]\n")
                return True
            except AskwiseError as refusal:
                if not self.reader.single_keys:
                    raise
                self.console.print(f"    [yellow]{escape_markup(str(refusal))}[/]")
                if self.session.event_log.status.get(question.id) != "open":
                    return True  # somebody else answered it

    def _read(self, question: Question, keys: Keyboard) -> str | None:
        """A key, a label typed letter by letter, or a line; None at the end of input."""
        if question.kind == "number":
            return self.reader.read_line("    a number: ")
        if question.kind == BEST_WORST and self.reader.single_keys:
            return self._read_best_and_worst(keys)
        pressed = self.reader.read_key()
        if not self.reader.single_keys or not pressed:
            return pressed
        if keys.is_key(pressed) or not keys.is_beginning(pressed):
            return pressed
        is_command = lambda text: text[0] == keys.prefix and bool(keys.find_command(text))  # noqa: E731
        return self.reader.read_text(pressed, keys.is_beginning, is_command)

    def _read_best_and_worst(self, keys: Keyboard) -> str | None:
        """Two keys, the best and the worst; or the key of a command. Escape takes back the first."""
        best: Any = None
        while True:
            pressed = self.reader.read_key()
            if best is not None and pressed in (ESCAPE, *ERASE, "u"):
                best = None
                self.console.print("    [dim]→ choose the best again[/]")
                continue
            found = None if not pressed else keys.find_response(pressed)
            if not pressed or found is None:
                return pressed
            if best is None:
                best = found
                self.console.print(
                    f"    best: [bold]{escape_markup(str(best))}[/]   [dim]and the worst? Esc to change[/]"
                )
            elif found != best:
                return f"{best}{BETWEEN}{found}"

    def _show(self, question: Question) -> None:
        number = len(self.session.answers) + 1
        if question.who not in (None, self.last_person):
            self.console.print(f"[bold magenta]{escape_markup(str(question.who))}, please:[/]")
            self.last_person = question.who
        text = question.text if question.kind in LISTED_KINDS else named_text(question.text, question.names)
        context, _, text = text.rpartition("\n\n")
        for line in context.splitlines():
            self.console.print(escape_markup(line), soft_wrap=True)
        self.console.print(f"[bold]{number}.[/] {escape_markup(text)}", soft_wrap=True)
        for option in question.options:
            self._show_image(option.image)
        if (fields := fields_table(question)) is not None:
            self.console.print(fields)
        if show_bodies(self.console, question):
            keyboard = self._keyboard(question)
            key = "r" if "r" in keyboard.commands else f"{keyboard.prefix}r"
            self.console.print(f"    [dim]press {key} to read in full[/]")
        if question.kind != "number":
            for keys, response in keyboard_for(question).key_labels:
                name = escape_markup(answer_label(question, response))
                self.console.print(f"    [cyan]{escape_markup(keys):6}[/] {name}", soft_wrap=True)
        if question.kind == BEST_WORST:
            self.console.print("    [dim]the best first, then the worst, such as 1 2[/]")
        self.console.print(f"    {self._bar()}")
        if "rather" in question.info:
            rather = escape_markup(str(question.info["rather"]))
            self.console.print(f"    [dim]an answer of {rather} would settle more[/]")

    def _bar(self) -> str:
        diameter = self.session.diameter
        if self.first_diameter is None:
            self.first_diameter = max(diameter, self._stored_first_diameter())
        forecast = self.forecaster.now() if self.forecaster is not None else None
        more = f"   {forecast}" if forecast is not None else ""
        return f"[cyan]{draw_bar(diameter, self.first_diameter)}[/] [dim]undecided {diameter:.3f}{more}[/]"

    def _stored_first_diameter(self) -> float:
        """How undecided the study was at its first question, which stores it."""
        found = self.session.event_log.counts.first_diameter
        return 1.0 if found is None else found

    def _prepare(self) -> None:
        """Computes what follows each answer while the person thinks."""
        self.wait()
        who = None if self.asks_people else self.who  # whom the question asks is known there
        thread = threading.Thread(target=self.session.prepare, args=(who,), daemon=True)
        thread.start()
        self.preparation = thread  # only now: a thread that a signal kept from starting cannot be joined
        if self.forecaster is not None:
            self.forecaster.refresh()

    def _explain(self, question: Question) -> None:
        outlooks = self.session.why(question)
        if question.kind == BEST_WORST:
            self.console.print("    [dim]what each choice of the best would settle, on average over the worst:[/]")
            outlooks = outlooks_by_best(question.names, outlooks)
        else:
            self.console.print("    [dim]what each answer would settle:[/]")
        is_number = question.kind == "number"
        for found in outlooks:
            response = found.response if is_number else answer_label(question, found.response)
            likely = "" if is_number else f" ({percent(found.chance)} likely)"
            guess = escape_markup(textwrap.shorten(describe_estimate(found.estimate.value), 60, placeholder=" ..."))
            answer = f"{response:.3g}" if isinstance(response, float) else escape_markup(str(response))
            self.console.print(f"      {answer}{likely}: undecided {found.diameter:.3f}, best guess {guess}")

    def _show_image(self, image: str | None) -> None:
        if image is None:
            return
        content = self.journal.store.image(self.journal.record.study, image)
        sequence = image_sequence(content) if content is not None and self.console.is_terminal else None
        if sequence is None:
            self.console.print(f"    [dim]{escape_markup(image)}[/]")
        else:
            self.console.file.write(f"    {sequence}\n")

    def _go_on(self) -> bool:
        """Shows the result; True if the person wants to answer more."""
        from askwise.goals import goal_of

        certificate = self.session.certificate()
        estimate = escape_markup(describe_estimate(self.session.estimate().value))
        self.console.print(f"\n[bold green]{estimate}[/]{describe_certainty(certificate)}", soft_wrap=True)
        self.console.print(stop_sentence(self.session))
        for remark in goal_of(self.session).remarks(self.session):
            self.console.print(escape_markup(remark), soft_wrap=True)
        if certificate.warning:
            self.console.print(f"[yellow]Be careful: {escape_markup(certificate.warning)}.[/]", soft_wrap=True)
        self.console.print(f"How sure is this? askwise status {self.address} --details", soft_wrap=True)
        self.console.print(f"The result as a page: askwise report {self.address}", soft_wrap=True)
        reason = self.session.reason
        if not self.reader.single_keys or (reason is not None and reason.kind == "exhausted"):
            return False
        self.console.print("[dim]c to answer more, any other key to end[/]")
        self.reader.discard_pending()
        return (self.reader.read_key() or "").lower() == "c"
