"""A command as an oracle: one process that reads questions and writes replies, one JSON object a line."""

from __future__ import annotations

import json
import logging
import os
import shlex
import shutil
import signal
import subprocess
import threading
import time
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue

from askwise.errors import OracleError, SettingError
from askwise.options import number, text
from askwise.oracles.messages import question_message, read_reply
from askwise.oracles.protocol import RefusedReply, Reply
from askwise.types import Question

logger = logging.getLogger("askwise.oracles")
MAX_RESTARTS = 3  # in a row, without a reply between
MAX_LINE_LETTERS = 10_000_000
CLOSING_SECONDS = 2.0  # for the process to end by itself


class CommandOracle:
    """Asks a program that is kept running. Questions in flight are sent at once; it may reply in any order.

    - `command`: the program and its arguments, as in a shell.
    - `timeout`: a program that writes nothing for so many seconds, though a question waits, is ended and started again.

    >>> program = "import json, sys\\nfor line in sys.stdin: print(json.dumps({'question': 'q1', 'response': 'yes'}))"
    >>> oracle = CommandOracle(f'python3 -c "{program}"')
    >>> oracle(Question("q1", "label", (), ("yes", "no"), "Is it good?")).response
    'yes'
    >>> oracle.close()
    """

    def __init__(self, command: str, timeout: float = 60.0):
        try:
            self.words = shlex.split(text("command", command))
        except ValueError as error:
            raise SettingError(f"the command {command!r} cannot be read ({error}); check its quotes") from None
        if not self.words:
            raise SettingError("the command is empty; give a program that answers, such as 'python judge.py'")
        if shutil.which(self.words[0]) is None:
            raise SettingError(_no_program(self.words[0], "there is no such file, or it may not be run"))
        self.timeout = number("timeout", timeout, above=0)
        self._lock = threading.Lock()
        self._judge: JudgeProcess | None = None
        self._starts = 0  # since the last reply

    def __call__(self, question: Question) -> Reply:
        judge = self._running()
        future, sent = judge.ask(question), time.monotonic()
        while True:
            left = max(sent, judge.last_reply) + self.timeout - time.monotonic()
            try:
                reply = future.result(max(0.0, left))
            except TimeoutError:
                if max(sent, judge.last_reply) + self.timeout > time.monotonic():
                    continue  # it replied to another question meanwhile
                judge.end(f"it wrote nothing for {self.timeout:g} seconds and was ended")
                continue
            self._starts = 0
            return reply

    def close(self) -> None:
        """Ends the program: its input is closed, and it is killed if that does not help."""
        with self._lock:
            if self._judge is not None:
                self._judge.close()

    def _running(self) -> JudgeProcess:
        """The process, which is started if there is none."""
        with self._lock:
            if self._judge is None or self._judge.ended:
                if self._starts > MAX_RESTARTS:
                    why = "" if self._judge is None else f" ({self._judge.ended})"
                    told = f"the program {self.words[0]} was started {self._starts} times without a reply{why}"
                    raise OracleError(f"{told}; run it by hand and give it a question", final=True)
                self._starts += 1
                self._judge = JudgeProcess(self.words)
            return self._judge


class JudgeProcess:
    """One process, with the questions that wait for its replies."""

    def __init__(self, words: list[str]):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        codec = {"encoding": "utf-8", "errors": "replace"}
        flushed = {**os.environ, "PYTHONUNBUFFERED": "1"}  # a Python program may print without flush=True
        try:  # in a group of its own: Ctrl-C reaches only askwise, which then closes its input
            self.process = subprocess.Popen(words, start_new_session=True, env=flushed, **pipes, **codec)  # type: ignore[call-overload]
        except OSError as error:
            raise SettingError(_no_program(words[0], str(error.strerror))) from None
        self.ended: str | None = None  # why
        self.last_reply = time.monotonic()
        self.waiting: dict[str, Future[Reply]] = {}  # by question, the one that has waited longest first
        self.answered: set[str] = set()
        self._lock = threading.Lock()
        self._outbox: SimpleQueue[str | None] = SimpleQueue()
        for target in (self._write, self._read):
            threading.Thread(target=target, name="askwise-judge", daemon=True).start()

    def ask(self, question: Question) -> Future[Reply]:
        """Sends a question. The future holds its reply, or why there is none."""
        future: Future[Reply] = Future()
        with self._lock:
            if self.ended is not None:
                future.set_exception(OracleError(f"the program failed: {self.ended}"))
            else:
                self.waiting[question.id] = future
                self._outbox.put(json.dumps(question_message(question)) + "\n")
        return future

    def end(self, why: str) -> None:
        """Kills the process, and all that it started; whoever waits is told why."""
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:  # Windows has no groups of processes
                self.process.kill()
        self._fail(why)

    def close(self) -> None:
        """Closes its input, and kills it if it goes on."""
        self._outbox.put(None)
        try:
            self.process.wait(CLOSING_SECONDS)
            self._fail("it was closed")
        except subprocess.TimeoutExpired:
            self.end("it was closed")

    def _fail(self, why: str) -> None:
        with self._lock:
            self.ended = self.ended or why
            failed, self.waiting = list(self.waiting.values()), {}
        self._outbox.put(None)
        for future in failed:
            future.set_exception(OracleError(f"the program failed: {self.ended}"))

    def _write(self) -> None:
        """Sends what is in the outbox: a program that does not read holds up this thread only."""
        stdin = self.process.stdin
        assert stdin is not None
        with suppress(OSError, ValueError), stdin:
            while (line := self._outbox.get()) is not None:
                stdin.write(line)
                stdin.flush()

    def _read(self) -> None:
        stdout = self.process.stdout
        assert stdout is not None
        with suppress(OSError, ValueError), stdout:
            while line := stdout.readline(MAX_LINE_LETTERS):
                if line.strip():
                    self._take(line)
        code = self.process.wait()
        self._fail(f"it ended with exit code {code}" if code >= 0 else f"signal {-code} ended it")

    def _take(self, line: str) -> None:
        """Hands a reply to whoever waits for it. A line that cannot be read counts against the oldest question."""
        self.last_reply = time.monotonic()
        problem, reply, id = None, None, ""
        try:
            id, reply = read_reply(line)
        except RefusedReply as error:
            problem = error
        with self._lock:
            if problem is None and id not in self.waiting:
                if id in self.answered:
                    return  # it was put twice, and both were answered
                problem = RefusedReply(f"there is no open question {id[:60]!r}; reply with the id of one that was sent")
            if problem is not None:
                id = next(iter(self.waiting), "")
            future = self.waiting.pop(id, None)
            self.answered |= {id} if problem is None else set()
        if future is None:
            logger.warning("no question waits: %s", problem)
        elif reply is not None and problem is None:
            future.set_result(reply)
        else:
            future.set_exception(problem)


def _no_program(name: str, why: str) -> str:
    expected = "give a command, or a prefix that an oracle is registered for, such as openai:MODEL"
    return f"there is no program {name[:100]!r} that can be started ({why}); {expected}"
