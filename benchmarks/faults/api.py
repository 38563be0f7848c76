"""Odd calls of every public name: a refusal is an AskwiseError and leaves the session as it was.

A TypeError is right only where the number or the names of the arguments are wrong.
"""

from __future__ import annotations

import inspect
import json
import random
from pathlib import Path
from typing import Any

import askwise
from askwise.goals import GOALS
from askwise.report.page import page
from askwise.storage import close
from benchmarks.faults.calls import Call, judge_call, odd_argument, odd_call
from benchmarks.faults.common import (
    CallResult,
    Case,
    Outcome,
    attempt,
    case_rng,
    compare_answers,
    random_response,
    same_answer,
)
from benchmarks.faults.odd import mutate
from benchmarks.faults.sessions import KINDS, MATRIX, TABLE, Setting, difference, problem_by_hand

COUNT = 4_000
QUICK = 20
REQUIRED_OPTIONS: dict[str, Any] = {"column": "x", "item": "tea", "k": 2}  # of the goals that have them
# methods that take a session's own objects: odd values make no sense
INTERNAL_METHODS = ("foresee", "resume")
METHODS = sorted(
    name
    for name, method in inspect.getmembers(askwise.Session, inspect.isfunction)
    if not name.startswith("_") and name not in INTERNAL_METHODS
)
# every other public name that can be called: stopping rules, losses, records, errors
VALUES = tuple(
    name
    for name in askwise.__all__
    if callable(getattr(askwise, name)) and name not in (*GOALS, "change_goal", "from_json", "save", "to_sklearn")
)


def case(seed: int, number: int) -> Case:
    rng = case_rng(seed, "api", number)
    makers = (_goal, _goal, _method, _method, _method, _document, _value, _with_session, _events)
    return makers[number % len(makers)](rng)


def warm_up(folder: Path) -> None:
    for kind in KINDS:
        session = Setting(kind, 2, True, False).session()
        session.certificate()


# ---------------------------------------------------------------------- goals and values


def _goal(rng: random.Random) -> Case:
    """A goal with odd options; what is accepted must work."""
    goal = rng.choice(sorted(GOALS))
    call = odd_call(rng, goal, getattr(askwise, goal), _plain_arguments(goal))

    def run(folder: Path, outcome: Outcome) -> None:
        tried = judge_call(outcome, call)
        if tried.done:
            _works(tried.value, rng, outcome, call.what)

    return Case(call.what, run)


def _plain_arguments(goal: str) -> dict[str, Any]:
    """Arguments with which the goal works."""
    options = inspect.signature(getattr(askwise, goal)).parameters
    required = {name: value for name, value in REQUIRED_OPTIONS.items() if name in options}
    return {"data": MATRIX if goal in ("best_column", "matrix") else TABLE, **required, "draws": 8}


def _works(session: askwise.Session, rng: random.Random, outcome: Outcome, what: str) -> None:
    """Asks, tells and reads everything off; a late refusal is one, too, anything else a failure."""
    given = []
    for _ in range(2):
        asked = attempt(outcome, f"{what}, then ask()", session.ask)
        if not asked.done:
            break
        response = random_response(asked.value, rng)
        if attempt(outcome, f"{what}, then tell({response!r})", lambda: session.tell(response, asked.value)).done:  # noqa: B023
            given.append((asked.value.id, response))
    compare_answers(outcome, given, session.log)
    attempt(outcome, f"{what}, then done", lambda: session.done)
    attempt(outcome, f"{what}, then certificate()", lambda: str(session.certificate()) + str(session.estimate()))
    _survives(session, outcome, what)


