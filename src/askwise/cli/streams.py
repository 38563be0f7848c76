"""Standard input, output and error that work with a pipe, with an old terminal, and when they are closed."""

from __future__ import annotations

import codecs
import io
import os
import sys
from typing import Any

ASCII_SUBSTITUTES = {"→": "->", "←": "<-", "↓": "v", "↑": "^", "█": "#", "░": ".", "━": "-", "…": "..."}


def prepare() -> None:
    """Opens streams that are closed, and makes every character printable: a substitute for what an encoding lacks."""
    codecs.register_error("askwise", _substitute)
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # or the next file that is opened would take its place and get the output
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w", encoding="utf-8"))  # noqa: SIM115
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace" if name == "stdin" else "askwise")


def discard(stream: Any) -> None:
    """Drops what could not be written, so that Python does not try again at exit."""
    if isinstance(stream, io.TextIOWrapper):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _substitute(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    substitutes = (
        ASCII_SUBSTITUTES.get(letter) or letter.encode("ascii", "backslashreplace").decode() for letter in letters
    )
    return "".join(substitutes), error.end
