"""Screening of pools that do not fit in memory: it leaves a few thousand rows to be scored exactly.

Every row is scored with a few of the draws, the better ones with more, and the best with all. Each stretch of rows has
draws of its own, so that a few misleading draws do not mislead everywhere. What survives depends on the rows, the draws
and the seed alone, not on who does the work: of equal scores the lower row wins.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.random import Generator

from askwise._runtime.streams import stream
from askwise.data.parquet import MAX_ROWS_PER_BLOCK, Reader, RowGroup
from askwise.distances import HasMatrix, form_of
from askwise.options import implementing
from askwise.posteriors import Posterior
from askwise.problem import Problem
from askwise.strategies import Strategy
from askwise.strategies.expected import exhaustive, expected, expected_margin
from askwise.strategies.quick_gains import QuickGain, quick_gain
from askwise.structures import PooledRows
from askwise.types import Floats, Ints, Sample

# of each stage: the draws that score, the share of all rows that stays after it, and how many rows stay at least
STAGES = ((32, 1 / 8, 1 << 17), (128, 1 / 64, 1 << 15))
SURVIVING_ROWS = 4096
MIN_ROWS_PER_TASK = 4 * MAX_ROWS_PER_BLOCK
MAX_TASKS = 512  # each takes 0.4 MB to its worker and back, or some 2 MB where the shape is learned
SCREENINGS_PER_AUDIT = 50
MAX_AUDITED_ROWS = 8192


class Scorer(Protocol):
    """The gain (A,) of rows of features (A, D), exactly or nearly."""

    def __call__(self, points: Floats, rng: Generator) -> Floats: ...


@dataclass(frozen=True)
class StrategyScorer:
    """The strategy's own gain on these draws."""

    problem: Problem
    rule: Strategy
    posterior: Posterior
    sample: Sample

    def __call__(self, points: Floats, rng: Generator) -> Floats:
        with np.errstate(invalid="ignore"):  # a row with a missing value gets no score
            return self.rule(self.problem, self.posterior, self.sample, points, rng).gain


class ScoredRows(NamedTuple):
    """Rows of a pool and their gains.

    >>> rows = ScoredRows(np.array([0.1, 0.3, 0.3]), np.arange(3), np.zeros((3, 1)))
    >>> rows.best(1).number  # of equal scores the lower row
    array([1])
    """

    gain: Floats  # (A,)
    number: Ints  # (A,)
    points: Floats  # (A, D), 32 bits

    def best(self, count: int) -> ScoredRows:
        """The `count` best that have a score, in order of their numbers; of equal scores the lower row is better."""
        gain = np.where(np.isfinite(self.gain), self.gain, np.float32(-1))
        bar = max(np.partition(gain, -count)[-count], 0.0) if len(gain) > count else 0.0
        inside = np.flatnonzero(gain >= bar)
        if len(inside) > count:
            tied = np.flatnonzero(gain[inside] == bar)
            inside = np.delete(inside, tied[count - len(inside) :])
        return ScoredRows(gain, self.number, self.points).at(inside)

    def at(self, places: Ints) -> ScoredRows:
        """The rows at these places."""
        return ScoredRows(self.gain[places], self.number[places], self.points[places])


