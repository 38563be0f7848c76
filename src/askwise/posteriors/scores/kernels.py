"""Shapes that scores over rows can have: how much of them is linear, smooth, or each row's own.

A shape is a covariance of the scores (N,), given as a factor F (N, D) with F F' the covariance. All shapes have the
same mean variance, so that a prior scale means the same in each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from askwise.errors import DataError, SettingError
from askwise.types import Floats

LINEAR_WEIGHT = 0.6  # prior weight of the linear shape among all, for tastes
OWN_WEIGHT = 0.15  # of linear scores to which each item adds an appeal of its own
QUADRATIC_WEIGHT = 0.05  # of squares, and of quadratic scores
LINEAR_LABEL_WEIGHT = 0.4  # and for labels
LEVEL = 0.2  # variance of the intercept of labels: more, and rare labels are given up too soon
RELATIVE_TOLERANCE = 1e-5  # of the covariance that a factor leaves out
MAX_DISTANCE_ROWS = 1_000  # on which the median distance is computed


@dataclass(frozen=True)
class Shape:
    """Shares of the variance that are linear, squares of features (a middle value can be best), quadratic (squares and
    products of two features), smooth (a Gaussian kernel), additive (a curve for each feature) and each row's own.
    `length` is that of the smooth and additive kernels, in median distances between rows.

    >>> Shape("bent", linear=0.5, smooth=0.5, length=1.0).is_linear
    False
    """

    name: str  # what it is called
    linear: float = 0.0  # the share of the variance in straight lines
    squares: float = 0.0  # the share of squares of features
    quadratic: float = 0.0  # the share of squares and of products of two features
    smooth: float = 0.0  # the share of a Gaussian kernel
    additive: float = 0.0  # the share of a curve for each feature
    own: float = 0.0  # the share that is each row's own
    length: float = 1.0  # of the kernels, in median distances between rows

    @property
    def is_linear(self) -> bool:
        """Whether scores of this shape are a plane over the features."""
        return self.linear == 1.0

    @property
    def bends(self) -> bool:
        """Whether features can act on scores in other ways than by a plane."""
        return self.squares + self.quadratic + self.smooth + self.additive > 0


ShapeChoice = str | Shape | Sequence[str] | Sequence[Shape]
LINEAR = Shape("linear", linear=1.0)
INDIVIDUAL = Shape("individual", own=1.0)
SQUARES = Shape("squares", linear=0.5, squares=0.5)  # an ideal value of each feature
QUADRATIC = Shape("quadratic", linear=0.5, quadratic=0.5)  # and features that matter together
SMOOTH = (
    SQUARES,
    QUADRATIC,
    Shape("smooth", linear=0.5, smooth=0.5, length=1.0),
    Shape("smooth", linear=0.5, smooth=0.5, length=0.5),
    Shape("smooth", linear=0.1, smooth=0.9, length=1.0),
    Shape("smooth", linear=0.1, smooth=0.9, length=0.5),
    Shape("additive", linear=0.3, additive=0.7, length=1.0),
)
LINEAR_AND_OWN = Shape("linear and own", linear=0.8, own=0.2)
MIXED = (
    Shape("smooth and own", linear=0.78, smooth=0.2, own=0.02, length=1.0),
    Shape("smooth and own", linear=0.45, smooth=0.45, own=0.1, length=0.5),
)
LABEL_SHAPES = (
    Shape("smooth", linear=0.5, smooth=0.5, length=1.0),
    Shape("smooth", linear=0.5, smooth=0.5, length=0.5),
    Shape("smooth", linear=0.5, smooth=0.5, length=0.25),
    Shape("smooth", linear=0.1, smooth=0.9, length=0.5),
)


def factor(shape: Shape, features: Floats, intercept: bool = False) -> Floats:
    """(N, P) -> (N, D): a factor of the shape's covariance over the rows; with an `intercept`, the level of all scores
    is unknown, too.

    >>> rows = np.array([[1.0], [-1.0], [1.0], [-1.0]])
    >>> found = factor(Shape("both", linear=0.5, own=0.5), rows)
    >>> (found @ found.T).round(2).tolist()
    [[1.0, -0.5, 0.5, -0.5], [-0.5, 1.0, -0.5, 0.5], [0.5, -0.5, 1.0, -0.5], [-0.5, 0.5, -0.5, 1.0]]
    """
    count = len(features)
    if shape.own == 1.0:
        return np.eye(count)
    linear = scaled(features)
    if shape.is_linear:
        return np.hstack([linear, np.full((count, 1), np.sqrt(LEVEL))]) if intercept else linear
    inner = linear @ linear.T
    covariance = shape.linear * inner + shape.own * np.eye(count) + LEVEL * float(intercept)
    if shape.squares:
        covariance += shape.squares * centered_kernel(np.square(linear) @ np.square(linear).T, inner)
    if shape.quadratic:
        covariance += shape.quadratic * centered_kernel(np.square(inner), inner)
    if shape.smooth:
        covariance += shape.smooth * gaussian_kernel(squared_distances(linear), shape.length)
    if shape.additive:
        covariance += shape.additive * additive_kernel(linear, shape.length)
    return pivoted_factor(covariance)


def scaled(features: Floats) -> Floats:
    """The rows around their mean, with mean squared length 1.

    >>> scaled(np.array([[0.0], [4.0]]))
    array([[-1.],
           [ 1.]])
    """
    centered = features - features.mean(axis=0)
    size = np.square(centered).sum(axis=1).mean()
    if not size > 0:
        raise DataError("all items have the same features, so features say nothing about them; leave them out")
    return centered / np.sqrt(size)


def centered_kernel(kernel: Floats, otherwise: Floats) -> Floats:
    """(N, N): the kernel of its features around their mean, with mean variance 1; `otherwise` if they are constant.

    >>> centered_kernel(np.array([[4.0, 8.0], [8.0, 16.0]]), np.eye(2))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    mean = kernel.mean(axis=0)
    centered = kernel - mean - mean[:, None] + mean.mean()
    variance = float(centered.diagonal().mean())
    return centered / variance if variance > RELATIVE_TOLERANCE * kernel.diagonal().mean() else otherwise


