"""What is found, goal by goal, as numbers that a page can draw. In a worker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from askwise.distances.items import ItemRegret
from askwise.report import findings, groups
from askwise.report.findings import Chance, Span
from askwise.report.group_answers import branches
from askwise.report.view import SHOWN, SMALL
from askwise.session import Session

ROWS = 40  # intervals and leaves that a screen can show
CLUSTERS, MEMBERS = 24, 40  # shown one by one
Chart = dict[str, Any]
DOUBTS = "How surely an item is together with the others of its cluster; for an item alone, how surely it is alone."


def charts(session: Session) -> list[Chart]:
    """The charts of the goal pursued now.

    >>> from askwise import goals
    >>> session = goals.best_item(["tea", "coffee", "water"], seed=1)
    >>> [(chart["kind"], len(chart["rows"])) for chart in charts(session)]
    [('bars', 3)]
    """
    pursued: Any = session.pursued
    return CHARTS[pursued["goal"]](session)


def explained(goal: str, estimate: Any, drawn: list[Chart]) -> list[Chart]:
    """The charts, with a word on why the best guess is not the one that leads them, where it is not.

    >>> bars = {"kind": "bars", "lead": "Shares.", "rows": [("milk", 0.6), ("tea", 0.4)]}
    >>> explained("best_item", "tea", [bars])[0]["lead"]
    'Shares. milk is more often the very best; tea is the best guess, as on average it is closest to the best.'
    """
    if goal not in ("best_item", "best_column") or not drawn or not drawn[0]["rows"]:
        return drawn
    first = drawn[0]["rows"][0][0]
    if first == str(estimate):
        return drawn
    why = f"{first} is more often the very best; {estimate} is the best guess, as on average it is closest to the best."
    return [{**drawn[0], "lead": f"{drawn[0]['lead']} {why}"}, *drawn[1:]]


def headline(goal: str, estimate: Any, most: int = 120) -> str:
    """A guess in a line; what is long is drawn instead.

    >>> headline("top_k", ["tea", "milk"]), headline("clusters", [["tea", "milk"], ["cake"]]), headline("hierarchy", [])
    ('tea, milk', '2 clusters', '')
    """
    if goal == "clusters":
        return f"{len(estimate)} clusters" if len(estimate) > 1 else "one cluster"
    if goal in ("classifier", "hierarchy"):
        return ""
    text = ", ".join(map(str, estimate)) if isinstance(estimate, list | tuple) else str(estimate)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _best_item(session: Session) -> list[Chart]:
    family: Any = session.problem.family
    regrets = ItemRegret(family.items).regrets(session.sample.structures)
    rows = findings.best(regrets, session.sample.weights, family.names)
    return [
        _bars("How likely each is the best", "The share of everything still plausible in which it comes first.", rows)
    ]


def _top_k(session: Session) -> list[Chart]:
    family, distance = _parts(session)
    rows = findings.among(distance.top(session.sample.structures), session.sample.weights, family.names)
    count = len(session.estimate().value)
    lead = "The share of everything still plausible in which it is on top."
    return [_bars(f"How likely each is among the best {count}", lead, rows, count + SHOWN)]


def _ranking(session: Session) -> list[Chart]:
    family, distance = _parts(session)
    order = [family.names.index(name) for name in session.estimate().value]
    spans = findings.ranks(distance.utilities(session.sample.structures), session.sample.weights, family.names, order)
    lead = "The dot is the middle rank; the line holds the true rank with a probability of 80 %."
    return [_spans("Where each may stand", lead, "rank, 1 is the best", spans)]


def _best_column(session: Session) -> list[Chart]:
    family, distance = _parts(session)
    draws, weights, names = session.sample.structures, session.sample.weights, family.column_names
    rows = findings.best(distance.regrets(draws), weights, names)
    pursued: Any = session.pursued
    score = str(pursued["options"]["score"])
    return [
        _bars("How likely each column is the best", "The share of everything still plausible in which it is.", rows),
        _spans(
            "The score of each column",
            "The dot is the middle of what is plausible; the line holds the true score with a probability of 80 %.",
            score,
            findings.scores(distance.utilities(draws), weights, names),
        ),
    ]


def _classifier(session: Session) -> list[Chart]:
    pursued: Any = session.pursued
    names = pursued["options"]["labels"]
    distance: Any = session.problem.distance
    found = groups.labels(distance.family, session.sample, session.estimate().structure, names)
    unsure = [(f"{row.name}: {label}", row.probability) for row, label in found.unsure(SHOWN)]
    counts = ", ".join(f"{label}: {count:,}" for label, count in found.counts)
    lead = f"Rows by label: {counts}. The share of everything still plausible that gives the row the same label."
    return [{"kind": "bars", "title": "The labels that are least sure", "lead": lead, "rows": unsure, "others": 0}]


def _cluster_of(session: Session) -> list[Chart]:
    family, distance = _parts(session)
    rows = findings.among(distance.members(session.sample.structures), session.sample.weights, family.names)
    name = family.names[distance.item]
    rows = [row for row in rows if row.place != distance.item]
    lead = f"The share of everything still plausible in which it is together with {name}."
    return [_bars("How likely each item belongs", lead, rows, ROWS)]


def _clusters(session: Session) -> list[Chart]:
    family: Any = session.problem.family
    sample = session.sample
    found = groups.clusters(sample.structures, sample.weights, session.estimate().structure, family.names)
    shown = [
        {"size": len(one.members), "members": [(row.name, row.probability) for row in one.members[:MEMBERS]]}
        for one in found[:CLUSTERS]
    ]
    return [
        {"kind": "groups", "title": "The clusters", "lead": DOUBTS, "rows": shown, "others": len(found) - len(shown)}
    ]


def _hierarchy(session: Session) -> list[Chart]:
    family: Any = session.problem.family
    sample = session.sample
    found = groups.forks(sample.structures, sample.weights, session.estimate().structure)
    lead = (
        "At each fork, in per cent, the share of everything still plausible that has exactly these items in one "
        "branch. Dotted lines leave a fork with less than 90."
    )
    drawn = [vars(branch) for branch in branches(found, len(family.names))]
    names = [family.names[leaf] for leaf in found[-1].leaves]
    return [{"kind": "tree", "title": "The tree", "lead": lead, "names": names, "rows": drawn, "others": 0}]


CHARTS: dict[str, Callable[[Session], list[Chart]]] = {
    "best_column": _best_column,
    "best_item": _best_item,
    "classifier": _classifier,
    "cluster_of": _cluster_of,
    "clusters": _clusters,
    "hierarchy": _hierarchy,
    "ranking": _ranking,
    "top_k": _top_k,
}


def _parts(session: Session) -> tuple[Any, Any]:
    return session.problem.family, session.problem.distance


def _bars(title: str, lead: str, rows: Sequence[Chance], most: int = SHOWN) -> Chart:
    """The likeliest, and how many more there are."""
    shown = [(row.name, row.probability) for row in rows[:most] if row.probability >= SMALL]
    return {"kind": "bars", "title": title, "lead": lead, "rows": shown, "others": len(rows) - len(shown)}


def _spans(title: str, lead: str, axis: str, spans: Sequence[Span]) -> Chart:
    shown = [(span.name, span.low, span.middle, span.high) for span in spans[:ROWS]]
    head = {"kind": "spans", "title": title, "lead": lead, "axis": axis}
    return {**head, "rows": shown, "others": len(spans) - len(shown)}
