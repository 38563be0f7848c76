"""Answers typed: labels that look like keys or commands, in any encoding. What was typed must be what is recorded."""

from __future__ import annotations

import random
import signal
from collections.abc import Sequence
from pathlib import Path

import askwise
from benchmarks.faults.common import Case, Outcome, attempt, same_answer
from benchmarks.faults.process import Terminal, run_command
from benchmarks.faults.sessions import TABLE

LABELS: tuple[tuple[str, ...], ...] = (
    ("no", "yes"), ("0", "1"), ("1", "0"), ("2", "1"), ("0", "1", "2"), ("3", "2", "1"), ("s", "q"), ("u", "w"),
    ("q", "s", "u", "w"), ("y", "n"), ("S", "Q"), ("left", "right"), ("right", "left"), ("down", "up"), ("é", "à"),
    ("日", "本"), ("→", "←"), ("[b]", "[/b]"), ("a b", "b a"), ("c", "x"), ("10", "1"), ("true", "false"), ("-1", "+1"),
    ("👍", "👎"), ("quit", "undo"), ("1.0", "1"), ("can't tell", "skip"), ("\\", "/"), ("*", "?"), ("a", "A"),
    ("a", "a b"), ("yes", "yes, but"), ("ß", "SS"),
)  # fmt: skip
ENCODINGS = ("utf-8", "utf-8", "utf-8", "utf-8", "latin-1", "ascii", "cp1252", "utf-16")


def study(folder: Path, labels: Sequence[str], name: str = "x.askwise", answers: int = 0) -> Path:
    session = askwise.classifier(TABLE, labels=list(labels), draws=16, seed=3, epsilon=0.001)
    for _ in range(answers):
        session.ask()
        session.tell(labels[0])
    askwise.save(session, folder / name)
    return folder / name


def check(path: Path, typed: Sequence[str], outcome: Outcome, what: str, acknowledged: int | None = None) -> None:
    """Every answer in the log is what was typed, in this order; all that were acknowledged are there."""
    opened = attempt(outcome, f"{what}, then open", lambda: askwise.open(path))
    if opened.refusal is not None:
        outcome.fail("silent_losses", f"{what}: the study cannot be opened any more", opened.refusal)
    if not opened.done:
        return
    events = [event for event in opened.value.log if event["event"] != "ask"]
    wanted = len(typed) if acknowledged is None else acknowledged
    for label, event in zip(typed, events, strict=False):
        right = event["event"] == "tell" and same_answer(label, event["response"])
        said = event.get("response", event["event"])
        outcome.expect(right, "wrong_answers_recorded", f"{what}: typed {label!r}, recorded {said!r}")
    if len(events) < wanted:
        outcome.fail("silent_losses", f"{what}: {wanted} answers were acknowledged, {len(events)} are recorded")
    opened.value.journal.store.close()


def piped(rng: random.Random) -> Case:
    """Labels piped in, one a line."""
    labels, encoding = rng.choice(LABELS), rng.choice(ENCODINGS)
    typed = [rng.choice(labels) for _ in range(rng.randint(1, 3))]
    end = rng.choice(("\n", "\n", "\r\n", " \n"))
    what = f"labels {labels}, typed {typed}, {encoding}"

    def run(folder: Path, outcome: Outcome) -> None:
        path = study(folder, labels)
        text = "".join(label + end for label in typed)
        ended = run_command(
            ["ask", str(path), "--no-forecast"], folder, stdin=text.encode(encoding, "replace"), encoding=encoding
        )
        ended.judge(outcome, what)
        readable = text.encode(encoding, "replace").decode(encoding) == text
        check(path, typed if readable else [], outcome, what, None if ended.code == 0 and readable else 0)

    return Case(what, run)


def keys(rng: random.Random) -> Case:
    """Single keys on a terminal: a label of one letter is its own key, another one has the key that is shown."""
    labels = rng.choice(LABELS)
    what = f"keys for {labels}"

    def run(folder: Path, outcome: Outcome) -> None:
        path = study(folder, labels)
        with Terminal(["ask", str(path), "--no-forecast"], folder) as terminal:
            pressed: list[str] = []
            for _ in range(2):
                shown = terminal.wait_for("undecided")
                if shown is None:
                    break
                label = rng.choice(labels)
                key = label if len(label) == 1 else _key_beside(shown, label)
                if key is None:
                    break
                terminal.send(key)
                if terminal.wait_for(f"→ {label}", 20) is None:
                    said = terminal.seen.strip()[-80:]
                    outcome.fail("wrong_answers_recorded", f"{what}: pressed {key!r} for {label!r}, it said {said!r}")
                    break
                pressed.append(label)
            terminal.kill(signal.SIGINT)
            ended = terminal.end()
        ended.judge(outcome, what, (0, 130))
        check(path, pressed, outcome, what)

    return Case(what, run)


def _key_beside(screen: str, label: str) -> str | None:
    """The key printed on the line of a label."""
    for line in screen.splitlines():
        if line.rstrip().endswith(f" {label}") and line.startswith("    "):
            return line.split()[0]
    return None
