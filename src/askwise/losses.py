"""How an answer reweighs structures: a structure with prediction z keeps exp(-beta * loss(z, y)) of its mass.

Each loss gives its value, slope and curvature in the score z. Responses y are a scalar or an array that broadcasts.

>>> float(logistic.value(np.array(0.0), 1))  # a coin flip: log 2
0.6931471805599453
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np

from askwise.errors import SettingError
from askwise.options import number
from askwise.types import Capability, Floats, Response, Responses


@runtime_checkable
class Loss(Protocol):
    """A loss of predictions z against responses y.

    :param z: Predictions: scores, or decisions where `takes_decision` is true.
    :param y: Responses, one or an array that broadcasts with `z`.
    :param name: The name of the loss.
    :param takes_decision: Whether `z` is a decision to be compared with `y`, and no score.
    :param proper: Whether exp(-loss) sums to one over the responses, so that beta = 1 is Bayes' rule.
    :param flat_beyond: The curvature is below 1e-8 where |z| is larger than this.
    """

    @property
    def name(self) -> str: ...
    @property
    def takes_decision(self) -> bool: ...  # True: z is a decision, to be compared with y; False: z is a score
    @property
    def proper(self) -> bool: ...  # True: exp(-loss) sums to one over the responses, so beta = 1 is Bayes' rule
    @property
    def flat_beyond(self) -> float: ...  # the curvature is below 1e-8 where |z| is larger; infinite if it never fades

    def value(self, z: Floats, y: Responses) -> Floats: ...
    def slope(self, z: Floats, y: Responses) -> Floats: ...
    def curvature(self, z: Floats, y: Responses) -> Floats: ...


@runtime_checkable
class FusesSlope(Capability, Protocol):
    """Computes value and slope in one pass, for less than the two apart; samplers use it.

    :param z: Predictions, as in `Loss`.
    :param y: Responses, as in `Loss`.
    """

    def value_and_slope(self, z: Floats, y: Responses) -> tuple[Floats, Floats]: ...


@runtime_checkable
class SharesByLabel(Capability, Protocol):
    """Gives the chances of all responses 0, 1, ... at once, for less than one by one.

    :param z: Scores, with one entry for each label on the last axis.
    """

    def shares_by_label(self, z: Floats) -> Floats: ...  # (..., K) -> (Y, ...)


CAPABILITIES = (FusesSlope, SharesByLabel)


@dataclass(frozen=True)
class ZeroOne:
    """1 where the decision differs from the response, else 0 (eq. 0-1 loss update).

    >>> zero_one.value(np.array([1, 2]), 2)
    array([1., 0.])
    """

    name: str = "zero_one"
    takes_decision: bool = True
    proper: bool = False
    flat_beyond: float = 0.0

    def value(self, z: Floats, y: Responses) -> Floats:
        return (np.asarray(z) != y).astype(float)

    def slope(self, z: Floats, y: Responses) -> Floats:
        return np.zeros(np.broadcast_shapes(np.shape(z), np.shape(y)))

    curvature = slope


@dataclass(frozen=True)
class Logistic:
    """log(1 + exp(-y z)) for y in {-1, +1}: the logit choice model.

    >>> logistic.slope(np.array(0.0), 1), logistic.curvature(np.array(0.0), 1)
    (np.float64(-0.5), np.float64(0.25))
    """

    name: str = "logistic"
    takes_decision: bool = False
    proper: bool = True
    flat_beyond: float = 19.0

    def value(self, z: Floats, y: Responses) -> Floats:
        margin = z * y
        return np.log1p(np.exp(-np.abs(margin))) + np.maximum(-margin, 0.0)

    def slope(self, z: Floats, y: Responses) -> Floats:
        odds = np.exp(np.minimum(z * y, 80.0))  # exp(80) still fits 32 bits, and the slope is 0 there to any precision
        odds += 1.0
        return np.divide(np.negative(y), odds)

    def curvature(self, z: Floats, y: Responses) -> Floats:
        tail = np.exp(-np.abs(z * y))
        return tail / (1.0 + tail) ** 2

    def value_and_slope(self, z: Floats, y: Responses) -> tuple[Floats, Floats]:
        margin = np.minimum(z * y, 80.0)
        odds = np.exp(margin)
        odds += 1.0
        value = np.log(odds)
        value -= margin
        return value, np.divide(np.negative(y), odds)


@dataclass(frozen=True)
class Davidson:
    """Pairs that may be about equal: left, right or equal (y = +1, -1, 0) with odds e^{z/2} : e^{-z/2} : ties.

    Without ties it is the logistic loss; it stays convex in z with them.

    >>> model = davidson(ties=1.0)
    >>> float(sum(np.exp(-model.value(np.array(0.7), y)) for y in (-1, 0, 1)).round(12))
    1.0
    """

    ties: float = 1.0  # how likely "about equal" is: its odds against e^(z/2) and e^(-z/2)
    name: str = "davidson"
    takes_decision: bool = False
    proper: bool = True
    flat_beyond: float = 40.0

    def value(self, z: Floats, y: Responses) -> Floats:
        half = np.abs(z) / 2
        log_total = half + np.log1p(np.exp(-2 * half) + self.ties * np.exp(-half))
        return log_total - y * z / 2 - np.where(np.equal(y, 0), np.log(self.ties), 0.0)

    def slope(self, z: Floats, y: Responses) -> Floats:
        left, right = self._sides(z)
        return (left - right - y) / 2

    def curvature(self, z: Floats, y: Responses) -> Floats:
        left, right = self._sides(z + np.zeros_like(y, dtype=float))
        return (left + right - (left - right) ** 2) / 4

    def value_and_slope(self, z: Floats, y: Responses) -> tuple[Floats, Floats]:
        half = np.abs(z) / 2
        far = np.exp(-half)
        square = far * far
        total = 1.0 + square + self.ties * far
        value = np.log(total) + half - z * (y / 2) - np.equal(y, 0) * float(np.log(self.ties))
        return value, (np.sign(z) * (1.0 - square) / total - y) / 2

    def _sides(self, z: Floats) -> tuple[Floats, Floats]:
        far = np.exp(-np.abs(z))
        total = 1.0 + far + self.ties * np.sqrt(far)
        return np.where(z > 0, 1.0, far) / total, np.where(z > 0, far, 1.0) / total


@dataclass(frozen=True)
class OrderedLogit:
    """Graded answers: y = 1, ..., G for one side, -1, ..., -G for the other, 0 for "about equal" (an ordered logit).

    P(y >= g) = sigmoid(z - cut_g), the same for the other side. The `cuts` (G,) rise from 0, or from above 0 if answers
    can be equal. The loss is convex in z: each response is an interval of a score with logistic noise.

    >>> model = ordered_logit((0.0, 1.0, 2.0))
    >>> float(sum(np.exp(-model.value(np.array(0.7), y)) for y in (-3, -2, -1, 1, 2, 3)).round(12))
    1.0
    """

    cuts: tuple[float, ...]  # the scores from which each grade is given; they rise
    name: str = "ordered logit"
    takes_decision: bool = False
    proper: bool = True
    flat_beyond: float = 19.0

    @cached_property
    def bounds(self) -> Floats:
        """(2, G + 1): the interval of z times the side in which each level is answered; level 0 is "about equal"."""
        cuts = np.array(self.cuts)
        return np.array([[-cuts[0], *cuts], [cuts[0], *cuts[1:], np.inf]])

    def value(self, z: Floats, y: Responses) -> Floats:
        margin, low, high = self._interval(z, y)
        return np.logaddexp(0.0, low - margin) + np.logaddexp(0.0, margin - high) - np.log(-np.expm1(low - high))

    def slope(self, z: Floats, y: Responses) -> Floats:
        margin, low, high = self._interval(z, y)
        return np.where(np.less(y, 0), -1.0, 1.0) * (sigmoid(margin - high) - sigmoid(low - margin))

    def curvature(self, z: Floats, y: Responses) -> Floats:
        margin, low, high = self._interval(z, y)
        above, below = sigmoid(margin - high), sigmoid(low - margin)
        return above * (1 - above) + below * (1 - below)

    def shares_by_response(self, z: Floats, responses: Sequence[Response] | Floats) -> Iterator[Floats]:
        """The probability of each response: differences of the chances to answer at least so much.

        :param z: Scores.
        :param responses: The responses whose probabilities are wanted.

        >>> [float(share) for share in ordered_logit((0.0, 1.0)).shares_by_response(np.zeros(()), [2, 1, -1, -2])]
        [0.268..., 0.231..., 0.231..., 0.268...]
        """
        ends = sorted({*self.cuts, *(-cut for cut in self.cuts)})
        at_least: list[Any] = [1.0, *(sigmoid(z - z.dtype.type(end)) for end in ends), 0.0]
        count = len(self.cuts)
        in_order = [*range(-count, 0), *([0] if self.cuts[0] > 0 else []), *range(1, count + 1)]
        for response in responses:
            place = in_order.index(cast("int", response))
            yield np.asarray(at_least[place] - at_least[place + 1])

    def _interval(self, z: Floats, y: Responses) -> tuple[Floats, Floats, Floats]:
        level = np.abs(np.asarray(y)).astype(int)
        low, high = self.bounds.astype(np.result_type(z, np.float32))[:, level]
        return np.asarray(np.where(np.less(y, 0), -z, z)), low, high


@dataclass(frozen=True)
class Squared:
    """(z - y)^2 for real answers; beta is one over twice the noise variance.

    >>> float(squared.value(np.array(1.5), 1.0))
    0.25
    """

    name: str = "squared"
    takes_decision: bool = False
    proper: bool = False
    flat_beyond: float = float("inf")

    def value(self, z: Floats, y: Responses) -> Floats:
        return (z - y) ** 2

    def slope(self, z: Floats, y: Responses) -> Floats:
        return 2 * (z - y)

    def curvature(self, z: Floats, y: Responses) -> Floats:
        return np.full(np.broadcast_shapes(np.shape(z), np.shape(y)), 2.0)


@dataclass(frozen=True)
class Softmax:
    """-log softmax(z)[y] for K labels: z has K scores on its last axis, y is a label 0..K-1.

    >>> softmax.value(np.zeros((2, 4)), 3).round(4)
    array([1.3863, 1.3863])
    """

    name: str = "softmax"
    takes_decision: bool = False
    proper: bool = True
    flat_beyond: float = 40.0

    def value(self, z: Floats, y: Responses) -> Floats:
        top = z.max(axis=-1)
        log_total = top + np.log(np.exp(z - top[..., None]).sum(axis=-1))
        return log_total - self._own(z, y)

    def slope(self, z: Floats, y: Responses) -> Floats:
        """(..., K)"""
        return self._shares(z) - (np.arange(z.shape[-1]) == np.asarray(y)[..., None])

    def curvature(self, z: Floats, y: Responses) -> Floats:
        """(..., K): the diagonal of the matrix diag(p) - p p'."""
        shares = self._shares(z) + np.zeros_like(y, dtype=float)[..., None]
        return shares * (1 - shares)

    def shares_by_label(self, z: Floats) -> Floats:
        """(..., K) -> (K, ...): the probability of each label; sums over a short last axis would be slow.

        >>> softmax.shares_by_label(np.zeros((2, 4))).shape
        (4, 2)
        """
        scores = np.moveaxis(z, -1, 0)
        shares = np.exp(scores - scores.max(axis=0))
        shares /= shares.sum(axis=0)
        return shares

    def _shares(self, z: Floats) -> Floats:
        grown = np.exp(z - z.max(axis=-1, keepdims=True))
        return grown / grown.sum(axis=-1, keepdims=True)

    def _own(self, z: Floats, y: Responses) -> Floats:
        labels = np.broadcast_to(np.asarray(y, dtype=int), z.shape[:-1])
        return np.take_along_axis(z, labels[..., None], axis=-1)[..., 0]


