"""What the areas share: a case, its outcome, and calls that may refuse but must not break.

Five things must never happen, whatever the input:

- tracebacks: an exception other than an AskwiseError, a crash, an exit code without meaning, a terminal left in
  another mode, a result that is not a number;
- hangs: no end within the watchdog's limit;
- state_changed_after_refusal: something refused changed the state;
- silent_losses: an acknowledged answer is gone without an error;
- wrong_answers_recorded: the log holds another answer than was given.
"""

from __future__ import annotations

import random
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from askwise.errors import AskwiseError

FAULTS = ("tracebacks", "hangs", "state_changed_after_refusal", "silent_losses", "wrong_answers_recorded")
COUNTS = ("cases", "refused", "accepted", *FAULTS)
MAX_SHOWN_LETTERS = 300  # characters of an exception that a reproduction shows


@dataclass(frozen=True)
class Failure:
    """One of the five, and what is needed to look for its cause."""

    kind: str
    what: str
    exception: str = ""
    where: str = ""  # the last place in askwise's own code


@dataclass
class Outcome:
    """What came of one case: refused or accepted, and everything that went wrong."""

    refused: int = 0
    accepted: int = 0
    failures: list[Failure] = field(default_factory=list)

    def fail(self, kind: str, what: str, error: BaseException | str = "") -> None:
        assert kind in FAULTS
        if isinstance(error, BaseException):
            text = "".join(traceback.format_exception_only(error)).strip().replace("\n", " ")
            self.failures.append(Failure(kind, what, text[:MAX_SHOWN_LETTERS], location_of(error)))
        else:
            self.failures.append(Failure(kind, what, error[:MAX_SHOWN_LETTERS]))

    def expect(self, right: bool, kind: str, what: str) -> None:
        if not right:
            self.fail(kind, what)


@dataclass(frozen=True)
class Case:
    """One thing to try, in an empty folder of its own."""

    what: str
    run: Callable[[Path, Outcome], None]


class Area(Protocol):
    """A module of cases, which depend on the seed and their number alone."""

    COUNT: int  # of a whole run
    QUICK: int  # of a short one

    def warm_up(self, folder: Path) -> None: ...  # compiles what the cases use, before any clock runs
    def case(self, seed: int, number: int) -> Case: ...


@dataclass(frozen=True)
class CallResult:
    """What a call returned, or the refusal or error instead."""

    value: Any = None
    refusal: AskwiseError | None = None
    error: BaseException | None = None

    @property
    def done(self) -> bool:
        return self.refusal is None and self.error is None


def attempt(
    outcome: Outcome, what: str, call: Callable[[], Any], also: tuple[type[BaseException], ...] = ()
) -> CallResult:
    """Calls. An exception that is neither a refusal nor one of `also` counts as a failure."""
    try:
        return CallResult(call())
    except AskwiseError as refusal:
        return CallResult(refusal=refusal)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if not isinstance(error, also):
            outcome.fail("tracebacks", what, error)
        return CallResult(error=error)


def location_of(error: BaseException) -> str:
    """The innermost line of askwise that the error went through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/askwise/" in frame.filename and "/benchmarks/" not in frame.filename]
    if not ours:
        return ""
    name = ours[-1].filename.rpartition("/askwise/")[2]
    return f"{name}:{ours[-1].lineno} {ours[-1].name}"


def case_rng(seed: int, area: str, number: int) -> random.Random:
    """The randomness of one case."""
    return random.Random(f"{seed} {area} {number}")


def sample_numbers(count: int, wanted: int) -> list[int]:
    """A sample of the numbers below `count`, always the same. A fixed step could miss kinds that take turns.

    >>> sample_numbers(1000, 2) == sample_numbers(1000, 2), sample_numbers(3, 3)
    (True, [0, 1, 2])
    """
    return sorted(random.Random(count).sample(range(count), min(wanted, count)))


def recorded_answers(log: Sequence[dict[str, Any]]) -> list[tuple[str, Any]]:
    """(question, response) of every answer in a log."""
    return [(event["question"], event["response"]) for event in log if event["event"] == "tell"]


def compare_answers(outcome: Outcome, given: Sequence[tuple[str, Any]], log: Sequence[dict[str, Any]]) -> None:
    """Every acknowledged answer must be in the log, as it was given."""
    recorded = recorded_answers(log)
    for question, response in given:
        known = [said for id, said in recorded if id == question]
        if not known:
            outcome.fail("silent_losses", f"the answer {response!r} to {question} is not in the log")
        elif not same_answer(response, known[-1]):
            outcome.fail("wrong_answers_recorded", f"{response!r} was given to {question}, {known[-1]!r} is recorded")


def same_answer(given: Any, recorded: Any) -> bool:
    """Whether a recorded answer says what was given: the same number, or the same text.

    >>> same_answer("yes", "yes"), same_answer("1", 1.0), same_answer("a", "A")
    (True, True, False)
    """
    if isinstance(recorded, float):
        try:
            return float(given) == recorded
        except (TypeError, ValueError, OverflowError):
            return False
    return str(given) == str(recorded)


def random_response(question: Any, rng: random.Random) -> Any:
    """Some answer that the question allows."""
    return rng.choice((0, 1, -2.5, 1000)) if question.kind == "number" else rng.choice(question.responses)


def is_finite(value: Any) -> bool:
    return bool(np.isfinite(value))
