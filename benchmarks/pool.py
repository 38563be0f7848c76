"""How long a question to a pool of rows on disk takes, how much memory, and what screening loses against a full scan.

A pool of normal features in 32 bits is written, a simulated person answers some questions, and the next ones are timed
against the time just to read the pool. `python -m benchmarks.pool --rows 10000000 [--audits 10] [--shape linear]
[--labels 3] [--json]`

`floor_s` is the time to read the pool and to multiply it once by 32 draws, with the same threads. An audit compares
the question asked with the best of all rows: every row is scored with all draws, and the best 4,096 of them exactly.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy loads its BLAS

import numpy as np

from askwise._runtime.threads import one_thread
from askwise.goals import classifier
from askwise.session import Session
from askwise.simulate.runs import answer_question
from askwise.strategies.expected import exhaustive
from askwise.strategies.screening import screen
from askwise.structures import PooledRows
from askwise.types import Floats, Response
from benchmarks.common import benchmark_parser

FEATURES = 10
ROW_GROUP_ROWS = 1 << 18
FILE_ROWS = 1 << 24
TARGET_RATIO = 3.0  # times the floor
MAX_NEAR_LOSS = 0.02  # of the exhaustive gain


def write_pool(folder: str, rows: int, seed: int = 0) -> None:
    """Normal features, a little correlated, in files of 16 million rows."""
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(seed)
    mix = np.eye(FEATURES, dtype=np.float32) + 0.3 * rng.standard_normal((FEATURES, FEATURES)).astype(np.float32)
    names = [f"x{j}" for j in range(FEATURES)]
    schema = pa.schema([(name, pa.float32()) for name in names])
    for begin in range(0, rows, FILE_ROWS):
        with parquet.ParquetWriter(
            f"{folder}/{begin // FILE_ROWS:04}.parquet", schema, compression="none", use_dictionary=False
        ) as file:
            for at in range(begin, min(begin + FILE_ROWS, rows), ROW_GROUP_ROWS):
                size = min(ROW_GROUP_ROWS, begin + FILE_ROWS - at, rows - at)
                points = mix @ rng.standard_normal((FEATURES, size), dtype=np.float32)
                file.write_table(pa.table(dict(zip(names, points, strict=True)), schema))


@dataclass(frozen=True)
class PoolPerson:
    """Labels rows by these weights, and errs near the border."""

    family: PooledRows
    weights: Floats  # (P + 1,), or (K, P + 1) for more than two labels

    @staticmethod
    def random(family: Any, rng: np.random.Generator) -> PoolPerson:
        """Somebody with normal weights."""
        size = FEATURES + 1
        return PoolPerson(family, rng.standard_normal(size if len(family.labels) == 2 else (len(family.labels), size)))

    def respond(self, atom: Any, rng: np.random.Generator) -> Response:
        row = self.family.reader.rows(self.family.pool, np.array([atom]))[0]
        if self.weights.ndim == 2:
            return int((5 * self.weights @ row + rng.gumbel(size=len(self.weights))).argmax())
        return 1 if rng.random() < 1 / (1 + np.exp(-5 * row @ self.weights)) else -1


@one_thread
def read_floor(family: PooledRows, threads: int) -> None:
    """Reads the pool and multiplies it by 32 draws."""
    draws = np.random.default_rng(0).standard_normal((32, FEATURES)).astype(np.float32)

    def read(part: Any) -> None:
        from pyarrow import parquet

        with parquet.ParquetFile(part.file, memory_map=True) as file:
            for batch in file.iter_batches(1 << 17, row_groups=[part.group], use_threads=False):
                points = np.empty((FEATURES, batch.num_rows), dtype=np.float32)
                for row, column in zip(points, batch.columns, strict=True):
                    row[:] = column.to_numpy()
                draws @ points

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(read, family.pool.parts))


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    """Wall and CPU seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def lost_gain(session: Session) -> float:
    """The share of the exhaustive gain that the next question lacks."""
    asked, round, config = session.ask().gain, session.round, session.config
    answered = {int(answer.atom) for answer in session.answers}
    state = config.problem, config.rule, round.posterior, round.sample, answered, config.seed, round.beliefs.revision
    rows, _ = one_thread(screen)(*state, stages=())
    best = one_thread(exhaustive)(
        config.problem, round.posterior, round.sample, rows, np.random.default_rng(0)
    ).gain.max()
    return float(max(0.0, 1 - asked / best))


def measure(folder: str, questions: int, audits: int, **settings: Any) -> dict[str, Any]:
    """What a question costs and loses; `settings` are those of the classifier."""
    threads = os.cpu_count() or 1
    opened, _ = timed(lambda: classifier(folder, seed=0, **settings))
    session, rng = classifier(folder, seed=0, **settings), np.random.default_rng(1)
    family: Any = session.problem.family
    person = PoolPerson.random(family, rng)
    for row in family.draw_atoms(5, rng)[:5]:  # about rows at hand: only what is timed searches the pool
        session.pose(int(row))
        answer_question(session, person, rng)
    read, again, floors = [], [], []
    for _ in range(questions):
        floors.append(timed(lambda: read_floor(family, threads)))
        family.reader.kept.clear()
        read.append(timed(session.ask))
        answer_question(session, person, rng)
        again.append(timed(session.ask))
        answer_question(session, person, rng)
    size = sum(Path(path).stat().st_size for path in {part.file for part in family.pool.parts})
    found: dict[str, Any] = {"rows": family.pool.rows, "threads": threads, "open_s": opened, "bytes_read": size}
    for name, times in (("question", read), ("again", again), ("floor", floors)):
        found[f"{name}_s"], found[f"{name}_cpu_s"] = (float(np.median(part)) for part in zip(*times, strict=True))
    found["ratio"] = float(np.median([a[0] / b[0] for a, b in zip(read, floors, strict=True)]))
    found["cpu_ratio"] = float(np.median([a[1] / b[1] for a, b in zip(read, floors, strict=True)]))
    found["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if audits:
        losses = []
        for person in range(-(-audits // 10)):
            session = classifier(folder, seed=1 + person, **settings)
            person = PoolPerson.random(session.problem.family, rng)
            for number in range(20):
                if number % 2 and len(losses) < audits:
                    losses.append(lost_gain(session))
                answer_question(session, person, rng)
        found["audits"] = len(losses)
        found["near"] = sum(loss <= MAX_NEAR_LOSS for loss in losses)
        found["lost_mean"], found["lost_most"] = float(np.mean(losses)), float(np.max(losses))
    return found


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--questions", type=int, default=3, help="timed, each twice: reading, and with rows in memory")
    parser.add_argument("--audits", type=int, default=0)
    parser.add_argument("--shape", default="learned", help="of the classifier [learned]")
    parser.add_argument("--labels", type=int, default=2, help="how many [2]")
    parser.add_argument("--folder", default=None, help="where to write the pool [a temporary one]")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(dir=options.folder)
    try:
        code = f"from benchmarks.pool import write_pool; write_pool({folder!r}, {options.rows})"
        subprocess.run([sys.executable, "-c", code], check=True)  # its memory is not a question's
        settings = {"shape": options.shape, "labels": range(options.labels)}
        found = measure(folder, options.questions, options.audits, **settings)
    finally:
        shutil.rmtree(folder)
    if options.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:16} {value:,.3f}" if isinstance(value, float) else f"{name:16} {value:,}")
    print(f"a question takes {found['ratio']:.1f} times the floor (target {TARGET_RATIO:g})")


if __name__ == "__main__":
    main()
