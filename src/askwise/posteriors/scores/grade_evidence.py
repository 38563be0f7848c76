"""Whether grades say anything: what is believed without them, and how well random grades explain the answers."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from math import lgamma
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.losses import Loss, OrderedLogit, davidson, logistic
from askwise.posteriors.scores.cuts import cut_grid
from askwise.posteriors.scores.pilot import log_sum
from askwise.posteriors.scores.shaped import ShapedScores
from askwise.types import Answer, Floats

WIDE_POWERS = (0.5, 1.0, 2.0, 3.0, 4.0)  # with three grades, the second cut is 1.4 to 16 times the first
WIDE_STEPS = 6  # from the points in use to those that matter on the wider grid


def without_grades(graded: ShapedScores) -> ShapedScores:
    """Beliefs about the same scores before any answer, where answers have no grades.

    >>> from askwise.losses import ordered_logit
    >>> from askwise.posteriors.scores.kernels import INDIVIDUAL
    >>> from askwise.structures.choice import ItemScores
    >>> family = ItemScores(2, grades=["slightly", "much"])
    >>> graded = ShapedScores.prior(family, ordered_logit([0.0, 1.0]), [INDIVIDUAL], [np.eye(2)], np.ones(1))
    >>> without_grades(graded).family.responses(np.zeros((1, 1))), without_grades(graded).loss.name
    ([1, -1], 'logistic')
    """
    family: Any = copy(graded.family)
    family.grades = []
    ties = isinstance(graded.loss, OrderedLogit) and graded.loss.cuts[0] > 0
    loss: Loss = davidson() if ties else logistic
    scales, known = graded.scale_grid, graded.known
    made = ShapedScores.prior(
        family, loss, graded.shapes, known.factors, np.ones(len(graded.shapes)),
        sigma=scales[0] if len(scales) == 1 else None, lapses=bool(graded.answers.lapses.any()), means=known.means,
        learns_bias=graded.learns_bias,
    )  # fmt: skip
    log_prior = np.logaddexp.reduce(graded.log_prior.reshape(-1, *made.log_prior.shape), axis=0)
    log_weights = log_prior.ravel().copy()
    return replace(made, log_prior=log_prior, log_weights=log_weights, people_before=graded.people_before)


def side_of(answer: Answer) -> Answer:
    """An answer without its grade.

    >>> side_of(Answer((0, 1), -3)).response
    -1
    """
    return answer._replace(response=int(np.sign(float(answer.response))))


def log_odds_of_random_grades(
    graded: ShapedScores, sides: ShapedScores, answers: Sequence[Answer], rng: Generator
) -> float:
    """How much better the answers are explained by grades that say nothing than by `graded`, as log odds.

    `graded` are the beliefs after the answers, `sides` those after the answers without grades, everybody trusted in
    full. Grades that say nothing have unknown chances, the same in every answer, all chances equally likely at first.
    The side of an answer has the same chance in both. Grades that depend on scores may do so by cuts as uneven as
    `WIDE_POWERS` allow.
    """
    levels = np.abs([int(answer.response) for answer in answers])
    counts = np.bincount(levels, minlength=graded.answers.cuts.shape[1] + 1)[1:].astype(float)
    wide = with_wide_cuts(graded)
    for _ in range(WIDE_STEPS):
        wide = wide.reweighed(answers, np.ones(len(answers)), rng)
    return float(log_sum(sides.log_weights) + log_chance_of_counts(counts) - log_sum(wide.log_weights))


def with_wide_cuts(graded: ShapedScores) -> ShapedScores:
    """The same beliefs on a grid with more uneven cuts, whose points have no weight yet."""
    shapes, (_, width) = len(graded.shapes), graded.log_prior.shape
    grid = cut_grid(graded.answers.cuts.shape[1], graded.answers.cuts[0, 0] > 0, WIDE_POWERS)
    log_prior = np.logaddexp.reduce(graded.log_prior.reshape(-1, shapes, width), axis=0)
    log_prior = np.concatenate([log_prior + part for part in grid.log_prior(graded.scale_grid)])
    places = np.array([np.abs(grid.cuts - cuts).sum(axis=1).argmin() for cuts in graded.answers.cuts])
    rows = graded.points.shapes % shapes + shapes * places[graded.points.shapes // shapes]
    cells = np.ravel_multi_index([rows, graded.cells % width], log_prior.shape)
    answers = replace(graded.answers, cuts=grid.cuts)
    return replace(
        graded, cut_grid=grid, log_prior=log_prior, cells=cells, points=replace(graded.points, shapes=rows),
        coordinates=replace(graded.coordinates, answers=answers),
    )  # fmt: skip


def log_chance_of_counts(counts: Floats) -> float:
    """The log chance of a sequence with these counts (G,), averaged over all chances of its values.

    >>> round(float(np.exp(-log_chance_of_counts(np.array([1.0, 1.0])))), 6)  # one over the mean of p (1 - p)
    6.0
    """
    total = lgamma(len(counts)) - lgamma(len(counts) + counts.sum())
    return total + sum(lgamma(1 + count) for count in counts.tolist())
