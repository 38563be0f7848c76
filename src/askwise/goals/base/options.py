"""Options of a goal: declared once as fields of its class, each with a help text and the way it is checked.

The Python function, the command line, the web form and the docs are derived from these declarations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from typing import Any, ClassVar, Self, dataclass_transform

from askwise.options import choice, refusal
from askwise.types import annotated_names

Parse = Callable[[str, Any], Any]  # the name of an option and what was given -> a plain value, or a SettingError
DECLARED = "askwise option"  # the key of a GoalOption in the metadata of its field


@dataclass(frozen=True)
class GoalOption:
    """What is known about one option beside its name and its default.

    >>> GoalOption(help="How many items.", typed=int).changeable
    False
    """

    help: str  # one sentence, for people who know Python, the command line or the web form alike
    in_python: str = ""  # a second sentence for those who can give objects
    parse: Parse | None = None  # makes a value plain or refuses it; None: the goal checks it where it is used
    typed: type | None = None  # int, float, str, bool or list on the command line; None: Python only
    flag: str = ""  # how it is typed there, where not by its own name
    choices: Sequence[str] = ()  # the names it can have
    example: str = ""  # a value for help texts and for the web form
    label: str = ""  # on the web form; empty: not on it
    advanced: bool = False  # folded away on the web form
    changeable: bool = False  # whether another goal on the same answers may set it: it changes no belief
    server_max: int | None = None  # the most that a web server works with
    shown: bool = False  # whether it only changes what people see: neither beliefs nor questions


def option(
    *,
    help: str,
    default: Any = MISSING,
    kw_only: bool = True,
    in_python: str = "",
    parse: Parse | None = None,
    typed: type | None = None,
    flag: str = "",
    choices: Sequence[str] = (),
    example: str = "",
    label: str = "",
    advanced: bool = False,
    changeable: bool = False,
    server_max: int | None = None,
    shown: bool = False,
) -> Any:
    """Declares an option of a goal: a field of its class. `GoalOption` describes the arguments.

    :param default: What it is when nothing is given; without a default it must be given.
    :param kw_only: Whether it is only given by name.

    >>> class Goal(HasOptions):
    ...     k: int = option(help="How many items.", kw_only=False)
    >>> Goal(5)
    Goal(k=5)
    """
    on_form = (example, label, advanced)
    known = GoalOption(help, in_python, parse, typed, flag, tuple(choices), *on_form, changeable, server_max, shown)
    return field(default=default, kw_only=kw_only, metadata={DECLARED: known})


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(option,))
class HasOptions:
    """A class whose subclasses are frozen dataclasses, their fields declared by `option`.

    A subclass changes a default by a plain assignment; the rest of the declaration is inherited.

    >>> class Slow(HasOptions):
    ...     budget: int = option(default=300, help="Stop after this many answers.")
    >>> class Quick(Slow):
    ...     budget: int = 20
    >>> Quick().budget, declared(Quick)["budget"].help
    (20, 'Stop after this many answers.')
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True)(cls)

    def checked(self) -> Self:
        """The same with every option made plain; SettingError for one that makes no sense."""
        known, plain = declared(type(self)), {}
        for each in fields(self):
            value, parse = getattr(self, each.name), known[each.name].parse
            unset = value is None and each.default is None  # None stands only where it is the default
            plain[each.name] = value if parse is None or unset else parse(each.name, value)
        return replace(self, **plain)


def declared(cls: type[HasOptions]) -> Mapping[str, GoalOption]:
    """The options of a goal's class by name: its own first, then those it shares.

    >>> class Goal(HasOptions):
    ...     k: int = option(help="How many items.")
    >>> declared(Goal)["k"].help
    'How many items.'
    """
    known: dict[str, GoalOption] = {}
    for base in cls.__mro__:
        for name, each in vars(base).get("__dataclass_fields__", {}).items():
            if DECLARED in each.metadata:
                known.setdefault(name, each.metadata[DECLARED])
    own_first = (name for base in cls.__mro__ for name in annotated_names(base) if name in known)
    return {name: known[name] for name in dict.fromkeys(own_first)}


def default_of(cls: type[HasOptions], name: str) -> Any:
    """The default of an option; `dataclasses.MISSING` if it must be given.

    >>> class Goal(HasOptions):
    ...     k: int = option(help="How many items.")
    >>> default_of(Goal, "k") is MISSING
    True
    """
    return cls.__dataclass_fields__[name].default


def is_required(cls: type[HasOptions], name: str) -> bool:
    """Whether an option has no default.

    >>> class Goal(HasOptions):
    ...     k: int = option(help="How many items.")
    >>> is_required(Goal, "k")
    True
    """
    return default_of(cls, name) is MISSING


def named_or_object(
    built_in: Callable[[], Mapping[str, Any]],
    known: Callable[[], Mapping[str, Any]],
    expected: str,
    accepts: Callable[[Any], bool] = callable,
) -> Parse:
    """Checks a choice by name or by object. An object that has a name becomes its name, which files can hold.

    `known` are the `built_in` choices and those of plug-ins, which are only looked for if they are needed.

    :param built_in: Gives the choices of this package by name.
    :param known: Gives these and the choices of plug-ins.
    :param expected: What else may be given, in words, for the refusal.
    :param accepts: Whether an object may be given.

    >>> parse = named_or_object(lambda: {"mean": sum}, lambda: {"mean": sum, "least": min}, "a function")
    >>> parse("score", "mean"), parse("score", min), parse("score", max) is max
    ('mean', 'least', True)
    """

    def parse(name: str, value: Any) -> Any:
        if isinstance(value, str):
            if value not in built_in():
                choice(name, value, known())
            return str(value)
        if not accepts(value):
            raise refusal(name, value, f"one of {', '.join(map(repr, known()))}, or {expected}")
        return next((each for each, registered in known().items() if registered is value), value)

    return parse


def is_plain(value: Any) -> bool:
    """Whether JSON can hold a checked option; functions and objects stay in memory.

    >>> is_plain([1.0, 2.0]), is_plain(len)
    (True, False)
    """
    return value is None or isinstance(value, bool | int | float | str | list | dict)
