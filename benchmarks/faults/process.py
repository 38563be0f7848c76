"""The askwise command in a process of its own, with odd streams, terminals and signals.

The process is a fork, so descriptors, signals and exit codes are real, without the second that an interpreter takes to
start.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import re
import select
import signal
import sys
import termios
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.faults.common import MAX_SHOWN_LETTERS, Failure, Outcome, location_of

MAX_SECONDS = 40.0  # then the process is killed and counted as a hang; less than the watchdog's limit
ANSI_SEQUENCES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
BROKEN_PIPE_CODES = (0, 2, 141)  # how a command may end whose reader went away: 141 is what SIGPIPE would leave
STREAMS = ("file", "closed", "full", "broken")  # what an output may be


@dataclass(frozen=True)
class CommandResult:
    """How a command ended: its exit code as a shell counts it (None if it had to be killed), and what it wrote."""

    code: int | None
    out: str
    err: str
    exception: str = ""  # what would have been a traceback
    where: str = ""

    def judge(self, outcome: Outcome, what: str, allowed: Sequence[int] = (0, 2)) -> None:
        """Counts the end of a command."""
        outcome.refused += self.code == 2
        outcome.accepted += self.code == 0
        if self.code is None:
            outcome.fail("hangs", f"{what}: it did not end by itself")
        elif self.exception:
            outcome.failures.append(Failure("tracebacks", what, self.exception[:MAX_SHOWN_LETTERS], self.where))
        elif "Traceback (most recent call last)" in self.err or "Exception ignored" in self.err:
            outcome.fail("tracebacks", f"{what}: on standard error", self.err.strip().splitlines()[-1])
        elif self.code not in allowed:
            outcome.fail("tracebacks", f"{what}: exit code {self.code}", self.err.strip()[-MAX_SHOWN_LETTERS:])


def run_command(
    words: Sequence[str | bytes],
    folder: Path,
    *,
    stdin: bytes | None = b"",  # None: closed
    out: str = "file",
    err: str = "file",
    encoding: str = "utf-8",
) -> CommandResult:
    """Runs `askwise WORDS` without a terminal."""
    files = [folder / f".{name}" for name in ("in", "out", "err", "status")]
    files[0].write_bytes(stdin or b"")

    def prepare() -> None:
        source = os.open(files[0], os.O_RDONLY)
        for target, number in ((source, 0), (_open_output(out, files[1]), 1), (_open_output(err, files[2]), 2)):
            if target is not None:
                os.dup2(target, number)
        for closed, number in ((stdin is None, 0), (out == "closed", 1), (err == "closed", 2)):
            if closed:
                os.close(number)

    pid = _fork(words, prepare, files[3], encoding)
    code = _wait_for_exit(pid)
    texts = [file.read_text("utf-8", "replace") if file.exists() else "" for file in files[1:]]
    return _make_result(code, texts[0], texts[1], texts[2])


def _open_output(kind: str, file: Path) -> int | None:
    if kind == "file":
        return os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    if kind == "full":
        return os.open("/dev/full", os.O_WRONLY)
    if kind == "broken":
        reader, writer = os.pipe()
        os.close(reader)
        return writer
    return None


def _fork(words: Sequence[str | bytes], prepare: Callable[[], None], status: Path, encoding: str) -> int:
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            os.setsid()
            prepare()
            code = _run_main(words, status, encoding)
        except BaseException as error:
            status.write_text(json.dumps([f"outside main: {error!r}", location_of(error)]))
        finally:
            os._exit(code)
    return pid


def _run_main(words: Sequence[str | bytes], status: Path, encoding: str) -> int:
    """What the interpreter does around `main`: streams, the last words of an exception, and the exit code."""
    from askwise.cli import main

    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):  # whatever this process was started with
        signal.signal(number, signal.SIG_DFL)
    sys.argv = ["askwise", *map(os.fsdecode, words)]
    sys.stdin, sys.stdout = _stream(0, "r", encoding, "strict"), _stream(1, "w", encoding, "strict")
    sys.stderr = _stream(2, "w", encoding, "backslashreplace")
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    code = 0
    try:
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:
        code = 1
        text = "".join(traceback.format_exception_only(error)).strip()
        status.write_text(json.dumps([text, location_of(error)]))
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not getattr(stream, "closed", True):
                stream.flush()
    except (OSError, ValueError) as error:
        code = 120  # what Python says when its last words cannot be written
        status.write_text(json.dumps([f"at the end: {type(error).__name__}: {error}", ""]))
    return code


def _stream(number: int, mode: str, encoding: str, errors: str) -> io.TextIOWrapper | None:
    try:
        file = open(number, f"{mode}b", closefd=False)  # noqa: SIM115  for as long as the process lives
    except OSError:
        return None  # as Python does with a descriptor that is closed
    return io.TextIOWrapper(file, encoding, errors, line_buffering=file.isatty())


def _wait_for_exit(pid: int, limit: float = MAX_SECONDS) -> int | None:
    """The exit code of a process as a shell counts it; None if it was killed because its time was up."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        found, state = os.waitpid(pid, os.WNOHANG)
        if found:
            code = os.waitstatus_to_exitcode(state)
            return 128 - code if code < 0 else code
        time.sleep(0.002)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


