"""Who belongs together with one item: how the item is named, and what is shown of the members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from askwise.errors import DataError
from askwise.goals.base.charts import MAX_BARS, Bars, Item, Result, Table, chance_rows
from askwise.goals.base.findings import membership_chances
from askwise.goals.base.texts import percent, plural
from askwise.options import shown, whole_number
from askwise.types import Bools, Floats


def check_item(name: str, value: Any) -> str | int:
    """An item by its name, or by its row from 0.

    >>> check_item("item", "bee"), check_item("item", 1.0)
    ('bee', 1)
    """
    return str(value) if isinstance(value, str) else whole_number(f"{name}, by its row,", value, at_least=0)


def item_place(item: str | int, names: Sequence[str]) -> int:
    """The row of an item.

    >>> item_place("bee", ["ant", "bee"])
    1
    """
    if isinstance(item, str):
        if item not in names:
            raise DataError(f"no item is called {shown(item)}; the first are {', '.join(names[:3])}")
        return names.index(item)
    return whole_number("item, by its row,", item, at_least=0, at_most=len(names) - 1)


def membership_result(members: Bools, weights: Floats, found: Bools, item: int, names: Sequence[str]) -> Result:
    """Who belongs with `item`, from who does in the draws (S, N) and in the estimate (N,).

    >>> import numpy as np
    >>> both = np.array([[True, True], [True, False]])
    >>> membership_result(both, np.array([0.75, 0.25]), both[0], 0, ["ant", "bee"]).items[1].note
    '75 %'
    """
    name = names[item]
    rows = [row for row in membership_chances(members, weights, names) if row.place != item]
    inside = [row for row in rows if found[row.place]]
    outside = [row for row in rows if not found[row.place]]
    lead = f"The share of everything still plausible in which the item is together with {name}."
    cells = ((r.name, "yes" if found[r.place] else "no", percent(r.probability)) for r in (*inside, *outside))
    table = Table("Every item as a table", ("item", "found", "probability"), tuple(cells), numeric=(2,))
    doubtful = sorted(inside, key=lambda row: row.probability)
    least_sure = tuple((row.name, row.probability) for row in doubtful[:MAX_BARS])
    others = chance_rows(outside)
    title = "How likely each member belongs, the least sure first"
    charts = [
        Bars("members", title, lead, None, least_sure, len(inside) - len(least_sure)),
        Bars("chances", "How likely each other item belongs", lead, None, others, len(outside) - len(others)),
    ]
    charts = [chart for chart in charts if chart.rows] or charts[1:]
    charts[-1] = replace(charts[-1], table=table)
    return Result(
        f"Which of {len(names):,} items belong with {name}?",
        items=(
            Item(name, item, "the item itself"),
            *(Item(row.name, row.place, percent(row.probability)) for row in inside),
        ),
        text=f"Found beside it: {plural(len(inside), 'item') if inside else 'nothing'}.",
        charts=tuple(charts),
    )
