"""The synthetic hierarchy: what is measured, and that choosing questions pays."""

from __future__ import annotations

import numpy as np
import pytest

from askwise._runtime.streams import stream
from askwise.errors import SettingError
from askwise.simulate.runs import person_streams, simulate_answers
from askwise.simulate.tasks import hierarchy
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
        session = task.session(rule, 1, repeat=False)
        for _ in simulate_answers(session, task.person, person_streams(1, 40)):
            pass
        errors[rule] = task.metrics["error"](session.sample)
    assert errors["expected"] < 0.7 * errors["random"]


def test_fewer_than_three_items_are_refused():
    with pytest.raises(SettingError, match="items must be at least 3, got 2"):
        hierarchy(generator(82), items=2)
