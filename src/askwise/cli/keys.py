"""Which key gives which answer. What is typed is an answer first, then a key, then a command."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from askwise.errors import AnswerError
from askwise.types import Question, Response

SIDES = {"left": 0, "right": 1}
ITEMS = ("pair", "same", "triple")  # kinds of questions that are answered by place, not by typing a name
PLACES = {"pair": "←→↓", "same": "←→"}  # arrows by place
ARROWS = {"left": "←", "right": "→", "up": "↑", "down": "↓"}  # arrows of labels that are called so
COMMANDS = {"s": "can't tell", "u": "undo", "w": "why this question", "q": "quit (all is kept)"}
MARKS = ":/!;"  # before a command whose letter is an answer
LETTERS = "abdefghijklmnoprtvxyz"  # keys where digits are answers: neither a command nor c, to go on


@dataclass(frozen=True)
class Keyboard:
    """What can be pressed or typed for one question.

    >>> question = Question("q1", "label", (), ("0", "1", "s"), "Which label has x?")
    >>> keyboard(question).keys
    {'0': '0', '1': '1', 's': 's'}
    >>> print(keyboard(question).help)
    :s can't tell   u undo   w why this question   q quit (all is kept)
    """

    texts: Sequence[tuple[str, Response]]  # what may be typed in full, and what it means
    shown: Sequence[tuple[str, Response]]  # the keys as they are printed, in the order of the responses
    keys: Mapping[str, Response]
    commands: Mapping[str, str]  # what is typed -> the letter of the command
    mark: str  # before a command whose letter is an answer
    typed: bool  # whether labels may be typed letter by letter

    @property
    def help(self) -> str:
        """The commands, as they are typed for this question."""
        plain = {letter: letter if letter in self.commands else self.mark + letter for letter in COMMANDS}
        return "   ".join(f"{plain[letter]} {what}" for letter, what in COMMANDS.items())

    def find(self, text: str) -> Response | None:
        """The answer that a text names, or that a key stands for; a text that names two is refused."""
        for fold in (str, _normal, _folded):
            meant = {(type(said), said): said for known, said in self.texts if fold(known) == fold(text)}
            if len(meant) > 1:
                keys = ", ".join(key for key, _ in self.shown)
                raise AnswerError(f"{text!r} may mean {len(meant)} of the answers; give the key of one instead: {keys}")
            if meant:
                return next(iter(meant.values()))
        return self.keys.get(text.strip(), self.keys.get(text.strip().lower()))

    def is_key(self, pressed: str) -> bool:
        """Whether one key says it all."""
        return self.command(pressed) is not None or _folded(pressed) in map(_folded, self.keys)

    def command(self, text: str) -> str | None:
        """The letter of the command that is typed so."""
        return self.commands.get(text.strip().lower())

    def begins(self, text: str) -> bool:
        """Whether a label, or a command with its mark, begins so."""
        known = [label for label, _ in self.texts] if self.typed else []
        return any(_folded(name).startswith(_folded(text)) for name in (*known, *self.commands))


def keyboard(question: Question, single: bool = True) -> Keyboard:
    """The keys of a question: an answer of one letter or digit is its own key, the others are numbered.

    With `single` keys, a label may be typed letter by letter, so no other key or command is a letter it begins with.
    """
    if question.kind == "number":
        return Keyboard([], [], {}, {mark + letter: letter for letter in COMMANDS for mark in ("", ":")}, ":", False)
    names = [meaning(question, response) for response in question.responses]
    typed = question.kind not in ITEMS
    taken = {_folded(name) for name in names}
    firsts = {name[:1] for name in taken}
    reserved = taken | firsts if typed and single else taken
    mark = next((mark for mark in MARKS if mark not in firsts), MARKS[0])
    letters = iter([letter for letter in LETTERS if letter not in firsts])
    numbered = all(_fits(place, name, typed) for place, name in enumerate(names))
    keys: dict[str, Response] = {}
    shown: list[tuple[str, Response]] = []
    for place, (name, response) in enumerate(zip(names, question.responses, strict=True)):
        spare = str(place + 1) if numbered and place < 9 else ""
        own = name if _is_key(name, names) else ""
        key = (own or spare if typed else spare or own) or next(letters, "")
        pressed = [part for part in (key, _arrow(question.kind, place, name)) if part]
        keys |= dict.fromkeys([*pressed, own] if own else pressed, response)
        shown.append((" ".join(pressed) or "type", response))
    commands = {mark + letter: letter for letter in COMMANDS if mark + letter not in taken}
    commands |= {letter: letter for letter in COMMANDS if letter not in reserved}
    words = [(str(response), response) for response in question.responses]
    return Keyboard([*zip(names, question.responses, strict=True), *words], shown, keys, commands, mark, typed)


def meaning(question: Question, response: Any) -> str:
    """A response as the person would say it: the item, where it names a side."""
    if question.kind == "pair" and response in SIDES:
        return question.options[SIDES[response]].name
    return f"{response:g}" if question.kind == "number" else str(response)


def _is_key(name: str, names: Sequence[str]) -> bool:
    """Whether a name is one letter or digit with which no other name begins."""
    alone = sum(other.startswith(name) for other in names) == 1
    return len(name) == 1 and name.isprintable() and not name.isspace() and alone


def _fits(place: int, name: str, typed: bool) -> bool:
    """Whether the number of a place can stand for an answer: no digit of the answer says otherwise."""
    if not typed:
        return re.match(r"[-+.]?\d", name) is None
    digits = re.findall(r"\d+", name)
    return not digits or (digits == [str(place + 1)] and any(map(str.isalpha, name)))


def _arrow(kind: str, place: int, name: str) -> str:
    if kind in PLACES:
        return PLACES[kind][place : place + 1]
    return "" if kind in ITEMS else ARROWS.get(name.casefold(), "")


def _normal(text: str) -> str:
    return unicodedata.normalize("NFC", text.strip())


def _folded(text: str) -> str:
    return _normal(_normal(text).casefold())
