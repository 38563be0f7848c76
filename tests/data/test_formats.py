"""Values as people read them: numbers of a column alike, with its unit, and nothing else changed."""

from __future__ import annotations

import pytest

from askwise.data.formats import MAX_LETTERS, MISSING, format_of, heading_of, split_unit


@pytest.mark.parametrize(
    ("column", "values", "expected"),
    [
        ("price", [8.6, 18.25, 3], ["8.60", "18.25", "3.00"]),  # as many decimals as the column writes
        ("price", [15900.0, 8400.0], ["15,900", "8,400"]),
        ("weight", [2705, 9999], ["2705", "9999"]),  # separators only where a number has five digits
        ("year", [1999, 2026], ["1999", "2026"]),
        ("birth_year", [12026, 12027], ["12026", "12027"]),
        ("zip code", [90210, 10115], ["90210", "10115"]),
        ("price ($)", [8.5, -3.0, None], ["$8.50", "-$3.00", MISSING]),
        ("weight [kg]", [950, 12400], ["950 kg", "12,400 kg"]),
        ("share (%)", [12.5, 100.0], ["12.5 %", "100.0 %"]),
        ("mpg (city)", [25, 31], ["25", "31"]),  # no unit
        ("noise", [0.1 + 0.2, 0.5], ["0.3", "0.5"]),  # digits of arithmetic are cut
        ("close", [1.0000001234, 1.0000009876], ["1.0000001234", "1.0000009876"]),  # unless they tell rows apart
        ("huge", [1e20, 3.5], ["1e+20", "3.5"]),
        ("tiny", [1.5e-7, 0.25], ["1.5e-07", "0.25"]),
        ("same", [2.5, 2.5], ["2.5", "2.5"]),
        ("hot", [True, False, None], ["yes", "no", MISSING]),
        ("note", ["two\n lines", None], ["two lines", MISSING]),
        ("code", ["007", "12"], ["007", "12"]),
        ("doors", ["#3", "#5"], ["3", "5"]),  # a category of numbers
        ("day", ["2024-05-01T00:00:00", "2024-05-03T00:00:00"], ["2024-05-01", "2024-05-03"]),
        ("time", ["2024-05-01T00:00:00", "2024-05-03T12:30:00"], ["2024-05-01T00:00:00", "2024-05-03T12:30:00"]),
        ("empty", [None, None], [MISSING, MISSING]),
    ],
)
def test_a_column_writes_its_values_alike(column, values, expected):
    write = format_of(column, values)
    assert [write(value) for value in values] == expected


def test_values_that_differ_do_not_look_the_same():
    for scale in 10.0**-12, 1.0, 1e12:
        values = [scale * (1 + step / 1000) for step in range(5)]
        assert len(set(map(format_of("x", values), values))) == 5


def test_a_long_text_is_cut():
    assert len(format_of("note", ["x" * 999])("x" * 999)) == MAX_LETTERS


def test_a_unit_is_said_once():
    assert split_unit("price (old)") == ("price (old)", "")
    assert heading_of("price ($)", MISSING, "-$3") == "price"
    assert heading_of("price ($)", MISSING) == "price ($)"
