"""Goals about labels: which of two every row has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from askwise.distances.labels import Disagreement
from askwise.encode import encode
from askwise.errors import DataError, SettingError
from askwise.goals.build import BUDGET, build, plain_options
from askwise.losses import logistic
from askwise.posteriors.logconcave import LogConcave
from askwise.problem import Problem
from askwise.session import Session
from askwise.strategies import Strategy
from askwise.streams import stream
from askwise.structures.linear import LinearPool
from askwise.types import Floats, Response

POINTS = 1000  # of a larger table, so many random rows stand for all when classifiers are compared


def classifier(
    data: Any,
    labels: Sequence[Response] = ("no", "yes"),
    *,
    name: str | None = None,
    image: str | None = None,
    features: Sequence[str] | None = None,
    missing: str = "refuse",
    prior_scale: float | None = None,
    epsilon: float = 0.05,
    delta: float = 0.05,
    budget: int = BUDGET,
    rule: str | Strategy = "expected",
    repeat: bool = False,
    seed: int = 0,
    draws: int = 600,
) -> Session:
    """Learns which of two labels each row has, from few labelled rows. The estimate is a label for every row.

    >>> session = classifier({"size": [1.0, 2.0, 3.0, 4.0], "weight": [1.0, 3.0, 2.0, 5.0]}, labels=("small", "large"))
    >>> session.ask().responses
    ('small', 'large')
    """
    options = plain_options(locals())
    if len(labels) != 2 or labels[0] == labels[1]:
        raise SettingError(f"a classifier needs two different labels, got {list(labels)}")
    items = encode(data, name=name, image=image, features=features, missing=missing)
    if not items.features.shape[1]:
        raise DataError("a classifier needs columns to tell rows apart by, and the table has only names; add features")
    points = np.hstack([items.features, np.ones((len(items.features), 1))])  # the last weight is the intercept
    family = LinearPool(points, items.names, (labels[0], labels[1]), items.images)
    compared = np.arange(len(points))
    if len(points) > POINTS:
        compared = np.sort(stream(seed, 0, "compared").choice(len(points), POINTS, replace=False))

    def describe(weights: Floats) -> list[Response]:
        return [labels[1] if score > 0 else labels[0] for score in points @ weights]

    problem = Problem(family, Disagreement(family, compared), logistic)
    return build("classifier", data, options, problem, LogConcave.prior(family, logistic, 1.0, prior_scale), describe)
