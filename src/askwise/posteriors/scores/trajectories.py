"""The trajectories of `hmc` for the logistic loss, compiled: the same numbers, to rounding, in half of the time.

Chains move in blocks that fit in the cache, coordinate by coordinate, so that each line of arithmetic runs over many
chains at once. Four coordinates and two answers go together; what is missing is padded with zeros.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._runtime.compiled import machine_code
from askwise.types import Floats

CHAINS_PER_BLOCK = 320  # not a power of two, which would crowd a few lines of the cache
real = np.float32
# sums may be fused, nothing is assumed about what is not finite
compiled = machine_code(error_model="numpy", fastmath={"contract", "nsz", "arcp"}, _nrt=False)
allocating = machine_code(error_model="numpy", fastmath={"contract", "nsz", "arcp"}, _nrt=True)


def padded(array: Floats, *axes: int, to: int = 4) -> Floats:
    """The array in 32 bits, with zeros behind it along these axes up to a multiple of `to`.

    >>> padded(np.ones(3), 0)
    array([1., 1., 1., 0.], dtype=float32)
    """
    shape = [-(-size // to) * to if axis in axes else size for axis, size in enumerate(array.shape)]
    whole = np.zeros(shape, real)
    whole[tuple(map(slice, array.shape))] = array
    return whole


@allocating
def run_trajectories(
    answers: Any,  # (T, R): features times response; (T,): strengths
    scales: Any,  # centers (K, R), 1 / scale^2 (K,), covariances, roots and their inverses (K, R, R)
    owners: Any,  # (S,): the scale of each chain, rising
    steps: Any,  # (K,), rising
    angles: Any,  # (L, K): of one step, in each trajectory
    places: Any,  # (S, R): where the chains are, seen from their centers; changed
    momenta: Any,  # (L, S, R)
    uniforms: Any,  # (L, S) uniform
    chance: Any,  # (S,): with which each chain's last trajectory was accepted; changed
) -> None:
    """Moves every chain by L trajectories."""
    chains = places, momenta, uniforms, chance
    start: Any = np.int64(0)  # a plain 0 would be another type, and everything would be compiled twice
    runs = np.empty(CHAINS_PER_BLOCK + 1, np.int64)
    for _ in range(len(places)):  # every block has a chain at least
        if start >= len(places):
            break
        lanes, scale_runs = 0, 0
        for i in range(min(CHAINS_PER_BLOCK, len(places) - start)):
            if steps[owners[start + i]] != steps[owners[start]]:
                break
            if i == 0 or owners[start + i] != owners[start + i - 1]:
                runs[scale_runs] = i
                scale_runs += 1
            lanes += 1
        runs[scale_runs] = lanes
        bits = np.empty(lanes, np.int32)
        work = np.empty((9, places.shape[1], lanes), real), np.empty((9, lanes), real), bits, bits.view(real)
        own = owners[start : start + lanes]
        run_block(answers, scales, own, runs[: scale_runs + 1], steps[own[0]], angles, chains, start, work)
        start += lanes


@compiled
def run_block(
    answers: Any, scales: Any, owners: Any, runs: Any, steps: int, angles: Any, chains: Any, start: int, work: Any
) -> None:
    """`run_trajectories` for chains with equal steps, the first of which is `start`; `work` is scratch space.

    `runs` are the places where each scale begins among them, and the end.
    """
    centers, tightness, covariances, roots, inverses = scales
    places, momenta, uniforms, chance = chains
    planes, lines, bits, power = work
    current, proposed, velocity, momentum = planes[0], planes[1], planes[2], planes[3]
    residual, next_residual, center, point, pull = planes[4], planes[5], planes[6], planes[7], planes[8]
    potential, next_potential, energy, tight = lines[0], lines[1], lines[2], lines[3]
    sine, cosine, angle, one, two = lines[4], lines[5], lines[6], lines[7], lines[8]
    rank, lanes = current.shape
    for i in range(lanes):
        tight[i] = tightness[owners[i]]
        for r in range(rank):
            current[r, i] = places[start + i, r]
            center[r, i] = centers[owners[i], r]
    for number in range(-1, len(momenta)):  # -1: a trajectory of no length, which computes where the chains start
        for i in range(lanes):
            angle[i] = angles[number, owners[i]] if number >= 0 else real(0.0)
            sine[i], cosine[i], energy[i] = np.sin(angle[i]), np.cos(angle[i]), potential[i]
            for r in range(rank):
                momentum[r, i] = momenta[number, start + i, r] if number >= 0 else real(0.0)
        add_squares(momentum, real(0.5), energy)
        multiply_by_scale(momentum, roots, owners, runs, velocity)
        if number >= 0:
            kick(velocity, residual, angle, real(0.5))
        for r in range(rank):  # a slice assigned at once would take four seconds to compile
            for i in range(lanes):
                proposed[r, i] = current[r, i]
        for step in range(steps if number >= 0 else 1):
            rotate(proposed, velocity, sine, cosine)
            last = number < 0 or step + 1 == steps  # where the potential itself is wanted
            powers = bits, power
            potential_and_pull(answers, center, tight, proposed, point, pull, one, two, powers, next_potential, last)
            multiply_by_scale(pull, covariances, owners, runs, next_residual)
            for r in range(rank):
                for i in range(lanes):
                    next_residual[r, i] -= proposed[r, i]
            kick(velocity, next_residual, angle, real(0.5 if last else 1.0))
        multiply_by_scale(velocity, inverses, owners, runs, momentum)
        add_squares(momentum, real(-0.5), energy)
        for i in range(lanes):
            gain = energy[i] - next_potential[i]
            # what is not a number is in neither range, and refused
            probability = real(1.0) if gain >= 0 or number < 0 else np.exp(gain) if gain > -80 else real(0.0)
            chance[start + i] = probability
            if number < 0 or uniforms[number, start + i] < probability:
                potential[i] = next_potential[i]
                for r in range(rank):
                    current[r, i], residual[r, i] = proposed[r, i], next_residual[r, i]
    for i in range(lanes):
        for r in range(rank):
            places[start + i, r] = current[r, i]


@compiled
def potential_and_pull(
    answers: Any,
    center: Any,
    tight: Any,
    place: Any,
    point: Any,
    pull: Any,
    one: Any,
    two: Any,
    powers: Any,
    potential: Any,
    valued: Any,
) -> None:
    """The gradient of each chain's potential in `pull` and, where `valued`, the potential itself."""
    signed, strengths = answers
    rank, lanes = place.shape
    for i in range(lanes):
        potential[i] = real(0.0)
    for r in range(rank):
        for i in range(lanes):
            point[r, i] = place[r, i] + center[r, i]
            pull[r, i] = tight[i] * point[r, i]
        for i in range(lanes):
            potential[i] += pull[r, i] * point[r, i] * real(0.5)
    for t in range(0, len(strengths), 2):
        for i in range(lanes):
            one[i] = real(0.0)
            two[i] = real(0.0)
        for r in range(0, rank, 4):
            a, b, c, d = signed[t, r], signed[t, r + 1], signed[t, r + 2], signed[t, r + 3]
            e, f, g, h = signed[t + 1, r], signed[t + 1, r + 1], signed[t + 1, r + 2], signed[t + 1, r + 3]
            for i in range(lanes):
                w, x, y, z = point[r, i], point[r + 1, i], point[r + 2, i], point[r + 3, i]
                one[i] += a * w + b * x + c * y + d * z
                two[i] += e * w + f * x + g * y + h * z
        add_logistic_loss(one, strengths[t], powers, potential, valued)
        add_logistic_loss(two, strengths[t + 1], powers, potential, valued)
        for r in range(0, rank, 4):
            a, b, c, d = signed[t, r], signed[t, r + 1], signed[t, r + 2], signed[t, r + 3]
            e, f, g, h = signed[t + 1, r], signed[t + 1, r + 1], signed[t + 1, r + 2], signed[t + 1, r + 3]
            for i in range(lanes):
                x, y = one[i], two[i]
                pull[r, i] += a * x + e * y
                pull[r + 1, i] += b * x + f * y
                pull[r + 2, i] += c * x + g * y
                pull[r + 3, i] += d * x + h * y


