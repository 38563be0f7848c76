"""The option `contexts` of goals about items: what it builds, and what it does not go with."""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise.data.encoding import Items
from askwise.data.tables import Columns
from askwise.errors import DataError, SettingError
from askwise.goals.base.effects import taste_effects
from askwise.goals.base.options import option
from askwise.goals.base.shapes import LINEAR_WITHOUT_LAPSES, shared_shapes
from askwise.losses import Loss
from askwise.options import columns
from askwise.posteriors.scores.contexts import context_prior
from askwise.posteriors.scores.shaped import ShapedScores
from askwise.session.effects import Effects
from askwise.structures.choice import ItemScores
from askwise.structures.contexts import ChoiceInContexts
from askwise.types import Sample

MAX_JUDGES = 4  # with a taste of their own, beside an anchor
MAX_SCORES = 6_000  # of all items in all contexts: beyond, a question takes longer than people wait


def contexts_option() -> Any:
    """The option itself, for the goals that have it."""
    return option(
        default=None, parse=columns, typed=list, example="a poem,a sum",
        help="Columns that hold what each item did in a context, such as its replies to a prompt. A question then "
        "shows two items in one context, without their names, and the result holds for new contexts.",
    )  # fmt: skip


def check_with_contexts(goal: Any, items: Items) -> None:
    """Refuses options of a goal that do not go with contexts, and more scores than can be learned."""
    for name, given in (
        ("noise", goal.noise is not None),
        ("shown", goal.shown > 2),
        ("individual", goal.individual),
        ("shape", goal.shape == LINEAR_WITHOUT_LAPSES),
    ):
        if given:
            raise SettingError(f"{name} does not go with contexts; leave out {name} or contexts")
    most = MAX_SCORES // len(items.names) - 1
    if len(goal.contexts) > most:
        raise DataError(
            f"contexts names {len(goal.contexts):,} columns; {len(items.names)} items take up to {most:,}: give a part"
        )


def context_parts(
    goal: Any, table: Columns, items: Items, loss: Loss, named: dict[str, Any]
) -> tuple[ChoiceInContexts, ShapedScores]:
    """The family of the questions and the beliefs before any answer. `named` are the other arguments of the family."""
    judges = 0 if goal.anchor is None else MAX_JUDGES
    contents = [list(map(str, table[name])) for name in goal.contexts]
    family = ChoiceInContexts(goal.contexts, len(items.names), **named, judges=judges, contents=contents)
    shapes, weights = shared_shapes(goal.shape, items.features.shape[1] > 0)
    known = family, loss, len(family.contexts), items.features, shapes, weights, goal.prior_scale
    return family, context_prior(*known, learns_bias=goal.learns_bias, anchor=goal.anchor)


def context_effects(family: ChoiceInContexts, columns: Columns, items: Items, seed: int) -> Any:
    """What each column of the table does to scores in general; None without columns to speak of."""
    found = taste_effects(ItemScores(len(items.names)), columns, items, seed)
    if found is None:
        return None

    def effects(sample: Sample) -> Effects:
        return found(sample._replace(structures=np.asarray(family.utilities(sample.structures))))

    return effects
