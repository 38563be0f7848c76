"""One key at a time from a terminal, and pictures where it can show them."""

from __future__ import annotations

import base64
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager

ARROWS = {"[A": "up", "[B": "down", "[C": "right", "[D": "left", "OA": "up", "OB": "down", "OC": "right", "OD": "left"}
END = "\x04"  # what Ctrl-D sends: the end of the answers
PIECE = 4096  # characters of a picture that a terminal takes at once
MAGIC_PNG = b"\x89PNG"


class Keys:
    """Single keys if standard input is a terminal, else lines: "left", "s", "q"."""

    def __init__(self) -> None:
        self.single = sys.stdin.isatty()

    def read(self) -> str:
        """The next key by its name ("left" for an arrow), or the next line; END when there is no more."""
        if not self.single:
            line = sys.stdin.readline()
            return line.strip() if line else END
        with _raw():
            letter = os.read(sys.stdin.fileno(), 1).decode(errors="replace")
            if letter == "\x1b":
                return self._escape()
            while letter and ord(letter[-1]) == 0xFFFD and len(letter) < 4 and _waiting():
                letter += os.read(sys.stdin.fileno(), 1).decode(errors="replace")
        if letter == "\x03":
            raise KeyboardInterrupt
        return letter or END

    def line(self, text: str) -> str:
        """A whole line, for numbers."""
        try:
            return input(text).strip() if self.single else self.read()
        except EOFError:
            return END

    def _escape(self) -> str:
        rest = ""
        while len(rest) < 2 and _waiting():
            rest += os.read(sys.stdin.fileno(), 1).decode(errors="replace")
        return ARROWS.get(rest, "")


def _waiting() -> bool:
    return bool(select.select([sys.stdin], [], [], 0.05)[0])


@contextmanager
def _raw() -> Iterator[None]:
    """Keys come as they are pressed, without an Enter."""
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


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
