"""Pools on disk to test with, and sessions about them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from askwise.pool import race
from askwise.strategies.expected import exhaustive
from askwise.threads import one_thread

SPARSE = ((32, 1 / 8, 1), (128, 1 / 32, 1))  # the shares of a large pool, on a small one
raced = one_thread(race)


def points(rows, seed=0, columns=4):
    return np.random.default_rng(seed).standard_normal((rows, columns)).astype(np.float32)


def written(path, table, group=1000):
    columns = {f"x{j}": column for j, column in enumerate(table.T)}
    parquet.write_table(pa.table({"name": [f"n{i}" for i in range(len(table))], **columns}), path, row_group_size=group)
    return path


def truth(table, row):
    return "yes" if table[row].sum() > 0.3 else "no"


def answered(session, table, count):
    for _ in range(count):
        session.tell(truth(table, session.ask().atom))
    return session


def run(session, masked=(), **options):
    turn, aim = session.turn, session.aim
    return raced(aim.problem, aim.rule, turn.posterior, turn.sample, masked, aim.seed, turn.beliefs.turn, **options)[0]


def gains(session, rows):
    """Each row by all draws."""
    rule = one_thread(exhaustive)
    return rule(session.problem, session.posterior, session.sample, rows, np.random.default_rng(0)).gain


def fed(session, table, count, seed):
    """Answers about random rows."""
    for row in np.random.default_rng(seed).choice(len(table), count, replace=False):
        session.tell(truth(table, row), session.pose(int(row)))
    return session
