"""Budgets, several rules at once, and reasons to stop as values."""

from __future__ import annotations

import json
import pickle
from math import nan

import pytest

from askwise.errors import SettingError
from askwise.stopping import Budget, StopReason, any_of


def test_budget_and_any_of():
    assert [Budget(3)(None, None, None, n, 9, None) is not None for n in (0, 2, 3, 4)] == [False, False, True, True]
    both = any_of(Budget(9), Budget(3))
    assert both(None, None, None, 2, 9, None) is None
    assert both(None, None, None, 3, 4, None) == "the budget of 3 answers is used up"
    assert both(None, None, None, 9, 10, None) == "the budget of 9 answers is used up"  # the first of the list
    assert any_of()(None, None, None, 9, 10, None) is None


@pytest.mark.parametrize("answers", [0, -3, nan])
def test_budget_refuses(answers):
    with pytest.raises(SettingError, match=r"budget is .*; expected a whole number of at least 1"):
        Budget(answers)


def test_a_reason_is_a_text_with_a_kind():
    reason = Budget(3)(None, None, None, 3, 4, None)
    assert reason.kind == "budget"
    assert json.dumps(reason) == f'"{reason}"'
    copy = pickle.loads(pickle.dumps(reason))
    assert isinstance(copy, StopReason)
    assert (copy, copy.kind) == (reason, reason.kind)