@dataclass(frozen=True)
class Screening:
    """What every task of a screening shares."""

    reader: Reader
    stages: tuple[tuple[tuple[Scorer, ...], float], ...]  # scorers that stretches take in turn; the share that stays
    last: Scorer
    masked: Ints  # rows not to ask
    survivors: int
    seed: int
    revision: int

    def run(self, parts: Sequence[RowGroup]) -> ScoredRows:
        """The best rows of these row groups. Run twice, it gives the same."""
        kept = [self.screened(first, points) for part in parts for first, points in self.reader.blocks(part)]
        return self.scored(self.last, _joined(kept)).best(self.survivors)

    def screened(self, first: int, points: Floats) -> ScoredRows:
        """The rows of a stretch that stay after every stage but the last."""
        rows = ScoredRows(np.zeros(len(points), dtype=np.float32), np.arange(first, first + len(points)), points)
        for scorers, share in self.stages:
            rows = self.scored(scorers[first // MAX_ROWS_PER_BLOCK % len(scorers)], rows).best(
                int(np.ceil(share * len(points)))
            )
        return rows

    def scored(self, scorer: Scorer, rows: ScoredRows) -> ScoredRows:
        """Rows in order of their numbers, with the gain of this scorer."""
        if not len(rows.number):
            return rows
        gain = scorer(rows.points, stream(self.seed, self.revision, f"race {rows.number[0]} {len(rows.number)}"))
        gain = gain.astype(np.float32, copy=False)
        places = np.minimum(np.searchsorted(rows.number, self.masked), len(rows.number) - 1)
        gain[places[rows.number[places] == self.masked]] = np.nan  # which is no score
        return ScoredRows(gain, rows.number, rows.points)


def screen(
    problem: Problem,
    rule: Strategy,
    posterior: Posterior,
    sample: Sample,
    masked: Collection[int],
    seed: int,
    revision: int,
    *,
    survivors: int = SURVIVING_ROWS,
    stages: Sequence[tuple[int, float, int]] = STAGES,
) -> tuple[Ints, dict[str, Any]]:
    """The numbers, in order, of the rows worth scoring exactly, and what an audit found if there was one.

    `rule` scores rows with the draws of `sample`. Rows in `masked` are left out, and `survivors` rows stay. `seed` and
    `revision` name the random streams. Without `stages` every row is scored with all draws. The family remembers the
    features of the rows that stay. Its `workers` do the work, by default a thread for each core.
    """
    family = implementing("family", problem.family, PooledRows, "one with a pool of rows on disk")
    by_gain = rule in (expected, expected_margin)  # the same for pools
    exact = StrategyScorer(problem, exhaustive if by_gain else rule, posterior, sample)
    quick = quick_gain(problem) if by_gain else None
    count, size = len(sample.weights), family.pool.rows
    stages = [(few, share, least) for few, share, least in stages if least < size]  # others would leave all rows
    draws = [_places(count, few)[: -(-size // MAX_ROWS_PER_BLOCK)] for few in (*(few for few, _, _ in stages), count)]
    linearised = stream(seed, revision, "glance")
    scorers = _by_strategy(exact, draws) if quick is None else _quickly(quick, problem, sample, draws, linearised)
    shares = [max(share, least / size) for _, share, least in stages]
    mask = np.array(sorted(masked), dtype=int)
    shared = tuple(zip(scorers[:-1], shares, strict=True)), scorers[-1][0], mask, survivors, seed, revision
    screening = Screening(family.reader, *shared)
    tasks = _tasks(family.pool.parts)
    if family.workers is not None:
        best = _best(family.workers.map(screening.run, tasks), survivors)
    else:
        with ThreadPoolExecutor(min(len(tasks), os.cpu_count() or 1)) as threads:
            best = _best(threads.map(screening.run, tasks), survivors)
    family.remember(best.number, best.points.astype(float))
    rng = stream(seed, revision, "audit")
    audited = len(best.number) and rng.random() < 1 / SCREENINGS_PER_AUDIT
    return best.number, audit(screening, exact, best, family.pool.parts, rng) if audited else {}


def audit(
    screening: Screening, exact: Scorer, best: ScoredRows, parts: Sequence[RowGroup], rng: Generator
) -> dict[str, Any]:
    """Scores random rows of a random row group exactly: the share of the gain that was lost by leaving them out."""
    blocks = list(screening.reader.blocks(parts[int(rng.integers(len(parts)))]))
    first, points = blocks[int(rng.integers(len(blocks)))]
    places = np.sort(rng.choice(len(points), min(MAX_AUDITED_ROWS, len(points)), replace=False))
    others = screening.scored(exact, ScoredRows(np.zeros(len(places)), first + places, points[places]))
    found, reached = float(np.nanmax(others.gain, initial=0.0)), float(screening.scored(exact, best).gain.max())
    return {"audited": len(places), "lost": max(0.0, 1.0 - reached / found) if found > 0 else 0.0}


def _places(count: int, size: int) -> list[Ints]:
    """The draws cut into as many parts of that size as there are."""
    return [np.arange(at, at + size) for at in range(0, count - size + 1, size)] or [np.arange(count)]


def _some(sample: Sample, places: Ints) -> Sample:
    weights = sample.weights[places]
    return Sample(sample.structures[places], weights / weights.sum(), sample.exact)


def _quickly(
    quick: type[QuickGain], problem: Problem, sample: Sample, draws: list[list[Ints]], rng: Generator
) -> list[tuple[Scorer, ...]]:
    form = form_of(problem.distance, sample.structures)  # which the rule will want as well
    distances = form.to_matrix() if isinstance(form, HasMatrix) else problem.distance.pairwise(sample.structures)
    family: Any = problem.family

    def one(places: Ints) -> QuickGain:
        return quick.of(family, _some(sample, places), distances[np.ix_(places, places)], rng)

    return [tuple(map(one, stage)) for stage in draws]


def _by_strategy(exact: StrategyScorer, draws: list[list[Ints]]) -> list[tuple[Scorer, ...]]:
    return [tuple(replace(exact, sample=_some(exact.sample, places)) for places in stage) for stage in draws]


def _joined(rows: Sequence[ScoredRows]) -> ScoredRows:
    return ScoredRows(*(np.concatenate(columns) for columns in zip(*rows, strict=True)))


def _best(found: Iterable[ScoredRows], survivors: int) -> ScoredRows:
    """The best of all tasks, as they come in."""
    tasks = iter(found)
    best = next(tasks)
    for rows in tasks:
        best = _joined([best, rows]).best(survivors)
    return best


def _tasks(parts: Sequence[RowGroup]) -> list[list[RowGroup]]:
    """Row groups in runs of about as many rows."""
    tasks: list[list[RowGroup]] = []
    size, held = max(MIN_ROWS_PER_TASK, sum(part.rows for part in parts) // MAX_TASKS), 0
    for part in parts:
        if not tasks or held + part.rows > size:
            tasks.append([])
            held = 0
        tasks[-1].append(part)
        held += part.rows
    return tasks
