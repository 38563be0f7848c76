"""The synthetic hierarchy: what is measured, and that choosing questions pays."""

from __future__ import annotations

import numpy as np
import pytest

from askwise.errors import SettingError
from askwise.session import Session
from askwise.simulate.hierarchy import hierarchy
from askwise.simulate.people import answer
from askwise.streams import stream
from askwise.types import Sample
from tests.helpers import generator


def test_the_error_is_zero_at_the_truth_only():
    task = hierarchy(generator(80), items=9)
    truth = task.person.truth
    assert task.metrics["error"](Sample(truth[None], np.ones(1), exact=False)) == 0
    assert task.metrics["error"](task.prior.sample(64, generator(81))) > 0.3


def test_chosen_questions_learn_more_than_random_ones():
    errors = {}
    for rule in ("random", "expected"):
        task = hierarchy(stream(1, 0, "task"), items=14)
        session = Session(task.problem, task.prior, rule=rule, seed=1, draws=64)
        for number in range(40):
            answer(session, task.person, stream(1, number, "person"))
        errors[rule] = task.metrics["error"](session.sample)
    assert errors["expected"] < 0.7 * errors["random"]


def test_refuses():
    with pytest.raises(SettingError, match="items must be at least 3, got 2"):
        hierarchy(generator(82), items=2)
