"""The likelihood of choices and labels with ties and lapses, compiled: expectations, and Hamiltonian trajectories.

A score z has the chances e^{z/2} : e^{-z/2} : ties of the answers +1, -1 and 0 (no ties: the logit model). With a
chance `lapse`, the answer is any of them. Margins are scores times the answer's sign; `tied` marks answers 0.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from askwise.posteriors.scores.trajectories import compiled, fractional_power, power_of_two_bits, real

NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(16)
NODE_WEIGHTS = NODE_WEIGHTS / NODE_WEIGHTS.sum()
WIDE = 1.5  # spread of a margin beyond which the nodes miss where the loss is curved
REACH, SPACING = 18.0, 0.5  # of the grid that is used then: beyond it, losses are straight
GRID = np.arange(-REACH, REACH + SPACING / 2, SPACING)


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


@compiled
def add_losses(
    margins: Any,  # (n, T): less their offsets; replaced by the slopes of their losses beyond the reference's
    offset: Any,  # (T,)
    precision: Any,  # (T,): the curvature that the reference gives each answer
    likelihood: Any,  # strengths (T,), tied (T,), ties, lapses (E,), responses
    own: Any,  # (n,): the place of each chain's lapse
    bits: Any,  # (T,): scratch space
    totals: Any,  # (n, E): where `valued`, the losses under each lapse are added
    valued: Any,
) -> None:
    """The losses of margins, and their slopes, less what the Gaussian reference says of both."""
    strengths, tied, ties, lapses, responses = likelihood
    half = bits.view(real)
    zero, one, two = real(0.0), real(1.0), real(0.5)
    for i in range(len(margins)):
        row = margins[i]
        if valued:
            expected = zero
            for t in range(len(row)):
                expected += precision[t] * row[t] * row[t]
            for e in range(len(lapses)):
                totals[i, e] -= two * expected
        for t in range(len(row)):
            row[t] += offset[t]
            bits[t] = power_of_two_bits(-two * abs(row[t]))
        for t in range(len(row)):
            half[t] *= fractional_power(-two * abs(row[t]))
        if valued:
            for e in range(len(lapses)):
                totals[i, e] += total_loss(row, half, strengths, tied, ties, lapses[e], responses)
        kept, guess = one - lapses[own[i]], lapses[own[i]] / responses
        for t in range(len(row)):
            far = half[t] * half[t]
            whole = one / (one + far + ties * half[t])
            steep = (one - far) * two * whole
            steep = (steep if row[t] > 0 else -steep) - (zero if tied[t] else two)
            chance = kept * (ties * half[t] if tied[t] else one if row[t] > 0 else far) * whole
            steep *= strengths[t] * (chance / (chance + guess) if guess > 0 else one)
            row[t] = steep - precision[t] * (row[t] - offset[t])


@compiled
def total_loss(row: Any, half: Any, strengths: Any, tied: Any, ties: Any, lapse: Any, responses: Any) -> Any:
    """The loss of all margins (T,) of a chain; `half` are their e^{-|margin| / 2}."""
    zero, one, two = real(0.0), real(1.0), real(0.5)
    kept, guess, loss, product = one - lapse, lapse / responses, zero, one
    for t in range(len(row)):
        whole = one + half[t] * half[t] + ties * half[t]
        if lapse > 0:
            chance = (ties * half[t] if tied[t] else one if row[t] > 0 else half[t] * half[t]) / whole
            if strengths[t] != one:
                loss -= strengths[t] * np.log(kept * chance + guess)
                continue
            product *= kept * chance + guess
            if product < real(1e-20):  # one logarithm for many answers
                loss -= np.log(product)
                product = one
        elif tied[t]:
            loss += strengths[t] * (two * abs(row[t]) + np.log(whole / ties))
        else:
            loss += strengths[t] * (max(-row[t], zero) + np.log(whole))
    return loss - np.log(product)


@compiled
def force(
    places: Any, point: Any, likelihood: Any, own: Any, margins: Any, bits: Any, residual: Any, potentials: Any,
    valued: Any,
) -> None:  # fmt: skip
    """The gradient of the potential less that of N(0, I) in `residual` and, where `valued`, the potentials (n, E).

    Whitened, the prior's precision is I less the reference's curvature of the answers, so no product with it is needed.
    """
    design, back, offset, precision, pull, level = point
    np.dot(places, design, margins)
    if valued:
        for i in range(len(places)):
            total = level
            for r in range(places.shape[1]):
                total += places[i, r] * (real(0.5) * places[i, r] + pull[r])
            for e in range(potentials.shape[1]):
                potentials[i, e] = total
    add_losses(margins, offset, precision, likelihood, own, bits, potentials, valued)
    np.dot(margins, back, residual)
    for i in range(len(places)):
        for r in range(places.shape[1]):
            residual[i, r] += pull[r]


@compiled
def draw_lapses(potentials: Any, log_prior: Any, uniforms: Any, own: Any) -> None:
    """Draws each chain's lapse given its place: log prior (E,) less the potentials (n, E)."""
    for i in range(len(own)):
        low = potentials[i, 0] - log_prior[0]
        for e in range(1, len(log_prior)):
            low = min(low, potentials[i, e] - log_prior[e])
        whole = real(0.0)
        for e in range(len(log_prior)):
            whole += np.exp(low - potentials[i, e] + log_prior[e])
        left, own[i] = uniforms[i] * whole, len(log_prior) - 1
        for e in range(len(log_prior)):
            left -= np.exp(low - potentials[i, e] + log_prior[e])
            if left < 0:
                own[i] = e
                break


