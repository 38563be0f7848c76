"""One key at a time from a terminal, and pictures where it can show them."""

from __future__ import annotations

import base64
import os
import select
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

ARROWS = {"A": "↑", "B": "↓", "C": "→", "D": "←"}  # the last letter of what an arrow sends
END = b"\x04"  # what Ctrl-D sends: the end of the answers
ENTER, ESCAPE, ERASE = "\n", "\x1b", ("\x7f", "\b")
PIECE = 4096  # characters of a picture that a terminal takes at once
MAGIC_PNG = b"\x89PNG"
HEARD = 0.1  # seconds within which a signal is heard


class Keys:
    """Single keys if standard input is a terminal, else lines: "left", "s", "q". To be used in a `with`.

    Whatever ends or stops the program, the terminal is left as it was found.
    """

    def __init__(self) -> None:
        self.single = sys.stdin.isatty()
        self._before: list[Any] = []  # how the terminal was
        self._is_single = False  # whether it gives single keys at the moment
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Keys:
        if self.single:
            import termios

            self._before = termios.tcgetattr(sys.stdin)
            if threading.current_thread() is threading.main_thread():
                handlers = {
                    signal.SIGTERM: _leave,
                    signal.SIGHUP: _leave,
                    signal.SIGTSTP: self._pause,
                    signal.SIGCONT: self._go_on,
                }
                self._handlers = {number: signal.signal(number, handler) for number, handler in handlers.items()}
            self._single_keys()
        return self

    def __exit__(self, *_: object) -> None:
        self._restore()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def forget(self) -> None:
        """Drops what was pressed before the question was there: nobody answers what they have not seen."""
        if self.single:
            import termios

            with suppress(termios.error):
                termios.tcflush(sys.stdin, termios.TCIFLUSH)

    def read(self) -> str | None:
        """The next key ("←" for an arrow, "" for one without a letter) or the next line; None when there is no more."""
        if not self.single:
            line = sys.stdin.readline()
            return line.rstrip("\r\n") if line else None
        letter = self._byte()
        if letter in (b"", END):
            return None
        if letter == b"\x1b":
            return self._sequence()
        # the first byte of a letter beyond ASCII says how many follow
        more = sum(letter[0] >= first for first in (0xC0, 0xE0, 0xF0))
        return (letter + self._more(more)).decode(errors="replace")

    def typed(self, begun: str, goes_on: Callable[[str], bool], complete: Callable[[str], bool]) -> str | None:
        """A text that begins with a key that was pressed, until Enter, or until it is complete or cannot go on.

        Escape takes it back, which gives an empty text; None when there is no more to read.
        """
        text: str | None = begun
        while text and goes_on(text) and not complete(text):
            _write(f"\r\x1b[K    {text}")
            key = self.read()
            if key == ENTER:
                break
            if key is None or key == ESCAPE:
                text = None if key is None else ""
            elif key in ERASE:
                text = text[:-1]
            elif key.isprintable():
                text += key
        _write("\r\x1b[K")
        return text

    def line(self, text: str) -> str | None:
        """A whole line, for numbers."""
        if not self.single:
            return self.read()
        self._restore()
        try:
            _write(text)
            _wait()
            line = sys.stdin.readline()
            return line.strip() if line else None
        finally:
            self._single_keys()

    def _single_keys(self) -> None:
        """Keys come as they are pressed, without an Enter."""
        import termios
        import tty

        with suppress(termios.error):  # the terminal may be gone
            tty.setcbreak(sys.stdin, termios.TCSANOW)
            self._is_single = True

    def _restore(self) -> None:
        import termios

        if self._is_single:
            with suppress(termios.error):
                termios.tcsetattr(sys.stdin, termios.TCSANOW, self._before)
            self._is_single = False

    def _pause(self, number: int, _: Any) -> None:
        """Ctrl-Z: the shell gets its terminal as it was. What comes after continues here."""
        was = self._is_single
        self._restore()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)
        signal.signal(number, self._pause)
        if was:
            self._single_keys()

    def _go_on(self, *_: Any) -> None:
        """After a stop that could not be caught, the shell may have changed the terminal."""
        if self._is_single:
            self._single_keys()

    def _byte(self) -> bytes:
        try:
            _wait()
            return os.read(sys.stdin.fileno(), 1)
        except OSError:  # the terminal is gone
            return b""

    def _more(self, count: int) -> bytes:
        rest = b""
        while len(rest) < count and select.select([sys.stdin], [], [], 0.05)[0]:
            rest += self._byte() or b"?"
        return rest

    def _sequence(self) -> str:
        """What follows an Escape: an arrow, or "" for the other keys that send several letters, all of them read."""
        kind = self._more(1)
        if not kind:
            return ESCAPE
        last = self._more(1) if kind in (b"[", b"O") else b""
        plain = len(last) == 1 and last.isalpha()
        while kind == b"[" and last and not 0x40 <= last[0] <= 0x7E:
            last = self._more(1)
        return ARROWS.get(last.decode(errors="replace"), "") if plain else ""


def _wait() -> None:
    """Until something was typed. A signal that comes just before a read would be heard only after it."""
    while not select.select([sys.stdin], [], [], HEARD)[0]:
        pass


def _leave(number: int, _: Any) -> None:
    raise SystemExit(128 + number)


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def picture(content: bytes) -> str | None:
    """What makes the terminal show a picture, or None if it is not known to show any."""
    coded = base64.b64encode(content).decode()
    if os.environ.get("TERM_PROGRAM") in ("iTerm.app", "WezTerm", "vscode"):
        return f"\x1b]1337;File=inline=1;height=12;size={len(content)}:{coded}\a"
    if (os.environ.get("KITTY_WINDOW_ID") or "kitty" in os.environ.get("TERM", "")) and content.startswith(MAGIC_PNG):
        pieces = [coded[start : start + PIECE] for start in range(0, len(coded), PIECE)]
        last = len(pieces) - 1
        heads = [f"a=T,f=100,r=12,m={int(i < last)}" if i == 0 else f"m={int(i < last)}" for i in range(len(pieces))]
        return "".join(f"\x1b_G{head};{piece}\x1b\\" for head, piece in zip(heads, pieces, strict=True))
    return None
