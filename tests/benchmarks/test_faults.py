"""The machine that looks for defects: it finds nothing in a short run, and it finds what is put there to be found."""

from __future__ import annotations

import ctypes
import json
import os
import random
import re
import shutil
import signal
import sys
from types import SimpleNamespace

import pytest

import askwise
from askwise.errors import AnswerError
from askwise.storage.journal import StudyJournal
from benchmarks.faults import __main__ as machine
from benchmarks.faults import api, commands, tables, typed
from benchmarks.faults.common import COUNTS, FAULTS, Case, attempt, sample_numbers
from benchmarks.faults.sessions import KINDS, Setting, difference
from benchmarks.faults.watch import count_outcomes, run

FINE = Case("fine", lambda folder, outcome: vars(outcome).update(accepted=1))
PLAIN = "name,x,y\na,1,2\nb,2,1\nc,4,2\nd,3,3\n"


def area(*cases):
    """An area of these cases, which needs no warming up."""
    return SimpleNamespace(COUNT=len(cases), QUICK=1, warm_up=lambda folder: None, case=lambda seed, n: cases[n])


def counts(*cases):
    found = dict(count_outcomes(run(area(*cases), 0, range(len(cases)))))
    return {kind: number for kind, number in found.items() if number and kind in FAULTS}


def plain_study(goal="best_item"):
    """A table without fault, its five answers and its page."""

    def work(folder, outcome):
        (folder / "t.csv").write_text(PLAIN)
        tables.study(goal, folder / "t.csv", random.Random(0), folder, outcome)
        assert outcome.accepted == 1

    return Case("a plain study", work)


@pytest.fixture(autouse=True, scope="module")
def _warm():
    """Compiled code is loaded once, for all the forks."""
    session = askwise.best_item({"name": ["a", "b", "c"], "x": [1.0, 2.0, 4.0]}, draws=30)
    session.ask()
    session.tell("left")
    session.certificate()


@pytest.mark.parametrize("name", machine.AREAS)
def test_a_short_run_finds_nothing(name):
    found = machine.measure([name], seed=0, quick=True)
    assert found["cases"] == machine.AREAS[name].QUICK
    assert found["refused"] > 0
    assert found["accepted"] > 0
    assert found["failures"] == []


def test_a_plain_study_is_no_fault():
    assert counts(plain_study()) == {}


def test_a_bare_exception_is_found(monkeypatch):
    def broken(*args, **kwargs):
        raise KeyError("x")

    monkeypatch.setattr(tables, "read", broken)
    assert counts(plain_study()) == {"tracebacks": 2}  # one of them says that nothing was accepted
    monkeypatch.undo()
    monkeypatch.setattr(askwise.Session, "certificate", broken)
    assert counts(plain_study())["tracebacks"] > 0


def test_a_lost_answer_is_found(monkeypatch):
    append = StudyJournal.append

    def forgetful(self, position, *events):
        if events[0]["event"] == "tell":
            self.digests.append(self.digests[-1])
            return True
        return append(self, position, *events)

    monkeypatch.setattr(StudyJournal, "append", forgetful)
    monkeypatch.setattr(tables, "ANSWERS", 1)
    assert counts(plain_study())["silent_losses"] == 1


def test_a_wrong_answer_is_found(monkeypatch):
    tell = askwise.Session.tell

    def other(self, response, question):
        first, second = question.responses
        return tell(self, first if response == second else second, question)

    monkeypatch.setattr(askwise.Session, "tell", other)
    monkeypatch.setattr(tables, "ANSWERS", 1)
    assert counts(plain_study())["wrong_answers_recorded"] == 1


def test_a_wrong_label_in_the_terminal_is_found(monkeypatch):
    tell = askwise.Session.tell

    def other(self, response, *args, **kwargs):
        return tell(self, {"no": "yes", "yes": "no"}[response], *args, **kwargs)

    monkeypatch.setattr(typed, "LABELS", (("no", "yes"),))
    monkeypatch.setattr(typed, "ENCODINGS", ("utf-8",))
    assert counts(typed.piped(random.Random(1))) == {}
    monkeypatch.setattr(askwise.Session, "tell", other)
    assert counts(typed.piped(random.Random(1)))["wrong_answers_recorded"] > 0


