"""What every goal does: plain options, a session with its stopping rule, and a recipe to build it again from JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from askwise.posteriors import Posterior
from askwise.problem import Problem
from askwise.session import Session
from askwise.stopping import Budget, DiameterBelow, any_of
from askwise.tables import table

BUDGET = 300  # answers after which a goal stops by default, settled or not


def build(
    goal: str, data: Any, options: dict[str, Any], problem: Problem, prior: Posterior, describe: Callable[[Any], Any]
) -> Session:
    """The session of a goal; a rule of one's own is not JSON, so such a session has no recipe."""
    return Session(
        problem,
        prior,
        rule=options["rule"],
        stop=any_of(DiameterBelow(options["epsilon"], options["delta"]), Budget(options["budget"])),
        seed=options["seed"],
        draws=options["draws"],
        repeat=options["repeat"],
        describe=describe,
        recipe={"goal": goal, "data": table(data), "options": options} if isinstance(options["rule"], str) else None,
    )


def _listed(features: Any) -> list[str] | None:
    """Names of columns as a list, whatever held them."""
    return None if features is None else [features] if isinstance(features, str) else [str(name) for name in features]


def plain_options(arguments: dict[str, Any]) -> dict[str, Any]:
    """The options of a goal as JSON can hold them."""
    arguments = {**arguments, "features": _listed(arguments["features"])}
    return {
        option: list(value) if isinstance(value, tuple) else value
        for option, value in arguments.items()
        if option != "data"
    }
