"""What goals about an order found: where each item may stand."""

from __future__ import annotations

from typing import Any

from askwise.goals.base.charts import Intervals, Item, Result, Table, interval_rows
from askwise.goals.base.findings import Span, rank_spans
from askwise.goals.base.texts import percent
from askwise.session import Session
from askwise.types import Sample

MAX_FIRST = 5  # items of a long ranking that are shown first


def ranking_result(session: Session, sample: Sample, question: str, first: int = MAX_FIRST) -> Result:
    """The `first` items of a ranking, and where each item may stand: those of the estimate, then the likeliest others.

    >>> from askwise import ranking
    >>> session = ranking(["tea", "coffee", "water"], seed=1)
    >>> ranking_result(session, session.sample, "In which order?").charts[0].title
    'Where each item may stand'
    """
    family: Any = session.problem.family
    distance: Any = session.problem.distance
    found = [family.names.index(name) for name in session.estimate().value]
    spans = rank_spans(distance.utilities(sample.structures), sample.weights, family.names, range(len(family.names)))
    others = sorted(set(range(len(spans))) - set(found), key=lambda place: (spans[place].middle, spans[place].high))
    spans = [spans[place] for place in (*found, *others)]
    rows = tuple(
        (str(place), s.name, f"{s.middle:.0f}", f"{s.low:.0f} to {s.high:.0f}", percent(s.probability))
        for place, s in enumerate(spans, 1)
    )
    headings = ("place", "item", "median rank", "80 % interval", "is the best")
    drawn = interval_rows(spans, [_rank_text(span) for span in spans])
    chart = Intervals(
        "ranks",
        "Where each item may stand",
        "The dot is the middle rank over everything still plausible; the line holds the true rank with a probability "
        "of 80 %. Long lines are items whose place is still open.",
        Table("All ranks as a table", headings, rows, numeric=(0, 2, 3, 4)),
        "rank, 1 is the best",
        drawn,
        len(spans) - len(drawn),
    )
    items = tuple(Item(f"{place}. {span.name}", span.place) for place, span in enumerate(spans[:first], 1))
    more = f"and {len(spans) - first:,} more, all below in order." if len(spans) > first else ""
    return Result(question, items, text=more, charts=(chart,))


def _rank_text(span: Span) -> str:
    low, middle, high = (f"{value:.0f}" for value in (span.low, span.middle, span.high))
    return middle if low == high else f"{middle} ({low} to {high})"
