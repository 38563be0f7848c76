"""The option `grades` of goals about tastes and labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askwise.goals.base.options import option
from askwise.losses import Loss, davidson, logistic, ordered_logit
from askwise.structures.grades import check_grades


def grades_option(help: str, example: str) -> Any:
    """The option itself, for the goals that have it."""
    return option(
        default=(), parse=check_grades, typed=list, advanced=True, example=example,
        label="Grades of an answer, with commas between, the weakest first (or leave it empty)", help=help,
    )  # fmt: skip


def answer_loss(grades: Sequence[str], ties: bool = False) -> Loss:
    """How answers with these grades, or without, are noisy. Cuts between grades are learned, whatever they are here.

    >>> answer_loss([]).name, answer_loss(["slightly", "much"]).cuts
    ('logistic', (0.0, 1.0))
    """
    if grades:
        return ordered_logit([1 / 3 if ties else 0.0, *range(1, len(grades))])
    return davidson() if ties else logistic