def squared_distances(rows: Floats) -> Floats:
    """(N, P) -> (N, N)

    >>> squared_distances(np.array([[0.0], [3.0]]))
    array([[0., 9.],
           [9., 0.]])
    """
    sizes = np.square(rows).sum(axis=1)
    return np.maximum(sizes[:, None] + sizes - 2 * rows @ rows.T, 0.0)


def gaussian_kernel(squares: Floats, length: float) -> Floats:
    """exp(-d^2 / 2 l^2), the length l in median distances between different rows.

    >>> gaussian_kernel(np.array([[0.0, 4.0], [4.0, 0.0]]), 1.0).round(4)
    array([[1.    , 0.6065],
           [0.6065, 1.    ]])
    """
    some = squares[:MAX_DISTANCE_ROWS, :MAX_DISTANCE_ROWS]
    apart = some[some > 1e-12 * max(float(some.max()), 1e-300)]
    median = float(np.median(apart)) if apart.size else 1.0
    return np.exp(-squares / (2 * length**2 * median))


def additive_kernel(rows: Floats, length: float) -> Floats:
    """A sum of Gaussian kernels, one for each column that varies, each with the share of the variance it has.

    >>> additive_kernel(np.array([[-1.0, 0.0], [1.0, 0.0]]), 1.0).round(4)
    array([[1.    , 0.1353],
           [0.1353, 1.    ]])
    """
    variances = rows.var(axis=0)
    total = np.zeros((len(rows), len(rows)))
    for column, variance in zip(rows.T, variances, strict=True):
        if variance > 0:
            total += variance * np.exp(-np.square(column[:, None] - column) / (2 * length**2 * variance))
    return total / variances.sum()


def pivoted_factor(covariance: Floats) -> Floats:
    """(N, N) -> (N, D): a factor F with F F' the covariance, by Cholesky with pivots; D is its rank, to rounding.

    Where the rank is full no pivots are needed, and F is lower triangular: draws cost half as much.

    >>> pivoted_factor(np.array([[4.0, 2.0], [2.0, 1.0]])).tolist()
    [[2.0], [1.0]]
    >>> pivoted_factor(np.array([[1.0, 2.0], [2.0, 5.0]])).tolist()
    [[1.0, 0.0], [2.0, 1.0]]
    """
    lower, pivots, rank, _ = lapack.dpstrf(
        covariance, lower=1, tol=RELATIVE_TOLERANCE * float(covariance.diagonal().max())
    )
    if rank == len(covariance):
        whole, failed = lapack.dpotrf(covariance, lower=1, clean=1)
        if not failed:
            return np.ascontiguousarray(whole)
    found = np.zeros((len(covariance), rank))
    found[pivots - 1] = np.tril(lower)[:, :rank]
    return found


