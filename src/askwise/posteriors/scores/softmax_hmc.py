"""Split Hamiltonian Monte Carlo for the softmax posterior, around its prior.

Answers about K labels leave most of the (K - 1) R directions as wide as the prior. So the prior is the reference: a
quarter turn of its rotation makes a draw that hardly resembles the last one. Only the few directions along which many
answers point are tightened, because there the steps would be too long. The reference is the same for every prior scale
when weights are measured in units of the scale. It needs no fit, and a step is two matrix products for all chains.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from askwise.posteriors.scores.hmc import ANGLE_JITTER
from askwise.posteriors.scores.label_evidence import CHAINS_PER_BLOCK, LabelEvidence
from askwise.types import Floats, Ints

TIGHTENING = 0.1  # by which the squared length of the answers along a direction tightens its reference
Columns = NDArray[np.float32]  # (R, K S): the whitened weights of S chains, by direction, label and chain


@dataclass(frozen=True)
class PriorReference:
    """The prior in units of its scale, tightened where many answers point the same way.

    Whitened weights are along the principal directions of the answers, in units of the reference.

    >>> evidence = LabelEvidence.of_labels(1, 3).add(np.array([[3.0]]), np.ones(1), np.ones(1))
    >>> PriorReference(evidence).widths.round(4)  # 1 / sqrt(1 + 0.1 * 9)
    array([0.7255])
    """

    evidence: LabelEvidence

    @cached_property
    def _principal(self) -> tuple[Floats, Floats]:
        """Squared lengths (R,) and directions (R, R)."""
        weighted = self.evidence.rows * self.evidence.strengths[:, None]
        lengths, directions = np.linalg.eigh(weighted.T @ self.evidence.rows)
        return np.maximum(lengths, 0.0), directions

    @cached_property
    def widths(self) -> Floats:
        """(R,): standard deviations of the reference, in units of the prior scale."""
        return 1 / np.sqrt(1 + TIGHTENING * self._principal[0])

    @cached_property
    def slack(self) -> NDArray[np.float32]:
        """(R,): the precision of the prior in units of the reference, minus one."""
        return (self.widths**2 - 1).astype(np.float32)

    @cached_property
    def rows(self) -> NDArray[np.float32]:
        """(T, R): the rows of the answers, for whitened weights in units of the scale."""
        found: Floats = self.evidence.rows @ (self._principal[1] * self.widths)
        return found.astype(np.float32)

    def whiten(self, points: Floats, scales: Floats) -> Columns:
        """(S, rank) points of the evidence, (S,) scales -> columns."""
        inward = (self._principal[1] / self.widths).T.astype(np.float32)
        return (inward @ self.evidence.columns(points / scales[:, None])).astype(np.float32, copy=False)

    def points(self, columns: Columns, scales: Floats) -> Floats:
        """The inverse of `whiten`: (S, rank)."""
        outward = (self._principal[1] * self.widths).astype(np.float32)
        return self.evidence.points(outward @ columns, len(scales)) * scales[:, None]

    def trajectory(
        self, columns: Columns, scales: Floats, lapses: Floats, steps: int, jitter: float, rng: Generator
    ) -> Floats:
        """Moves chains by about a quarter turn in that many leapfrog `steps`; returns the chance (S,) of acceptance.

        - `columns`: where the chains are; changed.
        - `scales`: (S,), the prior scale of each.
        - `lapses`: (S,), its share of lapses.
        - `jitter`: factor of the angle, near 1.
        """
        from askwise.posteriors.scores.softmax_slopes import kick_and_rotate  # brings numba

        real, lanes = np.float32, len(scales)
        factor, guesses = scales.astype(real), lapses.astype(real)
        noise = rng.standard_normal((self.evidence.rank, lanes), dtype=real)
        place, velocity = columns.copy(), self.evidence.columns(noise.T)
        angle = jitter * np.pi / 2 / steps
        sine, cosine = real(np.sin(angle)), real(np.cos(angle))
        before, after = np.zeros(lanes, real), np.zeros(lanes, real)
        slopes = self.evidence.slopes(self.rows, place, factor, guesses, before, valued=True)
        energy = before.astype(float) + self._energy(place, velocity, lanes)
        for step in range(steps):
            kick_and_rotate(place, velocity, slopes, self.slack, real(angle / 2 if step == 0 else angle), sine, cosine)
            slopes = self.evidence.slopes(self.rows, place, factor, guesses, after, valued=step + 1 == steps)
        velocity -= real(angle / 2) * (slopes + self.slack[:, None] * place)
        # a runaway chain may overflow 32 bits, and is then refused
        gain = energy - after - self._energy(place, velocity, lanes)
        gain[np.isnan(gain)] = -np.inf
        chance: Floats = np.exp(np.minimum(gain, 0.0))
        accepted = np.tile(rng.random(lanes) < chance, columns.shape[1] // lanes)
        columns[:, accepted] = place[:, accepted]
        return chance

    def _energy(self, place: Columns, velocity: Columns, lanes: int) -> Floats:
        """(S,): the energy of the prior and of the motion."""
        tight = (1 + self.slack).astype(np.float32)
        whole = np.einsum("r,rm,rm->m", tight, place, place, optimize=False)
        whole = whole + np.einsum("rm,rm->m", velocity, velocity)
        total: Floats = whole.reshape(-1, lanes).sum(axis=0, dtype=float) / 2
        return total

    def run(self, points: Floats, scales: Floats, lapses: Floats, steps: Ints, rng: Generator) -> tuple[Floats, Floats]:
        """One trajectory of every chain: where it ends (S, rank), and its chance (S,) of acceptance.

        - `points`: (S, rank), in the coordinates of the evidence.
        - `scales`: (S,), the prior scale of each chain.
        - `lapses`: (S,), its share of lapses.
        - `steps`: (S,), its leapfrog steps.
        """
        ends, chance = np.empty(points.shape), np.ones(len(points))
        jitter = rng.uniform(1 - ANGLE_JITTER, 1 + ANGLE_JITTER)
        for part in blocks(steps):
            columns = self.whiten(points[part], scales[part])
            chance[part] = self.trajectory(columns, scales[part], lapses[part], int(steps[part[0]]), jitter, rng)
            ends[part] = self.points(columns, scales[part])
        return ends, chance

    def potentials(self, points: Floats, scales: Floats, lapses: Floats) -> Floats:
        """(S, rank), (G,), (S,) -> (S, G): minus the log-likelihood of points that are multiplied by each scale."""
        found = np.empty((len(points), len(scales)))
        for part, columns in self._columns(points):
            found[part] = self.evidence.potentials_by_scale(self.rows, columns, scales, lapses[part]).T
        return found

    def potentials_by_lapse(self, points: Floats, lapses: Floats) -> Floats:
        """(S, rank), (E,) -> (S, E): minus the log-likelihood of points under each share of lapses."""
        found = np.empty((len(points), len(lapses)))
        for part, columns in self._columns(points):
            found[part] = self.evidence.potentials_by_lapse(self.rows, columns, lapses).T
        return found

    def _columns(self, points: Floats) -> Iterator[tuple[slice, Columns]]:
        """Slices of the points, and their columns."""
        for start in range(0, len(points), CHAINS_PER_BLOCK):
            part = slice(start, start + CHAINS_PER_BLOCK)
            yield part, self.whiten(points[part], np.ones(len(points[part])))


def blocks(steps: Ints) -> list[Ints]:
    """Chains that move together: with equal steps, and not too many.

    >>> [part.tolist() for part in blocks(np.array([2, 3, 2]))]
    [[0, 2], [1]]
    """
    found: list[Ints] = []
    for value in np.unique(steps):
        same = np.flatnonzero(steps == value)
        found.extend(np.array_split(same, -(-len(same) // CHAINS_PER_BLOCK)))
    return found
