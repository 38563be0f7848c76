"""Hamiltonian trajectories of scores under choices and labels with ties, grades and lapses, compiled.

See `answer_losses` for the likelihood.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise.posteriors.scores.answer_losses import add_interval_losses, add_losses, in_any_order
from askwise.posteriors.scores.set_chains import add_set_losses
from askwise.posteriors.scores.trajectories import compiled, real


@compiled
def force(
    places: Any, point: Any, likelihood: Any, own: Any, margins: Any, work: Any, residual: Any, potentials: Any,
    valued: Any,
) -> None:  # fmt: skip
    """The gradient of the potential less that of N(0, I) in `residual` and, where `valued`, the potentials (n, E).

    Whitened, the prior's precision is I less the reference's curvature of the answers, so no product with it is needed.
    """
    design, back, offset, precision, bounds, pull, level = point
    np.dot(places, design, margins)
    if valued:
        for i in range(len(places)):
            total = level + prior_potential(places[i], pull)
            for e in range(potentials.shape[1]):
                potentials[i, e] = total
    if likelihood[6][2] > 1:  # rows an answer
        add_set_losses(margins, offset, precision, likelihood, own, work, potentials, valued)
    elif bounds.shape[1] > 0:
        add_interval_losses(margins, offset, precision, bounds, likelihood, own, work, potentials, valued)
    else:
        add_losses(margins, offset, precision, likelihood, own, work, potentials, valued)
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
def draw_lapses(potentials: Any, log_prior: Any, uniforms: Any, own: Any) -> Any:
    """Draws each chain's lapse given its place: log prior (E,) less the potentials (n, E). Says where it changed."""
    before = own.copy()
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
    return np.flatnonzero(own != before)


@compiled
def run_chains(
    designs: Any,  # (K, R, T): margins are offsets + places @ design
    offsets: Any,  # (K, T)
    precisions: Any,  # (K, T): the curvature that each reference gives the answers
    pulls: Any,  # (K, R): the prior's gradient at the center
    levels: Any,  # (K,): its potential there
    bounds: Any,  # (K, 3, T): the intervals of graded answers; (K, 3, 0) of others
    likelihood: Any,  # strengths (T,), which are not 1 (U,), tied (T,), ties, lapses (E,), responses, layout
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
    work = np.empty((3, answers), np.int32)
    for k in range(len(steps)):
        own_chains = slice(starts[k], starts[k + 1])
        count = starts[k + 1] - starts[k]
        if count == 0:
            continue
        current, potential = places[own_chains], potentials[1, own_chains]
        back = np.ascontiguousarray(designs[k].T)
        point = designs[k], back, offsets[k], precisions[k], bounds[k], pulls[k], levels[k]
        margins, residual = np.empty((count, answers), real), np.empty((count, rank), real)
        own = np.zeros(count, np.int64)
        force(current, point, likelihood, own, margins, work, residual, potential, True)
        for i in range(count):
            for e in range(kinds):
                potentials[0, starts[k] + i, e] = potential[i, e]
        for number in range(len(momenta)):
            if kinds > 1 and (number == 0 or number == len(momenta) - 1):
                changed = draw_lapses(potential, log_prior, uniforms[1, number, own_chains], own)
                after = np.empty((len(changed), rank), real)
                force(
                    current[changed], point, likelihood, own[changed], margins[: len(changed)], work, after, potential,
                    False,
                )  # fmt: skip
                for i in range(len(changed)):
                    residual[changed[i]] = after[i]
            run_trajectory(
                point, likelihood, steps[k], angles[number, k], momenta[number, own_chains],
                uniforms[0, number, own_chains], own, margins, work, current, residual, potential, chances[own_chains],
            )  # fmt: skip


@compiled
def run_trajectory(
    point: Any, likelihood: Any, steps: Any, angle: Any, momenta: Any, uniforms: Any, own: Any, margins: Any, work: Any,
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
        force(proposed, point, likelihood, own, margins, work, after, new_potential, valued)
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
