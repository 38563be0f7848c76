"""A session in which everything happened."""

from __future__ import annotations

import pytest

from tests.exchange.sessions import SESSIONS


@pytest.fixture
def eventful_session():
    """Answers, a skip and undone answers; and the questions."""
    session = SESSIONS["best_item"]()
    questions = [session.ask()]
    session.tell("left", who="Ann", seconds=2.5, key="k1")
    questions.append(session.ask())
    session.skip(who="Ben", reason="too alike")
    questions.append(session.ask())
    session.tell("right")
    session.undo()
    session.tell(questions[2].options[0].name, question="q3")
    questions.append(session.ask())
    session.tell("left")
    session.undo()  # open again, and answered no more
    return session, questions
