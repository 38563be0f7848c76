"""Points of the grid of shapes, prior scales and lapses, and the Gaussian reference of each.

Given a point, scores are a Gaussian process, and answers inform its coordinates u ~ N(0, I) through their rows. Each
point has a reference N(center, covariance) of u, from which chains start.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import blas, lapack

from askwise.losses import OrderedLogit
from askwise.posteriors.scores.triangular import lower_inverse
from askwise.types import Bools, Floats, Ints

TOLERANCE = 0.2  # of a reference's mean, in posterior standard deviations
MAX_ROUNDS = 40
MAX_STEP = 0.7  # share of a full step of a fit, after the first
NO_END = 1e30  # of an interval: the strongest grade has none
MAX_SEARCHED_RANK = 12  # coordinates of a shape in which more modes than one are sought
MIN_SPREAD = 1e-6  # of a margin, below which it is a number


class AnswerLayout(NamedTuple):
    """The rows of one answer: one for each pair of the items shown, in the order of `difference_places`.

    >>> AnswerLayout(4, worst=True).rows, AnswerLayout(4, worst=True).compared
    (6, (3, 2))
    """

    shown: int = 2
    worst: bool = False

    @property
    def rows(self) -> int:
        """How many there are."""
        return self.shown * (self.shown - 1) // 2

    @property
    def compared(self) -> tuple[int, int]:
        """How many compare the best item with others and, behind these, how many compare others with the worst."""
        return self.shown - 1, self.shown - 2 if self.worst else 0

    @property
    def responses(self) -> int:
        """How many responses there are."""
        return self.shown * (self.shown - 1) if self.worst else self.shown


PAIRS = AnswerLayout()


@dataclass(frozen=True)
class Answers:
    """Distinct answers in the coordinates of each shape: T rows, one for each answer to A or B."""

    rows: Floats  # (H, T, R): of each shape, zero beyond its rank
    offsets: Floats  # (H, T): the score that each shape expects of the answers before any came
    signs: Floats  # (T,): +1, -1; 1 of ties
    tied: Bools  # (T,)
    strengths: Floats  # (T,)
    ties: float  # of the loss; 0 where answers cannot be equal
    lapses: Floats  # (E,): shares of answers given by accident, of which one is right
    log_lapse_prior: Floats  # (E,)
    cuts: Floats = field(default_factory=lambda: np.zeros((0, 0)))  # (J, G) between grades; none: no grades
    levels: Ints = field(default_factory=lambda: np.zeros(0, dtype=int))  # (T,): 1 to G, 0 of ties; none: no grades
    layout: AnswerLayout = PAIRS  # of the rows of each answer

    @property
    def responses(self) -> float:
        """How many responses there are."""
        if self.cuts.size:
            return 2.0 * self.cuts.shape[1] + float(self.cuts[0, 0] > 0)
        return 3.0 if self.ties else float(self.layout.responses)

    @property
    def codes(self) -> Floats:
        """(T,): the responses."""
        return np.where(self.tied, 0.0, self.signs * self.levels if self.cuts.size else self.signs)

    @cached_property
    def intervals(self) -> Floats:
        """(J, 3, G + 1): the interval of margins in which each level is answered, from, to and 1 - e^{from - to}."""
        ends = np.array([np.minimum(OrderedLogit(tuple(cuts)).bounds, NO_END) for cuts in self.cuts])
        return np.concatenate([ends, -np.expm1(ends[:, :1] - ends[:, 1:])], axis=1)

    def rank_of(self, shape: int) -> int:
        """How many coordinates the answers inform, of a shape with or without its cuts."""
        return int(np.flatnonzero(self.rows[shape % len(self.rows)].any(axis=0)).max(initial=-1)) + 1

    def may_contradict(self, shape: int) -> bool:
        """Whether answers may need lapses to be explained, in so few coordinates that several modes can be found."""
        return bool(self.lapses.any()) and self.rank_of(shape) < min(self.rows.shape[1], MAX_SEARCHED_RANK + 1)

    def shapes_of(self, points: Points) -> Ints:
        """(K,): the shape of each point."""
        return points.shapes % len(self.rows)

    def intervals_of(self, points: Points) -> Floats:
        """(K, 3, G + 1): those of each point's cuts."""
        return np.ascontiguousarray(self.intervals[points.shapes // len(self.rows)])

    def bounds_of(self, points: Points) -> Floats:
        """(K, 3, T): those of each answer; (K, 3, 0) without grades."""
        return self.intervals_of(points)[:, :, self.levels] if self.cuts.size else np.zeros((len(points), 3, 0))

    @cached_property
    def signed_rows(self) -> Floats:
        """(H, T, R): margins are these times a point's scale and u, plus `signed_offsets`."""
        return np.ascontiguousarray(self.rows * self.signs[:, None])

    @property
    def signed_offsets(self) -> Floats:
        """(H, T)"""
        return self.offsets * self.signs


@dataclass(frozen=True)
class Points:
    """K points of the grid with their references."""

    shapes: Ints  # (K,): with grades, the shape plus H times the place of the cuts
    scales: Floats  # (K,)
    lapses: Floats  # (K,): the share that the reference is made for
    centers: Floats  # (K, R)
    curvatures: Floats  # (K, T): expected curvature of each answer's loss
    bounds: Floats  # (K,): lower bounds of the log evidence
    steps: Ints  # (K,): leapfrog steps of a trajectory
    missed: Floats  # (K,): the share of the posterior that the reference misses

    def __len__(self) -> int:
        return len(self.scales)

    def take(self, chosen: Any) -> Points:
        """Some of the points."""
        return Points(*(value[chosen] for value in vars(self).values()))

    def joined(self, others: Points) -> Points:
        """These points and the others."""
        parts = zip(vars(self).values(), vars(others).values(), strict=True)
        return Points(*(np.concatenate([one, two]) for one, two in parts))

    def padded(self, answers: int, rank: int) -> Points:
        """The points in more coordinates and with more answers, which change nothing yet."""
        centers, curvatures = np.zeros((len(self), rank)), np.zeros((len(self), answers))
        centers[:, : self.centers.shape[1]] = self.centers
        curvatures[:, : self.curvatures.shape[1]] = self.curvatures
        return replace(self, centers=centers, curvatures=curvatures)


def fit(answers: Answers, points: Points) -> tuple[Points, Floats]:
    """The points with the Gaussian-variational references of their posteriors, from where they are, and the roots
    (K, R, R) of the references' covariances: center + noise @ root is a draw.

    Each round is a natural-gradient step: the precision goes towards the expected curvature, and the mean takes a
    Newton step with it. A step that lowers the bound is halved.
    """
    found = _evaluated(answers, points, covariance_roots(answers, points))
    if not points.centers.shape[1]:
        return points, found.roots
    step, unsettled = np.ones(len(points)), np.arange(len(points))
    for _ in range(MAX_ROUNDS):
        current, size = found.take(unsettled), step[unsettled]
        proposed = _evaluated(answers, *current.moved(answers, size))
        better = proposed.points.bounds > current.points.bounds - 1e-4
        found.put(unsettled[better], proposed.take(better))
        step[unsettled] = np.minimum(np.where(better, 2 * size, size / 2), MAX_STEP)
        gain = proposed.points.bounds - current.points.bounds
        done = better & (proposed.slack < TOLERANCE**2 * max(1, points.centers.shape[1])) & (gain < TOLERANCE)
        unsettled = unsettled[~done & (step[unsettled] > 1e-3)]
        if not unsettled.size:
            break
    return found.points, found.roots


@dataclass
class _FitState:
    """References on the way, with the expected gradient and curvature of their posteriors."""

    points: Points
    roots: Floats  # (K, R, R)
    gradients: Floats  # (K, R)
    wanted: Floats  # (K, T): expected curvature of each answer's loss, where the reference is now

    @property
    def slack(self) -> Floats:
        """(K,): squared length of the gradient, in posterior standard deviations."""
        return np.square((self.roots @ self.gradients[..., None])[..., 0]).sum(axis=1)

    def take(self, chosen: Any) -> _FitState:
        return _FitState(self.points.take(chosen), self.roots[chosen], self.gradients[chosen], self.wanted[chosen])

    def put(self, places: Ints, part: _FitState) -> None:
        for whole, new in zip(vars(self.points).values(), vars(part.points).values(), strict=True):
            whole[places] = new
        self.roots[places], self.gradients[places], self.wanted[places] = part.roots, part.gradients, part.wanted

    def moved(self, answers: Answers, size: Floats) -> tuple[Points, Floats]:
        """The points after a step of that size, and their roots."""
        curvatures = self.points.curvatures + size[:, None] * (self.wanted - self.points.curvatures)
        changed = replace(self.points, curvatures=curvatures)
        roots = covariance_roots(answers, changed)
        moves = (roots.swapaxes(1, 2) @ (roots @ self.gradients[..., None]))[..., 0]
        return replace(changed, centers=self.points.centers - size[:, None] * moves), roots


def covariance_roots(answers: Answers, points: Points) -> Floats:
    """(K, R, R), lower: of the references' covariances, whose precision is I and the curvature of the answers."""
    rank = answers.rows.shape[2]
    roots = np.empty((len(points), rank, rank))
    if not rank:
        return roots
    precisions = np.sqrt(points.curvatures * answers.strengths) * points.scales[:, None]
    for k, shape in enumerate(answers.shapes_of(points).tolist()):
        weighted = answers.rows[shape] * precisions[k][:, None]
        total = blas.dsyrk(1.0, weighted.T, lower=1)
        total[np.diag_indices(rank)] += 1.0
        lower, _ = lapack.dpotrf(total, lower=1, clean=1, overwrite_a=1)
        roots[k] = lower_inverse(lower)
    return roots


def _evaluated(answers: Answers, points: Points, roots: Floats) -> _FitState:
    # they bring numba
    from askwise.posteriors.scores.lapse_expectations import (
        QUADRATURE,
        expected_interval_losses,
        expected_losses,
        quadrature_beyond,
    )

    rank, count = answers.rows.shape[1:][::-1]
    if answers.layout.shown > 2:
        return _evaluated_sets(answers, points, roots)
    shapes = answers.shapes_of(points)
    means, spreads = np.empty((len(points), count)), np.zeros((len(points), count))
    for k, shape in enumerate(shapes.tolist()):
        rows = answers.signed_rows[shape]
        means[k] = points.scales[k] * (rows @ points.centers[k])
        if rank:
            turned = blas.dtrmm(points.scales[k], roots[k].T, rows.T, trans_a=1)
            spreads[k] = np.sqrt(np.einsum("rt,rt->t", turned, turned))
    means += answers.signed_offsets[shapes]
    found = np.empty((3, *means.shape))
    lapses = np.ascontiguousarray(points.lapses)
    spreads = np.maximum(spreads, MIN_SPREAD)
    if answers.cuts.size:
        nodes, intervals = quadrature_beyond(answers.cuts), answers.intervals_of(points)
        levels = intervals.shape[2]
        table, known = np.empty((levels, 2, len(nodes[2]))), np.empty(levels, dtype=bool)
        expected_interval_losses(
            means, spreads, answers.levels, intervals, lapses, answers.responses, nodes, table, known, found
        )
    else:
        table = np.empty((2, 2, len(QUADRATURE[2])))
        expected_losses(means, spreads, answers.tied, answers.ties, lapses, answers.responses, QUADRATURE, table, found)
    return _fit_state(answers, points, roots, found)


def _evaluated_sets(answers: Answers, points: Points, roots: Floats) -> _FitState:
    """`_evaluated` for answers about more than two items."""
    from askwise.posteriors.scores.set_expectations import expected_set_losses, normal_nodes, scratch_space  # numba

    found = np.zeros((3, len(points), answers.rows.shape[1]))
    nodes, compared = normal_nodes(answers.layout.shown - 1), answers.layout.compared
    work = scratch_space(compared[0])
    for k, shape in enumerate(points.shapes.tolist()):
        rows, offsets = answers.signed_rows[shape], answers.signed_offsets[shape]
        means = points.scales[k] * (rows @ points.centers[k]) + offsets
        turned = np.ascontiguousarray(points.scales[k] * (rows @ roots[k].T))
        chance = float(points.lapses[k]), answers.responses
        expected_set_losses(k, means, turned, compared, answers.layout.rows, chance, nodes, work, found)
    return _fit_state(answers, points, roots, found)


def _fit_state(answers: Answers, points: Points, roots: Floats, found: Floats) -> _FitState:
    """From the expected value, slope and curvature (3, K, T) of the answers' losses."""
    rank, shapes = answers.rows.shape[2], answers.shapes_of(points)
    value, slope, curvature = found
    slopes = slope * answers.strengths * points.scales[:, None]
    pushes = [slopes[k] @ answers.signed_rows[shape] for k, shape in enumerate(shapes.tolist())]
    gradients = points.centers + np.array(pushes).reshape(points.centers.shape)
    log_spread = np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
    size = np.square(points.centers).sum(axis=1) + np.square(roots).sum(axis=(1, 2)) - rank
    bounds = log_spread - size / 2 - value @ answers.strengths
    return _FitState(replace(points, bounds=bounds), roots, gradients, curvature)
