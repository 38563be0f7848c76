"""Goals about labels: which of two or more every row has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from askwise.distances import Distance
from askwise.distances.fairness import EqualOpportunity
from askwise.distances.labels import Disagreement
from askwise.encode import Items
from askwise.errors import DataError, SettingError
from askwise.goals.build import BUDGET, CANDIDATES, build, encoded, plain_options
from askwise.goals.pooled import draw_rows, family_of
from askwise.losses import logistic, softmax
from askwise.options import flag, function, number, numbers, parts, refusal, shown, whole_number
from askwise.pool import SURVIVORS
from askwise.posteriors.logconcave import LogConcave
from askwise.posteriors.softmax import SoftmaxPosterior
from askwise.problem import Problem
from askwise.session import Session
from askwise.strategies import Strategy
from askwise.streams import stream
from askwise.structures.linear import LinearPool
from askwise.structures.multiclass import SoftmaxPool
from askwise.tables import check_texts, table
from askwise.types import Bools, Floats, Ints, Response

POINTS = 1000  # of a larger table, so many random rows stand for all when classifiers are compared


def classifier(
    data: Any,
    labels: Sequence[Response] = ("no", "yes"),
    *,
    name: str | None = None,
    image: str | None = None,
    features: Sequence[str] | None = None,
    missing: str = "refuse",
    feature_map: Callable[[Floats], Any] | None = None,
    fair_on: str | None = None,
    fairness_weight: float = 1.0,
    prior_scale: float | None = None,
    epsilon: float = 0.05,
    delta: float = 0.05,
    budget: int = BUDGET,
    rule: str | Strategy = "expected",
    repeat: bool = False,
    seed: int = 0,
    draws: int = 600,
    pool: Mapping[str, Any] | None = None,
) -> Session:
    """Learns which of two or more labels each row has, from few labelled rows. The estimate is a label for every row.

    `fair_on` names a column with two values, such as a sex: then it also matters that the rows that deserve the second
    label get it equally often in both groups, `fairness_weight` times as much as that labels are right: at a distance
    of epsilon, at most a share epsilon of the labels is wrong and the groups differ by at most epsilon /
    `fairness_weight`. The column is a feature like any other; leave it out with `features` if it should not be.

    `feature_map` is a function from the features as numbers (N, P), standardised, to others (N, Q) in which labels are
    told apart by a plane, such as their squares. A session with one cannot be saved as JSON.

    `data` may be the path of a Parquet file or a folder of them that does not fit in memory: all its rows may be asked
    about, and random ones stand for all in the estimate. (`pool` is what a saved session knows of it.)

    >>> session = classifier({"size": [1.0, 2.0, 3.0, 4.0], "weight": [1.0, 3.0, 2.0, 5.0]}, labels=("small", "large"))
    >>> session.ask().responses
    ('small', 'large')
    """
    options = plain_options("classifier", locals())
    options["labels"] = _plain_labels(labels)
    if feature_map is not None:
        function("feature_map", feature_map)
    if isinstance(data, str | Path):
        if feature_map is not None or options["missing"] != "refuse":
            raise SettingError("a pool takes no feature_map and imputes nothing; put such columns into its files")
        beside = (options["name"], options["image"], options["fair_on"])
        data, options["pool"] = draw_rows(data, options["features"], beside, options["seed"])
    if fair_on is not None and len(options["labels"]) > 2:
        raise SettingError(f"fair_on= needs two labels, the second the desired one; got {options['labels']}")
    items = encoded("classifier", data, options)
    if not items.features.shape[1]:
        raise DataError("a classifier needs columns to tell rows apart by, and the table has only names; add features")
    mapped = items.features if feature_map is None else _mapped(feature_map, items.features)
    points = np.hstack([mapped, np.ones((len(mapped), 1))])  # the last weight is the intercept
    session = (_two_labels if len(options["labels"]) == 2 else _many_labels)(data, options, items, points)
    if feature_map is not None:
        session.recipe = None  # a function is not JSON: such a session is built again by hand
    return session


def _plain_labels(labels: Any) -> list[Response]:
    """The labels as a list of texts, numbers or booleans; no two of them may be taken for each other."""
    known = [_plain_label(label) for label in parts("labels", labels, "a list such as ['no', 'yes']")]
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


def _mapped(feature_map: Callable[[Floats], Any], features: Floats) -> Floats:
    found: Floats = numbers("what feature_map gives", feature_map(features), "a table of numbers, a row for each item")
    if found.ndim != 2 or len(found) != len(features) or not found.shape[1] or not np.isfinite(found).all():
        raise DataError(
            f"feature_map gave shape {found.shape} for {len(features)} rows; expected finite numbers, a row for each"
        )
    return found


def _two_labels(data: Any, options: dict[str, Any], items: Items, points: Floats) -> Session:
    """The session for two labels."""
    labels, fair_on, pool = options["labels"], options["fair_on"], options["pool"]
    rows = LinearPool(points, items.names, (labels[0], labels[1]), items.images)
    family = rows if pool is None else family_of(pool, items, points, labels)
    compared = _compared(len(points), options["seed"], pool)

    def describe(weights: Floats) -> list[Response]:
        return [labels[1] if score > 0 else labels[0] for score in points @ weights]

    distance: Distance = Disagreement(rows, compared)
    if fair_on is not None:
        distance = EqualOpportunity(rows, compared, _group(data, fair_on)[compared], options["fairness_weight"])
    problem, prior = (
        Problem(family, distance, logistic),
        LogConcave.prior(family, logistic, 1.0, options["prior_scale"]),
    )
    return build("classifier", data, options, problem, prior, describe, candidates=_candidates(pool))


def _group(data: Any, column: str) -> Bools:
    """(N,): whether a row has the first of the column's two values, in their order."""
    columns = table(data)
    if column not in columns:
        raise DataError(
            f"fair_on= names the column {shown(column)}, but the table has only {', '.join(map(repr, columns))}"
        )
    values = sorted({value for value in columns[column] if value is not None})
    if len(values) != 2 or None in columns[column]:
        raise DataError(
            f"fair_on= needs a column with two values and none missing; {column!r} has {len(values)} different ones"
        )
    return np.array([value == values[0] for value in columns[column]])


def _many_labels(data: Any, options: dict[str, Any], items: Items, points: Floats) -> Session:
    """The session for more than two labels."""
    labels, pool = options["labels"], options["pool"]
    rows = SoftmaxPool(points, items.names, labels, items.images)
    family = rows if pool is None else family_of(pool, items, points, labels)
    prior = SoftmaxPosterior.prior(family, options["prior_scale"], max(2, options["draws"]))  # a chain a draw

    def describe(weights: Floats) -> list[Response]:
        scores = rows.predict(weights[None], np.arange(len(points)))
        return [labels[place] for place in rows.decide(scores)[0]]

    problem = Problem(family, Disagreement(rows, _compared(len(points), options["seed"], pool)), softmax)
    return build("classifier", data, options, problem, prior, describe, candidates=_candidates(pool))


def _candidates(pool: Mapping[str, Any] | None) -> int:
    """Questions that are scored with every draw; of a pool, those that survive its race."""
    return CANDIDATES if pool is None else SURVIVORS


def _compared(count: int, seed: int, pool: Mapping[str, Any] | None) -> Ints:
    """The rows on which classifiers are compared: all, or random ones of many; of a pool, the rows drawn from it."""
    if count <= POINTS or pool is not None:
        return np.arange(count)
    return np.sort(stream(seed, 0, "compared").choice(count, POINTS, replace=False))
