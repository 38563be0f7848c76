"""Standard input, output and error, whatever is behind them: a pipe, a terminal of another age, nothing at all."""

from __future__ import annotations

import codecs
import io
import os
import sys
from typing import Any

LETTERS = {"→": "->", "←": "<-", "↓": "v", "↑": "^", "█": "#", "░": ".", "━": "-", "…": "..."}


def prepare() -> None:
    """Opens streams that are closed, and lets every letter be printed: what an encoding lacks is spelled out."""
    codecs.register_error("askwise", _spelled)
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed: the next file opened would take its place, and get its output
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w", encoding="utf-8"))  # noqa: SIM115
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace" if name == "stdin" else "askwise")


def abandon(stream: Any) -> None:
    """Drops what could not be written, so that the end of the program does not try again."""
    if isinstance(stream, io.TextIOWrapper):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _spelled(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    spelled = (LETTERS.get(letter) or letter.encode("ascii", "backslashreplace").decode() for letter in letters)
    return "".join(spelled), error.end
