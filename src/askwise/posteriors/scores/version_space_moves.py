"""Moves of points in the unit ball and within faces, compiled."""

from __future__ import annotations

import numpy as np

from askwise._runtime.compiled import machine_code
from askwise.types import Floats, Ints


@machine_code(nogil=True)
def hit_and_run_move(points: Floats, heights: Floats, along: Floats, slopes: Floats, levels: Floats) -> None:
    """Moves each point to a uniform place of its line, in place.

    - `points`: (S, D).
    - `heights`: (S, F), how far above each face they are; moves with them.
    - `along`: (S, D), the directions of the lines.
    - `slopes`: (S, F), how fast the heights grow along them.
    - `levels`: (S,), uniform numbers below 1.

    >>> points, along = np.array([[0.5, 0.0]]), np.array([[1.0, 0.0]])
    >>> hit_and_run_move(points, points[:, :1].copy(), along, along[:, :1].copy(), np.array([0.25]))
    >>> points
    array([[0.25, 0.  ]])
    """
    for place in range(len(points)):
        square = cross = length = 0.0
        for axis in range(points.shape[1]):
            square += along[place, axis] ** 2
            cross += along[place, axis] * points[place, axis]
            length += points[place, axis] ** 2
        if square == 0.0:
            continue
        half = np.sqrt(cross**2 + square * max(1.0 - length, 0.0))
        low, high = (-cross - half) / square, (-cross + half) / square
        for face in range(heights.shape[1]):
            slope = slopes[place, face]
            if slope > 0.0:
                low = max(low, -heights[place, face] / slope)
            elif slope < 0.0:
                high = min(high, -heights[place, face] / slope)
        if high <= low:
            continue
        step = low + (high - low) * levels[place]
        for axis in range(points.shape[1]):
            points[place, axis] += step * along[place, axis]
        for face in range(heights.shape[1]):
            heights[place, face] += step * slopes[place, face]


@machine_code(nogil=True)
def coordinate_moves(points: Floats, above: Ints, below: Ints, levels: Floats) -> None:
    """Moves each coordinate of each point, one after the other, to a uniform place of its line, in place.

    - `points`: (S, D).
    - `above`, `below`: (F,), a coordinate and one that is smaller.
    - `levels`: (S, D), uniform numbers below 1.

    >>> points = np.array([[0.5, 0.0]])
    >>> coordinate_moves(points, np.array([0]), np.array([1]), np.array([[0.25, 0.0]]))
    >>> points
    array([[ 0.25      , -0.96824584]])
    """
    dimension = points.shape[1]
    # the faces of each coordinate, one after the other
    starts, filled = np.zeros(dimension + 1, dtype=np.int64), np.zeros(dimension, dtype=np.int64)
    for face in range(len(above)):
        starts[above[face] + 1] += 1
        starts[below[face] + 1] += 1
    for axis in range(dimension):
        starts[axis + 1] += starts[axis]
    others, is_above = np.empty(2 * len(above), dtype=np.int64), np.empty(2 * len(above), dtype=np.bool_)
    for face in range(len(above)):
        for own, other, larger in ((above[face], below[face], False), (below[face], above[face], True)):
            place = starts[own] + filled[own]
            others[place], is_above[place] = other, larger
            filled[own] += 1
    for place in range(len(points)):
        point = points[place]
        length = 0.0
        for axis in range(dimension):
            length += point[axis] ** 2
        for axis in range(dimension):
            length -= point[axis] ** 2
            high = np.sqrt(max(1.0 - length, 0.0))
            low = -high
            for face in range(starts[axis], starts[axis + 1]):
                if is_above[face]:
                    high = min(high, point[others[face]])
                else:
                    low = max(low, point[others[face]])
            if high > low:
                point[axis] = low + (high - low) * levels[place, axis]
            length += point[axis] ** 2