def _survives(session: askwise.Session, outcome: Outcome, what: str) -> None:
    """Written down and read again, and shown as a page, or refused; nothing in between."""
    written = attempt(outcome, f"{what}, then to_json()", session.to_json)
    if written.done and session.recipe is not None:
        attempt(outcome, f"{what}, then page()", lambda: page(session).encode())
        again = attempt(outcome, f"{what}, then from_json()", lambda: askwise.from_json(written.value))
        if again.refusal is not None:
            outcome.fail("silent_losses", f"{what}: to_json() wrote what from_json() refuses", again.refusal)
        elif again.done:
            same = json.dumps(session.log, default=str) == json.dumps(again.value.log, default=str)
            outcome.expect(same, "silent_losses", f"{what}: another log after from_json(to_json())")


def _value(rng: random.Random) -> Case:
    """The other public names."""
    name = rng.choice((*VALUES, "Session", "Session", "open", "Budget", "DiameterBelow", "Problem", "noise_beta"))

    def run(folder: Path, outcome: Outcome) -> None:
        function = getattr(askwise, name)
        problem, prior = problem_by_hand()
        base: dict[str, Any] = {"Session": {"problem": problem, "prior": prior, "draws": 8}}.get(name, {})
        if name == "Problem":
            base = {"family": problem.family, "distance": problem.distance}
        if name == "open":
            askwise.save(KINDS["pair"](), folder / "x.askwise")
            base = {"address": folder / "x.askwise"}
        if name in ("DiameterBelow", "Budget", "noise_beta"):
            base = {"DiameterBelow": {"epsilon": 0.1}, "Budget": {"answers": 5}, "noise_beta": {"noise": 0.1}}[name]
        if name == "any_of" or issubclass(function if inspect.isclass(function) else int, Exception):
            text, value = odd_argument(rng, "it")
            call = Call(f"{name}({text})", function, (value,), {})
        else:
            call = odd_call(rng, name, function, base)
        tried = judge_call(outcome, call)
        if tried.done and name in ("Session", "open"):
            _works(tried.value, rng, outcome, call.what)

    return Case(name, run)


# ---------------------------------------------------------------------- sessions


def _method(rng: random.Random) -> Case:
    """A method of some session."""
    setting, name = Setting.any(rng), rng.choice((*METHODS, "tell", "tell", "tell", "skip", "undo", "pose", "ask"))

    def run(folder: Path, outcome: Outcome) -> None:
        session = setting.session(folder / "x.askwise")
        base: dict[str, Any] = {}
        if name == "tell" and session.event_log.open_questions():
            question = session.ask()
            base = {"response": random_response(question, rng)}
        if name == "pose":
            base = {"atom": [0, 1]}
        if name == "branch":
            base = {"seed": 1}
        call = odd_call(rng, name, getattr(session, name), base)
        before = len(session.log)
        tried = judge_call(outcome, call)
        _consistent(setting, session, tried, folder, outcome, call.what)
        if tried.done and name == "tell" and len(session.log) > before:
            _recorded(session, call, outcome)

    return Case(f"{name} of {setting}", run)


def _recorded(session: askwise.Session, call: Call, outcome: Outcome) -> None:
    """A response may be told in any case and with spaces around it; the log has it as the question does."""
    event = session.log[-1]
    if event["event"] == "tell":
        given, known = call.named["response"], event["response"]
        said = given if isinstance(known, float) else str(given).strip().casefold()
        right = same_answer(said, known if isinstance(known, float) else str(known).casefold())
        outcome.expect(right, "wrong_answers_recorded", f"{call.what}: {given!r} was given, {known!r} is recorded")


def _consistent(
    setting: Setting, session: askwise.Session, tried: CallResult, folder: Path, outcome: Outcome, what: str
) -> None:
    """After a refusal nothing has changed; after anything else the session goes on and can be read again."""
    if not tried.done:
        changed = attempt(outcome, f"{what}, then ask()", lambda: difference(session, setting.session(folder / "y")))
        if changed.done:
            outcome.expect(not changed.value, "state_changed_after_refusal", f"{what}: {changed.value}")
    else:
        attempt(outcome, f"{what}, then ask()", session.ask)
        attempt(outcome, f"{what}, then done", lambda: session.done)
        _survives(session, outcome, what)
    if setting.stored:
        attempt(outcome, f"{what}, then close", lambda: close(session))
        again = attempt(outcome, f"{what}, then open", lambda: askwise.open(folder / "x.askwise"))
        if again.refusal is not None:
            outcome.fail("silent_losses", f"{what}: the study cannot be opened any more", again.refusal)
        elif again.done:
            same = json.dumps(again.value.log, default=str) == json.dumps(session.log, default=str)
            outcome.expect(same, "silent_losses", f"{what}: another log in the file than in the session")


