"""The fields of the form for a new study, derived from the options of all goals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from typing import Any

from askwise.goals import goals
from askwise.goals.base.goal import Goal
from askwise.goals.base.options import GoalOption, declared, default_of, is_required


@dataclass(frozen=True)
class FormField:
    """One option on the form."""

    name: str
    label: str
    kind: str  # number, text or list: how the page sends it
    goals: str  # the goals that have it, with spaces between
    choices: tuple[str, ...]
    value: str  # what is filled in at first
    required: bool
    advanced: bool


def form_fields() -> list[FormField]:
    """The options that have a label, each once, with the goals that have it.

    >>> [(field.name, field.kind) for field in form_fields() if field.required]
    [('k', 'number'), ('labels', 'list'), ('item', 'text')]
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


def _field(name: str, users: Mapping[type[Goal], GoalOption]) -> FormField:
    goal, option = next(iter(users.items()))
    kind = "number" if option.typed in (int, float) else "list" if option.typed is list else "text"
    needed = is_required(goal, name) or kind == "list"
    value = "" if option.advanced else _text(default_of(goal, name)) or (option.example if kind == "number" else "")
    named = " ".join(each.goal_name for each in users)
    return FormField(name, option.label, kind, named, tuple(option.choices), value, needed, option.advanced)


def _text(default: Any) -> str:
    if default is MISSING or default is None:
        return ""
    return ", ".join(map(str, default)) if isinstance(default, list | tuple) else str(default)
