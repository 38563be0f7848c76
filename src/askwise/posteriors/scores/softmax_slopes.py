"""The softmax loss of many chains at once, compiled. Chains are lanes: each line of arithmetic runs over all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise.posteriors.scores.trajectories import compiled, exp_in_place, real


@compiled
def softmax_slopes(
    scores: Any,  # (T, J, S): of each answer and contrast; replaced by the slopes of the loss
    contrasts: Any,  # (K, J)
    places: Any,  # (T,): the label of each answer
    strengths: Any,  # (T,)
    scales: Any,  # (S,): by which each chain's scores are multiplied, and its slopes
    potential: Any,  # (S,): the loss of all answers is added to it, where `valued`
    valued: bool,
) -> None:
    """Replaces the scores of each chain by the slopes of its loss."""
    answers, free, lanes = scores.shape
    labels = len(contrasts)
    shares, bits = np.empty((labels, lanes), real), np.empty(lanes, np.int32)
    top, total, own = np.empty(lanes, real), np.empty(lanes, real), np.empty(lanes, real)
    for t in range(answers):
        label_scores(scores[t], contrasts, scales, shares, top)
        for i in range(lanes):
            own[i] = shares[places[t], i] - top[i]
            total[i] = real(0.0)
        for k in range(labels):
            for i in range(lanes):
                shares[k, i] -= top[i]
            exp_in_place(shares[k], bits)
            for i in range(lanes):
                total[i] += shares[k, i]
        if valued:
            for i in range(lanes):
                potential[i] += strengths[t] * (np.log(total[i]) - own[i])
        for i in range(lanes):
            total[i] = strengths[t] * scales[i] / total[i]
        for j in range(free):
            slope, offset = scores[t, j], strengths[t] * contrasts[places[t], j]
            for i in range(lanes):
                slope[i] = real(0.0)
            for k in range(labels):
                weight = contrasts[k, j]
                for i in range(lanes):
                    slope[i] += weight * shares[k, i]
            for i in range(lanes):
                slope[i] = slope[i] * total[i] - offset * scales[i]


@compiled
def label_scores(scores: Any, contrasts: Any, scales: Any, found: Any, top: Any) -> None:
    """(J, S), (K, J), (S,) -> the score (K, S) of each label, and the highest (S,) of them."""
    free, lanes = scores.shape
    for k in range(len(contrasts)):
        row = found[k]
        for i in range(lanes):
            row[i] = real(0.0)
        for j in range(free):
            weight = contrasts[k, j]
            for i in range(lanes):
                row[i] += weight * scores[j, i]
        for i in range(lanes):
            row[i] *= scales[i]
            top[i] = row[i] if k == 0 else max(top[i], row[i])


@compiled
def potentials_by_scale(
    scores: Any,  # (T, J, S): of each answer and contrast
    contrasts: Any,  # (K, J)
    places: Any,  # (T,): the label of each answer
    strengths: Any,  # (T,)
    scales: Any,  # (G,): by which the scores are multiplied
    potentials: Any,  # (G, S): the loss of all answers is added to it
) -> None:
    """The loss of every chain as if its scores were multiplied by each scale."""
    answers, _, lanes = scores.shape
    labels = len(contrasts)
    found, one, bits = np.empty((labels, lanes), real), np.ones(lanes, real), np.empty(lanes, np.int32)
    top, total, grown = np.empty(lanes, real), np.empty(lanes, real), np.empty(lanes, real)
    for t in range(answers):
        label_scores(scores[t], contrasts, one, found, top)
        own = found[places[t]]
        for g in range(len(scales)):
            for i in range(lanes):
                total[i] = real(0.0)
            for k in range(labels):
                for i in range(lanes):
                    grown[i] = scales[g] * (found[k, i] - top[i])
                exp_in_place(grown, bits)
                for i in range(lanes):
                    total[i] += grown[i]
            for i in range(lanes):
                potentials[g, i] += strengths[t] * (np.log(total[i]) - scales[g] * (own[i] - top[i]))


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
