"""A process that writes to a study until it is killed, and sends a message before and after each call."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import askwise
from askwise import storage
from askwise.errors import AnswerError, NothingToAsk, StudyError
from askwise.session import Session
from askwise.storage import journal
from benchmarks.kills.ledger import Call

WHO = "Ann"
CHECKPOINT_EVERY = (1, 4, 20)  # answers between two checkpoints
PAUSE_SECONDS = 0.02  # at most, between two calls: writers that never pause leave no gap for each other's undo
STEPS = {"tell": 0.65, "skip": 0.05, "undo": 0.2, "close": 0.1}  # how often each
RETRY_SECONDS = 0.02  # between two attempts while the database server is down
Write = Callable[[str, int, str, int, str, Sequence[Call]], None]  # address, pipe, name, seed, moment, calls to repeat


class Writer:
    """Asks, tells, skips, undoes, closes and opens at random."""

    def __init__(self, address: str, pipe: int, name: str, seed: int):
        self.address = address
        self.pipe = pipe
        self.name = name
        self.rng = random.Random(seed)
        self.reopens = self.rng.random() < 0.5  # after an error; else the same session goes on
        self.number = 0
        self.closed: list[str] = []  # questions that this writer answered or skipped
        journal.CHECKPOINT_EVERY = self.rng.choice(CHECKPOINT_EVERY)
        self.session = self.open_study()

    def send(self, mark: str, kind: str, key: str | None = None, **parts: Any) -> None:
        line = {"mark": mark, "kind": kind, "key": key, "at": time.monotonic_ns(), **parts}
        os.write(self.pipe, json.dumps(line).encode() + b"\n")

    def open_study(self) -> Session:
        """The session; waits until the database server is there."""
        self.send("begin", "open")
        session = self.retry(lambda: askwise.open(self.address), reopen=False)
        self._announce_checkpoints(session)
        self.send("end", "open")
        return session

    def _announce_checkpoints(self, session: Session) -> None:
        study_journal: Any = session.journal
        checkpoint = study_journal.checkpoint

        def announced(session: Session) -> None:
            self.send("begin", "checkpoint")
            try:
                checkpoint(session)
            finally:
                self.send("end", "checkpoint")

        study_journal.checkpoint = announced

    def ask(self) -> str:
        """One of two open questions."""
        self.send("begin", "ask")
        questions = self.retry(lambda: self.session.ask(2))
        self.send("end", "ask", questions={question.id: question.text for question in questions})
        return self.rng.choice(questions).id

    def retry(self, call: Callable[[], Any], reopen: bool = True) -> Any:
        """Calls again while the database server is down, or while other writers leave no gap."""
        while True:
            try:
                return call()
            except StudyError as error:
                self.send("retry", str(error))
                time.sleep(RETRY_SECONDS)
                if self.reopens and reopen:
                    self.session = self.open_study()

    def call(self, kind: str, question: str, response: str | None = None, key: str | None = None) -> None:
        """One keyed call, repeated with the same key until there is a reply."""
        self.number += 1
        key = key or f"{self.name}-{self.number}"
        self.send("begin", kind, key, question=question, response=response)
        try:
            self.retry(lambda: self.perform(kind, question, response, key))
        except AnswerError:  # another writer was first
            self.send("refused", kind, key)
        else:
            self.send("end", kind, key)
            self.closed = [*self.closed, question] if kind != "undo" else [id for id in self.closed if id != question]

    def perform(self, kind: str, question: str, response: str | None, key: str) -> None:
        if kind == "tell":
            self.session.tell(response, question, WHO, key=key)
        elif kind == "skip":
            self.session.skip(question, who=WHO, key=key)
        else:
            self.session.undo(question, WHO, key=key)

    def step(self, kind: str) -> None:
        if kind == "undo" and self.closed:
            self.call("undo", self.closed[-1])
        elif kind == "skip":
            self.call("skip", self.ask())
        elif kind == "close":
            self.send("begin", "close")
            with suppress(StudyError):
                storage.close(self.session)
            self.send("end", "close")
            self.session = self.open_study()
        else:
            self.call("tell", self.ask(), self.rng.choice(("left", "right")))

    def undo_a_skip(self) -> None:
        """Makes room for a question when every one was asked or skipped."""
        self.call("undo", next(id for id, status in self.session.event_log.status.items() if status == "skipped"))


def write_forever(address: str, pipe: int, name: str, seed: int, moment: str, repeat: Sequence[Call]) -> None:
    """Repeats the calls that got no reply, with their keys, and then goes on until it is killed.

    What it will be killed in, `moment`, comes more often.
    """
    writer = Writer(address, pipe, name, seed)
    for call in repeat:
        writer.call(call.kind, call.question, call.response, call.key)
    while True:
        time.sleep(writer.rng.random() * PAUSE_SECONDS)
        kind = writer.rng.choices(list(STEPS), list(STEPS.values()))[0]
        try:
            writer.step(moment if moment in STEPS and writer.rng.random() < 0.5 else kind)
        except NothingToAsk:
            writer.undo_a_skip()