@dataclass(frozen=True)
class BestWorst:
    """The best and then the worst of K items: z has their K scores on its last axis, y counts the K (K - 1) answers.

    The best one is chosen by the softmax of the scores, and the worst of the others by the softmax of minus theirs.
    `best_worst_places` tells which items an answer names.

    >>> best_worst.value(np.zeros((2, 4)), 3).round(4)  # one of 12
    array([2.4849, 2.4849])
    """

    name: str = "best_worst"
    takes_decision: bool = False
    proper: bool = True
    flat_beyond: float = 40.0

    def value(self, z: Floats, y: Responses) -> Floats:
        best, worst = best_worst_places(y, z.shape[-1])
        rest = np.where(np.arange(z.shape[-1]) == best[..., None], -np.inf, -z)
        top = rest.max(axis=-1, keepdims=True)
        log_rest = top[..., 0] + np.log(np.exp(rest - top).sum(axis=-1))
        return softmax.value(z, best) + log_rest + softmax._own(z, worst)

    def slope(self, z: Floats, y: Responses) -> Floats:
        """(..., K)"""
        best, worst = best_worst_places(y, z.shape[-1])
        lowest = np.arange(z.shape[-1]) == worst[..., None]
        return softmax.slope(z, best) + lowest - self._worst_shares(z, best)

    def curvature(self, z: Floats, y: Responses) -> Floats:
        """(..., K): the diagonal of the matrix of second derivatives."""
        best, _ = best_worst_places(y, z.shape[-1])
        shares = self._worst_shares(z, best)
        return softmax.curvature(z, best) + shares * (1 - shares)

    def shares_by_label(self, z: Floats) -> Floats:
        """(..., K) -> (K (K - 1), ...): the probability of each answer.

        >>> best_worst.shares_by_label(np.zeros((2, 4))).shape
        (12, 2)
        """
        best, count = softmax.shares_by_label(z), z.shape[-1]
        scores = np.moveaxis(z, -1, 0)
        low = np.exp(scores.min(axis=0) - scores)  # (K, ...)
        found = np.empty((count * (count - 1), *z.shape[:-1]), best.dtype)
        for place in range(count):
            others = np.delete(low, place, axis=0)
            # all of them are far above the best only where its own chance is nothing
            total = np.maximum(others.sum(axis=0), np.finfo(best.dtype).tiny)
            found[place * (count - 1) : (place + 1) * (count - 1)] = others * (best[place] / total)
        return found

    def _worst_shares(self, z: Floats, best: Any) -> Floats:
        rest = np.where(np.arange(z.shape[-1]) == best[..., None], -np.inf, -z)
        return softmax._shares(rest)