def _with_session(rng: random.Random) -> Case:
    """change_goal, save, to_sklearn, and what that predicts."""
    setting, name = Setting.any(rng), rng.choice(("change_goal", "change_goal", "save", "to_sklearn", "predict"))

    def run(folder: Path, outcome: Outcome) -> None:
        session = setting.session(folder / "x.askwise")
        base: dict[str, Any] = {"session": session}
        if name == "save":
            base["path"] = folder / "z.askwise"
        if name == "change_goal":
            base["goal"] = rng.choice(sorted(GOALS))
            option = rng.choice(
                ("k", "item", "score", "rows", "epsilon", "budget", "rule", "by", "fair_on", "draws", "")
            )
            base |= {option: odd_argument(rng, option)[1]} if option else {}
        if name == "predict":
            call = odd_call(rng, name, askwise.to_sklearn(KINDS["label"]()).predict, {})
        else:
            call = odd_call(rng, name, getattr(askwise, name), base)
        call = Call(f"{call.what} with {list(base)[1:]}", call.function, call.positional, call.named)
        tried = judge_call(outcome, call)
        _consistent(setting, session, tried, folder, outcome, call.what)

    return Case(f"{name} of {setting}", run)


# ---------------------------------------------------------------------- documents


def _document(rng: random.Random) -> Case:
    """from_json with a text that was changed in one place."""
    setting = Setting(rng.choice([kind for kind in KINDS if kind != "hand"]), rng.choice((0, 1, 2)), True, False)

    def run(folder: Path, outcome: Outcome) -> None:
        text = setting.session().to_json()
        if rng.random() < 0.2:
            place = rng.randrange(len(text))
            text, how = text[:place] + rng.choice(("", "\0", "}", "\ud800")), f"cut at {place}"
        else:
            changed, how = mutate(json.loads(text), rng)
            text = json.dumps(changed)
        call = Call(f"from_json, {how}", askwise.from_json, (text,), {})
        tried = judge_call(outcome, call)
        if tried.done:
            attempt(outcome, f"{call.what}, then ask()", tried.value.ask)
            attempt(outcome, f"{call.what}, then done", lambda: tried.value.done)
            attempt(outcome, f"{call.what}, then certificate()", tried.value.certificate)
            attempt(outcome, f"{call.what}, then page()", lambda: page(tried.value).encode())

    return Case(f"from_json of {setting}", run)


def _events(rng: random.Random) -> Case:
    """replay with a log that was changed in one place, on a new session."""
    setting = Setting(rng.choice(list(KINDS)), 2, True, False)

    def run(folder: Path, outcome: Outcome) -> None:
        log, how = mutate(json.loads(json.dumps(setting.session().log, default=str)), rng)
        session = KINDS[setting.kind]()
        call = Call(f"replay, {how}", session.replay, (log,), {})
        tried = judge_call(outcome, call)
        if not tried.done:
            changed = attempt(outcome, f"{call.what}, then ask()", lambda: difference(session, KINDS[setting.kind]()))
            if changed.done:
                outcome.expect(not changed.value, "state_changed_after_refusal", f"{call.what}: {changed.value}")
        else:
            attempt(outcome, f"{call.what}, then ask()", session.ask)
            attempt(outcome, f"{call.what}, then done", lambda: session.done)

    return Case(f"replay of {setting}", run)
