"""Fallback questions that the store keeps, so that nobody waits for the learner when a server has started again."""

from __future__ import annotations

from typing import Any

from askwise.errors import AskwiseError
from askwise.session.config import Recipe
from askwise.session.log_state import LogState
from askwise.storage.store import Store

KEY = "fallback questions"  # beside the forecasts of a study, which are forgotten when its items change


def load_fallback(store: Store, study: int, pursued: Recipe) -> LogState | None:
    """A state that has only fallback questions, for logs that pursue that goal; None if there is none."""
    kept = store.forecast(study, KEY)
    if not isinstance(kept, dict) or kept.get("goal") != pursued["goal"] or not kept.get("questions"):
        return None
    return LogState(
        position=-1,
        answers=0,
        diameter=1.0,
        estimate=None,
        fallback=tuple(kept["questions"]),
        budget=pursued["options"].get("budget"),
    )


def keep_fallback(store: Store, study: int, goal: str, questions: list[Any]) -> None:
    store.keep_forecast(study, KEY, {"goal": goal, "questions": questions})


def was_served(store: Store) -> bool:
    """Whether people need not wait for the learner, since the store has fallback questions. Nobody waits for a study
    that cannot be read."""
    try:
        return store.forecast(store.record().study, KEY) is not None
    except AskwiseError:
        return True