def best_worst_places(y: Any, count: int) -> tuple[Any, Any]:
    """The places of the best and of the worst of `count` items that answer y of `BestWorst` names.

    >>> [tuple(map(int, best_worst_places(y, 3))) for y in range(6)]
    [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
    """
    best, rest = np.divmod(np.asarray(y, dtype=int), count - 1)
    return best, rest + (rest >= best)


def value_and_slope(loss: Loss, z: Floats, y: Responses) -> tuple[Floats, Floats]:
    """Value and slope of a loss, in the precision of z: in one pass if the loss can.

    >>> value, slope = value_and_slope(logistic, np.zeros(1), 1.0)
    >>> value.round(4), slope
    (array([0.6931]), array([-0.5]))
    """
    return loss.value_and_slope(z, y) if isinstance(loss, FusesSlope) else (loss.value(z, y), loss.slope(z, y))


def sigmoid(z: Floats, side: int = 1) -> Floats:
    """1 / (1 + e^-z), or one minus that with `side` -1; without overflow.

    >>> sigmoid(np.array([-1000.0, 0.0, 1000.0]))
    array([0. , 0.5, 1. ])
    """
    grown = np.asarray(z * z.dtype.type(-side))  # changed in place: temporaries cost more than the arithmetic
    with np.errstate(over="ignore"):  # e^1000 is infinite, and one over it the right 0
        np.exp(grown, out=grown)
    grown += 1
    return np.reciprocal(grown, out=grown)


