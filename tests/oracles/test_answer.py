"""`askwise.answer`: every answer once, whatever fails."""

from __future__ import annotations

import asyncio
import re
import signal
import threading

import pytest

import askwise
from askwise.errors import AnswerError, OracleError, SettingError, StudyError
from askwise.oracles import loop
from askwise.stopping import Budget, CostLimits
from askwise.storage.address import Address
from askwise.storage.participants import invite
from askwise.storage.store import Store

DRINKS = ["tea", "coffee", "water", "milk", "juice"]
PRICE = {name: place for place, name in enumerate(DRINKS)}


def cheapest(question):
    return min(question.names, key=PRICE.__getitem__)


def session_of(**options):
    return askwise.best_item(DRINKS, **{"seed": 1, "draws": 100, "noise": 0, **options})


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(loop, "FIRST_WAIT_SECONDS", 0.001)
    monkeypatch.setattr(loop, "GRACE_SECONDS", 0.5)


@pytest.fixture
def at_a_terminal():
    """Ctrl-C interrupts, also if the tests were started in the background, where SIGINT is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def told(session):
    return [event for event in session.log if event["event"] == "tell"]


@pytest.mark.parametrize("jobs", [1, 4])
def test_a_function_settles_a_session(jobs):
    session = session_of()
    run = askwise.answer(session, cheapest, jobs=jobs)
    assert (session.estimate().value, run.reason.kind) == ("tea", "settled")
    assert run.answers == len(session.answers) == len(told(session))
    assert {event["who"] for event in told(session)} == {"judge"}
    assert all(event["seconds"] >= 0 and event["key"] for event in told(session))
    assert (run.skips, run.failures, run.cost) == (0, 0, 0.0)


def test_async_oracles_answer_side_by_side():
    session, at_once, most = session_of(budget=6), 0, 0

    async def oracle(question):
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0.02)
        at_once -= 1
        return cheapest(question)

    askwise.answer(session, oracle, jobs=3)
    assert most == 3


def test_functions_run_in_threads_side_by_side():
    together = threading.Barrier(3, timeout=20)  # breaks unless three calls run at once

    def oracle(question):
        together.wait()
        return cheapest(question)

    assert askwise.answer(session_of(), oracle, jobs=3, budget=3).answers == 3


def test_it_works_where_an_event_loop_is_running():
    async def notebook():
        return askwise.answer(session_of(), cheapest)

    assert asyncio.run(notebook()).reason.kind == "settled"


def test_none_skips_and_a_reply_has_a_cost_and_a_note():
    session, seen = session_of(repeat=True), []

    def oracle(question):
        seen.append(question)
        if len(seen) == 1:
            return askwise.Reply(None, cost=0.5, note="cannot tell")
        return askwise.Reply(cheapest(question), cost=0.25, note="it is \0cheaper" + "!" * 3000)

    run = askwise.answer(session, oracle, jobs=1)
    [skip] = [event for event in session.log if event["event"] == "skip"]
    assert (skip["cost"], skip["reason"], skip["who"]) == (0.5, "cannot tell", "judge")
    assert all(event["cost"] == 0.25 and event["note"].startswith("it is cheaper") for event in told(session))
    assert all(len(event["note"]) == 2000 and event["note"].endswith("! ...") for event in told(session))
    assert run.cost == 0.5 + 0.25 * run.answers
    assert run.skips == 1


def test_an_object_has_a_name_and_a_cost():
    class Robot:
        name = "robot 7"
        cost = 3.0

        async def __call__(self, question):
            return cheapest(question)

    session = session_of()
    run = askwise.answer(session, Robot())
    assert {(event["who"], event["cost"]) for event in told(session)} == {("robot 7", 3.0)}
    assert run.cost == 3.0 * run.answers


def test_what_fails_is_tried_again_and_counts_once(caplog):
    session, tries = session_of(), {}

    def oracle(question):
        tries[question.id] = tries.get(question.id, 0) + 1
        if tries[question.id] == 1:
            raise ConnectionError("the line is\ndead")
        if tries[question.id] == 2:
            raise OracleError("busy", wait=0.01, cost=0.5)
        return askwise.Reply(cheapest(question), cost=1.0)

    run = askwise.answer(session, oracle, jobs=2)
    assert session.estimate().value == "tea"
    assert run.failures == 2 * run.answers
    assert {event["cost"] for event in told(session)} == {1.5}
    assert run.cost == 1.5 * run.answers
    assert "ConnectionError: the line is dead" in caplog.text


def test_a_refused_response_is_asked_for_again_with_the_reason():
    session, errors = session_of(), []

    def oracle(question):
        errors.append(question.info.get("error"))
        return cheapest(question) if "error" in question.info else "lemonade"

    run = askwise.answer(session, oracle, jobs=1)
    assert run.failures == run.answers
    assert errors[0] is None
    assert errors[1] == "response 'lemonade' is not one of 'left', 'right'; question q1 stays open"


def test_a_broken_oracle_ends_the_run_and_keeps_what_it_answered():
    session = session_of(noise=None)

    def oracle(question):
        if len(told(session)) == 2:
            raise ZeroDivisionError("division by zero")
        return cheapest(question)

    sentence = (
        "judge failed 6 times at question q5 .ZeroDivisionError: division by zero., and at others before; 2 answers"
    )
    with pytest.raises(OracleError, match=sentence) as caught:
        askwise.answer(session, oracle, jobs=1)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert len(session.answers) == 2
    assert askwise.answer(session, cheapest, budget=4).answers == 2  # and it goes on with the questions left open
    assert {"q3", "q4"} & {event["question"] for event in told(session)}


def test_an_async_oracle_that_cancels_its_call_has_failed():
    calls = []

    async def oracle(question):
        calls.append(question)
        if len(calls) == 1:
            raise asyncio.CancelledError
        return cheapest(question)

    run = askwise.answer(session_of(), oracle, jobs=1)
    assert (run.failures, run.reason.kind) == (1, "settled")


@pytest.mark.parametrize("ending", [SystemExit(3), StopIteration("over"), KeyboardInterrupt()])
def test_an_oracle_that_wants_to_end_the_program_has_failed(ending):
    def oracle(question):
        raise ending

    with pytest.raises(OracleError, match="judge failed 6 times"):
        askwise.answer(session_of(), oracle)


def test_one_question_that_always_fails_is_set_aside():
    session = session_of(noise=None)

    def oracle(question):
        if question.id == "q2":
            raise ValueError("never this one")
        return cheapest(question)

    run = askwise.answer(session, oracle, jobs=2, budget=8)
    assert (run.answers, run.failures) == (8, 6)
    assert session.event_log.status["q2"] == "open"


def test_an_oracle_that_is_set_up_badly_is_called_once():
    calls = []

    def oracle(question):
        calls.append(question)
        raise SettingError("there is no key")

    with pytest.raises(SettingError, match="there is no key"):
        askwise.answer(session_of(), oracle, jobs=1)
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("budget", "answers"),
    [(3, 3), (Budget(3), 3), ({"answers": 3}, 3), ({"cost": 1.0}, 2), (CostLimits(max_cost=1.1), 3)],
)
def test_budgets_hold_over_all_runs(budget, answers):
    session = session_of(noise=None)
    for total in (answers, 0):  # the second run finds the budget used
        run = askwise.answer(session, lambda q: askwise.Reply(cheapest(q), cost=0.5), jobs=1, budget=budget)
        assert (run.answers, run.reason.kind) == (total, "budget")


def test_the_budget_of_the_study_is_not_passed_with_many_in_flight():
    session = askwise.best_item(DRINKS, seed=1, draws=100, budget=5, epsilon=0.0001)
    run = askwise.answer(session, cheapest, jobs=4)
    assert (run.answers, run.reason.kind) == (5, "budget")


def test_only_the_questions_that_are_given_are_answered():
    session = session_of()
    first, second, third = session.ask(3)
    run = askwise.answer(session, cheapest, questions=[second, third.id])
    assert [event["question"] for event in told(session)] == [second.id, third.id]
    assert (run.reason.kind, session.event_log.status[first.id]) == ("exhausted", "open")
    for wrong in ("q1", ["q99"], [7]):
        with pytest.raises(askwise.errors.AskwiseError):
            askwise.answer(session, cheapest, questions=wrong)


@pytest.mark.parametrize("limit", [3, 9])
@pytest.mark.parametrize("says_when", ["before", "after"])
def test_a_cost_limit_is_not_passed_with_many_in_flight(limit, says_when):
    def oracle(question):
        return cheapest(question) if says_when == "before" else askwise.Reply(cheapest(question), cost=1.0)

    if says_when == "before":
        oracle.cost = 1.0
    run = askwise.answer(session_of(noise=None, epsilon=0.001), oracle, jobs=8, budget={"cost": limit})
    assert (run.cost, run.reason.kind) == (limit, "budget")


@pytest.mark.parametrize("jobs", [1, 8])
def test_calls_that_fail_and_cost_end_at_the_limit(jobs):
    calls = []

    def oracle(question):
        calls.append(question.id)
        raise OracleError("the reply was cut off", cost=1.0)

    run = askwise.answer(session_of(), oracle, jobs=jobs, budget={"cost": 2})
    assert (len(calls), run.cost, run.reason.kind) == (2, 2.0, "budget")


def test_what_an_error_or_a_refused_reply_says_of_its_cost_may_be_anything():
    class Odd(Exception):
        cost = None
        wait = print

    odd = iter([Odd("busy"), *(askwise.Reply("left", cost=cost) for cost in ("much", float("nan"), -1.0, 10**400))])

    def oracle(question):
        said = next(odd, cheapest(question))
        if isinstance(said, Odd):
            raise said
        return said

    run = askwise.answer(session_of(), oracle, jobs=1)
    assert (run.failures, run.cost, run.reason.kind) == (5, 0.0, "settled")


@pytest.mark.parametrize(
    "options",
    [{"budget": "much"}, {"budget": True}, {"budget": {"euros": 3}}, {"budget": {}}, {"budget": 0}, {"jobs": 0},
     {"who": 7}, {"progress": "yes"}, {"budget": CostLimits(min_gain_per_cost=0.1)}],
)  # fmt: skip
def test_bad_options_are_refused(options):
    with pytest.raises(SettingError):
        askwise.answer(session_of(), cheapest, **options)
    with pytest.raises(SettingError):
        askwise.answer("no session", cheapest)
    with pytest.raises(SettingError):
        askwise.answer(session_of(), "no oracle")


def test_a_name_that_no_log_can_hold_is_refused_before_the_oracle_is_asked():
    asked = []
    with pytest.raises(AnswerError, match=r"who is '.x00'; expected a text"):
        askwise.answer(session_of(), asked.append, who="\0")
    assert not asked


def test_a_cost_that_is_no_number_is_refused():
    def oracle(question): ...

    oracle.cost = "much"
    with pytest.raises(SettingError, match="the cost of the oracle is 'much'; expected a number of at least 0"):
        askwise.answer(session_of(), oracle)


def test_a_study_on_disk_and_the_log_of_a_participant(tmp_path):
    path = tmp_path / "drinks.askwise"
    askwise.save(session_of(), path)
    store = Store.at(Address.of(path))
    person = invite(store, store.record(), "Ann")
    store.close()
    run = askwise.answer(askwise.open(path, log=person.log), cheapest, jobs=2)
    assert len(askwise.open(path, log=person.log).answers) == run.answers > 0
    assert not askwise.open(path).answers


def test_a_write_that_fails_is_repeated_with_the_same_key(tmp_path, monkeypatch):
    path, calls, appended = tmp_path / "drinks.askwise", [], []
    askwise.save(session_of(), path)
    session = askwise.open(path)
    append = session.journal.append

    def unsteady(position, *events):
        appended.extend(event["key"] for event in events if event["event"] == "tell")
        written = append(position, *events)
        if events[0]["event"] == "tell" and len(appended) == 1:  # on disk, but nobody was told
            raise StudyError("the disk is slow")
        return written

    monkeypatch.setattr(session.journal, "append", unsteady)
    run = askwise.answer(session, lambda q: (calls.append(q.id), cheapest(q))[1], jobs=1)
    again = askwise.open(path)
    assert len(calls) == len(set(calls)) == len(again.answers)  # no question was put twice
    assert len({event["key"] for event in told(again)}) == len(told(again))
    assert run.reason.kind == "settled"


def test_a_question_that_cannot_be_written_is_taken_later(tmp_path, monkeypatch):
    path, refused = tmp_path / "drinks.askwise", []
    askwise.save(session_of(), path)
    session = askwise.open(path)
    append = session.journal.append

    def unsteady(position, *events):
        if events[0]["event"] == "ask" and len(refused) < 3:
            refused.append(events)
            raise StudyError("the disk is slow")
        return append(position, *events)

    monkeypatch.setattr(session.journal, "append", unsteady)
    assert askwise.answer(session, cheapest, jobs=1).reason.kind == "settled"
    assert len(refused) == 3


def test_a_study_that_takes_no_answers_ends_the_run(tmp_path, monkeypatch):
    path = tmp_path / "drinks.askwise"
    askwise.save(session_of(), path)
    session = askwise.open(path)

    def broken(position, *events):
        raise StudyError("the disk is full")

    monkeypatch.setattr(session.journal, "append", broken)
    with pytest.raises(StudyError, match="the disk is full"):
        askwise.answer(session, cheapest, jobs=1)


@pytest.mark.parametrize("kind", ["function", "async"])
def test_ctrl_c_records_what_comes_in_time_and_cancels_the_rest(kind, at_a_terminal):
    session, started, cancelled, end = session_of(), [], [], threading.Event()

    def slow(question):
        started.append(question.id)
        if len(started) == 2:
            signal.raise_signal(signal.SIGINT)
            return cheapest(question)
        end.wait(20)
        raise OracleError("no Ctrl-C came", final=True)

    async def slow_async(question):
        started.append(question.id)
        if len(started) == 2:
            signal.raise_signal(signal.SIGINT)
            return cheapest(question)
        try:
            await asyncio.sleep(20)
        except asyncio.CancelledError:
            cancelled.append(question.id)
            raise
        raise OracleError("no Ctrl-C came", final=True)

    with pytest.raises(
        KeyboardInterrupt, match="stopped: 1 answer of this run kept; the questions in flight stay open"
    ):
        askwise.answer(session, slow if kind == "function" else slow_async, jobs=2)
    end.set()
    assert [event["question"] for event in told(session)] == started[1:2]
    assert set(cancelled) == (set(started) - {started[1]} if kind == "async" else set())
    assert session.event_log.status[started[0]] == "open"
    assert askwise.answer(session, cheapest).reason.kind == "settled"


def test_ctrl_c_records_a_reply_that_waits_for_its_turn(at_a_terminal, monkeypatch):
    """While the next questions are computed, which takes longer than the grace."""
    session, computing, stopped, second = session_of(), threading.Event(), threading.Event(), []
    ask = session.ask

    def slow_ask(*count, **options):
        if second:
            computing.set()
            assert stopped.wait(20)
        return ask(*count, **options)

    def oracle(question):
        if len(session.event_log.open_ids) == 2 and not second:
            second.append(question.id)
            assert computing.wait(20)
            signal.raise_signal(signal.SIGINT)
        return cheapest(question)

    monkeypatch.setattr(session, "ask", slow_ask)
    monkeypatch.setattr(loop.AnsweringLoop, "_end_calls", ending_after(loop.AnsweringLoop._end_calls, stopped))
    with pytest.raises(KeyboardInterrupt, match="stopped: 2 answers of this run kept"):
        askwise.answer(session, oracle, jobs=2)
    assert second[0] in {event["question"] for event in told(session)}


def ending_after(end_calls, stopped):
    """The same, and then it is told that calls have been cancelled."""

    async def ended(self):
        await end_calls(self)
        stopped.set()

    return ended


def test_a_terminal_shows_how_far_it_is(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes that for a terminal
    askwise.answer(session_of(), lambda q: askwise.Reply(cheapest(q), cost=0.5), jobs=1)
    assert re.search(r"\d answers, cost [\d.]+, undecided 0\.\d{3}", capsys.readouterr().err)
    askwise.answer(session_of(), cheapest, progress=False)
    assert not capsys.readouterr().err


def test_somebody_else_may_answer_at_the_same_time(tmp_path):
    path = tmp_path / "drinks.askwise"
    askwise.save(session_of(noise=None), path)
    other = askwise.open(path)

    def oracle(question):
        if question.id in ("q1", "q3"):
            other.refresh()
            other.tell("left", question.id, who="Ann")
        return cheapest(question)

    run = askwise.answer(askwise.open(path), oracle, jobs=1, budget=4)
    log = askwise.open(path).event_log
    assert (run.answers, log.closed_count("judge"), log.closed_count("Ann")) == (4, 4, 2)


def test_groups_are_answered_for_everybody_or_for_one():
    group = askwise.group_item(
        {"name": DRINKS, "price": list(range(5))}, people=["Ann", "Ben"], seed=1, draws=50, epsilon=0.001
    )
    run = askwise.answer(group, cheapest, budget=4, jobs=2)
    assert run.answers == 4
    assert {event["who"] for event in told(group)} <= {"Ann", "Ben"}
    before = group.event_log.closed_count("Ann")
    askwise.answer(group, cheapest, who="Ann", budget=before + 2, jobs=1)
    assert group.event_log.closed_count("Ann") == before + 2


def test_no_thread_is_left_behind():
    before = set(threading.enumerate())
    askwise.answer(session_of(), cheapest)
    for thread in set(threading.enumerate()) - before:
        thread.join(20)
        assert not thread.is_alive()
