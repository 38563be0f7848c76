"""The synthetic segments, and the best items in order: as described, solvable, and refused with bad settings."""

from __future__ import annotations

import numpy as np
import pytest

from askwise._runtime.streams import stream
from askwise.distances.intervals import IntervalMembership
from askwise.errors import SettingError
from askwise.simulate.runs import person_streams, simulate_answers
from askwise.simulate.tasks import segments, top_ranking


def test_the_task_is_as_described():
    task = segments(stream(3, 0, "test"), items=40, intervals=5)
    assert len(np.unique(task.problem.family.labels(task.person.truth[None]))) == 5
    assert task.person.noise == 0.05
    assert len(task.prior.noise) > 1  # it is learned
    assert segments(stream(3, 0, "test"), told_noise=0.1).prior.noise.tolist() == [0.1]
    one = segments(stream(3, 0, "test"), items=200, intervals=1, goal="segment_of")
    assert one.person.truth.tolist() == [1.0]
    item = one.problem.family.around
    assert isinstance(one.problem.distance, IntervalMembership)
    assert one.problem.distance.inside == (item + 0.5) / 200
    atoms = one.problem.family.draw_atoms(300, stream(3, 1, "atoms"))
    assert (atoms == item).any(axis=1).sum() >= 150


@pytest.mark.parametrize("goal", ["segments", "segment_of"])
def test_answers_bring_the_posterior_to_the_truth(goal):
    task = segments(stream(1, 0, "test"), items=100, intervals=4, goal=goal)
    session = task.session("expected", 1)
    before = task.metrics["error"](session.sample)
    for _ in simulate_answers(session, task.person, person_streams(1, 40)):
        pass
    assert task.metrics["error"](session.sample) < min(0.02, before)


def test_the_best_in_order_are_found():
    task = top_ranking(stream(1, 0, "test"), items=12, dim=3, k=3)
    session = task.session("expected", 1)
    before = task.metrics["error"](session.sample)
    for _ in simulate_answers(session, task.person, person_streams(1, 40)):
        pass
    assert task.metrics["error"](session.sample) < before / 3


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (segments, {"goal": "x"}),
        (segments, {"items": 1}),
        (segments, {"items": 5, "intervals": 6}),
        (segments, {"intervals": 0}),
        (segments, {"told_noise": 0.5}),
        (top_ranking, {"items": 5, "k": 6}),
        (top_ranking, {"k": 0}),
        (top_ranking, {"sigma": 0.0}),
    ],
)
def test_bad_settings_get_one_sentence(make, options):
    with pytest.raises(SettingError, match=r"^[^\n]{15,}$"):
        make(stream(0, 0, "x"), **options)
