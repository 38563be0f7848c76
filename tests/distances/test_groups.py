"""What a group gives up, against loops over people and items."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.distances.groups import CRITERIA, GroupRegret
from askwise.distances.items import ItemRegret
from askwise.errors import SettingError
from askwise.testing import check_distance

PEOPLE, ITEMS = 3, 4
seeds = st.integers(0, 2**32 - 1)


def worth(scores, by):
    """What each item is worth to the group, by the definition."""
    everybody = []
    for own in scores.reshape(PEOPLE, ITEMS).tolist():
        if by == "borda":
            everybody.append([sum(other < score for other in own) / (ITEMS - 1) for score in own])
        else:
            spread = max(own) - min(own)
            everybody.append([(score - min(own)) / spread for score in own])
    return [min(each) if by == "worst-off" else sum(each) / PEOPLE for each in zip(*everybody, strict=True)]


@pytest.mark.parametrize("by", CRITERIA)
@given(seed=seeds)
def test_against_loops(by, seed):
    structures = np.random.default_rng(seed).standard_normal((6, PEOPLE * ITEMS))
    distance = GroupRegret(np.eye(ITEMS), PEOPLE, by)
    check_distance(distance, structures)
    values = [worth(scores, by) for scores in structures]
    best = [max(range(ITEMS), key=each.__getitem__) for each in values]
    for s, left in enumerate(values):
        for t, right in enumerate(values):
            lost = max(max(left) - left[best[t]], max(right) - right[best[s]])
            assert distance.pairwise(structures)[s, t] == pytest.approx(lost, abs=1e-9)


@pytest.mark.parametrize("by", CRITERIA)
def test_somebody_without_a_preference_is_content_with_all(by):
    structures = np.zeros((3, PEOPLE * ITEMS))
    structures[1, :ITEMS] = [3.0, 2.0, 1.0, 0.0]
    structures[2, :ITEMS] = [0.0, 0.0, 0.0, 1.0]
    check_distance(GroupRegret(np.eye(ITEMS), PEOPLE, by), structures)


def test_a_group_of_equals_is_one_person():
    tastes = np.random.default_rng(0).standard_normal((8, ITEMS))
    alone, together = ItemRegret(np.eye(ITEMS), scored=True), np.tile(tastes, PEOPLE)
    for by in ("mean", "worst-off"):
        assert np.allclose(GroupRegret(np.eye(ITEMS), PEOPLE, by).pairwise(together), alone.pairwise(tastes))


def test_how_decided_somebody_is_does_not_count():
    structures = np.random.default_rng(1).standard_normal((8, PEOPLE, ITEMS))
    louder = structures * np.array([1.0, 50.0, 0.1])[:, None]
    distance = GroupRegret(np.eye(ITEMS), PEOPLE)
    same = (distance.utilities(each.reshape(8, -1)) for each in (structures, louder))
    assert np.allclose(*same)


def test_other_criteria_are_refused():
    with pytest.raises(SettingError, match=r"^by is 'luck'; expected 'mean', 'worst-off' or 'borda'$"):
        GroupRegret(np.eye(ITEMS), PEOPLE, "luck")
