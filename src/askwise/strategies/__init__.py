"""Which question: rules that give every candidate a gain, on the same posterior and the same draws.

By name, everywhere: random, qbc, margin, bald, epig, eubo, ndbal, ndbal-paper, expected, select, variance.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from numpy.random import Generator

from askwise.errors import SettingError
from askwise.posteriors import Drawn
from askwise.problem import Problem
from askwise.types import Atoms, Sample, Scored


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


def strategy(rule: str | Strategy) -> Strategy:
    """The rule of that name; a rule of one's own passes through.

    >>> strategy("best")
    Traceback (most recent call last):
        ...
    askwise.errors.SettingError: there is no rule 'best'; choose one of bald, epig, eubo, expected, ...
    """
    if not isinstance(rule, str):
        return rule
    known = strategies()
    if rule not in known:
        raise SettingError(f"there is no rule {rule!r}; choose one of {', '.join(known)}")
    return known[rule]
