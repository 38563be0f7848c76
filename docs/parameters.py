"""The line about each parameter of a public name: from its docstring, or the comment beside the field of a class."""

from __future__ import annotations

import inspect
import re
from typing import Any


def parameters(thing: Any) -> list[str]:
    """The names of the parameters of a function or class; none for what has no signature, such as an error."""
    try:
        return [name for name in inspect.signature(thing).parameters if name != "self"]
    except (TypeError, ValueError):
        return []


def parameter_lines(thing: Any) -> dict[str, str]:
    """The parameters that have a line, and the line."""
    found = dict(re.findall(r"^ *:param (\w+): (.+)$", thing.__doc__ or "", flags=re.MULTILINE))
    if inspect.isclass(thing):
        found = {**field_comments(thing), **found}
    return {name: found[name] for name in parameters(thing) if name in found}


def field_comments(cls: type) -> dict[str, str]:
    """The comments beside the fields of a dataclass or a named tuple."""
    try:
        source = inspect.getsource(cls)
    except (OSError, TypeError):
        return {}
    lines = re.findall(r"^    (\w+): [^\n#]*?  # (.+)$", source, flags=re.MULTILINE)
    return {name: f"{text[0].upper()}{text[1:]}." for name, text in lines}


def with_fields(thing: Any, lines: list[str]) -> list[str]:
    """The lines of a docstring, completed by those fields that it does not describe."""
    written = {name for name in parameters(thing) if any(line.startswith(f":param {name}:") for line in lines)}
    missing = {name: text for name, text in parameter_lines(thing).items() if name not in written}
    described = [f":param {name}: {text}" for name, text in missing.items()]
    return [*lines, "", *described, ""] if described else lines
