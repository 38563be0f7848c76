"""The options `shown` and `worst` of goals about items: how many a question shows, and what is asked about them."""

from __future__ import annotations

from functools import partial
from typing import Any

from askwise.errors import SettingError
from askwise.goals.base.options import option
from askwise.goals.base.shapes import LINEAR_WITHOUT_LAPSES
from askwise.losses import Loss, best_worst, softmax
from askwise.options import flag, whole_number
from askwise.structures.choice import Choice
from askwise.structures.item_sets import ItemSets

MAX_SHOWN = 6  # people read no more at a time
SET_NOUNS = {3: "three", 4: "four", 5: "five", 6: "six"}


def shown_option() -> Any:
    """The option `shown`, for the goals that have it."""
    return option(
        default=2, parse=partial(whole_number, at_least=2, at_most=MAX_SHOWN), typed=int, advanced=True,
        label="Items shown at a time (2 to 6)",
        help="How many items a question shows, 2 to 6. Of 3 or more, people name the best.",
    )  # fmt: skip


def worst_option() -> Any:
    """The option `worst`, for the goals that have it."""
    return option(
        default=False, parse=flag, typed=bool, advanced=True,
        label="Ask for the worst of them, too",
        help="Of 3 items or more, ask for the best and the worst.",
    )  # fmt: skip


def check_sets(goal: Any, rows: int) -> None:
    """Refuses options of a goal that do not go with questions about sets of a table with so many rows."""
    if goal.shown == 2:
        if goal.worst:
            raise SettingError("worst asks for the worst of three items or more; give shown=3 or more, too")
        return
    if goal.shown > rows:
        raise SettingError(f"shown is {goal.shown}, and there are {rows} items; show {rows} at most")
    if goal.grades:
        raise SettingError("grades are for two items at a time; leave out grades or shown")
    if goal.ties:
        raise SettingError("ties are for two items at a time; leave out ties or shown, and let people skip")
    if goal.noise is not None:
        raise SettingError("noise=0 is for two items at a time; leave out noise or shown")
    if goal.shape == LINEAR_WITHOUT_LAPSES:
        raise SettingError(f"the shape {LINEAR_WITHOUT_LAPSES!r} is for two items at a time; leave it out")


def with_sets(pairs: Choice, loss: Loss, shown: int, worst: bool) -> tuple[Any, Loss]:
    """The family of the questions and its loss, where pairs of items have this family and this loss.

    >>> from askwise.losses import logistic
    >>> from askwise.structures.choice import ItemScores
    >>> [with_sets(ItemScores(5), logistic, shown, worst=False)[1].name for shown in (2, 3)]
    ['logistic', 'softmax']
    """
    if shown == 2:
        return pairs, loss
    return ItemSets(pairs, shown, worst), best_worst if worst else softmax
