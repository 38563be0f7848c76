"""Draws the charts of the how-to pages: python docs/charts.py [name ...] (a minute; a function answers)"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path

import askwise
from askwise.report.cells import Plot

IMAGES = Path(__file__).parent / "images"
IDEAS = [
    "quieter rooms", "later deadlines", "fewer meetings", "free lunch", "more daylight", "a shared calendar",
    "standing desks", "a mentor for everybody", "work from home", "shorter reports",
]  # fmt: skip
LIKED = ["fewer meetings", "work from home", "quieter rooms", "more daylight"]  # the best ones, the best first
WELLS = 8  # to measure


def ideas() -> Plot:
    """The ranks of ten ideas, for somebody who is sure about the best ones and answers one in ten by accident."""
    draw = random.Random(1)
    order = [*LIKED, *(idea for idea in IDEAS if idea not in LIKED)]
    session = askwise.ranking(IDEAS, budget=40, seed=1)
    while not session.done:
        best, other = sorted(session.ask().names, key=order.index)
        session.tell(best if draw.random() > 0.1 else other)
    return session.plot()


def drugs() -> Plot:
    """The drugs of the example screen, after a few wells more."""
    draw = random.Random(3)
    effect = {"drug 5": 3.3, "drug 7": 3.7, "drug 6": 3.0}
    session = askwise.best_column(askwise.example("screen"), entry_range=5, epsilon=0.01, budget=WELLS, seed=1)
    while not session.done:
        line, drug = session.ask().names
        session.tell(effect.get(drug, 2.4) + 0.1 * len(line) + draw.gauss(0, 0.3))
    return session.plot("scores")


CHARTS: dict[str, Callable[[], Plot]] = {"rank-ideas": ideas, "lab-drugs": drugs}

if __name__ == "__main__":
    for wanted in sys.argv[1:] or CHARTS:
        CHARTS[wanted]().save(IMAGES / f"{wanted}.svg")
        print(wanted, flush=True)
