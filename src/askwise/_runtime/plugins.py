"""Plug-ins: what other packages register under a name, found through the entry points of installed packages."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from askwise.errors import PluginError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@cache
def registered(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name. Nothing is imported yet.

    >>> registered("askwise.nothing")
    {}
    """
    from importlib.metadata import entry_points  # slow to import, and most commands need no plug-in

    return {found.name: found for found in entry_points(group=group)}


def load(group: str, name: str) -> Any:
    """The object that a plug-in registers under this name.

    >>> load("askwise.goals", "no_such_goal")
    Traceback (most recent call last):
    askwise.errors.PluginError: no plug-in registers 'no_such_goal' in askwise.goals; install the one that does
    """
    found = registered(group).get(name)
    if found is None:
        raise PluginError(f"no plug-in registers {name!r} in {group}; install the one that does")
    try:
        return found.load()
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        raise PluginError(
            f"the plug-in {provider(group, name)} cannot load {name!r} ({reason}); update or uninstall it"
        ) from error


def load_all(group: str) -> dict[str, Any]:
    """All objects of a group by name. A plug-in that fails to load is left out: asking for it by name says why.

    >>> load_all("askwise.nothing")
    {}
    """
    loaded = {}
    for name in registered(group):
        try:
            loaded[name] = load(group, name)
        except PluginError:
            continue
    return loaded


def provider(group: str, name: str) -> str | None:
    """The package that registers a name; None if no plug-in does.

    >>> provider("askwise.goals", "no_such_goal") is None
    True
    """
    found = registered(group).get(name)
    return None if found is None else found.dist.name if found.dist else found.value
