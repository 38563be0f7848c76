"""The likelihood of the best of several items, and of the best and the worst, compiled.

An answer has a row for each pair of the items shown (`difference_places`). The best item has the chance 1 / (1 + sum
e^-z) over its margins z with the others; the worst, the same over the margins of the others with it. With a chance
`lapse`, the answer is any of the responses.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise.posteriors.scores.answer_losses import MAX_FACTORS, in_any_order, weighted_squares
from askwise.posteriors.scores.trajectories import compiled, fractional_power, power_of_two_bits, real

STEEPEST = 80.0  # of minus a margin whose exponential is taken: a few e^80 still fit 32 bits


@compiled
def add_set_losses(
    margins: Any,  # (n, T): less their offsets; replaced by the slopes of their losses beyond the reference's
    offset: Any,  # (T,)
    precision: Any,  # (T,): the curvature that the reference gives each row
    likelihood: Any,  # strengths (T,), _, _, _, lapses (E,), responses
    layout: Any,  # rows of the best, of the worst, of all
    own: Any,  # (n,): the place of each chain's lapse
    work: Any,  # (2, T) integers, and the same memory as numbers: scratch space
    totals: Any,  # (n, E): where `valued`, the losses under each lapse are added
    valued: Any,
) -> None:
    """The losses of answers, and their slopes, less what the Gaussian reference says of both."""
    strengths, _, _, _, lapses, responses = likelihood
    best, worst, size = layout
    bits, odds, chances = work[0][0], work[1][0], work[1][1]
    one, most, count = real(1.0), real(STEEPEST), margins.shape[1] // size
    for i in range(len(margins)):
        row = margins[i]
        expected = weighted_squares(precision, row) if valued else real(0.0)
        for t in range(len(row)):
            row[t] += offset[t]
            bits[t] = power_of_two_bits(min(-row[t], most))
        for t in range(len(row)):
            odds[t] *= fractional_power(min(-row[t], most))
        kept, guess, plain = one - lapses[own[i]], lapses[own[i]] / responses, real(0.0)
        for a in range(count):
            start, middle = a * size, a * size + best
            upper, lower = one, one
            for t in range(start, middle):
                upper += odds[t]
            for t in range(middle, middle + worst):
                lower += odds[t]
            chance = one / upper / lower
            chances[a] = chance
            if valued and not lapses[0] > 0:
                plain += strengths[start] * (np.log(upper) + np.log(lower))
            steep = strengths[start] * (kept * chance / (kept * chance + guess) if guess > 0 else one)
            for t in range(start, middle):
                row[t] = -steep * odds[t] / upper - precision[t] * (row[t] - offset[t])
            for t in range(middle, middle + worst):
                row[t] = -steep * odds[t] / lower - precision[t] * (row[t] - offset[t])
            for t in range(middle + worst, start + size):
                row[t] = -precision[t] * (row[t] - offset[t])
        if valued:
            for e in range(len(lapses)):
                loss = plain
                if lapses[e] > 0:
                    loss = set_loss(chances[:count], strengths, size, lapses[e], responses)
                totals[i, e] += loss - real(0.5) * expected


@in_any_order
def set_loss(chances: Any, strengths: Any, size: Any, lapse: Any, responses: Any) -> Any:
    """The loss of all answers of a chain from their chances without lapses: one logarithm for many answers."""
    kept, guess, loss = real(1.0) - lapse, lapse / responses, 0.0
    for start in range(0, len(chances), MAX_FACTORS):
        part, product = chances[start : start + MAX_FACTORS], 1.0
        for a in range(len(part)):
            product *= np.float64(kept * part[a] + guess)
        loss -= np.log(product)
    for a in range(len(chances)):
        if strengths[a * size] != 1:
            loss -= (strengths[a * size] - real(1.0)) * np.log(kept * chances[a] + guess)
    return real(loss)
