"""The softmax loss of many chains at once, compiled. Each line of arithmetic runs over many chains.

With a chance `lapse`, an answer is any of the labels. All lapses are 0, or none is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise.posteriors.scores.trajectories import compiled, exp_in_place, real
from askwise.types import Floats, Ints


def scratch_space(lanes: int) -> tuple[Floats, tuple[Ints, Floats]]:
    """Space for so many chains: (4, S) numbers; and (S,) integers, and the same memory as numbers."""
    bits = np.empty(lanes, np.int32)
    return np.empty((4, lanes), real), (bits, bits.view(real))


@compiled
def softmax_slopes(
    scores: Any,  # (T, K, S): of each answer and label; replaced by the slopes of the loss
    places: Any,  # (T,): the label of each answer
    strengths: Any,  # (T,)
    scales: Any,  # (S,): by which each chain's scores are multiplied, and its slopes
    lapses: Any,  # (S,)
    potential: Any,  # (S,): the loss of all answers is added to it, where `valued`
    valued: bool,
    space: Any,
) -> None:
    """Replaces the scores of each chain by the slopes of its loss."""
    answers, labels, lanes = scores.shape
    lines, powers = space
    top, total, own = lines[0], lines[1], lines[2]
    whole = lines[3]  # the chance of the answer, lapses and all
    for t in range(answers):
        find_top(scores[t], top)
        for i in range(lanes):
            own[i] = scales[i] * (scores[t, places[t], i] - top[i])
            total[i] = real(0.0)
        for k in range(labels):
            row = scores[t, k]
            for i in range(lanes):
                row[i] = scales[i] * (row[i] - top[i])
            exp_in_place(row, powers)
            for i in range(lanes):
                total[i] += row[i]
        if valued and lapses[0] == 0:
            for i in range(lanes):
                potential[i] += strengths[t] * (np.log(total[i]) - own[i])
        for i in range(lanes):
            own[i] = strengths[t] * scales[i]
        if lapses[0] > 0:
            row = scores[t, places[t]]
            for i in range(lanes):
                kept = (real(1.0) - lapses[i]) * row[i] / total[i]
                whole[i] = kept + lapses[i] / labels
                own[i] *= kept / whole[i]
            if valued:
                for i in range(lanes):
                    potential[i] -= strengths[t] * np.log(whole[i])
        for i in range(lanes):
            total[i] = own[i] / total[i]
        for k in range(labels):
            row = scores[t, k]
            for i in range(lanes):
                row[i] *= total[i]
        row = scores[t, places[t]]
        for i in range(lanes):
            row[i] -= own[i]


@compiled
def find_top(scores: Any, top: Any) -> None:
    """(K, S) -> the highest score (S,)."""
    for i in range(len(top)):
        top[i] = scores[0, i]
    for k in range(1, len(scores)):
        row = scores[k]
        for i in range(len(top)):
            top[i] = max(top[i], row[i])


@compiled
def potentials_by_scale(
    scores: Any,  # (T, K, S): of each answer and label
    places: Any,  # (T,): the label of each answer
    strengths: Any,  # (T,)
    scales: Any,  # (G,): by which the scores are multiplied
    lapses: Any,  # (S,)
    potentials: Any,  # (G, S): the loss of all answers is added to it
    space: Any,
) -> None:
    """The loss of every chain as if its scores were multiplied by each scale."""
    answers, labels, lanes = scores.shape
    lines, powers = space
    top, total, grown, chance = lines[0], lines[1], lines[2], lines[3]
    for t in range(answers):
        find_top(scores[t], top)
        own = scores[t, places[t]]
        for g in range(len(scales)):
            for i in range(lanes):
                total[i] = real(0.0)
            for k in range(labels):
                row = scores[t, k]
                for i in range(lanes):
                    grown[i] = scales[g] * (row[i] - top[i])
                exp_in_place(grown, powers)
                for i in range(lanes):
                    total[i] += grown[i]
                if k == places[t]:
                    for i in range(lanes):
                        chance[i] = grown[i]
            if lapses[0] > 0:
                for i in range(lanes):
                    whole = (real(1.0) - lapses[i]) * chance[i] / total[i] + lapses[i] / labels
                    potentials[g, i] -= strengths[t] * np.log(whole)
            else:
                for i in range(lanes):
                    potentials[g, i] += strengths[t] * (np.log(total[i]) - scales[g] * (own[i] - top[i]))


@compiled
def potentials_by_lapse(
    scores: Any,  # (T, K, S): of each answer and label; replaced by their odds
    places: Any,  # (T,): the label of each answer
    strengths: Any,  # (T,)
    lapses: Any,  # (E,), above 0
    potentials: Any,  # (E, S): the loss of all answers is added to it
    space: Any,
) -> None:
    """The loss of every chain as if its share of lapses were each of these."""
    answers, labels, lanes = scores.shape
    lines, powers = space
    top, total = lines[0], lines[1]
    for t in range(answers):
        find_top(scores[t], top)
        for i in range(lanes):
            total[i] = real(0.0)
        for k in range(labels):
            row = scores[t, k]
            for i in range(lanes):
                row[i] -= top[i]
            exp_in_place(row, powers)
            for i in range(lanes):
                total[i] += row[i]
        own = scores[t, places[t]]
        for e in range(len(lapses)):
            kept, guess = real(1.0) - lapses[e], lapses[e] / labels
            for i in range(lanes):
                potentials[e, i] -= strengths[t] * np.log(kept * own[i] / total[i] + guess)


@compiled
def kick_and_rotate(place: Any, velocity: Any, slopes: Any, slack: Any, kick: Any, sine: Any, cosine: Any) -> None:
    """One kick by what the reference leaves of the force, then the rotation; all (R, M), and slack (R,)."""
    for r in range(len(place)):
        here, speed, slope = place[r], velocity[r], slopes[r]
        loose = slack[r]
        for i in range(len(here)):
            moved = speed[i] - kick * (slope[i] + loose * here[i])
            speed[i] = cosine * moved - sine * here[i]
            here[i] = cosine * here[i] + sine * moved
