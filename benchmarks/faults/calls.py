"""A call with odd arguments, and whether it was refused as it should be."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.faults.common import CallResult, Outcome, attempt
from benchmarks.faults.odd import ODD, TABLES

# what a function of the user's own gives back is the user's affair; only what is no function must be refused
FUNCTION_OPTIONS = ("rule", "describe", "eligible", "score", "feature_map", "progress", "remake", "stop")
CALLABLE_VALUES = ("a function", "len", "object")


@dataclass(frozen=True)
class Call:
    """A function, its arguments, and which of them are odd."""

    what: str
    function: Callable[..., Any]
    positional: tuple[Any, ...]
    named: dict[str, Any]

    def __call__(self) -> Any:
        return self.function(*self.positional, **self.named)

    @property
    def fits(self) -> bool:
        """Whether the number and the names of the arguments are right."""
        try:
            inspect.signature(self.function).bind(*self.positional, **self.named)
        except TypeError:
            return False
        except ValueError:  # some classes have no signature
            return True
        return True


def odd_argument(rng: random.Random, name: str) -> tuple[str, Any]:
    """A name and an odd value for it, with what to call it."""
    pool = TABLES if name == "data" and rng.random() < 0.7 else ODD
    chosen = rng.choice([each for each in pool if name not in FUNCTION_OPTIONS or each not in CALLABLE_VALUES])
    return f"{name}={chosen}", pool[chosen]()


def odd_call(rng: random.Random, name: str, function: Callable[..., Any], base: dict[str, Any]) -> Call:
    """The call with one odd argument or two; now and then with a wrong number or name of them."""
    known = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    ]
    named, said, extra = dict(base), [], ()
    for parameter in rng.sample(known, min(len(known), rng.choice((1, 1, 1, 2)))):
        text, named[parameter] = odd_argument(rng, parameter)
        said.append(text)
    if rng.random() < 0.05:
        how = rng.choice(("name", "number", "none"))
        if how == "name":
            named["nonsense"] = 1
        elif how == "number":
            extra = (1,) * 9
        else:
            named = {}
        said.append(f"wrong {how} of arguments")
    return Call(f"{name}({', '.join(said)})", function, extra, named)


def judge_call(outcome: Outcome, call: Call) -> CallResult:
    """What came of the call; a TypeError is a refusal where the arguments do not fit."""
    result = attempt(outcome, call.what, call, () if call.fits else (TypeError,))
    outcome.accepted += result.done
    outcome.refused += not result.done and not outcome.failures
    return result