def davidson(ties: float = 1.0) -> Davidson:
    """Davidson's model of pairs that may be about equal. With `ties` = 1, equal items tie one time in three.

    :param ties: How readily people say "about equal", above 0.

    >>> davidson(ties=2.0).ties
    2.0
    """
    ties = number("ties", ties, above=0)
    # far from zero the curvature is about ties e^(-|z| / 2) / 4
    return Davidson(ties=ties, flat_beyond=40.0 + 2 * max(0.0, float(np.log(ties))))


def ordered_logit(cuts: Sequence[float]) -> OrderedLogit:
    """The ordered logit with these cuts between grades: the first one 0, or above 0 if answers can be "about equal".

    :param cuts: Rising numbers, one for each grade, in units of the score.

    >>> ordered_logit([0.0, 2.0]).cuts
    (0.0, 2.0)
    """
    known = tuple(number("a cut", cut, at_least=0) for cut in cuts)
    if not known or list(known) != sorted(set(known)):
        raise SettingError(f"cuts are {list(cuts)}; expected numbers that rise, the first one 0 or above")
    return OrderedLogit(known, flat_beyond=19.0 + known[-1])


zero_one = ZeroOne()
logistic = Logistic()
squared = Squared()
softmax = Softmax()
best_worst = BestWorst()
