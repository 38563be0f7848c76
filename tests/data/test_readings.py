"""Texts that say numbers and dates: read as people mean them, per column, and the same whenever a study is opened."""

from __future__ import annotations

import json
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import askwise
from askwise.data.dates import DateReading
from askwise.data.encoding import encode, encode_like
from askwise.data.readings import find_reading, numbers_in, reading_example, why_unreadable
from askwise.errors import DataError, SettingError
from askwise.goals import goal_of

COLUMNS = [
    (["$1,234", "$99", "$5.50"], [1234, 99, 5.5], "'$1,234' is 1234"),
    (["1.234,50", "2,10", "999"], [1234.5, 2.1, 999], "'1.234,50' is 1234.5"),
    (["€ 9,99", "1.234 €", "EUR 5"], [9.99, 1234, 5], "'1.234 €' is 1234"),
    (["4.5 h", "30 min", "1h 30min"], [4.5, 0.5, 1.5], "'4.5 h' is 4.5 h"),
    (["2 h 5 min 30 s", "90 min", "45 min"], [125.5, 90, 45], "'2 h 5 min 30 s' is 125.5 min"),
    (["12 %", "5%", "-0.5 %"], [12, 5, -0.5], "'12 %' is 12 %"),
    (["1,234", "999", "12"], [1234, 999, 12], "'1,234' is 1234"),
    (["1.234", "999", "12"], [1234, 999, 12], "'1.234' is 1234"),
    (["1'234.50", "12", "3"], [1234.5, 12, 3], "\"1'234.50\" is 1234.5"),
    (["1\u202f234,5", "3", "4"], [1234.5, 3, 4], "'1\\u202f234,5' is 1234.5"),
    (["\u22125 °C", "+3°C", "0 °C"], [-5, 3, 0], "'\u22125 °C' is -5 °C"),
    (["-$5", "$-6", "$7"], [-5, -6, 7], "'-$5' is -5"),
    (["8,5 l/100km", "12 l/100km", "7"], [8.5, 12, 7], "'8,5 l/100km' is 8.5 l/100km"),
    (["5 kg", "300 g", "2 kg"], [5, 0.3, 2], "'5 kg' is 5 kg"),
    (["17.03.2024", "03.04.2024", "1.1.24"], ["2024-03-17", "2024-04-03", "2024-01-01"], "'03.04.2024' is 2024-04-03"),
    (["03.04.2024", "05.06.2024"], ["2024-04-03", "2024-06-05"], "'03.04.2024' is 2024-04-03"),
    (["03/04/2024", "05/06/2024"], ["2024-03-04", "2024-05-06"], "'03/04/2024' is 2024-03-04"),
    (["03/04/2024", "17/06/2024"], ["2024-04-03", "2024-06-17"], "'03/04/2024' is 2024-04-03"),
    (["3.17.2024", "04.01.2024"], ["2024-03-17", "2024-04-01"], "'04.01.2024' is 2024-04-01"),
    (["17 March 2024", "Mar 1st, 2024", "3. Mai 2024"], ["2024-03-17", "2024-03-01", "2024-05-03"], "is 2024-03-17"),
    (["2024/03/17", "2024/1/2"], ["2024-03-17", "2024-01-02"], "'2024/03/17' is 2024-03-17"),
]  # fmt: skip


def days(value: str) -> int:
    return (date.fromisoformat(value) - date(1970, 1, 1)).days


@pytest.mark.parametrize(("texts", "meant", "example"), COLUMNS)
def test_columns_are_read_as_people_mean_them(texts, meant, example):
    reading = find_reading([*texts, None])
    expected = [days(value) if isinstance(value, str) else value for value in meant]
    assert numbers_in("x", texts, reading) == pytest.approx(expected)
    assert example in reading_example(texts, reading)
    if reading.dated:
        assert [reading.shown(text) for text in texts] == meant


@pytest.mark.parametrize("mark", [".", ","])
@given(st.lists(st.integers(-(10**9), 10**9), min_size=2, max_size=5), st.sampled_from(["", "$", "kg", "%"]))
def test_what_is_written_is_read(mark, cents, unit):
    """Two decimals and thousands separators leave nothing open."""
    group = "," if mark == "." else "."
    texts = [f"{cent / 100:,.2f}".translate({ord(","): group, ord("."): mark}) for cent in cents]
    texts = [f"{unit}{text}" if unit == "$" else f"{text} {unit}".strip() for text in texts]
    found = numbers_in("x", texts, find_reading(texts))
    assert found == pytest.approx([cent / 100 for cent in cents])


@pytest.mark.parametrize("how", ["%d.%m.%Y", "%d.%m.%y", "%d/%m/%Y", "%d %B %Y"])
@given(st.dates(date(1970, 1, 1), date(2069, 12, 31)))
def test_every_day_is_read(how, day):
    reading = DateReading("named" if "%B" in how else "dmy")
    assert reading.shown(day.strftime(how)) == day.isoformat()
    assert reading.number(f"{day.strftime(how)} 18:00") == pytest.approx(days(day.isoformat()) + 0.75)


