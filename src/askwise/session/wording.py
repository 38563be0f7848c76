"""Wording: the question, the names of the answers and the instructions in the words of whoever asks.

Wording changes what people read, and nothing else: responses, codes and beliefs stay the same. An ask event holds the
text that was shown, so a log says what people saw, and its replay needs no wording.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from askwise._runtime.streams import stream
from askwise.errors import SettingError
from askwise.options import parts, refusal
from askwise.session.config import Recipe
from askwise.session.events import NUMBER, UNSTORABLE, Event
from askwise.structures import Family, prompt
from askwise.types import Prompt

MAX_LETTERS = {"question": 500, "answers": 60, "instructions": 4000}  # of each text
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
PLACEHOLDERS = {  # by kind of question: what stands for the name of each option, in the order shown
    "pair": ("left", "right"),
    "same": ("first", "second"),
    "triple": ("first", "second", "third"),
    "label": ("name",),
    "number": ("row", "column"),
}
ALL_NAMES = "names"  # stands for all of them, in every kind of question


@dataclass(frozen=True)
class Wording:
    """What people read in place of the usual texts.

    >>> Wording(answers={"left": "Reply A", "right": "Reply B"}).as_dict()
    {'answers': {'left': 'Reply A', 'right': 'Reply B'}}
    """

    question: str | None = None  # with placeholders for names; None: the usual text
    answers: Mapping[str, str] = field(default_factory=dict)  # response -> its name, where it has one of its own
    instructions: str | None = None  # what people read first

    def as_dict(self) -> dict[str, Any]:
        """The parts that are set."""
        return {part: value for part, value in asdict(self).items() if value}

    def changed(self, changes: Mapping[str, Any]) -> Wording:
        """The wording with some parts replaced; None brings back the usual text of a part.

        :param changes: The parts that change, by name.

        >>> Wording("Which one?").changed({"question": None, "instructions": "Be quick."}).as_dict()
        {'instructions': 'Be quick.'}
        """
        for part in changes:
            if part not in WORDING_CHECKS:
                raise SettingError(f"{part} is not a part of the wording; the parts are {', '.join(WORDING_CHECKS)}")
        given = {part: None if value is None else WORDING_CHECKS[part](part, value) for part, value in changes.items()}
        return wording_from({**self.as_dict(), **given})

    def apply(self, event: Event) -> Event:
        """An ask event as people shall read it.

        :param event: The event of a question.

        >>> event = {"kind": "pair", "text": "Which do you prefer: tea or milk?",
        ...          "options": [{"name": "tea"}, {"name": "milk"}]}
        >>> Wording("Would you rather drink {left} or {right}?").apply(event)["text"]
        'Would you rather drink tea or milk?'
        """
        if self.question is None and not self.answers:
            return event
        names = _names_shown(event["kind"], [option["name"] for option in event["options"]])
        text = event["text"]
        if self.question is not None:
            context, gap, _ = text.rpartition("\n\n")  # which comes before the question
            text = context + gap + PLACEHOLDER.sub(lambda at: names[at[1]], self.question)
        return {**event, "text": text} | ({"answer_names": dict(self.answers)} if self.answers else {})

    def check(self, prompt: Prompt) -> None:
        """Refuses placeholders and answers that questions like this one do not have.

        :param prompt: A question of the study.

        >>> from askwise.types import Option
        >>> prompt = Prompt("label", (Option("x"),), ("no", "yes"), {}, "Which label fits x?")
        >>> Wording("Is {item} spam?").check(prompt)
        Traceback (most recent call last):
        askwise.errors.SettingError: question has the placeholder {item}; use {name} or {names}
        """
        known = _names_shown(prompt.kind, [option.name for option in prompt.options])
        for found in PLACEHOLDER.findall(self.question or ""):
            if found not in known:
                listed = " or ".join(f"{{{name}}}" for name in known)
                raise SettingError(f"question has the placeholder {{{found}}}; use {listed}")
        responses = [str(response) for response in prompt.responses]
        if self.answers and (prompt.kind == NUMBER or {option.name for option in prompt.options} & set(responses)):
            raise SettingError("people answer with an item or a number here, which has its name; leave out answers")
        for response in self.answers:
            if response not in responses:
                raise SettingError(f"answers names {response!r}; the answers are {' and '.join(responses)}")


USUAL = Wording()


def check_text(name: str, value: Any) -> str | None:
    """The text of a question or of instructions; None for an empty one.

    >>> check_text("question", " Which reply would you send? ")
    'Which reply would you send?'
    """
    most = MAX_LETTERS[name]
    if not (isinstance(value, str) and len(value) <= most and not UNSTORABLE.search(value)):
        raise refusal(name, value, f"a text of at most {most} letters")
    found = value.strip() if name == "instructions" else " ".join(value.split())
    return found or None


def check_answers(name: str, value: Any) -> dict[str, str] | None:
    """Names of answers: a mapping, or texts such as "left=Reply A"; None for none.

    >>> check_answers("answers", ["left=Reply A", "right=Reply B"])
    {'left': 'Reply A', 'right': 'Reply B'}
    """
    expected = "names of answers such as {'left': 'Reply A'} or left=Reply A"
    pairs: list[tuple[Any, ...]]
    if isinstance(value, Mapping):
        pairs = list(value.items())
    else:
        listed = parts(name, value.split(",") if isinstance(value, str) else value, expected)
        pairs = [tuple(text.split("=", 1)) if isinstance(text, str) else () for text in listed]
        pairs = [pair for pair in pairs if pair != ("",)]
    most = MAX_LETTERS[name]
    for pair in pairs:
        fits = len(pair) == 2 and isinstance(pair[1], str) and 0 < len(pair[1].strip()) <= most
        if not fits or UNSTORABLE.search(f"{pair[0]}{pair[1]}"):
            raise refusal(name, value, f"{expected}, each with 1 to {most} letters")
    found = {str(response).strip(): " ".join(text.split()) for response, text in pairs}
    if len(set(found.values())) < len(found):
        raise refusal(name, value, "a different name for each answer")
    return found or None


WORDING_CHECKS: dict[str, Callable[[str, Any], Any]] = {  # by part of the wording
    "question": check_text,
    "answers": check_answers,
    "instructions": check_text,
}


def wording_from(stored: Mapping[str, Any]) -> Wording:
    """The wording that a study or the options of a goal hold; parts that are missing are as usual.

    >>> wording_from({"question": "Which one?", "epsilon": 0.1})
    Wording(question='Which one?', answers={}, instructions=None)
    """
    found = Wording(stored.get("question"), stored.get("answers") or {}, stored.get("instructions"))
    return USUAL if found == USUAL else found


def wording_of(recipe: Recipe) -> Wording:
    """The wording that a recipe begins with. Earlier versions kept instructions beside the options.

    >>> wording_of({"options": {"k": 2}, "instructions": "Look closely."}).instructions
    'Look closely.'
    """
    return wording_from({"instructions": recipe.get("instructions"), **_given(recipe["options"])})


def sample_prompt(family: Family) -> Prompt:
    """How a family asks, for one of its atoms."""
    rng = stream(0, 0, "wording")
    return prompt(family, family.draw_atoms(1, rng)[0], rng)


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    return {part: options[part] for part in WORDING_CHECKS if options.get(part) is not None}


def _names_shown(kind: str, names: list[str]) -> dict[str, str]:
    """The names that placeholders stand for."""
    single = ("name",) if len(names) == 1 else ()
    *others, last = names
    listed = f"{', '.join(others)} or {last}" if others else last
    return {**dict(zip(PLACEHOLDERS.get(kind, single), names, strict=False)), ALL_NAMES: listed}
