"""Compiled: what survives of the distances when a normal answer comes, over all triples of draws. Loaded at first use.

The product of three normal densities is a normal one, so its integral over the answer has a closed form, but S draws
have S^3 triples. The trapezoidal rule on equally spaced answers gives the same integrals from S^2 products an answer.
For normal densities its error falls exponentially with the step: at one standard deviation of the noise it is below
0.3 % for each triple of equal noise, and the triples' errors have different signs.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from askwise._runtime.compiled import machine_code, portions
from askwise.types import Floats, Ints

STEP = 1.0  # between answers, in units of the noise: its mean precision is 1
REACH = 3.0  # standard deviations of the widest noise, beyond which a draw gives no answer
MAX_CELLS_PER_CALL = 20_000_000  # draws, squared, times atoms: about .3 s
compiled = machine_code(fastmath=True, _nrt=False)


def surviving_triples(
    means: Floats, precision: Floats, weights: Floats, distances: Floats, distinct: bool, step: float = STEP
) -> Floats:
    """(S, A), (S,), (S,), (S, S) -> (A,): the mean of d(1, 2) times the integral of p1 p2 p3 e^(2 H3) over the answer,
    for three draws with normal answers of entropy H.

    With `distinct`, the three are different draws; else any, as for exact weights.

    >>> one = surviving_triples(np.zeros((3, 1)), np.full(3, 4.0), np.full(3, 1 / 3), 1 - np.eye(3), True)
    >>> bool(abs(one[0] - np.e / 3**0.5) < 0.005)  # three equal draws
    True
    """
    sharpness = np.asarray(precision, dtype=float) / float(weights @ precision)  # the noise is the unit, in 32 bits too
    columns = np.ascontiguousarray(np.transpose(means - np.mean(means, axis=0))) * float(weights @ precision) ** 0.5
    total, square, cube = (float((weights**power).sum()) for power in (1, 2, 3))
    mass = total**3 - 3 * total * square + 2 * cube if distinct else total**3
    found = np.zeros(len(columns))
    if mass <= 1e-12:
        return found
    between = np.asarray(distances, dtype=np.float32)
    order, size, reach = np.argsort(columns, axis=1), len(sharpness), REACH / float(sharpness.min()) ** 0.5
    work = np.empty((6, size)), np.empty((2, size), np.float32), np.empty((size, size), np.float32)
    for some in portions(len(columns), len(weights) ** 2, MAX_CELLS_PER_CALL):
        _integrate(
            columns[some],
            order[some],
            sharpness,
            np.asarray(weights),
            between,
            distinct,
            step,
            reach,
            work,
            found[some],
        )
    return found * 2 * math.pi * math.e / mass


@compiled
def _integrate(
    means: Floats,
    orders: Ints,
    precision: Floats,
    weights: Floats,
    distances: Floats,
    distinct: bool,
    step: float,
    reach: float,
    work: Any,
    found: Floats,
) -> None:
    """Fills found (A,), in units of the noise. Two products, not an exponential, move a density to the next answer.

    `orders` (A, S) sort the means of each atom.
    """
    size = means.shape[1]
    lines, (held, variance), between = work[0], (work[1][0], work[1][1]), work[2]
    centre, sharpness, height, shrink = lines[0], lines[1], lines[2], lines[3]
    density, ratio = lines[4], lines[5]  # at this answer, and of the next one to it
    for atom in range(len(means)):
        order = orders[atom]
        for i in range(size):
            centre[i], sharpness[i] = means[atom, order[i]], precision[order[i]]
            height[i] = weights[order[i]] * np.sqrt(sharpness[i] / (2 * np.pi))
            shrink[i] = np.exp(-sharpness[i] * step**2)
            variance[i] = 1 / sharpness[i]
            for j in range(i):
                between[i, j] = distances[order[i], order[j]]
        first, last, place, total = 0, 0, 0, 0.0  # draws from `first` to `last` are in reach
        for _ in range(size * (int(2 * reach / step) + 3)):
            answer = centre[0] - reach + place * step
            for i in range(first, size):
                if centre[i] + reach >= answer:
                    break
                first = i + 1
            if first == size:
                break
            if first == last and centre[first] - reach > answer:  # nobody gives this answer: on to the next who does
                place = max(place + 1, int(np.ceil((centre[first] - centre[0]) / step)))
                continue
            for i in range(first, last):
                density[i] *= ratio[i]
                ratio[i] *= shrink[i]
            for i in range(last, size):
                if centre[i] - reach > answer:
                    break
                off = answer - centre[i]
                density[i] = height[i] * np.exp(-0.5 * sharpness[i] * off**2)
                ratio[i] = np.exp(-sharpness[i] * step * (off + 0.5 * step))
                last = i + 1
            place += 1
            third = np.float32(0.0)
            for i in range(first, last):
                held[i] = density[i]
                third += held[i] * variance[i]
            for i in range(first, last):
                apart, own = np.float32(0.0), np.float32(0.0)
                for j in range(first, i):
                    pair = between[i, j] * held[j]
                    apart += pair
                    own += pair * held[j] * variance[j]
                if distinct:
                    total += held[i] * (apart * (third - held[i] * variance[i]) - own)
                else:
                    total += held[i] * apart * third
        found[atom] = 2 * step * total
