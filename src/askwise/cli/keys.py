"""Which key gives which answer. Input is matched with the answers first, then with the keys, then with the commands."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from askwise.errors import AnswerError
from askwise.session import events
from askwise.session.set_responses import BEST_WORST
from askwise.types import Question, Response

ANSWERED_BY_PLACE = ("pair", "same", "triple", "set", "best-worst")  # kinds of questions where nobody types a name
ARROWS_BY_PLACE = {"pair": "←→↓", "same": "←→"}
ARROWS_BY_LABEL = {"left": "←", "right": "→", "up": "↑", "down": "↓"}
COMMANDS = {"s": "can't tell", "u": "undo", "w": "why this question", "q": "quit (everything is kept)"}
READ = {"r": "read in full"}  # of questions with long texts
PREFIXES = ":/!;"  # of a command whose letter is an answer
FREE_LETTERS = "abdefghijklmnoprtvxyz"  # keys where digits are answers: no command, and not c (continue)


@dataclass(frozen=True)
class Keyboard:
    """What can be pressed or typed for one question.

    >>> question = Question("q1", "label", (), ("0", "1", "s"), "Which label fits x?")
    >>> keyboard_for(question).keys
    {'0': '0', '1': '1', 's': 's'}
    >>> print(keyboard_for(question).help)
    :s can't tell   u undo   w why this question   q quit (everything is kept)
    """

    texts: Sequence[tuple[str, Response]]  # what can be typed in full, and the response it means
    key_labels: Sequence[tuple[str, Response]]  # the keys as they are printed, in the order of the responses
    keys: Mapping[str, Response]
    commands: Mapping[str, str]  # what is typed -> the letter of the command
    prefix: str  # of a command whose letter is an answer
    accepts_text: bool  # whether labels can be typed letter by letter
    meanings: Mapping[str, str] = field(default_factory=COMMANDS.copy)  # of the letters of the commands

    @property
    def help(self) -> str:
        """The commands, as they are typed for this question."""
        typed = {letter: letter if letter in self.commands else self.prefix + letter for letter in self.meanings}
        return "   ".join(f"{typed[letter]} {meaning}" for letter, meaning in self.meanings.items())

    def find_response(self, text: str) -> Response | None:
        """The response that a text names or that a key stands for. A text that names two is refused."""
        for fold in (str, _normalise, _fold_case):
            found = {(type(each), each): each for known, each in self.texts if fold(known) == fold(text)}
            if len(found) > 1:
                keys = ", ".join(key for key, _ in self.key_labels)
                raise AnswerError(f"{text!r} can mean {len(found)} of the answers; use the key of one instead: {keys}")
            if found:
                return next(iter(found.values()))
        return self.keys.get(text.strip(), self.keys.get(text.strip().lower()))

    def is_key(self, pressed: str) -> bool:
        """Whether this key alone is an answer or a command."""
        return self.find_command(pressed) is not None or _fold_case(pressed) in map(_fold_case, self.keys)

    def find_command(self, text: str) -> str | None:
        """The letter of the command that is typed so."""
        return self.commands.get(text.strip().lower())

    def is_beginning(self, text: str) -> bool:
        """Whether a label, or a command with its prefix, begins so."""
        known = [label for label, _ in self.texts] if self.accepts_text else []
        return any(_fold_case(name).startswith(_fold_case(text)) for name in (*known, *self.commands))


def keyboard_for(question: Question, single_keys: bool = True) -> Keyboard:
    """The keys of a question: an answer of one letter or digit is its own key, the others are numbered.

    With `single_keys`, labels can be typed letter by letter, so no other key or command is a letter they begin with.
    """
    if question.kind == "number":
        return Keyboard(
            [], [], {}, {prefix + letter: letter for letter in COMMANDS for prefix in ("", ":")}, ":", False
        )
    responses = question.responses
    if question.kind == BEST_WORST:  # two of the options, one after the other
        responses = tuple(option.name for option in question.options)
    items = [response_name(question, response) for response in responses]
    names = [question.answer_names.get(str(each), item) for each, item in zip(responses, items, strict=True)]
    accepts_text = question.kind not in ANSWERED_BY_PLACE
    taken = {_fold_case(name) for name in names}
    firsts = {name[:1] for name in taken}
    reserved = taken | firsts if accepts_text and single_keys else taken
    prefix = next((prefix for prefix in PREFIXES if prefix not in firsts), PREFIXES[0])
    meanings = COMMANDS | (READ if any(option.body is not None for option in question.options) else {})
    letters = iter([letter for letter in FREE_LETTERS if letter not in firsts and letter not in meanings])
    numbered = all(_number_fits(place, name, accepts_text) for place, name in enumerate(names))
    keys: dict[str, Response] = {}
    key_labels: list[tuple[str, Response]] = []
    for place, (name, response) in enumerate(zip(names, responses, strict=True)):
        number = str(place + 1) if numbered and place < 9 else ""
        own = name if _is_key(name, names) else ""
        key = (own or number if accepts_text else number or own) or next(letters, "")
        pressed = [part for part in (key, _arrow(question, place, name)) if part]
        keys |= dict.fromkeys([*pressed, own] if own else pressed, response)
        key_labels.append((" ".join(pressed) or "type", response))
    commands = {prefix + letter: letter for letter in meanings if prefix + letter not in taken}
    commands |= {letter: letter for letter in meanings if letter not in reserved}
    words = [(str(response), response) for response in responses]
    texts = [*zip(names, responses, strict=True), *zip(items, responses, strict=True), *words]
    return Keyboard(texts, key_labels, keys, commands, prefix, accepts_text, meanings)


def response_name(question: Question, response: Any) -> str:
    """A response as a person would say it: the item, if the response is a side."""
    if question.kind == "number":
        return f"{response:g}"
    return str(events.response_name(question.kind, [option.name for option in question.options], response))


def answer_label(question: Question, response: Any) -> str:
    """A response as the question shows it: by the name that the owner gave it, before the item that it stands for.

    >>> from askwise.types import Option
    >>> question = Question("q1", "pair", (Option("tea"), Option("milk")), ("left", "right"), "Which?",
    ...                     answer_names={"left": "A"})
    >>> answer_label(question, "left"), answer_label(question, "right")
    ('A: tea', 'milk')
    """
    item, name = response_name(question, response), question.answer_names.get(str(response))
    return item if name is None else name if item == str(response) else f"{name}: {item}"


def _is_key(name: str, names: Sequence[str]) -> bool:
    """Whether a name is one letter or digit with which no other name begins."""
    alone = sum(other.startswith(name) for other in names) == 1
    return len(name) == 1 and name.isprintable() and not name.isspace() and alone


def _number_fits(place: int, name: str, accepts_text: bool) -> bool:
    """Whether the number of a place can be the key of an answer: the answer itself has no other digit."""
    if not accepts_text:
        return re.match(r"[-+.]?\d", name) is None
    digits = re.findall(r"\d+", name)
    return not digits or (digits == [str(place + 1)] and any(map(str.isalpha, name)))


def _arrow(question: Question, place: int, name: str) -> str:
    kind = question.kind
    if kind == "pair" and question.responses[0] != "left":
        return ""  # grades have digits alone
    if kind in ARROWS_BY_PLACE:
        return ARROWS_BY_PLACE[kind][place : place + 1]
    return "" if kind in ANSWERED_BY_PLACE else ARROWS_BY_LABEL.get(name.casefold(), "")


def _normalise(text: str) -> str:
    return unicodedata.normalize("NFC", text.strip())


def _fold_case(text: str) -> str:
    return _normalise(_normalise(text).casefold())