def shape_objects(given: ShapeChoice) -> tuple[Shape, ...]:
    """The shapes themselves, where objects were given; none where names were.

    >>> shape_objects(LINEAR) == (LINEAR,), shape_objects("learned"), len(shape_objects(SMOOTH))
    (True, (), 7)
    """
    each = [given] if isinstance(given, str | Shape) else given
    return tuple(one for one in each if isinstance(one, Shape))


def shape_names(given: ShapeChoice) -> list[str]:
    """The names, where names were given.

    >>> shape_names("learned"), shape_names(["linear", "smooth"])
    (['learned'], ['linear', 'smooth'])
    """
    each = [given] if isinstance(given, str | Shape) else given
    return [one for one in each if isinstance(one, str)]


def label_shapes(names: ShapeChoice) -> tuple[tuple[Shape, ...], Floats]:
    """The shapes of a classifier's scores behind a name or several names, and the prior weight of each.

    >>> len(label_shapes("learned")[0]), label_shapes("linear")[1]
    (5, array([1.]))
    """
    if objects := shape_objects(names):
        if any(shape.own + shape.additive + shape.squares + shape.quadratic > 0 for shape in objects):
            raise SettingError(
                "a shape for labels, or for over 1,000 items, has linear and smooth parts only; leave the others out"
            )
        return objects, np.full(len(objects), 1 / len(objects))
    wanted = shape_names(names)
    if "individual" in wanted:
        raise SettingError("a classifier learns from features, so its shape cannot be 'individual'; use 'learned'")
    straight, bent = bool({"learned", "linear"} & {*wanted}), bool({"learned", "smooth"} & {*wanted})
    shapes = ((LINEAR,) if straight else ()) + (LABEL_SHAPES if bent else ())
    share = LINEAR_LABEL_WEIGHT if straight and bent else float(straight)
    weights = [share if shape.is_linear else (1 - share) / len(LABEL_SHAPES) for shape in shapes]
    return shapes, np.array(weights)


def shapes_named(names: ShapeChoice, has_features: bool) -> tuple[tuple[Shape, ...], Floats]:
    """The shapes of a taste behind a name or several names, and the prior weight of each.

    "learned" is a mixture of all. Most of its prior weight is on the linear shape, with and without an appeal of each
    item's own. Squares and quadratic scores have more than the others, among which the rest is spread evenly.

    >>> [shape.name for shape in shapes_named("linear", True)[0]]
    ['linear']
    """
    if not has_features:
        return (INDIVIDUAL,), np.ones(1)
    if objects := shape_objects(names):
        return objects, np.full(len(objects), 1 / len(objects))
    wanted = shape_names(names)
    groups: dict[str, tuple[Shape, ...]] = {"linear": (LINEAR,), "smooth": SMOOTH, "individual": (INDIVIDUAL,)}
    if "learned" in wanted:
        known = {
            LINEAR: LINEAR_WEIGHT,
            LINEAR_AND_OWN: OWN_WEIGHT,
            SQUARES: QUADRATIC_WEIGHT,
            QUADRATIC: QUADRATIC_WEIGHT,
        }
        shapes = (LINEAR, LINEAR_AND_OWN, *SMOOTH, *MIXED, INDIVIDUAL)
        rest = (1 - sum(known.values())) / (len(shapes) - len(known))
        return shapes, np.array([known.get(shape, rest) for shape in shapes])
    chosen = [groups[name] for name in dict.fromkeys(wanted)]
    mixed = [(LINEAR_AND_OWN, *MIXED)] if len(chosen) > 1 and "individual" in wanted else []
    every = [*chosen, *mixed]
    return tuple(shape for group in every for shape in group), np.concatenate(
        [np.full(len(group), 1 / len(group) / len(every)) for group in every]
    )
