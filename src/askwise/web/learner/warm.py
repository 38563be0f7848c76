"""Compiles what all goals need: python -m askwise.web.learner.warm. An image does this when it is built, so that no
start waits for it."""

from __future__ import annotations

from askwise import goals
from askwise.goals.base.registry import built_in
from askwise.session.config import Recipe
from askwise.web.learner.workers import warm

FEATURES = {"size": [1.0, 2.0, 3.0, 4.0]}


def example_recipes() -> list[Recipe]:
    """A small study of each goal, and one of items with features.

    >>> {"best_item", "clusters", "hierarchy"} < {recipe["goal"] for recipe in example_recipes()}
    True
    """
    found = []
    for name, kind in built_in().items():
        found.append(getattr(goals, name)(**kind.example).recipe)
    found.append(goals.best_item({"name": ["a", "b", "c", "d"], **FEATURES}).recipe)
    return found


if __name__ == "__main__":
    warm(example_recipes())
