"""The line about each parameter of a public name: from its docstring, or the comment beside the field of a class.

A line is written once. A method has the lines of the method that it overrides, and of the protocol that declares it: a
protocol describes the arguments of its methods in its own docstring. A subclass has the lines of its base classes.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any

from askwise import distances, losses, posteriors, stopping, strategies, structures
from askwise.goals.base.options import GoalOption, HasOptions, declared, option

CALLED = (strategies.Strategy, stopping.Stop)  # what is passed as a function
PROTOCOLS = (
    *CALLED,
    structures.Family,
    *structures.CAPABILITIES,
    distances.Distance,
    *distances.CAPABILITIES,
    distances.Form,
    losses.Loss,
    *losses.CAPABILITIES,
    posteriors.Drawn,
    posteriors.Posterior,
    *posteriors.CAPABILITIES,
    *strategies.CAPABILITIES,
)
LINE = re.compile(r"^ *(?::param |- `)(\w+)`?: (.+)$", flags=re.MULTILINE)
DESCRIBED_BY = {option: GoalOption}  # a function whose arguments are the fields of a class


def parameters(thing: Any) -> list[str]:
    """The names of the parameters of a function or class; none for what has no signature, such as an error.

    A protocol has none: nobody makes one.
    """
    if getattr(thing, "_is_protocol", False):
        return []
    try:
        return [name for name in inspect.signature(thing).parameters if name not in ("self", "cls")]
    except (TypeError, ValueError):
        return []


def parameter_lines(thing: Any) -> dict[str, str]:
    """The parameters that have a line, and the line."""
    found: dict[str, str] = {}
    for source in sources(thing):
        own = written_lines(source)
        comments = field_comments(source) if inspect.isclass(source) else {}
        found = {**comments, **own, **found}
    if inspect.isclass(thing) and issubclass(thing, HasOptions):
        found = {**{name: each.help for name, each in declared(thing).items()}, **found}
    return {name: found[name] for name in parameters(thing) if name in found}


def sources(thing: Any) -> Iterator[Any]:
    """What may describe the parameters of this, the nearest first."""
    if inspect.isclass(thing):
        yield from (base for base in thing.__mro__ if base is not object)
        if hasattr(thing, "flat_beyond"):
            yield losses.Loss
        return
    if thing in DESCRIBED_BY:
        yield DESCRIBED_BY[thing]
    yield thing
    owner, name = owner_of(thing), getattr(thing, "__name__", "")
    if owner is not None:
        for base in owner.__mro__[1:]:
            if name in vars(base):
                yield vars(base)[name]
        yield from (protocol for protocol in PROTOCOLS if name in vars(protocol))
    else:
        yield from (known for known in CALLED if parameters(thing) == parameters(vars(known)["__call__"]))


def owner_of(method: Any) -> type | None:
    """The class that a method was written in; None for a plain function."""
    module, place = getattr(method, "__module__", None), getattr(method, "__qualname__", "").split(".")[:-1]
    if not module or not place or "<locals>" in place:
        return None
    found: Any = importlib.import_module(module)
    for name in place:
        found = getattr(found, name, None)
    return found if inspect.isclass(found) else None


def written_lines(thing: Any) -> dict[str, str]:
    """The lines of its own docstring: fields (`:param x: ...`) or a list of them."""
    return dict(LINE.findall(getattr(thing, "__doc__", None) or ""))


def field_comments(cls: type) -> dict[str, str]:
    """The comments beside the fields of a dataclass or a named tuple."""
    try:
        source = inspect.getsource(cls)
    except (OSError, TypeError):
        return {}
    lines = re.findall(r"^    (\w+): [^\n#]*?  # (.+)$", source, flags=re.MULTILINE)
    return {name: f"{text[0].upper()}{text[1:]}." for name, text in lines}


def with_parameters(thing: Any, lines: list[str]) -> list[str]:
    """The lines of a docstring, completed by those parameters that it does not describe itself."""
    written = {name for name, _ in LINE.findall("\n".join(lines))}
    missing = {name: text for name, text in parameter_lines(thing).items() if name not in written}
    described = [f":param {name}: {text}" for name, text in missing.items()]
    return [*lines, "", *described, ""] if described else lines


def shown_on(page: str) -> dict[str, Any]:
    """By dotted name, the functions, classes and methods that the autodoc directives of a page show."""
    found: dict[str, Any] = {}
    directives = re.findall(r"^\.\. auto(\w+):: (\S+)\n((?:   :.*\n)*)", page, flags=re.MULTILINE)
    for kind, name, text in directives:
        options = dict(re.findall(r"^   :([\w-]+): ?(.*)$", text, flags=re.MULTILINE))
        thing = _named(name)
        if kind != "module":
            found[name] = thing
            if inspect.isclass(thing) and "members" in options:
                found |= _methods(name, thing)
            continue
        listed = [member for member in options["members"].split(", ") if member]
        left_out = options.get("exclude-members", "").split(", ")
        for member in listed or _public(thing):
            if member not in left_out:
                found[f"{name}.{member}"] = getattr(thing, member)
                if inspect.isclass(getattr(thing, member)):
                    found |= _methods(f"{name}.{member}", getattr(thing, member))
    return {name: thing for name, thing in found.items() if callable(thing) and inspect.getdoc(thing)}


def _public(module: Any) -> list[str]:
    own = [name for name, thing in vars(module).items() if getattr(thing, "__module__", None) == module.__name__]
    return getattr(module, "__all__", None) or [name for name in own if not name.startswith("_")]


def _methods(name: str, cls: type) -> dict[str, Any]:
    """Those written in the class; autodoc shows no inherited ones."""
    methods = [method for method in vars(cls) if not method.startswith("_") and callable(getattr(cls, method))]
    return {f"{name}.{method}": getattr(cls, method) for method in methods}


def _named(name: str) -> Any:
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            found = getattr(found, part)
        return found
    raise ModuleNotFoundError(name)
