"""Candidates that do not fit in memory: a race that leaves a few thousand of them to be scored exactly.

Every row gets a look with a few of the draws, the better ones with more and at last with all. Each stretch of rows is
looked at with draws of its own, so that where few draws mislead, they mislead elsewhere in another way. What survives
depends on the rows, the draws and the seed alone, not on who did the work: of equal scores the lower row wins.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.random import Generator

from askwise.distances import Dense, form_of
from askwise.losses import logistic
from askwise.parquet import CHUNK, Part, Reader
from askwise.posteriors import Posterior
from askwise.problem import Problem
from askwise.strategies import Strategy
from askwise.strategies.expected import exhaustive, expected
from askwise.streams import stream
from askwise.structures.pooled import LinearPooled, PoolRows
from askwise.types import Floats, Ints, Sample

# draws of a look, the share of all rows that goes on after it, and how many rows do at least
ROUNDS = ((32, 1 / 8, 1 << 17), (128, 1 / 64, 1 << 15))
SURVIVORS = 4096  # rows that are left
TASK = 4 * CHUNK  # rows of one task, or more so that there are no more than
TASKS = 512  # tasks: each takes 0.4 MB to its worker and back
EVERY = 50  # one race of so many is audited
AUDITED = 8192  # rows of an audit
PARTS = 11  # the largest components of the distances that a glance heeds
SPARE = 8  # more are computed, so that these are right
SLOPE = 0.2  # of the line that stands for the logistic curve
BLOCK = 4096  # rows glanced at together: what is computed of them stays in the cache


class Look(Protocol):
    """The gain of rows of features (A, D), at least nearly."""

    def __call__(self, points: Floats, rng: Generator) -> Floats: ...


@dataclass(frozen=True)
class ByRule:
    """The rule's own gain on these draws."""

    problem: Problem
    rule: Strategy
    posterior: Posterior
    sample: Sample

    def __call__(self, points: Floats, rng: Generator) -> Floats:
        with np.errstate(invalid="ignore"):  # a row with a missing value gets no score
            return self.rule(self.problem, self.posterior, self.sample, points, rng).gain


@dataclass(frozen=True)
class Glance:
    """The gain by `expected` for two labels, nearly, and many times faster.

    Where distances are ceiling - traits traits', the gain is |Cov(traits, chance)|^2 / (p (1 - p)), p the mean over the
    draws of the chance of a yes. A glance takes the largest components of the traits, and for the logistic curve a line
    cut off at 0 and 1: no exponentials, and two small matrix products a row.
    """

    lines: Floats  # (S, D): 0.5 + SLOPE * score
    parts: Floats  # (PARTS + 1, S): what gives covariances, and last the mean

    @staticmethod
    def of(sample: Sample, distances: Floats, rng: Generator) -> Glance:
        """From draws and their (S, S) distances."""
        weights = sample.weights
        means = distances @ weights
        moved = means[:, None] + means - weights @ means - distances  # the centre of all at zero (Torgerson 1952)
        moved *= np.outer(weights, weights)
        basis = rng.standard_normal((len(weights), min(PARTS + SPARE, len(weights))))
        for _ in range(3):  # a few powers of the matrix turn random directions into its largest ones
            basis, _ = np.linalg.qr(moved @ basis)
        sizes, turns = np.linalg.eigh(basis.T @ moved @ basis)
        largest = (basis @ turns)[:, -PARTS:] * np.sqrt(np.maximum(sizes[-PARTS:], 0.0))
        lines = SLOPE * np.asarray(sample.structures)
        lines[:, -1] += 0.5  # the last feature is 1
        return Glance(lines.astype(np.float32), np.vstack([largest.T, weights]).astype(np.float32))

    def __call__(self, points: Floats, rng: Generator) -> Floats:
        gain = np.empty(len(points), dtype=np.float32)
        room = np.empty((len(self.lines), BLOCK), dtype=np.float32)
        for start in range(0, len(points), BLOCK):
            rows = points[start : start + BLOCK].T
            chances = np.matmul(self.lines, rows, out=room[:, : rows.shape[1]])
            np.clip(chances, 0.0, 1.0, out=chances)
            found = self.parts @ chances
            mean = found[-1]
            # where nearly all draws agree nothing is gained, and nothing should be divided by zero
            gain[start : start + BLOCK] = np.einsum("ka,ka->a", found[:-1], found[:-1]) / (mean * (1 - mean) + 1e-3)
        return gain


