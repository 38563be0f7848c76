"""matrix: how entries are completed and described, in which units, and what is refused."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from askwise.errors import SettingError
from askwise.exchange.matrices import estimate_table
from askwise.goals import best_column, change_goal, goal_of, matrix
from askwise.report.page import page
from askwise.web.form import page_sentence
from tests.helpers import generator

TABLE = {"who": ["Ann", "Ben", "Cy"], "tea": [3.0, None, 4.0], "milk": [None, 1.0, None], "beer": [None, None, 2.0]}
SMALL = {"draws": 16, "rank": 1, "seed": 3}


def entries_of(session):
    return np.array([values for values in session.estimate().value.values() if not isinstance(values[0], str)]).T


def test_it_completes_a_matrix():
    """Entries never asked are predicted much better than by the mean; the certificate is about right."""
    rng = generator(1)
    truth = rng.standard_normal((8, 1)) + rng.standard_normal(6) + 0.05 * rng.standard_normal((8, 6))
    session = matrix((8, 6), entry_range=6, rank=1, budget=30, epsilon=0.001, seed=1)
    while not session.done:
        session.tell(truth[tuple(session.ask().atom)] + 0.05 * rng.standard_normal())
    asked = {tuple(answer.atom) for answer in session.answers}
    hidden = np.array([(i, j) not in asked for i, j in np.ndindex(8, 6)]).reshape(8, 6)
    off = np.abs(entries_of(session) - truth)
    assert hidden.sum() == 18
    assert off[hidden].mean() < 0.2 * np.abs(truth - truth.mean()).mean()
    claimed = 6 * session.certificate().expected_distance
    assert claimed / 3 < off.mean() < 3 * claimed


def test_the_estimate_is_the_table_with_every_entry():
    session = matrix(TABLE, **SMALL)
    found = session.estimate().value
    assert list(found) == list(TABLE)
    assert found["who"] == TABLE["who"]
    structure = session.estimate().structure["matrix"]
    assert np.allclose(structure, np.einsum("s,snm->nm", session.sample.weights, session.sample.structures["matrix"]))
    assert np.abs(entries_of(session) - structure).max() <= 0.003 / 2  # a thousandth of the range
    assert estimate_table(session) == found
    with pytest.raises(SettingError, match="only the goal matrix completes one"):
        estimate_table(best_column(TABLE, **SMALL))


def test_the_range_is_that_of_the_known_entries_unless_it_is_given():
    assert matrix(TABLE, **SMALL).problem.distance.unit == 3.0
    assert matrix(TABLE, known=[("Ben", "beer", -1.0)], **SMALL).problem.distance.unit == 5.0
    assert matrix(TABLE, entry_range=10, **SMALL).problem.distance.unit == 10.0


@pytest.mark.parametrize(("wide", "answer"), [(6.0, 0.001), (6000.0, 1.0), (1e-3, 5e-5)])
@pytest.mark.parametrize("make", [matrix, partial(best_column, units="common")])
def test_one_answer_near_zero_settles_nothing(make, wide, answer):
    """The range says how far entries can spread; the first answers alone would say that all are alike."""
    session = make((6, 5), entry_range=wide, **SMALL)
    assert not session.done
    assert session.diameter > 0.1
    session.tell(answer, session.ask())
    assert not session.done
    assert session.diameter > 0.1


def test_it_speaks_in_the_units_of_the_answers():
    session = matrix(TABLE, entry_range=40, **SMALL)
    certificate = session.certificate()
    off = 40 * certificate.expected_distance
    assert f"an entry of the estimate is off by {off:.3g} (at most {40 * certificate.upper_bound:.3g}," in str(
        certificate
    )
    goal = goal_of(session)
    assert goal.certainty(certificate) == f"These numbers are off by about {off:.2g} on average."
    assert "a share of 40, the range of the entries: 0.05 means 2 apart on average." in goal.sentences(session)[2]


def test_only_the_rows_that_matter_count():
    session = matrix(TABLE, rows=["Ben"], **SMALL)
    assert session.problem.distance.rows.tolist() == [1]
    result = goal_of(session).result(session, session.sample)
    assert result.text.endswith(" on average in 1 chosen row.")
    assert [row.name.split(" x ")[0] for row in result.charts[1].rows[:3]] == ["Ben"] * 3


def test_many_columns_are_listed_one_below_the_other():
    for columns, headings in ((12, 13), (13, 4)):
        session = matrix((2, columns), entry_range=4, **SMALL)
        table = goal_of(session).result(session, session.sample).charts[0].table
        assert len(table.headings) == headings
        assert len(table.rows) == (2 if columns == 12 else 26)
    assert "The least certain entries" in page(session)


def test_those_who_answered_read_a_few_columns():
    goal = type(goal_of(matrix((2, 20), entry_range=4, **SMALL)))
    lines = goal.lines({f"c{j}": [1.5] * 99 for j in range(20)})
    assert lines[0].startswith("c0: 1.5, 1.5")
    assert lines[-1] == "and 8 more columns"
    assert max(map(len, lines)) <= 120


def test_one_set_of_answers_serves_both_goals():
    session = best_column(TABLE, **SMALL)
    session.tell(2.0, session.ask())
    change_goal(session, "matrix", entry_range=5)
    assert list(session.estimate().value) == list(TABLE)
    change_goal(session, "best_column", units="common", entry_range=5)
    assert session.estimate().value in TABLE
    assert len(session.answers) == 1


@pytest.mark.parametrize("data", [(3, 4), [[2.0, None], [None, 2.0]]])
def test_without_a_range_it_asks_for_one(data):
    with pytest.raises(SettingError, match="no two different entries are; give it with entry_range"):
        matrix(data, **SMALL)
    with pytest.raises(SettingError, match="give it with entry_range"):
        best_column(data, units="common", **SMALL)
    with pytest.raises(SettingError) as refused:
        matrix(data, **SMALL)
    assert page_sentence(str(refused.value)) == "No two different numbers are known yet. Fill in: Range of the numbers."
    assert best_column(data, **SMALL).problem.distance.unit == 1.0


@pytest.mark.parametrize(("value", "words"), [(0, "entry_range is 0"), (-1, "entry_range is -1"), ("x", "is 'x'")])
def test_a_range_is_a_positive_number(value, words):
    with pytest.raises(SettingError, match=words):
        matrix(TABLE, entry_range=value, **SMALL)
