"""People whose taste is no weighted sum of features: what they think of each item, and how they answer about items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from askwise.distances.items import ItemDistance
from askwise.goals import goal_of
from askwise.goals.base.items import ItemGoal
from askwise.options import implementing
from askwise.session import Session
from askwise.simulate.people import ModelPerson
from askwise.structures import Family, HasUtilities
from askwise.structures.choice import Choice, ItemScores
from askwise.structures.item_sets import ItemSets
from askwise.types import Floats

MISSING_MUST_HAVE = 2.0  # what it costs to miss one, in standard deviations of the linear part
MUST_HAVES = 2  # features of which an item must have enough
MIN_ITEMS = 3  # with fewer, every taste is a weighted sum
IDEAL_POINT = "people with an ideal point"
THRESHOLDS = "people with must-haves"


def ideal_point(features: Floats, rng: Generator) -> Floats:
    """(N, D) -> (N,): not too much and not too little of each feature; the ideal lies in the middle half of the items.

    >>> ideal_point(np.array([[0.0], [1.0], [2.0], [3.0], [4.0]]), np.random.default_rng(0)).argmax() in (1, 2, 3)
    True
    """
    ideal = np.array([np.quantile(column, rng.uniform(0.25, 0.75)) for column in features.T])
    utilities: Floats = -((features - ideal) ** 2) @ rng.exponential(size=features.shape[1])
    return utilities


def must_haves(features: Floats, rng: Generator) -> Floats:
    """(N, D) -> (N,): a weight for each feature, and up to two features of which an item must have enough.

    >>> must_haves(np.eye(3), np.random.default_rng(0)).shape
    (3,)
    """
    utilities = standardised(features @ rng.standard_normal(features.shape[1]))
    for place in rng.choice(features.shape[1], min(MUST_HAVES, features.shape[1]), replace=False):
        column = features[:, place] * rng.choice([-1, 1])
        utilities = utilities - MISSING_MUST_HAVE * (column < np.quantile(column, rng.uniform(0.3, 0.6)))
    return utilities


TASTES: Mapping[str, Callable[[Floats, Generator], Floats]] = {IDEAL_POINT: ideal_point, THRESHOLDS: must_haves}


def item_features(session: Session) -> Floats | None:
    """(N, D), standardised, of a goal about items whose answers are compared item by item; else None.

    >>> from askwise.goals import best_item
    >>> item_features(best_item({"name": ["tea", "milk", "water"], "price": [3, 2, 1]}, draws=50)).round(2).ravel()
    array([ 1.22,  0.  , -1.22])
    >>> item_features(best_item(["tea", "milk", "water"], draws=50)) is None
    True
    """
    goal = goal_of(session) if session.pursued else None
    if not isinstance(goal, ItemGoal) or goal.contexts or not isinstance(session.problem.distance, ItemDistance):
        return None
    assert session.pursued is not None
    found = goal.items(session.pursued["data"]).features
    kept = found[:, np.ptp(found, axis=0) > 0] if len(found) >= MIN_ITEMS else found[:, :0]
    return standardised(kept) if kept.shape[1] else None


def person_with_taste(session: Session, taste: str, like: Floats, rng: Generator) -> ModelPerson:
    """Somebody of that taste, who answers with the noise of the session's model. The truth is a score for each item.

    - `session`: of a goal about items with features.
    - `taste`: one of `TASTES`.
    - `like`: a structure; the person is as decided as one for whom it is true.
    - `rng`: draws the taste.

    >>> from askwise.goals import best_item
    >>> session = best_item({"name": ["tea", "milk", "water"], "price": [3, 2, 1]}, shape="linear", draws=50)
    >>> print(person_with_taste(session, IDEAL_POINT, np.array([2.0]), np.random.default_rng(0)).truth.std().round(2))
    2.0
    """
    problem, features = session.problem, item_features(session)
    assert features is not None
    assert isinstance(problem.distance, ItemDistance)
    expected = implementing("family", problem.family, HasUtilities, "one of items").utilities(like[None])[0]
    scores, family = TASTES[taste](features, rng), scores_of(problem.family)
    distance = problem.distance.restricted(family.active)
    distance.scored = True
    return ModelPerson(replace(problem, family=family, distance=distance), standardised(scores) * expected.std())


def scores_of(family: Family) -> ItemScores | ItemSets:
    """The same questions, where a structure is a score for each item.

    >>> scores_of(Choice([[1.0], [2.0]], names=["tea", "milk"])).names
    ('tea', 'milk')
    """
    if isinstance(family, ItemSets):
        return ItemSets(_scores(family.pairs), family.shown, family.worst)
    assert isinstance(family, Choice)
    return _scores(family)


def standardised(values: Floats) -> Floats:
    """With mean 0 and standard deviation 1 along the first axis; 0 where all are equal.

    >>> standardised(np.array([1.0, 3.0])), standardised(np.ones(2))
    (array([-1.,  1.]), array([0., 0.]))
    """
    spread = values.std(axis=0)
    found: Floats = (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return found


def _scores(family: Choice) -> ItemScores:
    retired = np.setdiff1d(np.arange(len(family.items)), family.active).tolist()
    return ItemScores(len(family.items), family.names, family.ties, family.images, retired, family.grades)
