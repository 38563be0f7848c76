"""Goals about hierarchies: a tree of items, found by asking which of three is the odd one out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askwise.distances.trees import TripletDisagreement
from askwise.errors import DataError
from askwise.goals.build import BUDGET, build, encoded, plain_options
from askwise.losses import zero_one
from askwise.posteriors.hierarchies import HierarchyPosterior, answer_beta
from askwise.problem import Problem
from askwise.session import Session
from askwise.strategies import Strategy
from askwise.structures.hierarchies import Hierarchies, nested
from askwise.types import Ints


def hierarchy(
    data: Any,
    *,
    name: str | None = None,
    image: str | None = None,
    features: Sequence[str] | None = None,
    missing: str = "refuse",
    noise: float = 0.05,
    strength: float | None = None,
    epsilon: float = 0.05,
    delta: float = 0.05,
    budget: int = BUDGET,
    rule: str | Strategy = "expected",
    repeat: bool = False,
    seed: int = 0,
    draws: int = 64,
) -> Session:
    """Finds somebody's hierarchy of the items: which belong together more closely than others, as a binary tree.

    The estimate is the tree as nested lists of names; `askwise.structures.hierarchies.newick(estimate.structure,
    names)` writes it for other programs. `noise` is the share of answers that are mistakes. If the items have features,
    trees that join similar items are likelier from the start; how much is learned from the answers, or fixed by
    `strength` (0: features do not matter).

    >>> session = hierarchy(["cat", "dog", "eel", "cod"], noise=0.0, seed=1)
    >>> while not session.done:
    ...     shown = [option.name for option in session.ask().options]
    ...     fish = [name for name in shown if name in ("eel", "cod")]
    ...     session.tell(fish[0] if len(fish) == 1 else next(name for name in shown if name not in fish))
    >>> session.estimate().value
    [['cat', 'dog'], ['eel', 'cod']]
    """
    options = plain_options("hierarchy", locals())
    items = encoded("hierarchy", data, options)
    if len(items.names) < 3:
        raise DataError(f"a hierarchy needs at least three items, got {len(items.names)}; add more")
    family = Hierarchies(len(items.names), items.names, items.images)
    beta = answer_beta(options["noise"])
    prior = HierarchyPosterior.prior(
        family, beta, items.features, chains=options["draws"], strength=options["strength"]
    )

    def describe(tree: Ints) -> Any:
        return nested(tree, items.names)

    problem = Problem(family, TripletDisagreement(family), zero_one, beta)
    return build("hierarchy", data, options, problem, prior, describe)
