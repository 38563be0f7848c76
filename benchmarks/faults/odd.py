"""Odd values of every kind, each made anew by a function, and JSON that was changed in one place."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np


def _ring() -> list[Any]:
    ring: list[Any] = []
    ring.append(ring)
    return ring


def _ring_of_keys() -> dict[str, Any]:
    ring: dict[str, Any] = {}
    ring["a"] = ring
    return ring


def _frame() -> Any:
    import pandas

    return pandas.DataFrame({"name": ["a", "b"], "x": [1.0, 2.0]})


PLAIN: tuple[Any, ...] = (
    None, True, False, 0, 1, 2, 3, -1, 10**30, -(10**30), 10**400, 0.0, -0.0, 0.5, 1.5, -0.5, 1e308, 1e160, 5e-324,
    math.nan, math.inf, -math.inf, "", " ", "a", "0", "1", "-1", "nan", "1e400", "left", "yes", "q1", "q99", "tea",
    "\0", "a\0b", "\ud800", "é", "\u202e", "\n", "x" * 100_000, "ranking", "random", "select", "mean", "impute", b"",
    b"left", (), (0,), (0, 1), (0, 99), (-1, 0), (2, 2), (0, 1, 2), ("a", "b"), ("a", "a"), (1, "1"), ("", " "),
    ..., 1j, (None, None), ((0, 0, 1.0),), (("row 1", "x", math.nan),), ("x",), ("name",), (10**30, 2), (math.nan, 1.0),
)  # fmt: skip
ODD: dict[str, Callable[[], Any]] = {
    **{repr(value)[:40]: (lambda value=value: value) for value in PLAIN},
    "object()": object,
    "object": lambda: object,
    "a function": lambda: lambda *args: None,
    "len": lambda: len,
    "an exception": lambda: ValueError("x"),
    "a module": lambda: np,
    "[]": list,
    "[[]]": lambda: [[]],
    "[0, 1]": lambda: [0, 1],
    "[None]": lambda: [None],
    "['a', 1]": lambda: ["a", 1],
    "[nan]": lambda: [math.nan],
    "a list in itself": _ring,
    "a deep list": lambda: json.loads("[" * 500 + "]" * 500),
    "{}": dict,
    "{'a': 1}": lambda: {"a": 1},
    "{1: 2}": lambda: {1: 2},
    "a dict in itself": _ring_of_keys,
    "a set": lambda: {1, 2},
    "a generator": lambda: (i for i in range(2)),
    "range(3)": lambda: range(3),
    "iter('ab')": lambda: iter("ab"),
    "bytearray": lambda: bytearray(b"a"),
    "memoryview": lambda: memoryview(b"a"),
    "np.int64(1)": lambda: np.int64(1),
    "np.int8(-1)": lambda: np.int8(-1),
    "np.float64(nan)": lambda: np.float64("nan"),
    "np.float32(.5)": lambda: np.float32(0.5),
    "np.bool_": lambda: np.bool_(True),
    "np.str_": lambda: np.str_("left"),
    "np.datetime64": lambda: np.datetime64("2024-01-01"),
    "np.datetime64(NaT)": lambda: np.datetime64("NaT", "s"),
    "array([])": lambda: np.array([]),
    "array(1)": lambda: np.array(1),
    "array([0, 1])": lambda: np.array([0, 1]),
    "array([nan])": lambda: np.array([math.nan]),
    "zeros((2, 2))": lambda: np.zeros((2, 2)),
    "zeros((3, 3, 3))": lambda: np.zeros((3, 3, 3)),
    "zeros((0, 3))": lambda: np.zeros((0, 3)),
    "objects": lambda: np.array([None, "a", 1], dtype=object),
    "records": lambda: np.zeros(3, dtype=[("a", float), ("b", "U3")]),
    "complex array": lambda: np.array([[1j, 2], [3, 4]]),
    "masked": lambda: np.ma.masked_all((3, 2)),
    "Decimal": lambda: Decimal("0.1"),
    "Decimal(NaN)": lambda: Decimal("NaN"),
    "Decimal(sNaN)": lambda: Decimal("sNaN"),
    "Decimal(1e999)": lambda: Decimal("1e999"),
    "Fraction": lambda: Fraction(1, 3),
    "date": lambda: date(2024, 5, 1),
    "datetime": lambda: datetime(2024, 5, 1),
    "timedelta": lambda: timedelta(days=1),
    "Path": lambda: Path("a"),
    "Path('.')": lambda: Path("."),
    "a frame": _frame,
    "a frame, empty": lambda: _frame().iloc[:0],
    "a series": lambda: _frame()["x"],
    "a frame, twice x": lambda: _frame()[["name", "x", "x"]],
}
TABLES: dict[str, Callable[[], Any]] = {
    "one name": lambda: ["a"],
    "names twice": lambda: ["a", "a", "b"],
    "empty names": lambda: ["", " ", "b"],
    "surrogates": lambda: ["\ud800", "b", "c"],
    "NUL": lambda: ["\0", "b", "c"],
    "long names": lambda: ["x" * 10**5, "y", "z"],
    "200 names": lambda: [f"item {i}" for i in range(200)],
    "numbers for names": lambda: [1, 2, 3],
    "nan in a column": lambda: {"name": ["a", "b", "c"], "x": [1.0, math.nan, 2.0]},
    "inf in a column": lambda: {"name": ["a", "b", "c"], "x": [1.0, math.inf, 2.0]},
    "huge numbers": lambda: {"name": ["a", "b", "c"], "x": [1e308, -1e308, 0.0]},
    "tiny numbers": lambda: {"name": ["a", "b", "c"], "x": [5e-324, 0.0, 0.0]},
    "huge integers": lambda: {"name": ["a", "b", "c"], "x": [10**300, 1, 2]},
    "mixed": lambda: {"name": ["a", "b", "c"], "x": [1, "a", None]},
    "dates": lambda: {"name": ["a", "b", "c"], "x": [date.min, date.max, None]},
    "moments": lambda: {"name": ["a", "b", "c"], "x": [datetime.min, datetime.max, datetime(2024, 1, 1)]},
    "durations": lambda: {"name": ["a", "b", "c"], "x": [timedelta.max, timedelta.min, timedelta(0)]},
    "lists in cells": lambda: {"name": ["a", "b", "c"], "x": [[1], [2], [3]]},
    "uneven": lambda: {"name": ["a", "b"], "x": [1]},
    "no columns": lambda: {"a": [], "b": []},
    "odd keys": lambda: {None: ["a", "b"], 1: [1, 2], "1": [3, 4]},
    "a name and nothing": lambda: {"name": ["a", "b", "c"], "x": [None, None, None]},
    "rows that differ": lambda: [{"a": 1}, {"b": 2}],
    "rows and texts": lambda: [{"a": 1}, "b"],
    "a row in itself": lambda: [_ring_of_keys(), _ring_of_keys()],
    "rows with odd keys": lambda: [{None: 1, (1, 2): 2}, {None: 2, (1, 2): 3}],
    "nan array": lambda: np.full((3, 2), math.nan),
    "inf array": lambda: np.array([[math.inf, 1.0], [2.0, 3.0]]),
    "text array": lambda: np.array([["a", "b"], ["c", "d"]]),
    "shape": lambda: (3, 4),
    "shape 0": lambda: (0, 4),
    "negative shape": lambda: (-3, 4),
    "huge shape": lambda: (10**30, 2),
    "bool shape": lambda: (True, True),
    "a matrix": lambda: [[1.0, None, 3.0], [2.0, 1.0, None]],
    "a ragged matrix": lambda: [[1.0], [1.0, 2.0]],
    "a matrix of texts": lambda: [["1", "x"], ["2", "y"]],
    "a huge matrix": lambda: [[1e200, None], [None, -1e200]],
    "a path": lambda: "/nowhere/pool.parquet",
    "a folder": lambda: ".",
}
JSON_VALUES: tuple[Any, ...] = (
    None, True, 0, 1, -1, 99, 10**30, 1.5, 1e308, math.nan, "", "x", "q1", "left", "tell", "\ud800", "\0", [], {}, [[]],
    [0], [0, 99], [-1, 0], {"a": 1}, "expected", "best_item", [None], "x" * 10_000,
)  # fmt: skip


def mutate(value: Any, rng: random.Random) -> tuple[Any, str]:
    """A copy of some JSON with one place changed, and which."""
    root = copy.deepcopy(value)
    node, place = root, ""
    while True:
        keys = list(node) if isinstance(node, dict) else range(len(node))
        if not keys:
            return root, f"{place} is empty anyway"
        key = rng.choice(list(keys))
        place += f"[{key!r}]"
        inner = node[key]
        if isinstance(inner, dict | list) and inner and rng.random() < 0.75:
            node = inner
            continue
        how = rng.choice(("replace", "replace", "replace", "delete", "add"))
        if how == "delete":
            del node[key]
            return root, f"without {place}"
        odd = copy.deepcopy(rng.choice(JSON_VALUES))
        if how == "replace":
            node[key] = odd
        elif isinstance(node, dict):
            node[rng.choice(("x", "", "key", "who", "repeat"))] = odd
        else:
            node.append(odd)
        return root, f"{how} {place}: {odd!r:.40}"
