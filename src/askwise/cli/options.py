"""Command-line options that are derived from the options of all goals."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING
from typing import Annotated, Any

import typer

from askwise.goals import goals
from askwise.goals.base.goal import Goal
from askwise.goals.base.options import GoalOption, declared, default_of
from askwise.goals.base.texts import to_cli_name

MAX_LEFT_OUT = 2  # goals without an option, up to which these are named in place of those with it


def with_goal_options(command: Callable[..., None], changeable: bool = False) -> Callable[..., None]:
    """A command whose help lists the goals, and that takes their options in place of its `**options`; those not typed
    are None.

    With `changeable`, only those that another goal on the same answers may set.

    >>> def new(goal: str, **options: Any) -> None: ...
    >>> "k" in inspect.signature(with_goal_options(new)).parameters
    True
    """
    listed = typer.Argument(metavar="GOAL", help=f"What you want to know: {', '.join(map(to_cli_name, goals()))}.")
    fixed = [
        each.replace(annotation=Annotated[str, listed]) if each.name == "goal" else each
        for each in inspect.signature(command, eval_str=True).parameters.values()
        if each.kind != each.VAR_KEYWORD
    ]
    taken = {each.name for each in fixed}
    derived = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_annotation(name, users))
        for name, users in goal_options(changeable).items()
        if name not in taken
    ]

    def derived_command(*args: Any, **options: Any) -> None:
        command(*args, **options)

    derived_command.__name__ = command.__name__
    derived_command.__doc__ = command.__doc__
    derived_command.__signature__ = inspect.Signature([*fixed, *derived])  # type: ignore[attr-defined]
    derived_command.__annotations__ = {each.name: each.annotation for each in (*fixed, *derived)}
    return derived_command


def goal_options(changeable: bool = False) -> Mapping[str, Mapping[type[Goal], GoalOption]]:
    """Each option that can be typed, with the goals that have it.

    >>> [goal.goal_name for goal in goal_options()["item"]]
    ['cluster_of', 'segment_of']
    """
    found: dict[str, dict[type[Goal], GoalOption]] = {}
    for goal in goals().values():
        for name, option in declared(goal).items():
            if option.typed is not None and (option.changeable or not changeable):
                found.setdefault(name, {})[goal] = option
    return found


def typed_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were typed, lists split at their commas.

    >>> typed_options({"k": 2, "item": None, "labels": "no, yes"})
    {'k': 2, 'labels': ['no', 'yes']}
    """
    lists = {name for name, users in goal_options().items() if next(iter(users.values())).typed is list}
    return {
        name: [part.strip() for part in value.split(",") if part.strip()] if name in lists else value
        for name, value in given.items()
        if value is not None
    }


def _annotation(name: str, users: Mapping[type[Goal], GoalOption]) -> Any:
    option = next(iter(users.values()))
    flag = option.flag or f"--{to_cli_name(name)}"
    kind = str if option.typed is list else option.typed
    help = f"{help_text(users)} [{_goals_and_default(name, users)}]"
    if kind is bool:
        if any(default_of(goal, name) is not False for goal in users):
            flag = f"{flag}/--no-{flag.removeprefix('--')}"
        return Annotated[bool | None, typer.Option(flag, help=help)]
    return Annotated[kind | None, typer.Option(flag, help=help, show_default=False)]  # type: ignore[operator]


def _goals_and_default(name: str, users: Mapping[type[Goal], GoalOption]) -> str:
    """For which goals an option is, and its default: what stands in brackets after its help."""
    shown = {default_text(default_of(goal, name)) for goal in users} - {""}
    missing = [other for other, goal in goals().items() if goal not in users]
    if len(missing) <= MAX_LEFT_OUT:
        for_whom = " but ".join(["every goal", *([" and ".join(map(to_cli_name, missing))] if missing else [])])
    else:
        for_whom = ", ".join(to_cli_name(goal.goal_name) for goal in users)
    return f"{for_whom}; {' or '.join(sorted(shown))}" if shown else for_whom


def help_text(users: Mapping[type[Goal], GoalOption]) -> str:
    """What an option means; where goals have it with other choices, what it means for them, too.

    >>> help_text(goal_options()["k"])
    'How many items.'
    """
    meanings: dict[tuple[str, ...], str] = {}
    for option in users.values():
        meanings.setdefault(tuple(option.choices), option.help)
    return " ".join(meanings.values())


def default_text(default: Any) -> str:
    """A default as somebody would type it; empty where there is none to type.

    >>> default_text(("no", "yes")), default_text(None)
    ('no,yes', '')
    """
    if default is MISSING or default is None or default is False:
        return ""
    return ",".join(map(str, default)) if isinstance(default, list | tuple) else str(default)
