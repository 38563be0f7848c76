"""How it went: the replayed points are those of the session itself, as it was then."""

from __future__ import annotations

from itertools import pairwise

import pytest

from askwise.errors import SettingError
from askwise.goals import best_item, change_goal
from askwise.report.history import MAX_POINTS, history
from tests.helpers import generator, label_problem


def known(session):
    found = session.estimate()
    return len(session.answers), session.diameter, found.expected_distance, str(found)


def seen(point):
    return point.answers, point.diameter, point.error, point.guess


def test_every_point_is_what_was_known_then():
    session = best_item(["tea", "coffee", "water", "milk"], seed=4)
    states = [known(session)]
    for said in ("left", "right", None, "left", "undo", "right"):
        if said == "undo":
            session.undo()
        elif session.ask() and said is None:
            session.skip()
            continue
        else:
            session.tell(said)
        states.append(known(session))
    calls = []
    points = history(session, lambda done, total: calls.append((done, total)))
    assert [seen(point) for point in points] == states
    assert [point.revision for point in points] == list(range(len(states)))
    assert calls == [(count, len(session.log)) for count in range(1, len(session.log) + 1)]


def test_another_goal_starts_another_stage():
    session = best_item(["tea", "coffee", "water", "milk"], seed=4)
    session.ask()
    session.tell("left")
    before = known(session)
    change_goal(session, "ranking")
    after = known(session)
    session.ask()
    session.tell("left")
    points = history(session)
    assert [(point.revision, point.stage, point.goal) for point in points] == [
        (0, 0, "best_item"), (1, 0, "best_item"), (1, 1, "ranking"), (2, 1, "ranking"),
    ]  # fmt: skip
    assert [seen(point) for point in points[1:3]] == [before, after]


def test_a_long_log_is_thinned_out_evenly():
    session = best_item(["tea", "coffee", "water", "milk"], seed=4, repeat=True, draws=20)
    for _ in range(60):
        session.pose([0, 1])
        session.tell("left")
    turns = [point.revision for point in history(session)]
    assert len(turns) == MAX_POINTS
    assert (turns[0], turns[-1]) == (0, 60)
    assert {later - earlier for earlier, later in pairwise(turns)} == {1, 2}


def test_a_session_built_by_hand_is_refused():
    from askwise.session import Session

    session = Session(*label_problem(generator(920), beta=2.0))
    with pytest.raises(SettingError, match="built by hand"):
        history(session)
