"""The simulated matrix: its sizes, its noise, what is known of it, and what is measured."""

from __future__ import annotations

import numpy as np
import pytest

from askwise.errors import SettingError
from askwise.simulate.runs import simulate_answers
from askwise.simulate.tasks import columns, matrix
from tests.helpers import generator


def test_the_task_is_as_described():
    task = columns(generator(1), chains=4)
    assert task.person.truth.shape == (40, 60)
    assert len(task.problem.distance.rows) == 10
    assert task.prior.answered[:, 1].tolist() == list(range(60))
    assert (~task.problem.family.askable).sum() == 60
    off = task.prior.values - task.person.truth[tuple(task.prior.answered.T)]
    assert 0.2 < off.std() < 0.4
    centred = task.person.truth - task.person.truth.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    assert np.linalg.matrix_rank(centred) == 3


def test_each_part_has_variance_one():
    truths = [columns(generator(2, k), rows=20, columns=20, chains=2).person.truth for k in range(12)]
    assert np.mean([truth.var() for truth in truths]) == pytest.approx(3.0, abs=0.6)


def test_the_error_is_the_distance_to_the_truth_and_falls():
    task = columns(generator(3), rows=6, columns=5, rank=1, targets=3, chains=30)
    session = task.session("expected", 1, repeat=False)
    before = task.metrics["error"](session.sample)
    rngs = (generator(4, k) for k in range(22))
    responses = [response for _, response in simulate_answers(session, task.person, rngs)]
    assert [answer.response for answer in session.answers] == responses
    assert task.metrics["error"](session.sample) < before / 2


def test_a_whole_matrix_is_completed():
    task = matrix(generator(5), rows=6, columns=5, rank=1, chains=30)
    assert task.problem.distance.unit == np.ptp(task.person.truth)
    assert task.prior.answered[:, 1].tolist() == list(range(5))
    session = task.session("expected", 1, repeat=False)
    before = task.metrics["error"](session.sample)
    for _ in simulate_answers(session, task.person, (generator(6, k) for k in range(20))):
        pass
    after = task.metrics["error"](session.sample)
    by_hand = np.abs(session.sample.structures["matrix"] - task.person.truth).mean() / np.ptp(task.person.truth)
    assert after == pytest.approx(by_hand, rel=0.05)  # hardly any difference is larger than the range
    assert after < before / 2
    with pytest.raises(SettingError, match="rows"):
        matrix(generator(0), rows=0)


@pytest.mark.parametrize("options", [{"rows": 0}, {"columns": 2.5}, {"targets": 99}, {"rank": -1}, {"noise": -1.0}])
def test_bad_settings_are_refused(options):
    with pytest.raises(SettingError, match=next(iter(options))):
        columns(generator(0), **options)
