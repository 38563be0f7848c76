"""Which question: strategies that give every candidate a gain, on the same posterior and the same draws.

By name, everywhere: random, qbc, margin, bald, epig, eubo, ndbal, ndbal-paper, pdbal, expected, expected-capped,
expected-margin, select, variance. Strategies know problems and posteriors, by their protocols alone; they know no
session.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator

from askwise._runtime import plugins
from askwise.errors import SettingError, StrategyError
from askwise.losses import softmax, zero_one
from askwise.options import function, shown
from askwise.posteriors import Drawn
from askwise.problem import Problem
from askwise.types import Atoms, Capability, Sample, Scored

GROUP = "askwise.strategies"  # of the entry points
NUMERIC_STRATEGIES = ("expected", "ndbal", "ndbal-paper", "pdbal", "random", "variance")  # for answers that are numbers


class Strategy(Protocol):
    """Gain (A,) >= 0 of each atom; the largest is asked.

    :param problem: The family, the loss and the distance.
    :param posterior: The beliefs that the draws come from.
    :param sample: The draws of this round and their weights.
    :param atoms: The candidates `(A, ...)`.
    :param rng: The generator that everything random comes from.
    """

    def __call__(self, problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored: ...


@runtime_checkable
class CountsRounds(Capability, Protocol):
    """A strategy that promises something about all questions of a session together: it is told which one it chooses.

    :param round: The number of the question in the session, from 1.
    :param count: How many candidates the session would draw.
    """

    def for_round(self, round: int) -> Strategy: ...  # for the question of that number, from 1
    def candidates(self, count: int, round: int) -> int: ...  # to draw for it, where the session says `count`


CAPABILITIES = (CountsRounds,)


def strategies() -> Mapping[str, Strategy]:
    """Every strategy by its name, with those that plug-ins register (entry points `askwise.strategies`).

    >>> {"bald", "expected", "ndbal", "qbc", "random"} <= set(strategies())
    True
    """
    return {**plugins.load_all(GROUP), **built_in_strategies()}


def built_in_strategies() -> Mapping[str, Strategy]:
    """The strategies of this package by name.

    >>> "expected" in built_in_strategies()
    True
    """
    from askwise.strategies import baselines, expected, ndbal, pdbal, select

    return {
        "bald": baselines.bald,
        "epig": baselines.epig,
        "eubo": baselines.eubo,
        "expected": expected.expected,
        "expected-capped": expected.expected_capped,
        "expected-margin": expected.expected_margin,
        "margin": baselines.margin,
        "ndbal": ndbal.ndbal,
        "ndbal-paper": ndbal.ndbal_paper,
        "pdbal": pdbal.pdbal,
        "qbc": baselines.qbc,
        "random": baselines.random,
        "select": select.Select(),
        "variance": baselines.variance,
    }


def strategy(rule: str | Strategy, problem: Problem | None = None) -> Strategy:
    """The strategy of that name; a function of your own passes through. One that does not suit the problem is refused.

    :param rule: The name, or a function of your own.
    :param problem: What the strategy must suit; None: anything.

    >>> strategy("best")
    Traceback (most recent call last):
        ...
    askwise.errors.SettingError: there is no strategy 'best'; choose one of bald, epig, eubo, expected, ...
    """
    known = built_in_strategies()
    if isinstance(rule, str) and rule not in known:
        if rule not in plugins.registered(GROUP):
            raise SettingError(f"there is no strategy {shown(rule)}; choose one of {', '.join(strategies())}")
        return function("rule", plugins.load(GROUP, rule))
    found = known[rule] if isinstance(rule, str) else function("rule", rule)
    if problem is not None:
        _check_fit(found, problem)
    return found


def strategy_name(option: str, rule: Any) -> str | Strategy:
    """The name of a strategy that has one, which files can hold; a function of your own passes through.

    >>> from askwise.strategies.expected import expected
    >>> strategy_name("rule", expected), strategy_name("rule", "qbc")
    ('expected', 'qbc')
    """
    if isinstance(rule, str):
        return str(rule)
    return next((name for name, known in strategies().items() if known is rule), function(option, rule))


def rule_for(rule: Strategy, question: int) -> Strategy:
    """The strategy for the question of that number, counted from 1.

    >>> from askwise.strategies.expected import expected
    >>> rule_for(expected, 3) is expected
    True
    """
    return rule.for_round(question) if isinstance(rule, CountsRounds) else rule


def candidates_for(rule: Strategy, count: int, question: int) -> int:
    """How many candidates the question of that number is chosen from, if it is `count` at first.

    >>> from askwise.strategies.expected import expected
    >>> candidates_for(expected, 500, 3)
    500
    """
    return rule.candidates(count, question) if isinstance(rule, CountsRounds) else count


def _check_fit(rule: Strategy, problem: Problem) -> None:
    """Refuses a built-in strategy that does not suit the problem."""
    from askwise.strategies.baselines import require_utilities
    from askwise.strategies.pdbal import require_normal_answers
    from askwise.strategies.select import Select

    named = (name for name, known in built_in_strategies().items() if known is rule)
    name = "select" if isinstance(rule, Select) else next(named, None)
    if name == "eubo":
        require_utilities(problem.family)
    elif name == "variance" and problem.loss in (zero_one, softmax) and len(_responses(problem)) > 2:
        raise StrategyError(
            "variance needs answers that are numbers or one of two; choose expected or another strategy"
        )
    elif name is not None and name not in NUMERIC_STRATEGIES and np.ndim(_responses(problem)) == 2:
        # of numbers the family only lists some quantiles, which are not all answers nor equally wide
        raise StrategyError(
            f"{name} compares a few possible answers, and here answers are numbers; "
            f"choose one of {', '.join(NUMERIC_STRATEGIES)}"
        )
    elif name == "pdbal" and np.ndim(_responses(problem)) == 2:
        require_normal_answers(problem.family)


def _responses(problem: Problem) -> Any:
    return problem.family.responses(np.empty((0, 1)))