def _make_result(code: int | None, out: str, err: str, status: str) -> CommandResult:
    exception, where = json.loads(status) if status else ("", "")
    return CommandResult(code, out, err, exception, where)


class Terminal:
    """The command on a terminal of its own. To be used in a `with`."""

    def __init__(self, words: Sequence[str | bytes], folder: Path, encoding: str = "utf-8"):
        self.master, self.slave = pty.openpty()
        self.before = termios.tcgetattr(self.slave)
        self.status = folder / ".status"
        self.seen = ""
        self.code: int | None = None

        def prepare() -> None:
            fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
            for number in (0, 1, 2):
                os.dup2(self.slave, number)
            os.environ.update(TERM="xterm-256color", COLUMNS="200", LINES="50")
            termios.tcsetwinsize(0, (50, 200))

        self.pid = _fork(words, prepare, self.status, encoding)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.code is None:
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
        os.close(self.master)
        os.close(self.slave)

    def wait_for(self, text: str, limit: float = MAX_SECONDS) -> str | None:
        """What is on the screen up to that text and after the last one waited for; None if it never comes."""
        end = time.monotonic() + limit
        while text not in ANSI_SEQUENCES.sub("", self.seen):
            if not self._read(end):
                return None
        plain = ANSI_SEQUENCES.sub("", self.seen)
        found, _, self.seen = plain.partition(text)
        return found

    def _read(self, end: float) -> bool:
        while time.monotonic() < end:
            if select.select([self.master], [], [], 0.02)[0]:
                self.seen += os.read(self.master, 65536).decode("utf-8", "replace")
                return True
            if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                return bool(select.select([self.master], [], [], 0)[0])
        return False

    def send(self, text: str) -> None:
        os.write(self.master, text.encode("utf-8", "surrogateescape"))

    def kill(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def end(self, limit: float = MAX_SECONDS) -> CommandResult:
        """Waits for the end, and reads what is left."""
        finish = time.monotonic() + limit
        while time.monotonic() < finish and self._read(finish):
            pass
        self.code = _wait_for_exit(self.pid, max(0.1, finish - time.monotonic()))
        while select.select([self.master], [], [], 0)[0]:
            self.seen += os.read(self.master, 65536).decode("utf-8", "replace")
        status = self.status.read_text() if self.status.exists() else ""
        if self.code is None:
            self.code = -1
            return _make_result(None, self.seen, "", status)
        return _make_result(self.code, self.seen, "", status)

    @property
    def restored(self) -> bool:
        """Whether the terminal is in the mode in which it was found."""
        return termios.tcgetattr(self.slave)[:4] == self.before[:4]
