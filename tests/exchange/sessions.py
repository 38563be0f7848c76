"""Small sessions of every goal, and answers to them."""

from __future__ import annotations

import askwise
from tests.helpers import generator

TABLE = {
    "name": list("abcdefgh"),
    "size": generator(960).normal(size=8).tolist(),
    "kind": ["car", "van", "car", "bus", "van", "bus", "car", "van"],
}
SMALL = {"draws": 24, "seed": 4}
SESSIONS = {
    "best_item": lambda: askwise.best_item(TABLE, **SMALL),
    "best_item, linear": lambda: askwise.best_item(TABLE, shape="linear", **SMALL),
    "names alone": lambda: askwise.best_item(TABLE["name"], ties=True, **SMALL),
    "appeal of their own": lambda: askwise.ranking(TABLE, shape="linear", individual=0.5, **SMALL),
    "classifier": lambda: askwise.classifier(TABLE, ("no", "yes"), **SMALL),
    "classifier, linear": lambda: askwise.classifier(TABLE, ("no", "yes"), shape="linear", **SMALL),
    "classifier of three": lambda: askwise.classifier(TABLE, ("red", 2, "blue"), **SMALL),
    "classifier of three, linear": lambda: askwise.classifier(TABLE, ("red", 2, "blue"), shape="linear", **SMALL),
    "clusters": lambda: askwise.clusters(TABLE, **SMALL),
    "hierarchy": lambda: askwise.hierarchy(TABLE, **SMALL),
    "best_column": lambda: askwise.best_column(
        {"name": ["Ann", "Ben"], "x": [1, None], "y": [None, 2]}, repeat=True, **SMALL
    ),
}


def answer_questions(session, count):
    """Answers so many questions, with each of the responses in turn."""
    for number in range(count):
        question = session.ask()
        is_number, responses = question.kind == "number", question.responses
        session.tell(1.5 * number if is_number else responses[number % len(responses)])
    return session
