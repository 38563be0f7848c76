"""Expectations of the losses of choices and labels with ties and lapses, compiled; see `lapse_chains` for the model."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from askwise.posteriors.scores.trajectories import compiled

NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(16)
NODE_WEIGHTS = NODE_WEIGHTS / NODE_WEIGHTS.sum()
WIDE = 1.5  # spread of a margin beyond which the nodes miss where the loss is curved
REACH, SPACING = 18.0, 0.5  # of the grid that is used then: beyond it, losses are straight
GRID = np.arange(-REACH, REACH + SPACING / 2, SPACING)
QUADRATURE = NODES, NODE_WEIGHTS, GRID


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
    found: Any,  # (3, K, T): value, slope and curvature; written
) -> None:
    """The loss, its slope and its curvature, averaged over margins N(mean, spread^2).

    Where margins spread little, by Gauss quadrature. Where they spread widely, on a grid, and beyond it in closed form.
    """
    places, weights, grid = nodes
    size = len(grid)
    table = np.empty((2, 2, size))  # of answers that are tied or not: loss and slope on the grid
    for k in range(means.shape[0]):
        for kind in range(2 if ties > 0 else 1):
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
                losses, slopes = table[1 if tied[t] else 0]
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
                curvature /= spread
            found[0, k, t] = value
            found[1, k, t] = steep
            found[2, k, t] = max(curvature, 0.0)
