"""What the answer of every goal is made from, and what it is made into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from askwise.report.findings import drawn
from askwise.report.markup import Section
from askwise.report.pictures import Pictures, pictures_of
from askwise.session import Session
from askwise.types import Sample

SHOWN = 12  # candidates in a chart
SMALL = 0.005  # chances below are not drawn one by one
MOST = 60  # rows of a long chart; the table below has them all


@dataclass(frozen=True)
class View:
    """What every goal's answer is made from."""

    session: Session
    sample: Sample
    pictures: Pictures

    @property
    def family(self) -> Any:
        return self.session.problem.family

    @property
    def distance(self) -> Any:
        return self.session.problem.distance

    @property
    def options(self) -> Mapping[str, Any]:
        """Of the goal pursued now."""
        pursued: Any = self.session.pursued
        return pursued["options"]

    def image(self, place: int) -> str | None:
        """The picture of an item, as an address."""
        return self.pictures(self.family.images[place])


@dataclass(frozen=True)
class Shown:
    """The question in plain words, the answer, and what is behind it."""

    question: str
    answer: str  # HTML
    sections: Sequence[Section]


def view_of(session: Session) -> View:
    """All that an answer is made from.

    >>> from askwise.goals import best_item
    >>> view_of(best_item(["tea", "coffee"], seed=1)).options["by"]
    'regret'
    """
    return View(session, drawn(session), pictures_of(session))
