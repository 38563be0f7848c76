"""The option `shape` of goals about tastes and labels: how scores may depend on features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from askwise._runtime.streams import stream
from askwise.errors import SettingError
from askwise.goals.base.options import option
from askwise.losses import Loss, logistic
from askwise.options import flag, shown
from askwise.posteriors.scores.answer_coordinates import LinearScoreFamily
from askwise.posteriors.scores.kernels import (
    INDIVIDUAL,
    LINEAR,
    LINEAR_AND_OWN,
    SMOOTH,
    Shape,
    ShapeChoice,
    factor,
    label_shapes,
    shapes_named,
)
from askwise.posteriors.scores.landmarks import MAX_LANDMARKS, LandmarkMap
from askwise.posteriors.scores.population import Population
from askwise.posteriors.scores.shaped import TYPICAL_LABEL_SCALE, TYPICAL_SCALE, ShapedScores
from askwise.posteriors.scores.shaped_softmax import ShapedSoftmax
from askwise.structures.multiclass import SoftmaxPool
from askwise.types import Floats

SHAPES = ("learned", "linear", "smooth", "individual")
LINEAR_WITHOUT_LAPSES = "linear without lapses"  # the model of studies made before shapes were learned
MAX_EXACT_ROWS = 1_000  # whose covariance is kept whole; in longer tables, landmarks stand for all rows
MAX_EXACT_PRODUCT = 3_000_000  # of labels and squared rows, up to which more than two labels keep it whole
MANY_ROWS = 5_000  # from which on there are fewer landmarks, so that memory stays small
FEW_LANDMARKS = 100
POOL_LANDMARKS = 50  # of a pool on disk, all of whose rows are screened for every question

# of "learned", where each comes with every share of what people or contexts have in common: so there are fewer
SHARED_SHAPES: tuple[tuple[Shape, float], ...] = (
    (LINEAR, 0.55),
    (LINEAR_AND_OWN, 0.2),
    (SMOOTH[2], 0.15),
    (INDIVIDUAL, 0.1),
)


def is_straight(shape: ShapeChoice) -> bool:
    """Whether scores are straight lines, so that a structure is a weight for each feature.

    >>> is_straight("linear"), is_straight(["linear", "smooth"])
    (True, False)
    """
    return shape in ("linear", LINEAR_WITHOUT_LAPSES)


def check_shape(name: str, value: Any) -> str | list[str] | tuple[Shape, ...]:
    """The shape as a name or a list of names, or as objects; a text may hold several names with commas between.

    >>> check_shape("shape", "learned"), check_shape("shape", "linear, smooth")
    ('learned', ['linear', 'smooth'])
    """
    given = value if isinstance(value, list | tuple) else [value]
    if given and all(isinstance(each, Shape) for each in given):
        return tuple(_checked_object(name, each) for each in given)
    names = list(value) if isinstance(value, list | tuple) else [value]
    if isinstance(value, str):
        names = [name.strip() for name in value.split(",")]
    if isinstance(value, str) and value == LINEAR_WITHOUT_LAPSES:
        return LINEAR_WITHOUT_LAPSES
    if not names or not all(isinstance(each, str) and each in SHAPES for each in names):
        raise SettingError(
            f"{name} is {shown(value)}; expected one of {', '.join(map(repr, SHAPES))}, a Shape, or a list of them"
        )
    return list(dict.fromkeys(map(str, names))) if len(names) > 1 else str(names[0])


def _checked_object(name: str, shape: Shape) -> Shape:
    """A shape whose shares are those of a whole."""
    shares = (shape.linear, shape.squares, shape.quadratic, shape.smooth, shape.additive, shape.own)
    if not (all(0 <= share <= 1 for share in shares) and abs(sum(shares) - 1) < 1e-6 and 0 < shape.length < 1e6):
        raise SettingError(f"{name} is {shape}; expected shares from 0 to 1 that add up to 1, and a length above 0")
    return shape


def shape_option() -> Any:
    """The option itself, for the goals that have it."""
    return option(
        default="learned", parse=check_shape, typed=str, choices=SHAPES, advanced=True,
        label="How columns count (learned: found out from the answers)",
        help='How scores depend on features: "linear", "smooth" (curves and interactions), "individual" (each row for '
        'itself), or "learned" from the answers.',
        in_python="Or a `Shape` of your own, or a list, to learn which of them it is.",
    )  # fmt: skip


def check_population(name: str, value: Any) -> bool | dict[str, Any]:
    """True, False, or what was learned from other people, as plain lists.

    >>> check_population("population", True)
    True
    """
    if value is None:  # nobody answered yet
        return True
    if isinstance(value, Population):
        return value.plain()
    return Population.from_plain(value).plain() if isinstance(value, Mapping) else flag(name, value)


def population_option() -> Any:
    """The option itself, for the goals that have it."""
    return option(
        default=True, parse=check_population, typed=bool,
        help="In a study where everybody answers for themselves, let people start from what those before them have in "
        "common.",
        in_python="Or what `learn_population` found.",
    )  # fmt: skip


def population_of(stored: Any, rows: int) -> Population | None:
    """The population of an option; None if there is none yet. It may be about the first rows alone, if others were
    added later."""
    if not isinstance(stored, Mapping):
        return None
    found = Population.from_plain(stored)
    if len(found.mean) > rows:
        raise SettingError(f"population is about {len(found.mean)} items, and the table has {rows}; learn it again")
    return found


def shared_shapes(shape: ShapeChoice, has_features: bool) -> tuple[tuple[Shape, ...], Floats]:
    """The shapes and their weights where each comes with every share of what people or contexts have in common.

    >>> [each.name for each in shared_shapes("learned", True)[0]]
    ['linear', 'linear and own', 'smooth', 'individual']
    """
    if shape == LINEAR_WITHOUT_LAPSES:
        raise SettingError("shape='linear without lapses' is for studies made before shapes were learned; use 'linear'")
    if shape != "learned" or not has_features:
        return shapes_named(shape, has_features)
    shapes, weights = zip(*SHARED_SHAPES, strict=True)
    return shapes, np.array(weights)


def shaped_prior(
    shape: ShapeChoice,
    features: Floats,
    family: LinearScoreFamily,
    loss: Loss,
    scale: float | None,
    population: Population | None = None,
    learns_bias: bool = False,
) -> ShapedScores:
    """The beliefs about the scores of rows with these features (N, P), before any answer."""
    shapes, weights = shapes_named(shape, has_features=features.shape[1] > 0)
    factors = [factor(each, features) for each in shapes]
    known = family, loss, shapes, factors, weights, scale
    return ShapedScores.prior(*known, population=population, learns_bias=learns_bias)


def linear_prior(
    family: LinearScoreFamily,
    loss: Loss,
    scale: float | None,
    learns_bias: bool = False,
    typical_scale: float = TYPICAL_SCALE,
) -> ShapedScores:
    """The beliefs about the weights of features whose mean squared length is 1, before any answer."""
    known = family, loss, (LINEAR,), [np.eye(family.dimension)], np.ones(1), scale
    return ShapedScores.prior(*known, typical_scale=typical_scale, learns_bias=learns_bias)


def shaped_label_prior(
    shape: ShapeChoice, features: Floats, family: LinearScoreFamily, scale: float | None, loss: Loss = logistic
) -> ShapedScores:
    """The same about the scores of rows that have one of two labels."""
    shapes, weights = label_shapes(shape)
    factors = [factor(each, features, intercept=True) for each in shapes]
    return ShapedScores.prior(family, loss, shapes, factors, weights, scale, typical_scale=TYPICAL_LABEL_SCALE)


def landmark_map(shape: ShapeChoice, features: Floats, seed: int, limit: int | None = None) -> LandmarkMap:
    """The features of any row in which the shapes of labels are linear; the same for the same table and seed."""
    lengths = sorted({each.length for each in label_shapes(shape)[0] if each.smooth}, reverse=True)
    some = (MAX_LANDMARKS if len(features) <= MANY_ROWS else FEW_LANDMARKS) if limit is None else limit
    return LandmarkMap.of(features, lengths, stream(seed, 0, "landmarks"), some)


def label_landmarks(shape: ShapeChoice, features: Floats, seed: int, labels: int, pooled: bool) -> LandmarkMap | None:
    """The landmarks of a classifier of rows with these features (N, P); None where each row has scores of its own.

    - `labels`: how many there are.
    - `pooled`: whether the rows are a sample of a pool on disk.
    """
    count = len(features)
    if pooled:
        return landmark_map(shape, features, seed, POOL_LANDMARKS)
    if count <= MAX_EXACT_ROWS and (labels == 2 or labels * count**2 <= MAX_EXACT_PRODUCT):
        return None
    return landmark_map(shape, features, seed, None if labels == 2 else FEW_LANDMARKS)


def landmark_prior(
    shape: ShapeChoice,
    known: LandmarkMap,
    family: LinearScoreFamily,
    loss: Loss,
    scale: float | None,
    typical_scale: float = TYPICAL_SCALE,
    learns_bias: bool = False,
) -> ShapedScores:
    """The beliefs about the weights of landmark features: for long tables and for rows never seen."""
    shapes, weights = label_shapes(shape)
    factors = [known.factor(each) for each in shapes]
    told = family, loss, shapes, factors, weights, scale
    return ShapedScores.prior(*told, typical_scale=typical_scale, learns_bias=learns_bias)


def landmark_label_prior(
    shape: ShapeChoice, known: LandmarkMap, family: LinearScoreFamily, scale: float | None, loss: Loss = logistic
) -> ShapedScores:
    """The same about rows that have one of two labels."""
    return landmark_prior(shape, known, family, loss, scale, TYPICAL_LABEL_SCALE)


def softmax_prior(
    shape: ShapeChoice,
    features: Floats | LandmarkMap,
    family: SoftmaxPool,
    scale: float | None,
    chains: int,
) -> ShapedSoftmax:
    """The beliefs about more than two labels: about the scores of rows with these `features` (N, P), or about the
    weights of landmark features."""
    shapes, weights = label_shapes(shape)
    if isinstance(features, LandmarkMap):
        factors = [features.factor(each) for each in shapes]
    else:
        factors = [factor(each, features, intercept=True) for each in shapes]
    return ShapedSoftmax.prior(family, shapes, factors, weights, scale, chains)