@compiled
def add_logistic_loss(margin: Any, strength: Any, powers: Any, potential: Any, valued: Any) -> None:
    """Adds strength * log(1 + e^-m) to the potential, where `valued`; replaces the margin m by its slope.

    `powers` is scratch space of 32 bits each: integers, and the same memory as numbers.
    """
    lanes, (bits, power) = len(margin), powers
    for i in range(lanes):
        bits[i] = power_of_two_bits(-abs(margin[i]))
    for i in range(lanes):
        tail = fractional_power(-abs(margin[i])) * power[i]
        if valued:
            ratio = tail / (real(2.0) + tail)  # log(1 + u) = 2 artanh(u / (2 + u)), a series in at most a third
            square = ratio * ratio
            series = real(2 / 13)
            series = series * square + real(2 / 11)
            series = series * square + real(2 / 9)
            series = series * square + real(2 / 7)
            series = series * square + real(2 / 5)
            series = series * square + real(2 / 3)
            series = series * square + real(2.0)
            potential[i] += strength * (series * ratio + max(-margin[i], real(0.0)))
        margin[i] = -strength * (tail if margin[i] > 0 else real(1.0)) / (real(1.0) + tail)


@compiled
def exp_in_place(sizes: Any, powers: Any) -> None:
    """Replaces each x, which is not above 0, by e^x; `powers` is scratch space as above."""
    bits, power = powers
    for i in range(len(sizes)):
        bits[i] = power_of_two_bits(sizes[i])
    for i in range(len(sizes)):
        sizes[i] = fractional_power(sizes[i]) * power[i]


