"""Studies of a group that decides together: all answer for themselves, into one log that calls them by their names."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from askwise.errors import SettingError
from askwise.structures.groups import people_named


def decides_together(recipe: Mapping[str, Any]) -> bool:
    """Whether the people of a study are a group, so that all of them share one log.

    >>> decides_together({"goal": "group_item", "options": {"people": 3}}), decides_together({"options": {}})
    (True, False)
    """
    return recipe.get("options", {}).get("people") is not None


def name_in_group(recipe: Mapping[str, Any], wanted: str, invited: Collection[str]) -> str:
    """The name under which somebody joins a group: the one that is `wanted`, or the next one that is free.

    >>> name_in_group({"options": {"people": ["Ann", "Ben"]}}, "", ["Ann"])
    'Ben'
    >>> name_in_group({"options": {"people": ["Ann", "Ben"]}}, "Zoe", ["Ann"])
    Traceback (most recent call last):
    askwise.errors.SettingError: there is no 'Zoe' in this group; not invited yet: Ben
    """
    people = recipe["options"]["people"]
    free = [name for name in people_named(people) if name not in invited]
    if len(invited) >= len(people_named(people)):
        raise SettingError(f"all {len(invited)} people of this group are invited already; send them their links")
    if not wanted:
        return free[0]
    if wanted in invited:
        raise SettingError(f"{wanted!r} is invited already; send the same link again, or give another name")
    if wanted not in free and not isinstance(people, int):
        raise SettingError(f"there is no {wanted!r} in this group; not invited yet: {', '.join(free)}")
    return wanted
