"""Simulated tasks about scores in which people name the best of several items."""

from __future__ import annotations

import numpy as np
import pytest

from askwise.errors import SettingError
from askwise.simulate.runs import person_streams, simulate_answers
from askwise.simulate.tasks import choice


@pytest.mark.parametrize("worst", [False, True])
def test_the_error_falls_when_people_answer_about_sets(worst):
    task = choice(np.random.default_rng(1), items=12, dim=3, shown=4, worst=worst)
    session = task.session("expected", seed=1)
    before = task.metrics["top_item_error"](session.sample)
    list(simulate_answers(session, task.person, person_streams(1, 8)))
    assert len(session.ask().options) == 4
    assert task.metrics["top_item_error"](session.sample) < before / 2


def test_the_worst_of_two_is_refused():
    with pytest.raises(SettingError, match="give shown=3 or more"):
        choice(np.random.default_rng(0), worst=True)