@pytest.mark.parametrize(
    "texts",
    [
        ["tea", "milk"], ["12", "5"], ["2024-01-01", "2024-01-02"], ["1.2.3", "1.2.4"], ["10:30", "11:00"],
        ["A4", "A5"], ["5-6", "7-8"], ["030 123456", "040 98765"], ["1 of 3", "2 of 3"], ["$", "%"], ["1,2,3", "4,5"],
        ["31.02.2024", "01.01.2024"], ["3 Musketeers", "7 Up"], ["#5", "#6"], ["", " "], ["1 kg 2 m", "3 m 1 kg"],
    ],
)  # fmt: skip
def test_other_texts_stay_texts(texts):
    assert find_reading(texts) is None


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        (["5 cm", "6 cm", "n/a", "?"], "has no number in 2 of 4 rows, e.g. 'n/a'; correct or empty these cells"),
        (["1.1.2024", "2.1.2024", "soon"], "has no date in 1 of 3 rows, e.g. 'soon'; correct or empty this cell"),
        (["5 kg", "3 m", "2 kg"], "has amounts in kg and in m; write them all in one unit"),
        (["$5", "€6", "$7"], "has amounts in $ and in €; write them all in one unit"),
        (["5 h", "6 min", "7"], "has amounts in h, in min and without a unit; write a unit after all of them"),
        (["1.5", "2,5", "7"], "has numbers like 1.5 and like 2,5; write them all with a decimal point"),
        (["13.1.2024", "1.13.2024"], "has dates in several orders; write them all like 2024-03-17"),
        (["2024-02-30", "2024-01-01"], "has dates that no calendar has; correct them"),
        (["red wine", "tea", "5"], None),
    ],
)
def test_what_is_left_out_says_why(texts, why):
    assert why_unreadable(texts) == why
    names = [f"n{place}" for place in range(len(texts))]
    items = encode({"name": names, "odd": texts, "x": range(len(texts))})
    assert items.left_out["odd"] == (why or "is free text")
    with pytest.raises(DataError, match="too many categories" if why is None else "'odd' cannot be a feature: "):
        encode({"name": names, "odd": texts}, features=["odd"])


TABLE = {"name": list("abcd"), "price": ["$1,234", "$99", "$5", "$10"], "day": ["03.04.2024", "05.04.2024"] * 2}


def test_texts_that_are_numbers_are_features_and_keep_their_form():
    items = encode(TABLE)
    assert items.columns == ("price", "day")
    plain = encode({**TABLE, "price": [1234, 99, 5, 10], "day": ["2024-04-03", "2024-04-05"] * 2})
    assert np.allclose(items.features, plain.features, atol=1e-12)
    session = askwise.best_item(TABLE, seed=1)
    assert {option.fields["price"] for option in session.ask().options} <= set(TABLE["price"])
    said = goal_of(session).sentences(session)
    assert "Texts read as numbers and dates: price ('$1,234' is 1234), day ('03.04.2024' is 2024-04-03)." in said


def test_texts_that_could_be_learned_from_are_named():
    session = askwise.best_item({**TABLE, "note": ["red wine", "tea", "cold milk", "beer"]}, seed=1)
    assert "To learn from the texts of note, embed them." in goal_of(session).sentences(session)


def test_texts_with_units_are_no_names():
    assert encode({"price": ["$5", "$6"], "drink": ["tea", "milk"]}).names == ("tea", "milk")


def test_a_study_made_before_means_what_it_meant():
    """Texts were categories or free texts then."""
    state = json.loads(askwise.best_item({"name": list("abcd"), "size": ["5 %", "6 %"] * 2}, seed=1).to_json())
    now = askwise.from_json(json.dumps(state))
    assert goal_of(now).summary(now).features == ["size"]
    del state["recipe"]["options"]["readings"]
    before = askwise.from_json(json.dumps(state))
    assert goal_of(before).summary(before).features == ["size (2 kinds)"]


def test_later_rows_are_read_as_the_first_ones_were():
    """The first rows say that the day comes first; the new ones alone would not."""
    session = askwise.best_item({"name": list("abc"), "day": ["17.03.2024", "01.02.2024", "03.04.2024"]}, seed=1)
    session.add_items([{"name": "d", "day": "05.06.2024"}])
    column = goal_of(session).items(session.pursued["data"]).encoding[0]
    assert column.raw(["05.06.2024"])[0, 0] * 2.0**column.exponent == pytest.approx(days("2024-06-05"))
    with pytest.raises(DataError, match="column 'day' does not hold dates, as it did before; give dates"):
        session.add_items([{"name": "e", "day": "soon"}])
    assert encode_like({"day": ["17.03.2024"]}, [column]).shape == (1, 1)


def test_segments_can_be_of_amounts():
    session = askwise.segments({"name": list("abcd"), "took": ["30 min", "1h 30min", "2 h", "45 min"]}, "took", seed=1)
    assert list(np.argsort(session.problem.family.rank)) == [0, 3, 1, 2]


@pytest.mark.parametrize("readings", [5, {"x": 5}, {"x": {}}, {"x": {"kind": "odd"}}, {"x": {"kind": "date"}}])
def test_readings_that_are_none_are_refused(readings):
    with pytest.raises(SettingError):
        askwise.best_item(TABLE, readings=readings)


def test_missing_amounts_are_refused_or_imputed():
    data = {"name": list("abc"), "took": ["1 h", None, "30 min"]}
    with pytest.raises(DataError, match=r"'took' has missing values, 1 of 3 \(row 2\)"):
        encode(data)
    assert encode(data, missing="impute").features[1, 0] == pytest.approx(0)
