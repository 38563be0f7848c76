"""The charts of the dashboard: the answers of the last minutes."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from askwise.web.learner.fragments import answer_rate, curve_html, figures_html, pace_html

NOW = datetime(2026, 11, 17, 10, 0, 30, tzinfo=UTC)
EVIL = "<script>alert(1)</script>"


@pytest.mark.parametrize(
    ("minutes", "second", "this_minute", "rate"),
    [
        ([("2026-11-17T10:00", 25)], 50, 25, 25),  # the first minute of a study
        ([("2026-11-17T08:00", 9), ("2026-11-17T10:00", 25)], 30, 25, 25 / 4.5),
        ([("2026-11-17T09:56", 9), ("2026-11-17T09:59", 3)], 0, 0, 12 / 4),
    ],
)
def test_the_pace_and_the_count_of_this_minute_agree(minutes, second, this_minute, rate):
    now = NOW.replace(second=second)
    assert answer_rate(minutes, now) == pytest.approx(rate)
    texts = re.findall(r">(\d+) answers? in this minute<", pace_html(minutes, now))
    assert texts == [str(this_minute)]


@pytest.mark.parametrize("minutes", [[], [("2026-11-17T08:00", 9)]])
def test_half_an_hour_without_answers_is_a_sentence(minutes):
    assert answer_rate(minutes, NOW) == 0
    assert pace_html(minutes, NOW) == '<p class="lead">No answers in the last 30 minutes.</p>'


def test_quiet_minutes_have_columns_too():
    html = pace_html([("2026-11-17T09:31", 2), ("2026-11-17T09:30", 7)], NOW)
    assert html.count('class="column"') == 30
    assert "2 answers 29 minutes ago" in html
    assert "7 answers" not in html  # more than half an hour ago


def test_names_of_other_people_are_escaped():
    learned = {"log": 1, "curve": [(0, 0.5, 0.3), (1, 0.4, 0.2)], "epsilon": 0.05, "answers": 1, "diameter": 0.4}
    lines = [{"log": 1, "points": [(0, 0.5)]}, {"log": 2, "points": [(0, 0.5), (1, 0.3)]}, {"log": 3, "points": []}]
    html = curve_html({**learned, "error": 0.2, "lines": lines}, {2: EVIL, 3: "nobody yet"})
    assert "&lt;script&gt;" in html
    assert "<script" not in html
    assert "nobody yet" not in html  # a line needs two points
    assert figures_html([]).strip() == ""
