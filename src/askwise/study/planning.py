"""The plan of a study: simulated people under its rule and at random, and what follows from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from askwise.errors import SettingError
from askwise.session import Session
from askwise.simulate.plan import Journey, spread
from askwise.study.forecasts import simulate
from askwise.study.journal import StudyJournal

BASELINE = "random"
KEPT = "plan"  # under this name a study keeps it
TRIED = (4.0, 2.0, 1.0, 0.5)  # times epsilon


def plan(
    session: Session, people: int, seconds: float, workers: int | None, each: Callable[[], None]
) -> dict[str, Any]:
    """By rule, how many questions people drawn from what is believed now take; and advice in plain words."""
    trips = simulate(session, rules_of(session), people, seconds, workers or os.cpu_count() or 1, each)
    if not all(trips.values()):
        raise SettingError(f"nobody could be simulated in {seconds:g} seconds; give more time with --seconds")
    return summary(session, people, trips)


def rules_of(session: Session) -> list[str]:
    """The study's own rule and the one it is compared with."""
    return list(dict.fromkeys([str(_options(session).get("rule", "expected")), BASELINE]))


def summary(session: Session, people: int, trips: dict[str, list[Journey]]) -> dict[str, Any]:
    """What follows from the journeys of simulated people."""
    options, own = _options(session), rules_of(session)[0]
    rows = {rule: _row(found) for rule, found in trips.items()}
    epsilon = float(options.get("epsilon", 0.05))
    tried = [factor * epsilon for factor in TRIED if factor * epsilon <= 1]
    ladder = {f"{value:g}": _plain(spread(trips[own], value)) for value in tried}
    advice = [*_about_rule(trips, own), *_about_epsilon(ladder, epsilon, options.get("budget"))]
    return {
        "answers": len(session.answers),
        "people": people,
        "rules": rows,
        "epsilon": {"now": epsilon, "questions": ladder},
        "advice": advice,
    }


def keep(session: Session, found: dict[str, Any]) -> None:
    """Keeps a plan in the study, for those who look at it later."""
    if isinstance(session.journal, StudyJournal):
        session.journal.store.keep_forecast(session.journal.record.study, KEPT, found)


def _options(session: Session) -> Mapping[str, Any]:
    return session.pursued["options"] if session.pursued else {}


def _row(trips: Sequence[Journey]) -> dict[str, Any]:
    return {
        "people": len(trips),
        "finished": sum(trip.stopped is not None for trip in trips),
        "limit": max(len(trip.diameters) - 1 for trip in trips),
        "questions": [trip.stopped for trip in trips],
        "spread": _plain(spread(trips)),
    }


def _about_rule(trips: dict[str, list[Journey]], own: str) -> list[str]:
    if own == BASELINE:
        return ["Questions are asked at random; the rule expected usually needs fewer."]
    pairs = [(one.stopped, other.stopped) for one, other in zip(trips[own], trips[BASELINE], strict=False)]
    fewer = sum(one is not None and (other is None or one < other) for one, other in pairs)
    more = sum(other is not None and (one is None or other < one) for one, other in pairs)
    told = f"needed fewer questions than random for {fewer} of {len(pairs)} people, more for {more}"
    if fewer - more > 2 * np.sqrt(fewer + more):
        return [f"Keep the rule {own}: it {told}."]
    return [f"The rule {own} {told}: no clear gain among so few."]


def _about_epsilon(ladder: dict[str, Any], epsilon: float, budget: Any) -> list[str]:
    lines = ["Half of the people would be done, if it may stop"]
    for tried, (_, middle, _) in ladder.items():
        count = "later than simulated" if middle is None else f"after {middle:.0f} questions"
        mark = "  (as it is now)" if np.isclose(float(tried), epsilon) else ""
        lines.append(f"  at epsilon {tried}: {count}{mark}")
    reached = [(float(tried), middle) for tried, (_, middle, _) in ladder.items() if middle is not None]
    within = [pair for pair in reached if budget is None or pair[1] <= budget]
    if not within:
        return [*lines, "None of these is reached; a larger epsilon or a larger budget is needed."]
    best = min(tried for tried, _ in within)
    now = next((middle for tried, middle in within if np.isclose(tried, epsilon)), None)
    if now is None:
        return [*lines, f"Take epsilon {best:g}: the smallest that half of the people reach within the budget."]
    finer = next((middle for tried, middle in within if np.isclose(tried, epsilon / 2)), None)
    if finer is not None and finer <= 1.25 * now + 2:
        return [*lines, f"Epsilon {epsilon / 2:g} costs only {finer - now:.0f} questions more: take it."]
    return [*lines, f"Epsilon {epsilon:g} is a good choice."]


def _plain(counts: Sequence[float]) -> list[float | None]:
    """Infinite numbers as None, which JSON can hold."""
    return [None if np.isinf(count) else float(count) for count in counts]
