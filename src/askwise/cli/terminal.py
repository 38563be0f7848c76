"""One key at a time from a terminal, and pictures where it can show them."""

from __future__ import annotations

import base64
import os
import select
import sys
from typing import Any

ARROWS = {"[A": "up", "[B": "down", "[C": "right", "[D": "left", "OA": "up", "OB": "down", "OC": "right", "OD": "left"}
END = "\x04"  # what Ctrl-D sends: the end of the answers
PIECE = 4096  # characters of a picture that a terminal takes at once
MAGIC_PNG = b"\x89PNG"


class Keys:
    """Single keys if standard input is a terminal, else lines: "left", "s", "q". To be used in a `with`."""

    def __init__(self) -> None:
        self.single = sys.stdin.isatty()
        self._before: list[Any] | None = None

    def __enter__(self) -> Keys:
        if self.single:
            import termios
            import tty

            self._before = termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin, termios.TCSANOW)  # keys come as they are pressed, without an Enter
        return self

    def __exit__(self, *_: object) -> None:
        self._restore()

    def forget(self) -> None:
        """Drops what was pressed before the question was there: nobody answers what they have not seen."""
        if self.single:
            import termios

            termios.tcflush(sys.stdin, termios.TCIFLUSH)

    def read(self) -> str:
        """The next key by its name ("left" for an arrow), or the next line; END when there is no more."""
        if not self.single:
            line = sys.stdin.readline()
            return line.strip() if line else END
        letter = os.read(sys.stdin.fileno(), 1)
        if letter == b"\x1b":
            return ARROWS.get(self._more(2), "")
        if letter and letter[0] >= 0xC0:  # the first byte of a letter beyond ASCII says how many follow
            return (
                letter + self._more(1 + (letter[0] >= 0xE0) + (letter[0] >= 0xF0)).encode(errors="surrogateescape")
            ).decode(errors="replace")
        return letter.decode(errors="replace") or END

    def line(self, text: str) -> str:
        """A whole line, for numbers."""
        if not self.single:
            return self.read()
        self._restore()
        try:
            return input(text).strip()
        except EOFError:
            return END
        finally:
            self.__enter__()

    def _more(self, count: int) -> str:
        rest = b""
        while len(rest) < count and select.select([sys.stdin], [], [], 0.05)[0]:
            rest += os.read(sys.stdin.fileno(), 1)
        return rest.decode(errors="surrogateescape")

    def _restore(self) -> None:
        if self._before is not None:
            import termios

            termios.tcsetattr(sys.stdin, termios.TCSANOW, self._before)
            self._before = None


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
