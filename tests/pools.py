"""Pools on disk for tests, and answers about their rows."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from askwise._runtime.threads import one_thread
from askwise.strategies.expected import exhaustive
from askwise.strategies.screening import screen

SPARSE = ((32, 1 / 8, 1), (128, 1 / 32, 1))  # stages that keep as small a share of a small pool as of a large one
screened = one_thread(screen)


def points(rows, seed=0, columns=4):
    return np.random.default_rng(seed).standard_normal((rows, columns)).astype(np.float32)


def write_pool(path, table, group=1000):
    columns = {f"x{j}": column for j, column in enumerate(table.T)}
    parquet.write_table(pa.table({"name": [f"n{i}" for i in range(len(table))], **columns}), path, row_group_size=group)
    return path


def true_label(table, row):
    return "yes" if table[row].sum() > 0.3 else "no"


def answer_questions(session, table, count):
    for _ in range(count):
        session.tell(true_label(table, session.ask().atom))
    return session


def screened_rows(session, masked=(), **options):
    round, config = session.round, session.config
    return screened(
        config.problem,
        config.rule,
        round.posterior,
        round.sample,
        masked,
        config.seed,
        round.beliefs.revision,
        **options,
    )[0]


def exact_gains(session, rows):
    """The gain of each row with all draws."""
    rule = one_thread(exhaustive)
    return rule(session.problem, session.posterior, session.sample, rows, np.random.default_rng(0)).gain


def tell_random_rows(session, table, count, seed):
    """Tells the labels of random rows."""
    for row in np.random.default_rng(seed).choice(len(table), count, replace=False):
        session.tell(true_label(table, row), session.pose(int(row)))
    return session