def test_a_traceback_in_the_terminal_is_found(monkeypatch):
    def broken(self):
        raise LookupError("x")

    monkeypatch.setattr(askwise.Session, "ask", broken)
    assert counts(typed.piped(random.Random(1)))["tracebacks"] == 1


def test_a_change_after_a_refusal_is_found(monkeypatch):
    def half(self, response, question=None, **rest):
        self.log.append({"event": "tell", "question": "q1", "response": response})
        raise AnswerError("no")

    def refused(folder, outcome):
        setting = Setting("pair", 0, True, False)
        session = setting.session()
        monkeypatch.setattr(askwise.Session, "tell", half)
        tried = attempt(outcome, "tell", lambda: session.tell("left"))
        monkeypatch.undo()
        api._consistent(setting, session, tried, folder, outcome, "tell")

    assert counts(Case("tell", refused)) == {"state_changed_after_refusal": 1}


def test_a_hang_is_found_and_the_rest_goes_on():
    def endless(folder, outcome):
        ctypes.PyDLL(None).sleep(600)  # as compiled code does: it holds the interpreter and hears nothing

    found = run(area(Case("endless", endless), FINE), 0, [0, 1], patience=3.0)
    assert [outcome.accepted for _, _, outcome in found] == [0, 1]
    assert [failure.kind for failure in found[0][2].failures] == ["hangs"]


def test_a_crash_is_found_and_the_rest_goes_on():
    crash = Case("crash", lambda folder, outcome: os.kill(os.getpid(), signal.SIGKILL))
    found = run(area(crash, FINE), 0, [0, 1])
    assert [outcome.accepted for _, _, outcome in found] == [0, 1]
    assert [failure.kind for failure in found[0][2].failures] == ["tracebacks"]


def test_a_lost_scratch_folder_is_no_defect_of_the_product():
    gone = Case("gone", lambda folder, outcome: shutil.rmtree(folder.parent))
    with pytest.raises(RuntimeError, match="scratch folder"):
        run(area(gone, FINE), 0, [0, 1])


def test_every_failure_can_be_repeated(monkeypatch, capsys):
    case = Case("odd", lambda folder, outcome: outcome.fail("silent_losses", "one", ValueError("x")))
    monkeypatch.setattr(machine, "AREAS", {"files": area(case)})
    monkeypatch.setattr(sys, "argv", ["faults", "--json", "--seed", "7"])
    with pytest.raises(SystemExit) as end:
        machine.main()
    assert end.value.code == 1
    found = json.loads(capsys.readouterr().out)
    assert {count: found[count] for count in COUNTS} == {**dict.fromkeys(COUNTS, 0), "cases": 1, "silent_losses": 1}
    assert found["failures"][0]["again"] == "python -m benchmarks.faults --seed 7 --area files --case 0"
    assert found["failures"][0]["exception"] == "ValueError: x"
    machine.printed(found)
    assert "1 x silent_losses: one" in capsys.readouterr().out


def test_without_failures_the_exit_code_is_zero(monkeypatch, capsys):
    monkeypatch.setattr(machine, "AREAS", {"files": area(FINE)})
    monkeypatch.setattr(sys, "argv", ["faults"])
    with pytest.raises(SystemExit) as end:
        machine.main()
    assert end.value.code == 0
    assert "tracebacks" in capsys.readouterr().out


@pytest.mark.parametrize("name", machine.AREAS)
def test_the_same_seed_gives_the_same_cases(name):
    places = sample_numbers(machine.AREAS[name].COUNT, 50)
    first, again, other = ([machine.AREAS[name].case(seed, n).what for n in places] for seed in (0, 0, 1))
    assert first == again
    assert name == "tables" or first != other  # a table's case is named by its number


def test_every_public_name_is_tried():
    tried = {re.match(r"\w+", api.case(0, number).what).group() for number in range(1500)}
    named = {name for name in askwise.__all__ if callable(getattr(askwise, name))}
    assert named <= tried
    assert set(api.METHODS) <= tried


def test_a_whole_run_is_large_enough():
    assert tables.BROKEN >= 1000
    assert api.COUNT >= 1000
    assert machine.AREAS["files"].COUNT >= 300
    assert commands.COUNT >= 300


def test_two_sessions_built_alike_are_in_the_same_state():
    for kind in KINDS:
        setting = Setting(kind, 1, True, False)
        assert difference(setting.session(), setting.session()) == ""
        later = setting.session()
        later.skip()
        assert difference(later, setting.session())
