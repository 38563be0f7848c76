"""Hamiltonian trajectories of scores under choices and labels with ties, grades and lapses, compiled.

See `answer_losses` for the likelihood.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from askwise.posteriors.scores.answer_losses import add_interval_losses, add_losses, in_any_order
from askwise.posteriors.scores.set_chains import add_set_losses
from askwise.posteriors.scores.trajectories import allocating, compiled, real


@allocating  # as products of matrices do
def force(
    places: Any, point: Any, pairs: Any, bounds: Any, k: Any, layout: Any, likelihood: Any, own: Any, margins: Any,
    work: Any, residual: Any, potentials: Any, valued: Any,
) -> None:  # fmt: skip
    """The gradient of the potential less that of N(0, I) in `residual` and, where `valued`, the potentials (n, E).

    Whitened, the prior's precision is I less the reference's curvature of the answers, so no product with it is needed.
    """
    design, back, offset, precision, pull, level = point
    np.dot(places, design, margins)
    if valued:
        for i in range(len(places)):
            total = level + prior_potential(places[i], pull)
            for e in range(potentials.shape[1]):
                potentials[i, e] = total
    # two of the three are None, and what they would need is not compiled
    if pairs is not None:
        add_losses(margins, offset, precision, likelihood, own, work, potentials, valued)
    if bounds is not None:
        add_interval_losses(margins, offset, precision, bounds[k], likelihood, own, work, potentials, valued)
    if layout is not None:
        add_set_losses(margins, offset, precision, likelihood, layout, own, work, potentials, valued)
    np.dot(margins, back, residual)
    for i in range(len(places)):
        for r in range(places.shape[1]):
            residual[i, r] += pull[r]


@in_any_order
def prior_potential(place: Any, pull: Any) -> Any:
    """What the prior adds to the potential, as seen from the center."""
    total = real(0.0)
    for r in range(len(place)):
        total += place[r] * (real(0.5) * place[r] + pull[r])
    return total


@compiled
def draw_lapses(potentials: Any, log_prior: Any, uniforms: Any, own: Any, changed: Any) -> Any:
    """Draws each chain's lapse given its place: log prior (E,) less the potentials (n, E).

    Returns how many changed; `changed` (n,) begins with these.
    """
    count = 0
    for i in range(len(own)):
        low, before = potentials[i, 0] - log_prior[0], own[i]
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
        if own[i] != before:
            changed[count] = i
            count += 1
    return count


class TrajectorySpace(NamedTuple):
    """Scratch space for the chains of one point, at most M."""

    work: Any  # (3, T) integers, and the same memory as numbers, both of 32 bits
    margins: Any  # (M, T)
    planes: Any  # (4, M, R): by chain and coordinate
    lists: Any  # (3, M): by chain, integers
    energy: Any  # (M,)
    potentials: Any  # (M, E)


def chain_space(most: int, rank: int, answers: int, lapses: int) -> TrajectorySpace:
    """Space for so many chains of one point, coordinates, answers and shares of lapses."""
    bits, lists = np.empty((3, answers), np.int32), np.empty((3, most), np.int64)
    margins, planes = np.empty((most, answers), real), np.empty((4, most, rank), real)
    return TrajectorySpace(
        (bits, bits.view(real)), margins, planes, lists, np.empty(most, real), np.empty((most, lapses), real)
    )


@compiled
def run_chains(
    designs: Any,  # (K, R, T): margins are offsets + places @ design
    backs: Any,  # (K, T, R): the same, transposed
    offsets: Any,  # (K, T)
    precisions: Any,  # (K, T): the curvature that each reference gives the answers
    pulls: Any,  # (K, R): the prior's gradient at the center
    levels: Any,  # (K,): its potential there
    pairs: Any,  # True of answers about one or two items without grades; None of others
    bounds: Any,  # (K, 3, T): the intervals of graded answers; None of others
    layout: Any,  # rows of the best, of the worst and of all, of answers about more than two items; None of others
    likelihood: Any,  # strengths (T,), which are not 1 (U,), tied (T,), ties, lapses (E,), responses
    log_prior: Any,  # (E,): of the lapses
    starts: Any,  # (K + 1,): where the chains of each point begin
    steps: Any,  # (K,)
    angles: Any,  # (L, K): of one step, in each trajectory
    places: Any,  # (S, R): whitened; changed
    momenta: Any,  # (L, S, R)
    uniforms: Any,  # (2, L, S): for accepting and for the lapses
    potentials: Any,  # (2, S, E): where the chains start and end; written
    chances: Any,  # (S,): with which each chain's last trajectory was accepted; written
    space: TrajectorySpace,
) -> None:
    """Moves the chains of each point by L trajectories of split Hamiltonian Monte Carlo around N(0, I).

    Before the first and the last trajectory, each chain draws its lapse anew.
    """
    kinds = len(log_prior)
    work, all_margins, planes, lists, _, _ = space
    for k in range(len(steps)):
        first, end = starts[k], starts[k + 1]
        count = end - first
        if count == 0:
            continue
        current, potential = places[first:end], potentials[1, first:end]
        point = designs[k], backs[k], offsets[k], precisions[k], pulls[k], levels[k]
        margins, residual = all_margins[:count], planes[0, :count]
        own, changed = lists[0, :count], lists[1]
        for i in range(count):
            own[i] = 0
        force(current, point, pairs, bounds, k, layout, likelihood, own, margins, work, residual, potential, True)
        for i in range(count):
            for e in range(kinds):
                potentials[0, first + i, e] = potential[i, e]
        for number in range(len(momenta)):
            if kinds > 1 and (number == 0 or number == len(momenta) - 1):
                some = draw_lapses(potential, log_prior, uniforms[1, number, first:end], own, changed)
                moved, lapses, after = planes[1, :some], lists[2, :some], planes[2, :some]
                for i in range(some):
                    lapses[i] = own[changed[i]]
                    for r in range(moved.shape[1]):
                        moved[i, r] = current[changed[i], r]
                force(
                    moved, point, pairs, bounds, k, layout, likelihood, lapses, margins[:some], work, after, potential,
                    False,
                )  # fmt: skip
                for i in range(some):
                    for r in range(moved.shape[1]):
                        residual[changed[i], r] = after[i, r]
            run_trajectory(
                point, pairs, bounds, k, layout, likelihood, steps[k], angles[number, k], momenta[number, first:end],
                uniforms[0, number, first:end], own, margins, current, residual, potential, chances[first:end], space,
            )  # fmt: skip


@compiled
def run_trajectory(
    point: Any, pairs: Any, bounds: Any, k: Any, layout: Any, likelihood: Any, steps: Any, angle: Any, momenta: Any,
    uniforms: Any, own: Any, margins: Any, places: Any, residual: Any, potential: Any, chances: Any,
    space: TrajectorySpace,
) -> None:  # fmt: skip
    """Moves n chains of one point by one trajectory, or leaves them where they are: `places`, `residual`, `potential`
    and `chances` are changed."""
    count, rank = places.shape
    work, _, planes, _, energy, potentials = space
    proposed, velocity, after = planes[1, :count], planes[2, :count], planes[3, :count]
    new_potential = potentials[:count]
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
        force(proposed, point, pairs, bounds, k, layout, likelihood, own, margins, work, after, new_potential, valued)
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
