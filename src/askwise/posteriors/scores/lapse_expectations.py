"""Expectations of the losses of choices and labels, with ties, grades and lapses, compiled; see `answer_losses`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from askwise.posteriors.scores.trajectories import compiled
from askwise.types import Floats

NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(16)
NODE_WEIGHTS = NODE_WEIGHTS / NODE_WEIGHTS.sum()
WIDE = 1.5  # spread of a margin beyond which the nodes miss where the loss is curved
REACH, SPACING = 18.0, 0.5  # of the grid that is used then: beyond it, losses are straight
GRID = np.arange(-REACH, REACH + SPACING / 2, SPACING)
QUADRATURE = NODES, NODE_WEIGHTS, GRID


def quadrature_beyond(cuts: Floats) -> tuple[Floats, Floats, Floats]:
    """The nodes, with a grid that reaches beyond all cuts (J, G).

    >>> float(quadrature_beyond(np.array([[0.0, 4.0]]))[2].max())
    22.0
    """
    return NODES, NODE_WEIGHTS, np.arange(-REACH - cuts[:, 0].max(), REACH + cuts.max() + SPACING / 2, SPACING)


@compiled
def loss_and_slope(margin: float, tied: bool, ties: float, lapse: float, responses: float) -> Any:
    """The loss of one margin, and its slope."""
    half = np.exp(-0.5 * abs(margin))
    total = 1.0 + half * half + ties * half
    if tied:
        chance, loss, lean = ties * half / total, 0.5 * abs(margin) + np.log(total / ties), 0.0
    else:
        chance, loss, lean = (1.0 if margin > 0 else half * half) / total, max(-margin, 0.0) + np.log(total), 0.5
    slope = (1.0 if margin > 0 else -1.0) * (1.0 - half * half) / (2.0 * total) - lean
    if lapse > 0.0:
        whole = (1.0 - lapse) * chance + lapse / responses
        return -np.log(whole), slope * (1.0 - lapse) * chance / whole
    return loss, slope


@compiled
def expected_losses(
    means: Any,  # (K, T) of the margins
    spreads: Any,  # (K, T)
    tied: Any,  # (T,)
    ties: float,
    lapses: Any,  # (K,)
    responses: float,  # how many there are
    nodes: Any,  # (3, ...) of the quadrature: places and weights; and the grid
    table: Any,  # (2, 2, size of the grid): scratch space
    found: Any,  # (3, K, T): value, slope and curvature; written
) -> None:
    """The loss, its slope and its curvature, averaged over margins N(mean, spread^2).

    Where margins spread little, by Gauss quadrature. Where they spread widely, on a grid, and beyond it in closed form.
    """
    places, weights, grid = nodes
    size = len(grid)
    for k in range(means.shape[0]):
        for kind in range(2 if ties > 0 else 1):  # answers that are tied or not
            for node in range(size):
                loss, slope = loss_and_slope(grid[node], kind == 1, ties, lapses[k], responses)
                table[kind, 0, node], table[kind, 1, node] = loss, slope
        for t in range(means.shape[1]):
            mean, spread = means[k, t], spreads[k, t]
            value, steep, curvature = 0.0, 0.0, 0.0
            if spread <= WIDE:
                for node in range(len(places)):
                    loss, slope = loss_and_slope(mean + spread * places[node], tied[t], ties, lapses[k], responses)
                    value += weights[node] * loss
                    steep += weights[node] * slope
                    curvature += weights[node] * places[node] * slope
                curvature /= spread
            else:
                own = table[1 if tied[t] else 0]
                value, steep, curvature = average_on_grid(mean, spread, grid, own[0], own[1])
            found[0, k, t] = value
            found[1, k, t] = steep
            found[2, k, t] = max(curvature, 0.0)


@compiled
def average_on_grid(mean: float, spread: float, grid: Any, losses: Any, slopes: Any) -> Any:
    """The loss, its slope and its curvature, averaged over N(mean, spread^2), from losses and slopes on a grid."""
    value, steep, curvature, size = 0.0, 0.0, 0.0, len(grid)
    for node in range(size):
        offset = (grid[node] - mean) / spread
        share = SPACING / spread * 0.3989422804014327 * np.exp(-0.5 * offset * offset)
        share *= 0.5 if node == 0 or node == size - 1 else 1.0
        value += share * losses[node]
        steep += share * slopes[node]
        curvature += share * offset * slopes[node]
    for side in range(2):  # beyond the grid the loss goes on with its slope at the end
        end, sign = (0, -1.0) if side == 0 else (size - 1, 1.0)
        offset = sign * (grid[end] - mean) / spread
        density = 0.3989422804014327 * np.exp(-0.5 * offset * offset)
        tail = 0.5 * math.erfc(offset / 1.4142135623730951)
        value += tail * losses[end] + sign * slopes[end] * spread * (density - offset * tail)
        steep += tail * slopes[end]
        curvature += sign * density * slopes[end]
    return value, steep, curvature / spread


@compiled
def interval_loss_and_slope(margin: float, interval: Any, lapse: float, responses: float) -> Any:
    """The loss of one margin of a graded answer, and its slope; its interval is from, to and 1 - e^{from - to}."""
    low, high, width = interval
    near, far = np.exp(-abs(margin - low)), np.exp(-abs(margin - high))
    beyond = (1.0 if margin > high else far) / (1.0 + far)
    short = (1.0 if margin < low else near) / (1.0 + near)
    if lapse > 0.0:
        chance = (1.0 - lapse) * (1.0 - beyond) * (1.0 - short) * width
        whole = chance + lapse / responses
        return -np.log(whole), (beyond - short) * chance / whole
    outside = max(low - margin, 0.0) + max(margin - high, 0.0)
    return outside + np.log((1.0 + near) * (1.0 + far) / width), beyond - short


@compiled
def expected_interval_losses(
    means: Any,  # (K, T) of the margins
    spreads: Any,  # (K, T)
    levels: Any,  # (T,): of the answers
    intervals: Any,  # (K, 3, L): from, to and 1 - e^{from - to}, of the margin at each level
    lapses: Any,  # (K,)
    responses: float,  # how many there are
    nodes: Any,  # as for `expected_losses`; the grid reaches beyond all cuts
    table: Any,  # (L, 2, size of the grid): scratch space
    known: Any,  # (L,): scratch space, whether the table of a level is made
    found: Any,  # (3, K, T): value, slope and curvature; written
) -> None:
    """`expected_losses` of graded answers."""
    places, weights, grid = nodes
    for k in range(means.shape[0]):
        highest = intervals[k, 0, 0]
        for level in range(len(known)):
            known[level] = False
            highest = max(highest, intervals[k, 0, level])
        size = int((highest + REACH - grid[0]) / SPACING) + 2  # beyond, losses are straight
        own = grid[:size]
        for t in range(means.shape[1]):
            mean, spread, level = means[k, t], spreads[k, t], levels[t]
            value, steep, curvature = 0.0, 0.0, 0.0
            interval = intervals[k, 0, level], intervals[k, 1, level], intervals[k, 2, level]
            if spread <= WIDE:
                for node in range(len(places)):
                    margin = mean + spread * places[node]
                    loss, slope = interval_loss_and_slope(margin, interval, lapses[k], responses)
                    value += weights[node] * loss
                    steep += weights[node] * slope
                    curvature += weights[node] * places[node] * slope
                curvature /= spread
            else:
                losses, slopes = table[level, 0, : len(own)], table[level, 1, : len(own)]
                if not known[level]:
                    known[level] = True
                    for node in range(len(own)):
                        losses[node], slopes[node] = interval_loss_and_slope(own[node], interval, lapses[k], responses)
                value, steep, curvature = average_on_grid(mean, spread, own, losses, slopes)
            found[0, k, t] = value
            found[1, k, t] = steep
            found[2, k, t] = max(curvature, 0.0)
