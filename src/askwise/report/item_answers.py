"""The answers of goals about single things: the best item, the best few, the order, the best column."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from askwise.distances.items import ItemRegret
from askwise.report import findings
from askwise.report.findings import Chance, Span
from askwise.report.markup import Section, fold, pairs, picture, plural, table, tiles
from askwise.report.svg import Interval, bars, intervals, percent, rounded
from askwise.report.view import MOST, SHOWN, SMALL, Shown, View

FACTS = 12  # columns of the table shown with the best item


def best_item(view: View) -> Shown:
    """The item with its data, and how likely each one is the best.

    >>> from askwise import goals
    >>> from askwise.report.view import view_of
    >>> best_item(view_of(goals.best_item(["tea", "coffee", "water"], seed=1))).question
    'Which of 3 is the best?'
    """
    regrets = ItemRegret(view.family.items).regrets(view.sample.structures)
    rows = findings.best(regrets, view.sample.weights, view.family.names)
    name = str(view.session.estimate())
    place = view.family.names.index(name)
    facts = [(column, _plain(value)) for column, value in findings.facts(view.session, place)[:FACTS]]
    answer = f'<p class="big">{picture(name, view.image(place), "large")}{escape(name)}</p>'
    return Shown(
        f"Which of {len(view.family.names):,} is the best?",
        answer + (pairs(facts) if facts else ""),
        [_candidates(rows, "item", "is the best one")],
    )


def top_k(view: View) -> Shown:
    """The few best, and how likely each one is among them.

    >>> from askwise import goals
    >>> from askwise.report.view import view_of
    >>> top_k(view_of(goals.top_k(["tea", "coffee", "water"], 2, seed=1))).question
    'Which 2 of 3 are the best?'
    """
    rows = findings.among(view.distance.top(view.sample.structures), view.sample.weights, view.family.names)
    chance = {row.name: row.probability for row in rows}
    chosen = view.session.estimate().value
    cells = [(name, view.image(view.family.names.index(name)), percent(chance[name])) for name in chosen]
    drawn = [(row.name, row.probability) for row in rows[: len(chosen) + SHOWN] if row.probability >= SMALL]
    section = Section(
        "chances",
        f"How likely each is among the best {len(chosen)}",
        "The share of everything still plausible in which the item is on top.",
        bars(drawn, "chance of being on top") + _all_chances(rows, "among the best"),
    )
    return Shown(f"Which {len(chosen)} of {len(rows):,} are the best?", tiles(cells), [section])


def ranking(view: View) -> Shown:
    """The first five, and where each item may stand.

    >>> from askwise import goals
    >>> from askwise.report.view import view_of
    >>> ranking(view_of(goals.ranking(["tea", "coffee", "water"], seed=1))).sections[0].title
    'Where each item may stand'
    """
    chosen = [view.family.names.index(name) for name in view.session.estimate().value]
    utilities = view.distance.utilities(view.sample.structures)
    spans = findings.ranks(utilities, view.sample.weights, view.family.names, chosen)
    drawn = [Interval(s.name, s.low, s.middle, s.high, _rank(s)) for s in spans[:MOST]]
    rows = [
        [str(place), s.name, f"{s.middle:.0f}", f"{s.low:.0f} to {s.high:.0f}", percent(s.probability)]
        for place, s in enumerate(spans, 1)
    ]
    whole = table(["place", "item", "median rank", "80 % interval", "is the best"], rows, (0, 2, 3, 4))
    section = Section(
        "ranks",
        "Where each item may stand",
        "The dot is the middle rank over everything still plausible; the line holds the true rank with a probability "
        "of 80 %. Long lines are items whose place is still open.",
        intervals(drawn, "rank of each item", "rank, 1 is the best") + fold("All ranks as a table", whole),
    )
    cells = [(f"{place}. {s.name}", view.image(s.place), "") for place, s in enumerate(spans[:5], 1)]
    more = f"<p>and {len(spans) - 5:,} more, all below in order.</p>" if len(spans) > 5 else ""
    return Shown(f"In which order stand {len(spans):,} items, best first?", tiles(cells) + more, [section])


def best_column(view: View) -> Shown:
    """The column with its score, how likely each one is the best, and all scores.

    >>> from askwise import goals
    >>> from askwise.report.view import view_of
    >>> shown = best_column(view_of(goals.best_column((2, 3), rank=1, draws=8, seed=1)))
    >>> [section.title for section in shown.sections]
    ['How likely each column is the best one', 'The score of each column']
    """
    regrets, names = view.distance.regrets(view.sample.structures), view.family.column_names
    rows = findings.best(regrets, view.sample.weights, names)
    spans = findings.scores(view.distance.utilities(view.sample.structures), view.sample.weights, names)
    spread = max(span.high for span in spans) - min(span.low for span in spans)
    name, score = str(view.session.estimate()), str(view.options["score"])
    own = next(span for span in spans if span.name == name)
    over = "" if view.options["rows"] is None else f" over {plural(len(view.options['rows']), 'chosen row')}"
    low, middle, high = (rounded(value, spread) for value in (own.low, own.middle, own.high))
    said = f"{score.capitalize()}{over}: {middle}, between {low} and {high} with a probability of 80 %."
    answer = f'<p class="big">{escape(name)}</p><p>{escape(said)}</p>'
    sections = [_candidates(rows, "column", "is the best one"), _scores(spans, score, spread)]
    return Shown(f"Which of {len(spans):,} columns is the best?", answer, sections)


def _scores(spans: Sequence[Span], score: str, spread: float) -> Section:
    drawn = [Interval(s.name, s.low, s.middle, s.high, rounded(s.middle, spread)) for s in spans[:MOST]]
    rows = [
        [
            s.name,
            rounded(s.middle, spread),
            f"{rounded(s.low, spread)} to {rounded(s.high, spread)}",
            percent(s.probability),
        ]
        for s in spans
    ]
    return Section(
        "scores",
        "The score of each column",
        f"The {escape(score)} of each column, best first: the dot is the middle of what is still plausible, and the "
        "line holds the true score with a probability of 80 %.",
        intervals(drawn, "score of each column", score)
        + fold("All scores as a table", table(["column", "middle", "80 % interval", "is the best"], rows, (1, 2, 3))),
    )


def _candidates(rows: Sequence[Chance], what: str, claim: str) -> Section:
    """Bars of the likeliest, the others together, and all in a table."""
    drawn = [(row.name, row.probability) for row in rows[:SHOWN] if row.probability >= SMALL]
    others = len(rows) - len(drawn)
    rest = min(1.0, sum(row.probability for row in rows[len(drawn) :]))
    if others:
        drawn.append((f"all other {others:,}" if others > 1 else "the other one", rest))
    values = [[row.name, percent(row.probability), f"{row.loss:.3f}"] for row in rows]
    whole = table([what, claim, "gives up on average"], values, (1, 2))
    return Section(
        "chances",
        f"How likely each {what} {claim}",
        f"The share of everything still plausible in which the {what} comes first. Near-equals share the chance, so a "
        "small one need not mean a bad choice: the table says what each would give up, as a share of the range from "
        "best to worst.",
        bars(drawn, f"chance that the {what} {claim}") + fold(f"Every {what} as a table", whole),
    )


def _all_chances(rows: Sequence[Chance], claim: str) -> str:
    return fold("All items as a table", table(["item", claim], [[r.name, percent(r.probability)] for r in rows], (1,)))


def _rank(span: Span) -> str:
    low, middle, high = (f"{value:.0f}" for value in (span.low, span.middle, span.high))
    return middle if low == high else f"{middle} ({low} to {high})"


def _plain(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)
