"""What higher layers do for objects of lower ones: a session writes its report, a notebook shows an estimate.

A layer does not import a higher one, so its objects call such functions by name. `askwise` says where each one is, and
it is imported when it is first called.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

_places: dict[str, str] = {}


def install(places: Mapping[str, str]) -> None:
    """Says where functions are: their names, and the modules that they are in.

    >>> install({"sqrt": "math"})
    >>> call("sqrt", 9.0)
    3.0
    """
    _places.update(places)


def call(name: str, *values: Any, **options: Any) -> Any:
    """Calls one of these functions. See `install` for an example."""
    return getattr(import_module(_places[name]), name)(*values, **options)
