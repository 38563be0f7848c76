"""How classifiers build a session: from rows and labels to a problem and a prior."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from askwise._runtime.streams import stream
from askwise.data.encoding import Items
from askwise.data.tables import Columns, check_texts, is_vectors
from askwise.distances import Distance
from askwise.distances.fairness import EqualOpportunity
from askwise.distances.labels import Disagreement
from askwise.errors import DataError, SettingError
from askwise.goals.base.effects import label_effects
from askwise.goals.base.goal import MAX_CANDIDATES, SessionParts
from askwise.goals.base.grade_check import GradeCheck
from askwise.goals.base.grades import answer_loss
from askwise.goals.base.noiseless import check_noiseless, noiseless
from askwise.goals.base.pools import family_of
from askwise.goals.base.shape_check import StraightLineCheck
from askwise.goals.base.shapes import (
    label_landmarks,
    landmark_label_prior,
    linear_prior,
    shaped_label_prior,
    softmax_prior,
)
from askwise.losses import logistic, softmax
from askwise.options import flag, number, numbers, parts, refusal, shown, whole_number
from askwise.posteriors.scores.landmarks import LandmarkMap
from askwise.posteriors.scores.logconcave import LogConcave
from askwise.posteriors.scores.shaped import TYPICAL_LABEL_SCALE
from askwise.posteriors.scores.softmax import SoftmaxPosterior
from askwise.problem import Problem
from askwise.strategies.screening import SURVIVING_ROWS
from askwise.structures.linear import LinearPool, RowScores
from askwise.structures.multiclass import SoftmaxPool, SoftmaxRows
from askwise.types import Bools, Floats, Ints, Response

if TYPE_CHECKING:
    from askwise.goals.classifier import ClassifierGoal

MAX_COMPARED_ROWS = 1000  # of a larger table, so many random rows stand for all when classifiers are compared


def check_labels(name: str, labels: Any) -> list[Response]:
    """The labels as a list of texts, numbers or booleans; no two of them may be taken for each other.

    >>> check_labels("labels", ("no", "yes"))
    ['no', 'yes']
    """
    known = [_plain_label(label) for label in parts(name, labels, "a list such as ['no', 'yes']")]
    texts = [str(label).strip() for label in known]
    # True and 1 have different texts, but are equal
    if len(texts) < 2 or len(set(texts)) < len(texts) or len(set(known)) < len(known):
        raise SettingError(f"a classifier needs two different labels, got {shown(known)}")
    if "" in texts:
        raise SettingError(f"a label cannot be empty, got {shown(known)}")
    check_texts("label", texts)
    return known


def _plain_label(label: Any) -> Response:
    if isinstance(label, str):
        return str(label)
    if isinstance(label, bool | np.bool_):
        return flag("a label", label)
    if isinstance(label, int | np.integer):
        return whole_number("a label", label)
    if isinstance(label, float | np.floating):
        return number("a label", label)
    raise refusal("a label", label, "a text, a number, True or False")


def label_parts(goal: ClassifierGoal, columns: Columns, items: Items) -> SessionParts:
    """The parts of a session that learns labels: logistic for two of them, softmax for more."""
    if goal.noise is not None:
        check_noiseless(goal.shape, goal.prior_scale)
    mapped = items.features if goal.feature_map is None else _mapped(goal.feature_map, items.features)
    many = len(goal.labels) > 2
    if goal.is_linear:
        points = np.hstack([mapped, np.ones((len(mapped), 1))])  # the last weight is the intercept
        made = _many_labels(goal, items, points) if many else _two_labels(goal, columns, items, points)
    else:
        known = label_landmarks(goal.shape, mapped, goal.seed, len(goal.labels), goal.pool is not None)
        shaped = mapped, known
        made = _many_shaped_labels(goal, items, *shaped) if many else _two_shaped_labels(goal, columns, items, *shaped)
    compared: Any = made.problem.distance  # its family has the rows of the table, also where questions are about a pool
    made = replace(
        made, effects=label_effects(compared.family, columns, items, goal.seed, goal.labels, goal.noise is not None)
    )
    if goal.noise is None:
        return made
    problem, prior = noiseless(made.problem.family, compared, _chains(goal))
    return replace(made, problem=problem, prior=prior, model_check=None)


def _mapped(feature_map: Callable[[Floats], Any], features: Floats) -> Floats:
    found: Floats = numbers("what feature_map gives", feature_map(features), "a table of numbers, a row for each item")
    if found.ndim != 2 or len(found) != len(features) or not found.shape[1] or not np.isfinite(found).all():
        raise DataError(
            f"feature_map gave shape {found.shape} for {len(features)} rows; expected finite numbers, a row for each"
        )
    return found


def _two_shaped_labels(
    goal: ClassifierGoal, columns: Columns, items: Items, features: Floats, known: LandmarkMap | None
) -> SessionParts:
    labels = goal.labels
    named = items.names, (labels[0], labels[1]), items.images
    loss = answer_loss(goal.grades)
    if known is None:
        rows: LinearPool = RowScores(len(features), *named)
        family: Any = RowScores(len(features), *named, goal.grades) if goal.grades else rows
        prior = shaped_label_prior(goal.shape, features, family, goal.prior_scale, loss)
    else:
        rows = LinearPool(known.features(features), *named)
        family = LinearPool(rows.points, *named, goal.grades) if goal.grades else rows
        family = family if goal.pool is None else family_of(goal.pool, items, rows.points, labels, known)
        prior = landmark_label_prior(goal.shape, known, family, goal.prior_scale, loss)
    problem = Problem(family, _label_distance(goal, columns, rows), loss)
    every = np.arange(len(features))

    def describe(structure: Floats) -> list[Response]:
        return [labels[int(score > 0)] for score in rows.predict(structure[None], every)[0]]

    check = GradeCheck(problem) if goal.grades else None
    return SessionParts(problem, prior, describe, _candidates(goal), model_check=check)


def _label_distance(goal: ClassifierGoal, columns: Columns, rows: LinearPool) -> Distance:
    compared = _compared_rows(goal, len(rows.names))
    if goal.fair_on is None:
        return Disagreement(rows, compared)
    return EqualOpportunity(rows, compared, _group(columns, goal.fair_on)[compared], goal.fairness_weight)


def _two_labels(goal: ClassifierGoal, columns: Columns, items: Items, points: Floats) -> SessionParts:
    labels = goal.labels
    named = items.names, (labels[0], labels[1]), items.images
    rows = LinearPool(points, *named)
    if goal.grades:
        family: Any = LinearPool(points, *named, goal.grades)
        loss = answer_loss(goal.grades)
        prior: Any = linear_prior(family, loss, goal.prior_scale, typical_scale=TYPICAL_LABEL_SCALE)
    else:
        family = rows if goal.pool is None else family_of(goal.pool, items, points, labels)
        loss, prior = logistic, LogConcave.prior(family, logistic, 1.0, goal.prior_scale)

    def describe(weights: Floats) -> list[Response]:
        return [labels[1] if score > 0 else labels[0] for score in points @ weights]

    distance = _label_distance(goal, columns, rows)
    problem = Problem(family, distance, loss)
    lines = StraightLineCheck(points[:, :-1], labels=True) if goal.pool is None else None
    check = GradeCheck(problem, lines) if goal.grades else lines
    return SessionParts(problem, prior, describe, _candidates(goal), model_check=check)


def _many_labels(goal: ClassifierGoal, items: Items, points: Floats) -> SessionParts:
    labels = goal.labels
    rows = SoftmaxPool(points, items.names, labels, items.images)
    family = rows if goal.pool is None else family_of(goal.pool, items, points, labels)
    prior = SoftmaxPosterior.prior(family, goal.prior_scale, _chains(goal))
    return _many_label_parts(goal, rows, family, prior)


def _many_shaped_labels(
    goal: ClassifierGoal, items: Items, features: Floats, known: LandmarkMap | None
) -> SessionParts:
    named = items.names, goal.labels, items.images
    rows = SoftmaxRows(len(features), *named) if known is None else SoftmaxPool(known.features(features), *named)
    family = rows if goal.pool is None else family_of(goal.pool, items, rows.points, goal.labels, known)
    prior = softmax_prior(goal.shape, features if known is None else known, family, goal.prior_scale, _chains(goal))
    return _many_label_parts(goal, rows, family, prior)


def _many_label_parts(goal: ClassifierGoal, rows: SoftmaxPool, family: Any, prior: Any) -> SessionParts:
    every = np.arange(len(rows.names))

    def describe(structure: Floats) -> list[Response]:
        return [goal.labels[place] for place in rows.decide(rows.predict(structure[None], every))[0]]

    distance = Disagreement(rows, _compared_rows(goal, len(every)))
    return SessionParts(Problem(family, distance, softmax), prior, describe, _candidates(goal))


def _chains(goal: ClassifierGoal) -> int:
    return max(2, goal.draws)  # one for each draw


def _group(columns: Columns, column: str) -> Bools:
    """(N,): whether a row has the first of the column's two values, in their order."""
    if column not in columns:
        raise DataError(
            f"fair_on= names the column {shown(column)}, but the table has only {', '.join(map(repr, columns))}"
        )
    if is_vectors(columns[column]):
        raise DataError(f"fair_on= needs a column with two values and none missing; {column!r} holds vectors")
    values = sorted({value for value in columns[column] if value is not None})
    if len(values) != 2 or None in columns[column]:
        raise DataError(
            f"fair_on= needs a column with two values and none missing; {column!r} has {len(values)} different ones"
        )
    return np.array([value == values[0] for value in columns[column]])


def _candidates(goal: ClassifierGoal) -> int:
    """Questions that are scored with every draw; of a pool, those that survive its screening."""
    return MAX_CANDIDATES if goal.pool is None else SURVIVING_ROWS


def _compared_rows(goal: ClassifierGoal, count: int) -> Ints:
    """The rows on which classifiers are compared: all, or random ones of many; of a pool, the rows drawn from it."""
    if count <= MAX_COMPARED_ROWS or goal.pool is not None:
        return np.arange(count)
    return np.sort(stream(goal.seed, 0, "compared").choice(count, MAX_COMPARED_ROWS, replace=False))
