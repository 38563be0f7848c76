"""Reading single keys from a terminal, and showing pictures in terminals that can."""

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

ARROWS = {"A": "↑", "B": "↓", "C": "→", "D": "←"}  # by the last letter that an arrow key sends
CTRL_D = b"\x04"  # ends the answers
ENTER, ESCAPE, ERASE = "\n", "\x1b", ("\x7f", "\b")
MAX_CHUNK = 4096  # characters of a picture that kitty accepts at once
PNG_SIGNATURE = b"\x89PNG"
SIGNAL_POLL_SECONDS = 0.1


class KeyReader:
    """Reads single keys if standard input is a terminal, else lines: "left", "s", "q". Use it in a `with`.

    It restores the terminal, whatever ends or stops the program.
    """

    def __init__(self) -> None:
        self.single_keys = sys.stdin.isatty()
        self._original: list[Any] = []  # settings of the terminal
        self._active = False  # whether the terminal gives single keys now
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> KeyReader:
        if self.single_keys:
            import termios

            self._original = termios.tcgetattr(sys.stdin)
            if threading.current_thread() is threading.main_thread():
                handlers = {
                    signal.SIGTERM: _exit_on_signal,
                    signal.SIGHUP: _exit_on_signal,
                    signal.SIGTSTP: self._suspend,
                    signal.SIGCONT: self._resume,
                }
                self._handlers = {number: signal.signal(number, handler) for number, handler in handlers.items()}
            self._activate()
        return self

    def __exit__(self, *_: object) -> None:
        self._restore()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def discard_pending(self) -> None:
        """Drops keys that were pressed before the question appeared: nobody answers what they have not seen."""
        if self.single_keys:
            import termios

            with suppress(termios.error):
                termios.tcflush(sys.stdin, termios.TCIFLUSH)

    def read_key(self) -> str | None:
        """The next key ("←" for an arrow, "" for one without a letter) or the next line; None at the end."""
        if not self.single_keys:
            line = sys.stdin.readline()
            return line.rstrip("\r\n") if line else None
        letter = self._read_byte()
        if letter in (b"", CTRL_D):
            return None
        if letter == b"\x1b":
            return self._read_sequence()
        # the first byte of a letter beyond ASCII says how many follow
        more = sum(letter[0] >= first for first in (0xC0, 0xE0, 0xF0))
        return (letter + self._read_more(more)).decode(errors="replace")

    def read_text(self, first: str, can_go_on: Callable[[str], bool], complete: Callable[[str], bool]) -> str | None:
        """A text that begins with the key `first`, until Enter, or until it is complete or cannot go on.

        Escape gives an empty text, the end of input None.
        """
        text: str | None = first
        while text and can_go_on(text) and not complete(text):
            _write(f"\r\x1b[K    {text}")
            key = self.read_key()
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

    def read_line(self, prompt: str) -> str | None:
        """A whole line, for numbers."""
        if not self.single_keys:
            return self.read_key()
        self._restore()
        try:
            _write(prompt)
            _wait()
            line = sys.stdin.readline()
            return line.strip() if line else None
        finally:
            self._activate()

    def _activate(self) -> None:
        """Makes the terminal send keys as they are pressed, without Enter."""
        import termios
        import tty

        with suppress(termios.error):  # the terminal may be gone
            tty.setcbreak(sys.stdin, termios.TCSANOW)
            self._active = True

    def _restore(self) -> None:
        import termios

        if self._active:
            with suppress(termios.error):
                termios.tcsetattr(sys.stdin, termios.TCSANOW, self._original)
            self._active = False

    def _suspend(self, number: int, _: Any) -> None:
        """Ctrl-Z: the shell gets its terminal back. `fg` continues after the signal."""
        was_active = self._active
        self._restore()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)
        signal.signal(number, self._suspend)
        if was_active:
            self._activate()

    def _resume(self, *_: Any) -> None:
        """After a stop that cannot be caught, the shell may have changed the terminal."""
        if self._active:
            self._activate()

    def _read_byte(self) -> bytes:
        try:
            _wait()
            return os.read(sys.stdin.fileno(), 1)
        except OSError:  # the terminal is gone
            return b""

    def _read_more(self, count: int) -> bytes:
        rest = b""
        while len(rest) < count and select.select([sys.stdin], [], [], 0.05)[0]:
            rest += self._read_byte() or b"?"
        return rest

    def _read_sequence(self) -> str:
        """What follows an Escape: an arrow, or "" for other keys that send several letters. All of them are read."""
        kind = self._read_more(1)
        if not kind:
            return ESCAPE
        last = self._read_more(1) if kind in (b"[", b"O") else b""
        simple = len(last) == 1 and last.isalpha()
        while kind == b"[" and last and not 0x40 <= last[0] <= 0x7E:
            last = self._read_more(1)
        return ARROWS.get(last.decode(errors="replace"), "") if simple else ""


def _wait() -> None:
    """Waits until something is typed. Without it, a signal just before a read would be handled only after it."""
    while not select.select([sys.stdin], [], [], SIGNAL_POLL_SECONDS)[0]:
        pass


def _exit_on_signal(number: int, _: Any) -> None:
    raise SystemExit(128 + number)


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def image_sequence(content: bytes) -> str | None:
    """The escape sequence that shows a picture; None if the terminal is not known to show any."""
    coded = base64.b64encode(content).decode()
    if os.environ.get("TERM_PROGRAM") in ("iTerm.app", "WezTerm", "vscode"):
        return f"\x1b]1337;File=inline=1;height=12;size={len(content)}:{coded}\a"
    if (os.environ.get("KITTY_WINDOW_ID") or "kitty" in os.environ.get("TERM", "")) and content.startswith(
        PNG_SIGNATURE
    ):
        chunks = [coded[start : start + MAX_CHUNK] for start in range(0, len(coded), MAX_CHUNK)]
        last = len(chunks) - 1
        heads = [f"a=T,f=100,r=12,m={int(i < last)}" if i == 0 else f"m={int(i < last)}" for i in range(len(chunks))]
        return "".join(f"\x1b_G{head};{chunk}\x1b\\" for head, chunk in zip(heads, chunks, strict=True))
    return None
