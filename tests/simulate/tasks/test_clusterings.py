"""The synthetic clusters: as described, solvable, and refused when the settings make no sense."""

from __future__ import annotations

import numpy as np
import pytest

from askwise._runtime.streams import stream
from askwise.distances.clusterings import ClusterOf, ClusterPairs
from askwise.errors import SettingError
from askwise.simulate.runs import person_streams, simulate_answers
from askwise.simulate.tasks import clusters


def test_the_task_is_as_described():
    task = clusters(stream(3, 0, "test"), chains=8)
    truth = task.person.truth
    assert len(truth) == 150
    assert task.problem.beta == pytest.approx(np.log(19))
    assert isinstance(task.problem.distance, ClusterOf)
    assert task.problem.family.around == task.problem.distance.item
    assert task.prior.features.shape == (150, 3)
    assert (task.prior.log_widths > 0).all()  # no scale is told
    atoms = task.problem.family.draw_atoms(500, stream(3, 1, "atoms"))
    assert (atoms == task.problem.family.around).any(axis=1).sum() == 149
    assert isinstance(clusters(stream(3, 0, "test"), goal="clusters", chains=4).problem.distance, ClusterPairs)


def test_features_spread_as_described():
    rows = np.concatenate(
        [clusters(stream(k, 0, "x"), items=300, clusters=300, chains=2).prior.features for k in range(3)]
    )
    assert rows.std() == pytest.approx(np.sqrt(1.6**2 + 1), rel=0.1)


@pytest.mark.parametrize("goal", ["cluster_of", "clusters"])
def test_answers_bring_the_posterior_to_the_truth(goal):
    task = clusters(stream(1, 0, "test"), items=24, clusters=3, goal=goal, chains=32)
    session = task.session("expected", 1)
    before = task.metrics["error"](session.sample)
    for _ in simulate_answers(session, task.person, person_streams(1, 40)):
        pass
    assert task.metrics["error"](session.sample) < min(0.15, before)


@pytest.mark.parametrize("options", [{"goal": "x"}, {"items": 1}, {"chains": 1}, {"noise": 0.0}, {"told_noise": 0.5}])
def test_bad_settings_get_one_sentence(options):
    with pytest.raises(SettingError, match=r"^[^\n]{20,}$"):
        clusters(stream(0, 0, "x"), **options)
