"""How many questions those who answered before save the next person: the same simulated people, with and without them.

People are drawn from what is believed of the next one. Each answers twice: starting from those before, and from nobody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from scipy.special import bdtr

from askwise.goals import remake
from askwise.goals.base.texts import plural
from askwise.session import Session
from askwise.simulate.forecast import MIN_FINISHED_RUNS
from askwise.simulate.runs import SimulatedRun
from askwise.storage.journal import StudyJournal
from askwise.storage.populations import next_recipe
from askwise.storage.store import Store

SAVING_KEY = "people before"  # under this name a study keeps what they save the next one
CONFIDENCE = 0.95  # of the interval of a median; with five people a little less
MAX_WIDTH = 3  # of an interval that says something, in medians


class StartingPoint(NamedTuple):
    """Where simulated people start."""

    session: Session
    alone: Session | None = None  # the same without those who answered before; None: there are none

    @property
    def people_before(self) -> int:
        """How many people the session starts from."""
        return 0 if self.alone is None else people_before(self.session.recipe)


@dataclass(frozen=True)
class PopulationSaving:
    """Questions that people before save the next one: the median over simulated people, and a 95 % interval of it.

    >>> print(PopulationSaving(people_before=12, people=16, likely=6, low=3, high=9))
    People before save the next one about 6 questions (3 to 9).
    >>> print(PopulationSaving(people_before=3, people=16, likely=1, low=-1, high=3))
    People before may save the next one questions or not; this is not clear yet.
    """

    people_before: int
    people: int  # simulated
    likely: int
    low: int
    high: int

    def __str__(self) -> str:
        if self.low >= 1 and self.high - self.low > MAX_WIDTH * self.likely:
            return "People before save the next one questions; how many is not clear yet."
        if self.low >= 1:
            between = "" if self.low == self.high else f" ({self.low} to {self.high})"
            return f"People before save the next one about {plural(self.likely, 'question')}{between}."
        if self.high >= 1:
            return "People before may save the next one questions or not; this is not clear yet."
        if self.high == 0:
            return "People before save the next one no questions."
        more = f"about {plural(-self.likely, 'question')} ({-self.high} to {-self.low})"
        return f"People before cost the next one {more}."


def people_before(recipe: Mapping[str, Any] | None) -> int:
    """How many people a session of this recipe starts from.

    >>> people_before({"options": {"population": {"people": 7}}}), people_before({"options": {"population": True}})
    (7, 0)
    """
    population = None if recipe is None else recipe["options"].get("population")
    return int(population["people"]) if isinstance(population, Mapping) else 0


def starting_point(session: Session) -> StartingPoint:
    """Where the next person of a study starts; the session itself if it has answers, or if nobody came before."""
    journal = session.journal
    if session.event_log.ask_events or not isinstance(journal, StudyJournal):
        return StartingPoint(session)
    recipe = next_recipe(journal.store, journal.store.record(journal.record.study))
    return StartingPoint(session) if recipe is None else StartingPoint(remake(recipe), session)


def population_saving(
    before: int, pairs: Sequence[tuple[SimulatedRun, SimulatedRun]], limit: int
) -> PopulationSaving | None:
    """What pairs of runs say, the first of each with the `before` people; None if too few came to an end.

    A run that ends without the people before at its time limit counts as far as it came, so that more may be saved.

    - `limit`: answers of a person at most.

    >>> with_them, alone = SimulatedRun("expected", (1.0,) * 5, 4), SimulatedRun("expected", (1.0,) * 11, 10)
    >>> print(population_saving(3, [(with_them, alone)] * 5, limit=50))
    People before save the next one about 6 questions.
    """
    ended = [(run, alone) for run, alone in pairs if run.stopped is not None or run.answers >= limit]
    if len(ended) < MIN_FINISHED_RUNS:
        return None
    saved = sorted(alone.answers - run.answers for run, alone in ended)
    below = bdtr(np.arange(len(saved)), len(saved), 0.5)  # the chance that so many or fewer are below the median
    rank = max(1, int((below < (1 - CONFIDENCE) / 2).sum()))  # of the sign test
    return PopulationSaving(before, len(saved), round(median(saved)), saved[rank - 1], saved[-rank])


def save_saving(store: Store, study: int, saving: PopulationSaving) -> None:
    """Keeps it in the study, for the dashboard and for `askwise status`."""
    store.keep_forecast(study, SAVING_KEY, asdict(saving))


def load_saving(store: Store, study: int) -> PopulationSaving | None:
    """What was kept last; None if nobody was simulated yet, or too few."""
    kept = store.forecast(study, SAVING_KEY)
    return PopulationSaving(**kept) if isinstance(kept, dict) else None