@compiled
def run_chains(
    designs: Any,  # (K, R, T): margins are offsets + places @ design
    offsets: Any,  # (K, T)
    precisions: Any,  # (K, T): the curvature that each reference gives the answers
    pulls: Any,  # (K, R): the prior's gradient at the center
    levels: Any,  # (K,): its potential there
    likelihood: Any,  # strengths (T,), tied (T,), ties, lapses (E,), responses
    log_prior: Any,  # (E,): of the lapses
    starts: Any,  # (K + 1,): where the chains of each point begin
    steps: Any,  # (K,)
    angles: Any,  # (L, K): of one step, in each trajectory
    places: Any,  # (S, R): whitened; changed
    momenta: Any,  # (L, S, R)
    uniforms: Any,  # (2, L, S): for accepting and for the lapses
    potentials: Any,  # (2, S, E): where the chains start and end; written
    chances: Any,  # (S,): with which each chain's last trajectory was accepted; written
) -> None:
    """Moves the chains of each point by L trajectories of split Hamiltonian Monte Carlo around N(0, I).

    Before the first and the last trajectory, each chain draws its lapse anew.
    """
    rank, answers, kinds = places.shape[1], designs.shape[2], len(log_prior)
    bits = np.empty(answers, np.int32)
    for k in range(len(steps)):
        own_chains = slice(starts[k], starts[k + 1])
        count = starts[k + 1] - starts[k]
        if count == 0:
            continue
        current, potential = places[own_chains], potentials[1, own_chains]
        point = designs[k], np.ascontiguousarray(designs[k].T), offsets[k], precisions[k], pulls[k], levels[k]
        margins, residual = np.empty((count, answers), real), np.empty((count, rank), real)
        own = np.zeros(count, np.int64)
        force(current, point, likelihood, own, margins, bits, residual, potential, True)
        for i in range(count):
            for e in range(kinds):
                potentials[0, starts[k] + i, e] = potential[i, e]
        for number in range(len(momenta)):
            if kinds > 1 and (number == 0 or number == len(momenta) - 1):
                draw_lapses(potential, log_prior, uniforms[1, number, own_chains], own)
                force(current, point, likelihood, own, margins, bits, residual, potential, False)
            run_trajectory(
                point, likelihood, steps[k], angles[number, k], momenta[number, own_chains],
                uniforms[0, number, own_chains], own, margins, bits, current, residual, potential, chances[own_chains],
            )  # fmt: skip


@compiled
def run_trajectory(
    point: Any, likelihood: Any, steps: Any, angle: Any, momenta: Any, uniforms: Any, own: Any, margins: Any, bits: Any,
    places: Any, residual: Any, potential: Any, chances: Any,
) -> None:  # fmt: skip
    """Moves n chains of one point by one trajectory, or leaves them where they are: `places`, `residual`, `potential`
    and `chances` are changed."""
    count, rank = places.shape
    proposed, velocity = np.empty((count, rank), real), np.empty((count, rank), real)
    after, new_potential = np.empty((count, rank), real), np.empty(potential.shape, real)
    energy = np.empty(count, real)
    sine, cosine = np.sin(angle), np.cos(angle)
    for i in range(count):
        square = real(0.0)
        for r in range(rank):
            push = momenta[i, r]
            square += push * push
            velocity[i, r] = push - real(0.5) * angle * residual[i, r]
            proposed[i, r] = places[i, r]
        energy[i] = potential[i, own[i]] + real(0.5) * square
    for step in range(steps):
        for i in range(count):
            for r in range(rank):
                forward = sine * velocity[i, r]
                velocity[i, r] = cosine * velocity[i, r] - sine * proposed[i, r]
                proposed[i, r] = cosine * proposed[i, r] + forward
        valued = step + 1 == steps
        force(proposed, point, likelihood, own, margins, bits, after, new_potential, valued)
        kick = angle * (real(0.5) if valued else real(1.0))
        for i in range(count):
            for r in range(rank):
                velocity[i, r] -= kick * after[i, r]
    for i in range(count):
        square = real(0.0)
        for r in range(rank):
            square += velocity[i, r] * velocity[i, r]
        gain = energy[i] - new_potential[i, own[i]] - real(0.5) * square
        # what is not a number is in neither range, and refused
        chances[i] = real(1.0) if gain >= 0 else np.exp(gain) if gain > -80 else real(0.0)
        if uniforms[i] < chances[i]:
            for e in range(potential.shape[1]):
                potential[i, e] = new_potential[i, e]
            for r in range(rank):
                places[i, r], residual[i, r] = proposed[i, r], after[i, r]