class Rows(NamedTuple):
    """Rows and what they scored."""

    gain: Floats  # (A,)
    number: Ints  # (A,)
    points: Floats  # (A, D), 32 bits

    def best(self, count: int) -> Rows:
        """The `count` best that have a score, in order of their numbers; of equal scores the lower row is better."""
        gain = np.where(np.isfinite(self.gain), self.gain, np.float32(-1))
        bar = max(np.partition(gain, -count)[-count], 0.0) if len(gain) > count else 0.0
        inside = np.flatnonzero(gain >= bar)
        if len(inside) > count:
            tied = np.flatnonzero(gain[inside] == bar)
            inside = np.delete(inside, tied[count - len(inside) :])
        return Rows(gain, self.number, self.points).at(inside)

    def at(self, places: Ints) -> Rows:
        return Rows(self.gain[places], self.number[places], self.points[places])


@dataclass(frozen=True)
class Race:
    """What every task of a race shares."""

    reader: Reader
    rounds: tuple[tuple[tuple[Look, ...], float], ...]  # looks that stretches take in turn; the share that stays
    last: Look
    masked: Ints  # rows not to ask
    survivors: int
    seed: int
    turn: int

    def run(self, parts: Sequence[Part]) -> Rows:
        """The best rows of these row groups. Run twice, it gives the same."""
        kept = [self.screened(first, points) for part in parts for first, points in self.reader.blocks(part)]
        return self.scored(self.last, _joined(kept)).best(self.survivors)

    def screened(self, first: int, points: Floats) -> Rows:
        """The rows of a stretch that stay after every look but the last."""
        rows = Rows(np.zeros(len(points), dtype=np.float32), np.arange(first, first + len(points)), points)
        for looks, share in self.rounds:
            rows = self.scored(looks[first // CHUNK % len(looks)], rows).best(int(np.ceil(share * len(points))))
        return rows

    def scored(self, look: Look, rows: Rows) -> Rows:
        """Rows in order of their numbers, with the gain that this look sees."""
        if not len(rows.number):
            return rows
        gain = look(rows.points, stream(self.seed, self.turn, f"race {rows.number[0]} {len(rows.number)}"))
        gain = gain.astype(np.float32, copy=False)
        places = np.minimum(np.searchsorted(rows.number, self.masked), len(rows.number) - 1)
        gain[places[rows.number[places] == self.masked]] = np.nan  # which is no score
        return Rows(gain, rows.number, rows.points)


def race(
    problem: Problem,
    rule: Strategy,
    posterior: Posterior,
    sample: Sample,
    masked: Collection[int],
    seed: int,
    turn: int,
    *,
    survivors: int = SURVIVORS,
    rounds: Sequence[tuple[int, float, int]] = ROUNDS,
) -> tuple[Ints, dict[str, Any]]:
    """The numbers, in order, of the rows worth scoring exactly, and what an audit found if there was one.

    The family remembers their features. The work is done by its `workers`, by default a thread for each core. Without
    `rounds` every row is looked at with all draws.
    """
    family: Any = problem.family
    assert isinstance(family, PoolRows)
    exactly = ByRule(problem, exhaustive if rule is expected else rule, posterior, sample)
    quick = rule is expected and problem.loss is logistic and problem.normalised and isinstance(family, LinearPooled)
    count, size = len(sample.weights), family.pool.rows
    rounds = [(few, share, least) for few, share, least in rounds if least < size]  # others would leave all rows
    draws = [_places(count, few)[: -(-size // CHUNK)] for few in (*(few for few, _, _ in rounds), count)]
    looks = _glances(problem, sample, draws, stream(seed, turn, "glance")) if quick else _by_rule(exactly, draws)
    shares = [max(share, least / size) for _, share, least in rounds]
    mask = np.array(sorted(masked), dtype=int)
    run = Race(family.reader, tuple(zip(looks[:-1], shares, strict=True)), looks[-1][0], mask, survivors, seed, turn)
    tasks = _tasks(family.pool.parts)
    if family.workers is not None:
        best = _best(family.workers.map(run.run, tasks), survivors)
    else:
        with ThreadPoolExecutor(min(len(tasks), os.cpu_count() or 1)) as threads:
            best = _best(threads.map(run.run, tasks), survivors)
    family.remember(best.number, best.points.astype(float))
    rng = stream(seed, turn, "audit")
    audited = len(best.number) and rng.random() < 1 / EVERY
    return best.number, audit(run, exactly, best, family.pool.parts, rng) if audited else {}


def audit(run: Race, exactly: Look, best: Rows, parts: Sequence[Part], rng: Generator) -> dict[str, Any]:
    """Scores random rows of a random row group exactly: the share of the gain that was lost by leaving them out."""
    blocks = list(run.reader.blocks(parts[int(rng.integers(len(parts)))]))
    first, points = blocks[int(rng.integers(len(blocks)))]
    places = np.sort(rng.choice(len(points), min(AUDITED, len(points)), replace=False))
    others = run.scored(exactly, Rows(np.zeros(len(places)), first + places, points[places]))
    found, reached = float(np.nanmax(others.gain, initial=0.0)), float(run.scored(exactly, best).gain.max())
    return {"audited": len(places), "lost": max(0.0, 1.0 - reached / found) if found > 0 else 0.0}


def _places(count: int, size: int) -> list[Ints]:
    """The draws cut into as many parts of that size as there are."""
    return [np.arange(at, at + size) for at in range(0, count - size + 1, size)] or [np.arange(count)]


def _some(sample: Sample, places: Ints) -> Sample:
    weights = sample.weights[places]
    return Sample(sample.structures[places], weights / weights.sum(), sample.exact)


def _glances(problem: Problem, sample: Sample, draws: list[list[Ints]], rng: Generator) -> list[tuple[Look, ...]]:
    form = form_of(problem.distance, sample.structures)  # which the rule will want as well
    distances = form.matrix if isinstance(form, Dense) else problem.distance.pairwise(sample.structures)
    return [
        tuple(Glance.of(_some(sample, places), distances[np.ix_(places, places)], rng) for places in looks)
        for looks in draws
    ]


def _by_rule(exactly: ByRule, draws: list[list[Ints]]) -> list[tuple[Look, ...]]:
    return [tuple(replace(exactly, sample=_some(exactly.sample, places)) for places in looks) for looks in draws]


def _joined(rows: Sequence[Rows]) -> Rows:
    return Rows(*(np.concatenate(columns) for columns in zip(*rows, strict=True)))


def _best(found: Iterable[Rows], survivors: int) -> Rows:
    """The best of all tasks, as they come in."""
    tasks = iter(found)
    best = next(tasks)
    for rows in tasks:
        best = _joined([best, rows]).best(survivors)
    return best


def _tasks(parts: Sequence[Part]) -> list[list[Part]]:
    """Row groups in runs of about as many rows."""
    tasks: list[list[Part]] = []
    size, held = max(TASK, sum(part.rows for part in parts) // TASKS), 0
    for part in parts:
        if not tasks or held + part.rows > size:
            tasks.append([])
            held = 0
        tasks[-1].append(part)
        held += part.rows
    return tasks
