"""The losses of choices and labels with ties, grades and lapses, compiled, and their slopes.

A score z has the chances e^{z/2} : e^{-z/2} : ties of the answers +1, -1 and 0 (no ties: the logit model). A graded
answer is an interval of a score with logistic noise. With a chance `lapse`, the answer is any of them. Margins are
scores times the answer's sign; `tied` marks answers 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._runtime.compiled import machine_code
from askwise.posteriors.scores.trajectories import compiled, fractional_power, power_of_two_bits, real

MAX_FACTORS = 64  # chances of answers, at least 1e-4 with a lapse, that are multiplied before their logarithm is taken
in_any_order = machine_code(error_model="numpy", fastmath={"contract", "nsz", "arcp", "reassoc"}, _nrt=False)


@compiled
def add_losses(
    margins: Any,  # (n, T): less their offsets; replaced by the slopes of their losses beyond the reference's
    offset: Any,  # (T,)
    precision: Any,  # (T,): the curvature that the reference gives each answer
    likelihood: Any,  # strengths (T,), which are not 1 (U,), tied (T,), ties, lapses (E,), responses
    own: Any,  # (n,): the place of each chain's lapse
    work: Any,  # (3, T) integers, and the same memory as numbers: scratch space
    totals: Any,  # (n, E): where `valued`, the losses under each lapse are added
    valued: Any,
) -> None:
    """The losses of margins, and their slopes, less what the Gaussian reference says of both."""
    strengths, _, tied, ties, lapses, responses = likelihood
    bits, half, chances = work[0][0], work[1][0], work[1][1]
    zero, one, two = real(0.0), real(1.0), real(0.5)
    for i in range(len(margins)):
        row = margins[i]
        expected = weighted_squares(precision, row) if valued else zero
        for t in range(len(row)):
            row[t] += offset[t]
            bits[t] = power_of_two_bits(-two * abs(row[t]))
        for t in range(len(row)):
            half[t] *= fractional_power(-two * abs(row[t]))
        if valued:
            for t in range(len(row)):
                chance = ties * half[t] if tied[t] else one if row[t] > 0 else half[t] * half[t]
                chances[t] = chance / (one + half[t] * half[t] + ties * half[t])
            for e in range(len(lapses)):
                if lapses[e] > 0:
                    loss = loss_with_lapses(chances, likelihood, lapses[e])
                else:
                    loss = loss_without_lapses(row, half, likelihood)
                totals[i, e] += loss - two * expected
        kept, guess = one - lapses[own[i]], lapses[own[i]] / responses
        for t in range(len(row)):
            far = half[t] * half[t]
            whole = one / (one + far + ties * half[t])
            steep = (one - far) * two * whole
            steep = (steep if row[t] > 0 else -steep) - (zero if tied[t] else two)
            chance = kept * (ties * half[t] if tied[t] else one if row[t] > 0 else far) * whole
            steep *= strengths[t] * (chance / (chance + guess) if guess > 0 else one)
            row[t] = steep - precision[t] * (row[t] - offset[t])


@in_any_order
def weighted_squares(weights: Any, values: Any) -> Any:
    """The sum of weights * values^2."""
    total = real(0.0)
    for t in range(len(values)):
        total += weights[t] * values[t] * values[t]
    return total


@in_any_order
def loss_with_lapses(chances: Any, likelihood: Any, lapse: Any) -> Any:
    """The loss of all answers of a chain from their chances (T,) without lapses: one logarithm for many answers."""
    strengths, uneven, _, _, _, responses = likelihood
    kept, guess, loss = real(1.0) - lapse, lapse / responses, 0.0
    for start in range(0, len(chances), MAX_FACTORS):
        part, product = chances[start : start + MAX_FACTORS], 1.0
        for t in range(len(part)):
            product *= np.float64(kept * part[t] + guess)
        loss -= np.log(product)
    for t in uneven:
        loss -= (strengths[t] - real(1.0)) * np.log(kept * chances[t] + guess)
    return real(loss)


@compiled
def loss_without_lapses(row: Any, half: Any, likelihood: Any) -> Any:
    """The loss of all margins (T,) of a chain; `half` are their e^{-|margin| / 2}."""
    strengths, _, tied, ties, _, _ = likelihood
    one, two, loss = real(1.0), real(0.5), real(0.0)
    for t in range(len(row)):
        whole = one + half[t] * half[t] + ties * half[t]
        if tied[t]:
            loss += strengths[t] * (two * abs(row[t]) + np.log(whole / ties))
        else:
            loss += strengths[t] * (max(-row[t], real(0.0)) + np.log(whole))
    return loss


@compiled
def add_interval_losses(
    margins: Any,  # (n, T): less their offsets; replaced by the slopes of their losses beyond the reference's
    offset: Any,  # (T,)
    precision: Any,  # (T,)
    bounds: Any,  # (3, T): the interval of each answer's margin, from and to, and 1 - e^{from - to}
    likelihood: Any,  # as for `add_losses`
    own: Any,  # (n,): the place of each chain's lapse
    work: Any,  # (3, T) integers, and the same memory as numbers: scratch space
    totals: Any,  # (n, E): where `valued`, the losses under each lapse are added
    valued: Any,
) -> None:
    """`add_losses` of graded answers: S(margin - from) S(to - margin) (1 - e^{from - to}) is the chance of one."""
    strengths, _, _, _, lapses, responses = likelihood
    low, high, width = bounds[0], bounds[1], bounds[2]
    bits, (near, far, chances) = work[0], (work[1][0], work[1][1], work[1][2])
    zero, one, two = real(0.0), real(1.0), real(0.5)
    for i in range(len(margins)):
        row = margins[i]
        expected = weighted_squares(precision, row) if valued else zero
        for t in range(len(row)):
            row[t] += offset[t]
            bits[0, t] = power_of_two_bits(-abs(row[t] - low[t]))
            bits[1, t] = power_of_two_bits(-abs(row[t] - high[t]))
        for t in range(len(row)):
            near[t] *= fractional_power(-abs(row[t] - low[t]))
            far[t] *= fractional_power(-abs(row[t] - high[t]))
            above = (one if row[t] > low[t] else near[t]) / (one + near[t])
            below = (one if row[t] < high[t] else far[t]) / (one + far[t])
            chances[t] = above * below * width[t]
        if valued:
            for e in range(len(lapses)):
                if lapses[e] > 0:
                    loss = loss_with_lapses(chances, likelihood, lapses[e])
                else:
                    loss = interval_loss_without_lapses(row, near, far, bounds, strengths)
                totals[i, e] += loss - two * expected
        kept, guess = one - lapses[own[i]], lapses[own[i]] / responses
        for t in range(len(row)):
            beyond = (one if row[t] > high[t] else far[t]) / (one + far[t])
            short = (one if row[t] < low[t] else near[t]) / (one + near[t])
            chance = kept * chances[t]
            steep = (beyond - short) * strengths[t] * (chance / (chance + guess) if guess > 0 else one)
            row[t] = steep - precision[t] * (row[t] - offset[t])


@compiled
def interval_loss_without_lapses(row: Any, near: Any, far: Any, bounds: Any, strengths: Any) -> Any:
    """The loss of all margins (T,) of a chain; `near` and `far` are e^-distance to the ends of their intervals."""
    one, zero, loss = real(1.0), real(0.0), real(0.0)
    for t in range(len(row)):
        outside = max(bounds[0, t] - row[t], zero) + max(row[t] - bounds[1, t], zero)
        loss += strengths[t] * (outside + np.log((one + near[t]) * (one + far[t]) / bounds[2, t]))
    return loss
