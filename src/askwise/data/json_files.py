"""Tables in JSON texts, and lists in plain texts."""

from __future__ import annotations

import json
from typing import Any

from askwise.data.delimited import check_row_count
from askwise.data.tables import Columns, table
from askwise.errors import DataError

EXPECTED = 'expected a list of objects such as [{"name": "Swift"}], an object of lists, or a list of names'


def read_json_lines(name: str, text: str) -> Columns:
    """The table in the text of a .jsonl file: one JSON object a line.

    >>> read_json_lines("cars.jsonl", '{"name": "Swift"}\\n{"name": "Camry", "price": 18.2}')
    {'name': ['Swift', 'Camry'], 'price': [None, 18.2]}
    """
    rows = json_rows(name, text)
    if not rows:
        raise DataError(f"{name} has no rows; expected one JSON object a line")
    return _from_rows(rows)


def json_rows(name: str, text: str) -> list[dict[str, Any]]:
    """The objects in the lines of a .jsonl file; empty lines are passed over.

    >>> json_rows("cars.jsonl", '{"name": "Swift"}\\n')
    [{'name': 'Swift'}]
    """
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(text.split("\n"), 1):  # other line ends may be part of a text
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise DataError(f'line {number} of {name} is not a JSON object; expected one such as {{"name": "Swift"}}')
        rows.append(row)
        check_row_count(name, len(rows))
    return rows


def read_json(name: str, text: str) -> Columns:
    """The table in the text of a .json file: a list of objects, an object of lists or of objects, or a list of names.

    >>> read_json("cars.json", '{"name": ["Swift", "Camry"], "price": {"0": 8.6, "1": 18.2}}')
    {'name': ['Swift', 'Camry'], 'price': [8.6, 18.2]}
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise DataError(f"{name} is not well-formed JSON{where}; {EXPECTED}") from None
    if isinstance(found, dict) and {"recipe", "log"} <= found.keys():
        raise DataError(f"{name} is a whole study and not a table; make a study of it with askwise import")
    if isinstance(found, dict) and found and all(isinstance(values, list | dict) for values in found.values()):
        # pandas writes a column as an object from row to value
        columns = {key: list(values.values()) if isinstance(values, dict) else values for key, values in found.items()}
        check_row_count(name, max(map(len, columns.values())))
        return table(columns)
    if isinstance(found, list) and found:
        check_row_count(name, len(found))
        if all(isinstance(row, dict) for row in found):
            return _from_rows(found)
        if all(isinstance(row, str) for row in found):
            return table(found)
    raise DataError(f"{name} holds no table; {EXPECTED}")


def read_lines(name: str, text: str) -> Columns:
    """The list in the text of a .txt file: one item a line.

    >>> read_lines("drinks.txt", "tea\\n\\nmilk\\n")
    {'name': ['tea', 'milk']}
    """
    items = [line.strip() for line in text.split("\n") if line.strip()]
    check_row_count(name, len(items))
    if not items:
        raise DataError(f"{name} has no lines; expected one item a line")
    return table(items)


def _from_rows(rows: list[dict[str, Any]]) -> Columns:
    columns = dict.fromkeys(column for row in rows for column in row)
    return table({column: [row.get(column) for row in rows] for column in columns})
