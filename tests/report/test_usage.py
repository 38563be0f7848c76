"""What is counted about the answers."""

from __future__ import annotations

from askwise.evaluate import Runs, evaluate, start
from askwise.goals import best_column, best_item
from askwise.oracles import Reply
from askwise.report.page import page
from askwise.report.people import StudyPeople
from askwise.report.sections import people_table
from askwise.report.usage import answer_rows, usage


def test_counts_people_and_times():
    session = best_item(["tea", "coffee", "water", "milk"], seed=4)
    shown = []
    for who, seconds, said in (
        ("Ann", 3.0, "left"),
        ("Ben", 9.0, "right"),
        ("Ann", 5.0, "left"),
        ("Ann", None, "left"),
    ):
        question = session.ask()
        shown.append(question)
        session.tell(said, who=who, seconds=seconds)
    session.undo()
    session.skip(reason="no idea", who="Ben", seconds=100.0)
    session.ask()
    found = usage(session, answer_rows(session))
    assert (found.answers, found.skips, found.undos, found.open_questions) == (3, 1, 1, 1)
    assert [row[:2] for row in people_table(session, StudyPeople()).rows] == [("Ann", "2"), ("Ben", "1")]
    assert found.median_seconds == 7.0  # the median of 3, 9, 5 and 100
    counts = [option.name for question in shown[:3] for option in question.options]
    assert dict(found.items) == {name: counts.count(name) for name in counts}
    assert found.items[0][1] == max(counts.count(name) for name in counts)
    assert found.first <= found.last
    rows = answer_rows(session)
    assert [row.answer for row in rows] == [
        shown[0].options[0].name, shown[1].options[1].name, shown[2].options[0].name, "skipped: no idea",
    ]  # fmt: skip
    assert [row.gain for row in rows[:3]] == [question.gain for question in shown[:3]]


def test_an_answer_given_again_counts_where_it_stands():
    session = best_item(["tea", "coffee", "water"], seed=4)
    first, _ = session.ask(2)
    session.tell("left", first)
    session.ask()
    session.tell("right")
    session.undo(first)
    session.tell("right", first)
    assert [row.question for row in answer_rows(session)] == ["q2", "q1"]


def test_numbers_and_questions_of_one_s_own():
    session = best_column({"tea": [3.0, None], "milk": [None, 1.0]}, draws=8, rank=1)
    session.pose([1, 0])
    session.tell(2.5)
    assert [(row.answer, row.gain, row.who) for row in answer_rows(session)] == [("2.5", None, None)]
    assert people_table(session, StudyPeople()).rows == ()


def test_what_judges_cost_and_how_far_they_are_trusted_stands_beside_their_answers():
    rows = [{"prompt": f"prompt {n}", "good": "5", "bad": "3"} for n in range(12)]
    session = start(Runs.of(rows), human=True, seed=1, epsilon=0.0001, budget=24)
    right = lambda question: "left" if question.options[0].body == "5" else "right"  # noqa: E731
    wrong = lambda question: Reply("right" if right(question) == "left" else "left", cost=0.5)  # noqa: E731
    evaluate(session, {"wrong": wrong}, right, labels=4, jobs=1)
    table = people_table(session, StudyPeople())
    assert table.headings == ("who", "answers", "cost", "trusted to", "agrees with human")
    cells = {row[0]: row[1:] for row in table.rows}
    assert (cells["human"][1], cells["human"][2]) == ("", "1.00")
    assert float(cells["wrong"][1]) == 0.5 * int(cells["wrong"][0])
    assert float(cells["wrong"][2]) < 0.3
    assert cells["wrong"][3].startswith("0 of ")
    assert "agrees with human" in page(session)
