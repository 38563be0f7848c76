"""Who waits while code is compiled is told so: a line on standard error, if it takes longer than a second.

On a terminal the line counts functions and seconds and disappears. Elsewhere, as in a notebook or a file, it is written
once.
"""

from __future__ import annotations

import inspect
import multiprocessing
import sys
import threading
import time
from typing import Any, TextIO

from numba.core import event

PATIENCE = 1.0  # seconds of compilation in a process, before anything is said
TICK = 0.2  # seconds
TEXT = "askwise compiles code for its first use on this computer; `askwise warm` does it for all goals at once"
ERASE = "\r\x1b[2K"


class CompileNotice(event.Listener):
    """Hears when one of our functions is compiled, and says so if somebody waits for it.

    Only the main thread of a program waits: worker processes and threads compute ahead.
    """

    def __init__(self) -> None:
        self.compiled: list[str] = []  # the functions that this process compiled
        self.seconds = 0.0  # that somebody waited
        self.said = False
        self.done = self.total = 0  # functions that are parts of the one that is compiled, and that one
        self._depth = 0
        self._done = threading.Event()
        self._ticking: threading.Thread | None = None
        self._start = 0.0

    def on_start(self, event: Any) -> None:
        if not _is_ours(event):
            return
        self._depth += 1
        if self._depth == 1 and _somebody_waits():
            self.done, self.total = 0, count_functions(event.data["dispatcher"])
            self._start = time.monotonic()
            self._done.clear()
            self._ticking = threading.Thread(target=self._tick, daemon=True)
            self._ticking.start()

    def on_end(self, event: Any) -> None:
        if not _is_ours(event):
            return
        self._depth -= 1
        self.compiled.append(event.data["dispatcher"].py_func.__qualname__)
        if self._depth == 0 and self._ticking is not None:
            self.seconds += time.monotonic() - self._start
            self._done.set()
            self._ticking.join()
            self._ticking = None

    def on_part(self) -> None:
        """Hears that one of the parts of a function is translated."""
        self.done += 1

    def _tick(self) -> None:
        """Writes the line until the function is compiled."""
        stream = sys.stderr
        if stream is None or self._done.wait(max(0.0, PATIENCE - self.seconds)):
            return
        if not _is_terminal(stream):
            if not self.said:
                _write(stream, f"{TEXT}\n")
            self.said = True
            return
        while True:
            seconds = self.seconds + time.monotonic() - self._start
            now = f"function {min(self.done + 1, self.total)} of about {self.total}, {seconds:.0f} s"
            _write(stream, f"{ERASE}{TEXT} ... {now}")
            self.said = True
            if self._done.wait(TICK):
                _write(stream, ERASE)
                return


def count_functions(dispatcher: Any) -> int:
    """The function and those of ours that it calls, directly or not, if no other function brought them along before."""
    found, left = {id(dispatcher)}, [dispatcher]
    while left:
        names = inspect.getclosurevars(left.pop().py_func)
        for value in (*names.globals.values(), *names.nonlocals.values()):
            if hasattr(value, "askwise_parts") and not value.askwise_parts.found and id(value) not in found:
                found.add(id(value))
                left.append(value)
    return len(found)


def _is_ours(event: Any) -> bool:
    return hasattr(event.data["dispatcher"], "askwise_parts")


def _somebody_waits() -> bool:
    return threading.current_thread() is threading.main_thread() and multiprocessing.parent_process() is None


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except (AttributeError, ValueError):  # an object that only takes text; a closed one
        return False


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except (OSError, ValueError):  # nobody reads it any more
        pass


notice = CompileNotice()
event.register("numba:compile", notice)  # type: ignore[no-untyped-call]
