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
    margins: Any,  # (n, T); replaced by the slopes of their losses times the strengths
    strengths: Any,  # (T,)
    tied: Any,  # (T,)
    ties: Any,
    lapses: Any,  # (E,)
    own: Any,  # (n,): the place of each chain's lapse
    responses: Any,
    bits: Any,  # (T,): scratch space
    totals: Any,  # (n, E): where `valued`, the losses under each lapse are added
    valued: Any,
) -> None:
    """The losses of margins, and their slopes."""
    half = bits.view(real)
    zero, one, two = real(0.0), real(1.0), real(0.5)
    for i in range(len(margins)):
        row = margins[i]
        for t in range(len(row)):
            bits[t] = power_of_two_bits(-two * abs(row[t]))
        for t in range(len(row)):
            half[t] *= fractional_power(-two * abs(row[t]))
        if valued:
            for e in range(len(lapses)):
                kept, guess, loss, product = one - lapses[e], lapses[e] / responses, zero, one
                for t in range(len(row)):
                    whole = one + half[t] * half[t] + ties * half[t]
                    if lapses[e] > 0:
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
                totals[i, e] += loss - np.log(product)
        kept, guess = one - lapses[own[i]], lapses[own[i]] / responses
        for t in range(len(row)):
            far = half[t] * half[t]
            whole = one / (one + far + ties * half[t])
            steep = (one - far) * two * whole
            steep = (steep if row[t] > 0 else -steep) - (zero if tied[t] else two)
            chance = kept * (ties * half[t] if tied[t] else one if row[t] > 0 else far) * whole
            row[t] = strengths[t] * steep * (chance / (chance + guess) if guess > 0 else one)


@compiled
def force(
    places: Any, design: Any, back: Any, offset: Any, prior: Any, pull: Any, level: Any, strengths: Any, tied: Any,
    ties: Any, lapses: Any, own: Any, responses: Any, margins: Any, spring: Any, bits: Any, residual: Any,
    potentials: Any, valued: Any,
) -> None:  # fmt: skip
    """The gradient of the potential less that of N(0, I) in `residual` and, where `valued`, the potentials (n, E)."""
    np.dot(places, prior, spring)
    np.dot(places, design, margins)
    for i in range(len(places)):
        if valued:
            total = level
            for r in range(places.shape[1]):
                total += places[i, r] * (real(0.5) * spring[i, r] + pull[r])
            for e in range(len(lapses)):
                potentials[i, e] = total
        for t in range(margins.shape[1]):
            margins[i, t] += offset[t]
    add_losses(margins, strengths, tied, ties, lapses, own, responses, bits, potentials, valued)
    np.dot(margins, back, residual)
    for i in range(len(places)):
        for r in range(places.shape[1]):
            residual[i, r] += spring[i, r] + pull[r] - places[i, r]


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
    priors: Any,  # (K, R, R): the prior's precision, whitened
    pulls: Any,  # (K, R): its gradient at the center
    levels: Any,  # (K,): its potential there
    strengths: Any,  # (T,)
    tied: Any,  # (T,)
    ties: Any,
    lapses: Any,  # (E,)
    log_prior: Any,  # (E,): of the lapses
    responses: Any,
    starts: Any,  # (K + 1,): where the chains of each point begin
    steps: Any,  # (K,)
    angles: Any,  # (L, K): of one step, in each trajectory
    places: Any,  # (S, R): whitened; changed
    momenta: Any,  # (L, S, R)
    uniforms: Any,  # (L, S)
    choices: Any,  # (L, S): uniform, for the lapses
    potentials: Any,  # (S, E): where the chains end; written
    chances: Any,  # (S,): with which each chain's last trajectory was accepted; written
) -> None:
    """Moves the chains of each point by L trajectories of split Hamiltonian Monte Carlo around N(0, I).

    Before the first and the last trajectory, each chain draws its lapse anew.
    """
    rank, answers, kinds = places.shape[1], len(strengths), len(lapses)
    bits = np.empty(answers, np.int32)
    for k in range(len(steps)):
        first, last = starts[k], starts[k + 1]
        count = last - first
        if count == 0:
            continue
        current, potential = places[first:last], potentials[first:last]
        back = np.ascontiguousarray(designs[k].T)
        margins, spring = np.empty((count, answers), real), np.empty((count, rank), real)
        residual, own = np.empty((count, rank), real), np.zeros(count, np.int64)
        proposed, velocity = np.empty((count, rank), real), np.empty((count, rank), real)
        after, new_potential = np.empty((count, rank), real), np.empty((count, kinds), real)
        energy = np.empty(count, real)
        force(
            current, designs[k], back, offsets[k], priors[k], pulls[k], levels[k], strengths, tied, ties, lapses, own,
            responses, margins, spring, bits, residual, potential, True,
        )  # fmt: skip
        for number in range(len(momenta)):
            if kinds > 1 and (number == 0 or number == len(momenta) - 1):
                draw_lapses(potential, log_prior, choices[number, first:last], own)
                force(
                    current, designs[k], back, offsets[k], priors[k], pulls[k], levels[k], strengths, tied, ties,
                    lapses, own, responses, margins, spring, bits, residual, potential, False,
                )  # fmt: skip
            angle = angles[number, k]
            sine, cosine = np.sin(angle), np.cos(angle)
            for i in range(count):
                square = real(0.0)
                for r in range(rank):
                    push = momenta[number, first + i, r]
                    square += push * push
                    velocity[i, r] = push - real(0.5) * angle * residual[i, r]
                    proposed[i, r] = current[i, r]
                energy[i] = potential[i, own[i]] + real(0.5) * square
            for step in range(steps[k]):
                for i in range(count):
                    for r in range(rank):
                        forward = sine * velocity[i, r]
                        velocity[i, r] = cosine * velocity[i, r] - sine * proposed[i, r]
                        proposed[i, r] = cosine * proposed[i, r] + forward
                valued = step + 1 == steps[k]
                force(
                    proposed, designs[k], back, offsets[k], priors[k], pulls[k], levels[k], strengths, tied, ties,
                    lapses, own, responses, margins, spring, bits, after, new_potential, valued,
                )  # fmt: skip
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
                chance = real(1.0) if gain >= 0 else np.exp(gain) if gain > -80 else real(0.0)
                chances[first + i] = chance
                if uniforms[number, first + i] < chance:
                    for e in range(kinds):
                        potential[i, e] = new_potential[i, e]
                    for r in range(rank):
                        current[i, r], residual[i, r] = proposed[i, r], after[i, r]
