"""What goals about an order found: where each item may stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from askwise.goals.base.charts import MAX_BARS, Intervals, Item, Result, Table, interval_rows
from askwise.goals.base.findings import Span, rank_spans
from askwise.goals.base.texts import ordinal, percent
from askwise.session import Session
from askwise.types import Floats, Sample

MAX_FIRST = 5  # items of a long ranking that are shown first
MAX_PLACES = 10  # with a column of their own in a table
REAL_CHANCE = 0.05  # of being among the best k, from which an item is drawn
RANK_LEAD = (
    "The dot is the middle rank over everything still plausible; the line holds the true rank with a probability of "
    "80 %. Long lines are items whose place is still open."
)
RANK_AXIS = "rank, 1 is the best"


def ranking_result(session: Session, sample: Sample, question: str) -> Result:
    """The first items of a ranking, and where each item may stand, in the order of the estimate.

    >>> from askwise import ranking
    >>> session = ranking(["tea", "coffee", "water"], seed=1)
    >>> ranking_result(session, session.sample, "In which order?").charts[0].title
    'Where each item may stand'
    """
    family: Any = session.problem.family
    distance: Any = session.problem.distance
    names = family.active_names
    found = [names.index(name) for name in session.estimate().value]
    spans = rank_spans(distance.utilities(sample.structures), sample.weights, names, found)
    rows = tuple(
        (str(place), s.name, f"{s.middle:.0f}", f"{s.low:.0f} to {s.high:.0f}", percent(s.probability))
        for place, s in enumerate(spans, 1)
    )
    headings = ("place", "item", "median rank", "80 % interval", "is the best")
    drawn = interval_rows(spans, [_rank_text(span) for span in spans])
    table = Table("All ranks as a table", headings, rows, numeric=(0, 2, 3, 4))
    title = "Where each item may stand"
    chart = Intervals("ranks", title, RANK_LEAD, table, RANK_AXIS, drawn, len(spans) - len(drawn))
    more = f"and {len(spans) - MAX_FIRST:,} more, all below in order." if len(spans) > MAX_FIRST else ""
    return Result(question, _numbered(spans[:MAX_FIRST], family), text=more, charts=(chart,))


def top_ranking_result(session: Session, sample: Sample, question: str) -> Result:
    """The k best items in order, where they and their rivals may stand, and how likely each item has each place.

    >>> from askwise import top_ranking
    >>> session = top_ranking(["tea", "coffee", "water"], 2, seed=1)
    >>> top_ranking_result(session, session.sample, "Which two?").charts[0].table.headings
    ('item', '1st', '2nd', 'in the top 2')
    """
    family: Any = session.problem.family
    distance: Any = session.problem.distance
    names = family.active_names
    found = [names.index(name) for name in session.estimate().value]
    utilities = distance.utilities(sample.structures)
    chances = place_chances(utilities, sample.weights, len(found))
    among = np.minimum(chances.sum(axis=0), 1.0)
    others = sorted(set(range(len(among))) - set(found), key=lambda place: -among[place])
    rivals = [place for place in others if among[place] >= REAL_CHANCE][: max(0, MAX_BARS - len(found))]
    spans = rank_spans(utilities, sample.weights, names, [*found, *rivals])
    places = range(1, len(found) + 1) if 1 < len(found) <= MAX_PLACES else ()
    headings = ("item", *map(ordinal, places), f"in the top {len(found)}" if len(found) > 1 else "is the best")
    rows = tuple(
        (names[i], *(percent(float(chances[place - 1, i])) for place in places), percent(float(among[i])))
        for i in (*found, *others)
    )
    table = Table("The chance of each place as a table", headings, rows, numeric=tuple(range(1, len(headings))))
    drawn = interval_rows(spans, [_rank_text(span) for span in spans])
    title = f"Where the top {len(found)} and their rivals may stand" if len(found) > 1 else "Where the best may stand"
    chart = Intervals("ranks", title, RANK_LEAD, table, RANK_AXIS, drawn, len(among) - len(drawn))
    return Result(question, _numbered(spans[: len(found)], family), charts=(chart,))


def place_chances(utilities: Floats, weights: Floats, places: int) -> Floats:
    """(places, N): how likely each item has each of the first places, from utilities (S, N).

    >>> place_chances(np.array([[3.0, 2.0, 1.0], [1.0, 2.0, 0.0]]), np.array([0.75, 0.25]), 2)
    array([[0.75, 0.25, 0.  ],
           [0.25, 0.75, 0.  ]])
    """
    best = np.argsort(-utilities, axis=1, kind="stable")[:, :places]
    return np.stack([np.bincount(column, weights, minlength=utilities.shape[1]) for column in best.T])


def _numbered(spans: Sequence[Span], family: Any) -> tuple[Item, ...]:
    return tuple(Item(f"{place}. {span.name}", int(family.active[span.place])) for place, span in enumerate(spans, 1))


def _rank_text(span: Span) -> str:
    low, middle, high = (f"{value:.0f}" for value in (span.low, span.middle, span.high))
    return middle if low == high else f"{middle} ({low} to {high})"
