"""Which question: rules that give every candidate a gain, on the same posterior and the same draws.

By name, everywhere: random, qbc, margin, bald, epig, eubo, ndbal, ndbal-paper, expected, select, variance.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator

from askwise.errors import RuleError, SettingError
from askwise.losses import softmax, zero_one
from askwise.options import function, shown
from askwise.posteriors import Drawn
from askwise.problem import Problem
from askwise.types import Atoms, Sample, Scored

NUMBERS = ("expected", "ndbal", "ndbal-paper", "random", "variance")  # the rules for answers that are numbers


class Strategy(Protocol):
    """Gain (A,) >= 0 of each atom; the largest is asked."""

    def __call__(self, problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored: ...


def strategies() -> Mapping[str, Strategy]:
    """Every rule by its name.

    >>> sorted(strategies())
    ['bald', 'epig', 'eubo', 'expected', 'margin', 'ndbal', 'ndbal-paper', 'qbc', 'random', 'select', 'variance']
    """
    from askwise.strategies import baselines, expected, ndbal, select

    return {
        "bald": baselines.bald,
        "epig": baselines.epig,
        "eubo": baselines.eubo,
        "expected": expected.expected,
        "margin": baselines.margin,
        "ndbal": ndbal.ndbal,
        "ndbal-paper": ndbal.ndbal_paper,
        "qbc": baselines.qbc,
        "random": baselines.random,
        "select": select.Select(),
        "variance": baselines.variance,
    }


def strategy(rule: str | Strategy, problem: Problem | None = None) -> Strategy:
    """The rule of that name; a rule of one's own passes through. One that does not suit the problem is refused.

    >>> strategy("best")
    Traceback (most recent call last):
        ...
    askwise.errors.SettingError: there is no rule 'best'; choose one of bald, epig, eubo, expected, ...
    """
    known = strategies()
    if isinstance(rule, str) and rule not in known:
        raise SettingError(f"there is no rule {shown(rule)}; choose one of {', '.join(known)}")
    found = known[rule] if isinstance(rule, str) else function("rule", rule)
    if problem is not None:
        _check_fit(found, problem)
    return found


def _check_fit(rule: Strategy, problem: Problem) -> None:
    """Refuses a rule of ours that would not see what it looks for."""
    from askwise.strategies.baselines import items_of
    from askwise.strategies.select import Select

    named = (name for name, known in strategies().items() if known is rule)
    name = "select" if isinstance(rule, Select) else next(named, None)
    if name == "eubo":
        items_of(problem.family)
    elif name == "variance" and problem.loss in (zero_one, softmax) and len(_responses(problem)) > 2:
        raise RuleError("variance needs answers that are numbers or one of two; choose expected or another rule")
    elif name is not None and name not in NUMBERS and np.ndim(_responses(problem)) == 2:
        # of numbers the family only lists some quantiles, which are not all answers nor equally wide
        raise RuleError(
            f"{name} compares a few possible answers, and here answers are numbers; choose one of {', '.join(NUMBERS)}"
        )


def _responses(problem: Problem) -> Any:
    return problem.family.responses(np.empty((0, 1)))
