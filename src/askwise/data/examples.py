"""The tables that ship with askwise, to try it out."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

from askwise.data.delimited import read_delimited
from askwise.errors import SettingError
from askwise.options import shown

FOLDER = "example_tables"
# name -> what it is, for lists
EXAMPLES = {
    "cars": "93 cars of 1993 with price, size, power and 16 more columns: which one suits you?",
    "laptops": "40 invented laptops with eight numbers each: choose one, or the top five",
    "places": "12 places for a holiday with price, journey and climate: decide in a group",
    "messages": "36 short messages to a shop, about delivery, payment or a broken product: label them",
    "records": "24 entries of an address list, some of them about the same person: group them",
    "screen": "8 cell lines by 10 drugs, with the wells measured so far: find the best drug",
    "replies": "the replies of three systems to 12 prompts: which system is best?",
}


def example(name: str) -> list[dict[str, Any]]:
    """A table that ships with askwise, as a list of rows, which goals accept as their data.

    The tables are `cars`, `laptops`, `places`, `messages`, `records`, `screen` and `replies`; `askwise example` on the
    command line says what each holds. An empty cell is None.

    :param name: Which table.

    >>> rows = example("cars")
    >>> len(rows), rows[0]["name"], rows[0]["price"]
    (93, 'Acura Integra', 15900)
    """
    columns = read_delimited(Path(f"{name}.csv"), example_text(name)).columns
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def example_text(name: str) -> str:
    """The same table as the text of a CSV file.

    >>> example_text("cars").partition(",")[0]
    'name'
    """
    if not isinstance(name, str) or name not in EXAMPLES:
        raise SettingError(f"there is no example {shown(name)}; the examples are {', '.join(EXAMPLES)}")
    return (files("askwise.data") / FOLDER / f"{name}.csv").read_text(encoding="utf-8")
