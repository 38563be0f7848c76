"""The fields of the form for a new study, derived from the options of all goals."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from typing import Any

from askwise.goals import goals
from askwise.goals.base.goal import Goal
from askwise.goals.base.options import GoalOption, declared, default_of, is_required

HINTS_FOR_PROGRAMS = (  # that a page cannot follow
    ", or choose another column with image=",
    ", or choose another column with audio=",
    ", or choose another column with video=",
    ", or let texts become numbers with embed=",
    ", or use header=False if there are none",
    " If it is a row, use header=False.",
    ", embed it, or take it out of features",
    " or choose another with name=",
    " or choose another column with name=",
    ", use missing='impute', or leave the column out with features=",
    ", or use missing='impute'",
)
PAGE_SENTENCES = (
    (
        re.compile(r".* has [\d,]+ rows; \S+ takes up to ([\d,]+): .*"),
        r"This goal takes at most \1 rows. Use a shorter table.",
    ),
    (re.compile(r"\S+ takes up to ([\d,]+) rows, got .*"), r"This goal takes at most \1 rows. Use a shorter table."),
    (
        re.compile(r"the range of the entries is not known, .*"),
        "No two different numbers are known yet. Fill in: Range of the numbers.",
    ),
    (re.compile(r"worst asks for the worst .*"), "To ask for the worst, show three items or more at a time."),
    (re.compile(r"shown is \d+, and there are (\d+) items; .*"), r"There are only \1 items to show at a time."),
    (re.compile(r"\S+ needs at least (.*), got \d+; add more"), r"This goal needs at least \1. Add more."),
)


@dataclass(frozen=True)
class FormField:
    """One option on the form."""

    name: str
    label: str
    kind: str  # number, text, list or check: how the page sends it
    whole: bool  # whether it is a whole number of at least 1
    goals: str  # the goals that have it, with spaces between
    choices: tuple[str, ...]
    value: str  # what is filled in at first
    defaults: str  # what holds if nothing is filled in, by goal, as JSON
    required: bool
    advanced: bool


def form_fields() -> list[FormField]:
    """The options that have a label, each once, with the goals that have it.

    >>> [(field.name, field.kind) for field in form_fields() if field.required]
    [('people', 'list'), ('k', 'number'), ('labels', 'list'), ('item', 'text'), ('column', 'text')]
    """
    users: dict[str, dict[type[Goal], GoalOption]] = {}
    for goal in goals().values():
        for name, option in declared(goal).items():
            if option.label:
                users.setdefault(name, {})[goal] = option
    return [_field(name, each) for name, each in users.items()]


def server_limits() -> Mapping[str, int]:
    """The largest value of each option that a server works with.

    >>> server_limits()["rank"]
    50
    """
    known = (pair for goal in goals().values() for pair in declared(goal).items())
    return {name: option.server_max for name, option in known if option.server_max is not None}


def page_sentence(message: str) -> str:
    """What went wrong with a new study, for somebody who filled in the form: by the labels of its fields, and without
    the options of Python and the command line.

    >>> page_sentence("k is 0; expected a whole number from 1 to 92")
    'How many must be a whole number from 1 to 92.'
    >>> page_sentence("long.csv has 2,000 rows; ranking takes up to 1,000: give a part of them")
    'This goal takes at most 1,000 rows. Use a shorter table.'
    """
    for hint in HINTS_FOR_PROGRAMS:
        message = message.replace(hint, "")
    for pattern, sentence in PAGE_SENTENCES:
        message = pattern.sub(sentence, message)
    labels = {field.name: field.label.partition(" (")[0] for field in form_fields()}
    named = re.fullmatch(
        r"(?:the option )?(\w+) (?:is .*; expected|must be) (.*?)(?: here, got .*)?", message, re.DOTALL
    )
    if named is not None and named[1] in labels:
        message = f"{labels[named[1]]} must be {named[2]}"
    lacking = re.fullmatch(r"\S+ needs --(\S+); .*", message)
    if lacking is not None:
        label = labels.get(lacking[1].replace("-", "_"), lacking[1])
        message = f"{label}: fill this in"
    keeps_name = re.match(r"[^.;:]*\.[a-z]+ ", message) is not None or not message.split(" ")[0].isalpha()  # of a file
    start = message if keeps_name else message[:1].upper() + message[1:]
    return start if start.endswith((".", "?", "!")) else f"{start}."


def _field(name: str, users: Mapping[type[Goal], GoalOption]) -> FormField:
    goal, option = next(iter(users.items()))
    kinds: Mapping[Any, str] = {int: "number", float: "number", list: "list", bool: "check"}
    kind = kinds.get(option.typed, "text")
    needed = is_required(goal, name) or (kind == "list" and not option.advanced)
    value = "" if option.advanced else _text(default_of(goal, name)) or (option.example if kind == "number" else "")
    return FormField(
        name=name,
        label=option.label,
        kind=kind,
        whole=option.typed is int,
        goals=" ".join(each.goal_name for each in users),
        choices=tuple(option.choices),
        value=value,
        defaults=json.dumps({each.goal_name: _text(default_of(each, name)) for each in users}),
        required=needed,
        advanced=option.advanced,
    )


def _text(default: Any) -> str:
    if default is MISSING or default is None:
        return ""
    return ", ".join(map(str, default)) if isinstance(default, list | tuple) else str(default)
