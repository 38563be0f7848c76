"""Odd terminals: answers typed, strange encodings, closed and full streams, signals, odd names and options.

Exit codes are 0, 2 for a refusal, and 128 + n for the signal n; what is recorded is the label that was typed.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import askwise
from benchmarks.faults.common import Case, Outcome, attempt, case_rng
from benchmarks.faults.process import BROKEN_PIPE_CODES, STREAMS, CommandResult, Terminal, run_command
from benchmarks.faults.sessions import KINDS, Setting
from benchmarks.faults.typed import ENCODINGS, check, keys, piped, study
from benchmarks.faults.words import ANSWER_TABLES, NAMES, odd_words

COUNT = 720
QUICK = 16
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PLAIN = ("status", "status --json", "next --count 2", "next --json", "report -o r.html", "export x.csv", "goal", "ask")
START = [sys.executable, "-c", "from askwise.cli import main; main()"]


def case(seed: int, number: int) -> Case:
    rng = case_rng(seed, "commands", number)
    makers = (
        *(piped, keys, _streams, _options, piped, _signals),
        *(_streams, _options, _names, _collected, _options, _real),
    )
    place = number % len(makers)
    if makers[place] is _real and number % (5 * len(makers)) != place:
        return _options(rng)  # an interpreter takes a second to start: few of these
    return makers[place](rng)


def warm_up(folder: Path) -> None:
    for kind in KINDS:
        Setting(kind, 1, True, False).session().certificate()
    from askwise.cli import app  # noqa: F401  loaded once, for all forks
    from askwise.report import page  # noqa: F401


# ---------------------------------------------------------------------- streams and signals


def _streams(rng: random.Random) -> Case:
    """Closed, full and broken streams, and encodings that lack the letters needed."""
    words = rng.choice(PLAIN)
    out, err = rng.choice((*STREAMS, "file", "file")), rng.choice((*STREAMS, "file", "file", "file"))
    closed, encoding = rng.random() < 0.3, rng.choice(ENCODINGS)
    labels = rng.choice((("no", "yes"), ("é", "→"), ("日", "👍")))
    what = f"askwise {words}, stdin {'closed' if closed else 'open'}, stdout {out}, stderr {err}, {encoding}, {labels}"

    def run(folder: Path, outcome: Outcome) -> None:
        path = study(folder, labels, answers=1)
        line = _line(words, path, folder)
        typed = f"{labels[0]}\n".encode(encoding, "replace")
        ended = run_command(line, folder, stdin=None if closed else typed, out=out, err=err, encoding=encoding)
        ended.judge(outcome, what, BROKEN_PIPE_CODES if "broken" in (out, err) else (0, 2))
        check(path, [labels[0]], outcome, what)

    return Case(what, run)


def _line(words: str, path: Path, folder: Path) -> list[str]:
    first, *rest = words.split()
    rest = [str(folder / word) if "." in word else word for word in rest]
    if first == "goal":
        return ["goal", str(path), "classifier", "--epsilon", "0.2"]
    return [first, str(path), *(["--no-forecast"] if first == "ask" else []), *rest]


def _signals(rng: random.Random) -> Case:
    """A signal in the middle of a question."""
    number, answers, numbers = rng.choice(SIGNALS), rng.randint(0, 2), rng.random() < 0.3
    what = f"{signal.Signals(number).name} after {answers} answers{', a number asked for' if numbers else ''}"

    def run(folder: Path, outcome: Outcome) -> None:
        path = folder / "x.askwise"
        askwise.save(KINDS["number" if numbers else "label"](), path)
        with Terminal(["ask", str(path), "--no-forecast"], folder) as terminal:
            given = []
            for _ in range(answers):
                if terminal.wait_for("a number: " if numbers else "undecided") is None:
                    break
                terminal.send("3\n" if numbers else "1")
                if terminal.wait_for("→") is None:
                    break
                given.append("3" if numbers else "no")
            terminal.wait_for("a number: " if numbers else "undecided")
            terminal.kill(number)
            ended = terminal.end(30)
            mode = terminal.restored
        ended.judge(outcome, what, (128 + number, 0) if number != signal.SIGINT else (130,))
        outcome.expect(mode, "tracebacks", f"{what}: the terminal is left in another mode")
        check(path, given, outcome, what)

    return Case(what, run)


# ---------------------------------------------------------------------- options, names, tables


def _options(rng: random.Random) -> Case:
    """Odd values for the options of any command."""
    first, rest = odd_words(rng)
    what = f"askwise {first} ... {' '.join(rest)!r:.200}"

    def run(folder: Path, outcome: Outcome) -> None:
        path = study(folder, ("no", "yes"), answers=1)
        (folder / "t.csv").write_text("name,x,y\ntea,1,2\nmilk,2,1\njuice,3,3\nwater,4,1\n")
        (folder / "a.csv").write_text("item,label\ntea,yes\n")
        words = [word.replace("STUDY", str(path)).replace("FOLDER", str(folder)) for word in (first, *rest)]
        ended = run_command(words, folder, stdin=b"yes\n")
        ended.judge(outcome, what)
        check(path, ["no"], outcome, what)

    return Case(what, run)


def _names(rng: random.Random) -> Case:
    """Odd names of files and studies."""
    name, verb = rng.choice(NAMES), rng.choice(("new", "new", "copy", "export", "report", "status", "ask", "import"))
    what = f"{verb} with the name {name!r:.60}"

    def run(folder: Path, outcome: Outcome) -> None:
        path = study(folder, ("no", "yes"), answers=1)
        (folder / "t.csv").write_text("name,x\ntea,1\nmilk,2\njuice,3\n")
        odd = os.fsencode(folder) + b"/" + name if not name.startswith(b"postgres") else name
        lines: dict[str, list[Any]] = {
            "new": ["new", "best-item", folder / "t.csv", "-o", odd],
            "copy": ["copy", path, odd],
            "export": ["export", path, odd],
            "report": ["report", path, "-o", odd],
            "status": ["status", odd],
            "ask": ["ask", odd],
            "import": ["import", odd],
        }
        ended = run_command([os.fsencode(word) for word in lines[verb]], folder)
        ended.judge(outcome, what)
        _made(verb, odd, ended, outcome, what)
        check(path, ["no"], outcome, what)

    return Case(what, run)


def _made(verb: str, odd: bytes, ended: CommandResult, outcome: Outcome, what: str) -> None:
    """A study that was made can be opened; one that was refused is not there."""
    if verb not in ("new", "copy") or odd.startswith(b"postgres"):
        return
    if ended.code == 0:
        found = attempt(outcome, f"{what}, then open", lambda: askwise.open(os.fsdecode(odd)))
        outcome.expect(found.refusal is None, "silent_losses", f"{what}: made, but not to be opened: {found.refusal}")
    elif len(odd) < 4000 and b"\0" not in odd:
        rest = [
            file for file in os.listdir(os.path.dirname(odd) or b".") if b"askwise" in file and file != b"x.askwise"
        ]
        outcome.expect(not rest, "state_changed_after_refusal", f"{what}: refused, but left {rest}")


def _collected(rng: random.Random) -> Case:
    """Answers from odd tables."""
    text, labels = rng.choice(ANSWER_TABLES), rng.choice((("no", "yes"), ("0", "1"), ("1", "2")))
    more = rng.choice(([], ["--skip-bad"], ["--json"], ["--who", "\udcff"], ["--encoding", "utf-16"]))
    what = f"tell --from {text[:60]!r} {more}, labels {labels}"

    def run(folder: Path, outcome: Outcome) -> None:
        path = study(folder, labels, answers=1)
        (folder / "a.csv").write_bytes(text.encode("utf-8", "surrogateescape"))
        ended = run_command(["tell", str(path), "--from", str(folder / "a.csv"), *more], folder)
        ended.judge(outcome, what)
        check(path, [labels[0]], outcome, what)

    return Case(what, run)


# ---------------------------------------------------------------------- a whole interpreter


def _real(rng: random.Random) -> Case:
    """The few that depend on how the interpreter starts and ends."""
    environments = (
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C"},
        {"PYTHONUTF8": "0"},
    )
    environment, labels = rng.choice(environments), rng.choice((("no", "yes"), ("é", "à"), ("1", "0")))
    shape = rng.choice(
        ('"$@" < typed', '"$@" <&-', '"$@" < typed >&-', '"$@" < typed > /dev/full', '"$@" < typed | true')
    )
    what = f"{environment} {shape}, labels {labels}"

    def run(folder: Path, outcome: Outcome) -> None:
        path = study(folder, labels)
        (folder / "typed").write_bytes(f"{labels[0]}\n".encode())
        words = ["bash", "-c", f"set -o pipefail; {shape}", "askwise", *START, "ask", str(path), "--no-forecast"]
        run = subprocess.run(words, cwd=folder, capture_output=True, env={**os.environ, **environment}, timeout=50)
        ended = CommandResult(run.returncode, "", run.stderr.decode(errors="replace"))
        ended.judge(outcome, what, BROKEN_PIPE_CODES if "| true" in shape else (0, 2))
        taken = ended.code == 0 and shape == '"$@" < typed' and (labels[0].isascii() or "PYTHONUTF8" in environment)
        check(path, [labels[0]] if labels[0].isascii() else [], outcome, what, int(taken and labels[0].isascii()))

    return Case(what, run)
