"""The benchmark of questions from draws that are behind, with one person."""

from __future__ import annotations

from benchmarks import behind


def test_a_learner_that_is_behind_asks_other_questions_and_ends_in_the_same_place(monkeypatch):
    asked = []
    choose = behind.choose_reweighed
    monkeypatch.setattr(behind, "choose_reweighed", lambda *more: asked.append(choose(*more)) or asked[-1])
    now, later = (behind.run("linear", 300, number, measured=(2, 4)) for number in (0, 2))
    assert [one["info"]["reweighed"] for one in asked if one is not None] == [1, 2, 2]
    assert now["failed"] == later["failed"] == 0
    assert len(now["regrets"]) == len(later["regrets"]) == 2
    assert all(0 <= regret <= 1 for regret in now["regrets"] + later["regrets"])