@compiled
def power_of_two_bits(size: Any) -> Any:
    """e^size = 2^whole * 2^part: the bits of the float 2^whole."""
    whole = np.floor(max(size, real(-80.0)) * real(1.44269504) + real(0.5))
    return (np.int32(whole) + np.int32(127)) << np.int32(23)


@compiled
def fractional_power(size: Any) -> Any:
    """The other factor, 2^part."""
    size = max(size, real(-80.0)) * real(1.44269504)
    part = size - np.floor(size + real(0.5))
    power = real(1.5403530e-4)
    power = power * part + real(1.3333558e-3)
    power = power * part + real(9.6181291e-3)
    power = power * part + real(5.5504109e-2)
    power = power * part + real(0.24022651)
    power = power * part + real(0.69314718)
    return power * part + real(1.0)


@compiled
def multiply_by_scale(rows: Any, matrices: Any, owners: Any, runs: Any, product: Any) -> None:
    """Each chain's vector times the matrix of its scale."""
    for run in range(len(runs) - 1):
        left, right = runs[run], runs[run + 1]
        matrix = matrices[owners[left]]
        for column in range(len(rows)):
            total = product[column][left:right]
            for i in range(len(total)):
                total[i] = real(0.0)
            for r in range(0, len(rows), 4):
                a, b, c, d = matrix[r, column], matrix[r + 1, column], matrix[r + 2, column], matrix[r + 3, column]
                start, second = rows[r][left:right], rows[r + 1][left:right]
                third, fourth = rows[r + 2][left:right], rows[r + 3][left:right]
                for i in range(len(total)):
                    total[i] += a * start[i] + b * second[i] + c * third[i] + d * fourth[i]


@compiled
def add_squares(rows: Any, share: Any, total: Any) -> None:
    """Adds `share` times each chain's squared length to its total."""
    rank, lanes = rows.shape
    for r in range(rank):
        for i in range(lanes):
            total[i] += share * rows[r, i] * rows[r, i]


@compiled
def kick(velocity: Any, residual: Any, angle: Any, share: Any) -> None:
    """Changes the velocity by the force of a share of a step."""
    rank, lanes = velocity.shape
    for r in range(rank):
        for i in range(lanes):
            velocity[r, i] -= share * angle[i] * residual[r, i]


@compiled
def rotate(place: Any, velocity: Any, sine: Any, cosine: Any) -> None:
    """Moves places and velocities by one step, as if there were only the reference."""
    rank, lanes = velocity.shape
    for r in range(rank):
        for i in range(lanes):
            forward = sine[i] * velocity[r, i]
            velocity[r, i] = cosine[i] * velocity[r, i] - sine[i] * place[r, i]
            place[r, i] = cosine[i] * place[r, i] + forward
