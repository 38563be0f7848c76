"""Pools on disk: screening against scoring every row, masking, replay, files and workers, memory."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import askwise
from askwise._runtime.cluster import on_cluster
from askwise.data.parquet import Pool, Reader, RowGroup
from askwise.errors import DataError
from askwise.goals import classifier, from_json
from askwise.strategies import screening, strategies
from askwise.strategies.quick_gains import quick_gain
from askwise.strategies.screening import ScoredRows
from tests.pools import (
    SPARSE,
    answer_questions,
    exact_gains,
    points,
    screened_rows,
    tell_random_rows,
    true_label,
    write_pool,
)

ROOT = Path(__file__).parents[2]


# ---------------------------------------------------------------------- screening against scoring every row


@pytest.mark.parametrize("labels", [("no", "yes"), ("a", "b", "c")])
def test_a_small_pool_is_scored_whole(tmp_path, labels):
    table = points(3000)
    session = classifier(write_pool(tmp_path / "rows.parquet", table), labels, seed=1, draws=100)
    rows = screened_rows(session)
    assert rows.tolist() == list(range(3000))
    exact = exact_gains(session, np.arange(3000))
    question = session.ask()
    assert question.atom == exact.argmax()
    assert question.gain == pytest.approx(exact.max(), rel=1e-5)


@pytest.mark.parametrize(("shape", "people"), [("linear", 20), ("learned", 3)])
def test_screening_comes_within_two_percent_of_the_exhaustive_choice(tmp_path, shape, people):
    table = points(6000, columns=3)
    path = write_pool(tmp_path / "rows.parquet", table)
    losses = []
    for person in range(people):
        session = classifier(path, seed=person, draws=160, prior_scale=4.0, shape=shape)
        for stage in range(5):
            tell_random_rows(session, table, 3, person * 10 + stage)
            every = exact_gains(session, np.arange(len(table)))
            left = screened_rows(session, survivors=60, stages=SPARSE)
            assert len(left) == 60
            losses.append(1 - every[left].max() / every.max())
    assert sum(loss > 0.02 for loss in losses) <= max(1, len(losses) // 20), sorted(losses)[-10:]


def test_what_is_left_is_scored_by_all_draws(tmp_path):
    """Survivors are all about as good: a short list made by some of the draws would lose a part of the gain."""
    table = points(5000)
    session = tell_random_rows(classifier(write_pool(tmp_path / "rows.parquet", table), seed=2), table, 10, 3)
    left = screened_rows(session)
    scored = session.config.rule(session.problem, session.posterior, session.sample, left, np.random.default_rng(0))
    np.testing.assert_allclose(scored.gain, exact_gains(session, left), rtol=5e-3)


@pytest.mark.parametrize("shape", ["linear", "learned"])
@pytest.mark.parametrize("labels", [("no", "yes"), ("no", "maybe", "yes")])
def test_a_glance_with_all_draws_ranks_as_the_rule_does(tmp_path, shape, labels):
    table = points(5000)
    session = classifier(write_pool(tmp_path / "rows.parquet", table), labels, seed=2, shape=shape)
    tell_random_rows(session, table, 10, 3)
    family = session.problem.family
    rows = family.reader.rows(family.pool, np.arange(5000))
    sample = session.sample
    distances, rng = session.problem.distance.pairwise(sample.structures), np.random.default_rng(0)
    glance = quick_gain(session.problem).of(family, sample, distances, rng)
    found, exact = glance(rows.astype(np.float32), np.random.default_rng(0)), exact_gains(session, np.arange(5000))
    assert np.corrcoef(found, exact)[0, 1] > 0.99
    assert exact[found.argsort()[-20:]].max() >= 0.98 * exact.max()


def test_of_equal_scores_the_lower_row_wins():
    rows = ScoredRows(np.array([1, 2, 2, 2, 0, np.nan, -1], dtype=np.float32), np.arange(10, 17), np.zeros((7, 1)))
    assert rows.best(2).number.tolist() == [11, 12]
    assert rows.best(4).number.tolist() == [10, 11, 12, 13]
    assert rows.best(9).number.tolist() == [10, 11, 12, 13, 14]  # what has no score is not asked


@pytest.mark.parametrize("rule", sorted(set(strategies()) - {"eubo", "variance", "expected"}))
def test_every_rule_can_race(tmp_path, rule):
    table = points(600, columns=2)
    session = classifier(write_pool(tmp_path / "rows.parquet", table, 200), seed=1, draws=60, rule=rule)
    left = screened_rows(session, survivors=50, stages=((20, 1 / 4, 1),))
    assert len(left) == len(set(left.tolist())) == 50
    answer_questions(session, table, 2)


# ---------------------------------------------------------------------- a session on a pool


@pytest.mark.parametrize("survivors", [screening.SURVIVING_ROWS, 5])  # with 5, screening soon masks what was skipped
def test_what_was_asked_or_skipped_is_not_asked_again(tmp_path, monkeypatch, survivors):
    monkeypatch.setattr("askwise.session.round.SURVIVING_ROWS", survivors)
    monkeypatch.setattr("askwise.goals.base.labels.SURVIVING_ROWS", survivors)
    table = points(40, columns=2)
    session = classifier(write_pool(tmp_path / "rows.parquet", table, 7), seed=3, draws=60, epsilon=1e-9)
    seen = []
    for number in range(40):
        question = session.ask()
        seen.append(question.atom)
        session.skip() if number % 3 == 0 else session.tell(true_label(table, question.atom))
    assert sorted(seen) == list(range(40))
    assert session.reason == "every question was asked"


def test_rows_are_masked_by_number(tmp_path):
    session = classifier(write_pool(tmp_path / "rows.parquet", points(60, columns=2), 7), seed=3, draws=60)
    assert screened_rows(session, masked=[5, *range(20, 60)]).tolist() == [*range(5), *range(6, 20)]


def test_a_pool_replays_to_the_same_question(tmp_path):
    table = points(6000)
    path = write_pool(tmp_path / "rows.parquet", table)
    session = answer_questions(classifier(path, seed=5, draws=100), table, 4)
    session.ask()
    session.skip()
    again = from_json(session.to_json())
    assert again.ask() == session.ask()
    assert again.ask().atom not in [event["atom"] for event in session.log[:-1] if event["event"] == "ask"]
    session.undo()
    kept = tmp_path / "study.askwise"
    askwise.save(session, kept)
    assert askwise.open(kept).ask() == session.ask()
    assert len(json.loads(session.to_json())["recipe"]["data"]["x0"]) == 2000  # the sample, not the pool


@pytest.mark.parametrize("labels", [("out", "in"), ("out", "middle", "in")])
def test_a_curved_border_is_learned_from_the_rows_of_a_pool(tmp_path, labels):
    table = points(4000, columns=2)
    size = np.square(table).sum(axis=1)
    truth = (size < 1.0).astype(int) if len(labels) == 2 else np.digitize(-size, [-2.5, -0.8])
    session = classifier(write_pool(tmp_path / "rows.parquet", table), labels, seed=4, draws=150)
    for row in range(30):
        session.pose(row)
        session.tell(labels[truth[row]])
    session.tell(labels[truth[session.ask().atom]])
    sampled = session.recipe["options"]["pool"]["sample"]
    right = np.mean(np.array(session.estimate().value) == np.array(labels)[truth[sampled]])
    assert right > (0.85 if len(labels) == 2 else 0.7)  # the most frequent label is right on 0.61 and 0.38
    assert session.certificate().shape.startswith("Features act in curves")


def test_a_simulated_future_runs_no_race(tmp_path, monkeypatch):
    """It takes its questions from the rows that stand for all."""
    session = classifier(write_pool(tmp_path / "rows.parquet", points(5000)), labels=("no", "yes"), seed=1, draws=50)
    monkeypatch.setattr("askwise.session.round.screen", None)
    future = session.branch(seed=2, effort=40)
    sample = set(session.recipe["options"]["pool"]["sample"])
    for _ in range(3):
        assert future.ask().atom in sample
        future.tell("no")


def test_questions_show_names_and_several_are_asked_together(tmp_path):
    table = points(5000)
    session = classifier(write_pool(tmp_path / "rows.parquet", table), seed=1, draws=100, name="name")
    questions = session.ask(3)
    assert [question.options[0].name for question in questions] == [f"n{question.atom}" for question in questions]
    assert len({question.atom for question in questions}) == 3


def test_the_estimate_is_about_the_sample(tmp_path):
    table = points(4000)
    session = answer_questions(classifier(write_pool(tmp_path / "rows.parquet", table), seed=1, draws=200), table, 30)
    family, estimate = session.problem.family, session.estimate().value
    numbers = family.recent[0][0]
    right = np.mean([true_label(table, row) == label for row, label in zip(numbers, estimate, strict=True)])
    assert len(estimate) == 2000
    assert right > 0.9
    labelled = askwise.to_sklearn(session).predict({f"x{j}": table[:, j].tolist() for j in range(4)})
    assert np.mean([true_label(table, row) == label for row, label in enumerate(labelled)]) > 0.9


def test_rows_that_lack_a_value_are_never_asked(tmp_path):
    table = points(3000, columns=2)
    table[::3, 1] = np.nan
    session = classifier(write_pool(tmp_path / "rows.parquet", table), seed=1, draws=60)
    assert not np.any(screened_rows(session) % 3 == 0)
    assert not any(row % 3 == 0 for row in session.problem.family.recent[0][0])


def test_one_question_in_fifty_is_audited(tmp_path, monkeypatch):
    table = points(9000)
    session = classifier(write_pool(tmp_path / "rows.parquet", table), seed=1, draws=100)
    assert "lost" not in session.ask().info
    monkeypatch.setattr(screening, "SCREENINGS_PER_AUDIT", 1)
    fresh = classifier(tmp_path / "rows.parquet", seed=1, draws=100)
    info = fresh.ask().info
    assert info["audited"] == 1000  # the rows of one group
    assert 0 <= info["lost"] < 0.02
    assert fresh.ask().atom == session.ask().atom


# ---------------------------------------------------------------------- files, workers, memory


def test_a_folder_of_files_is_the_same_pool(tmp_path):
    table = points(9000)
    whole = write_pool(tmp_path / "whole.parquet", table)
    (tmp_path / "parts" / "later").mkdir(parents=True)
    names = {f"n{i}": i for i in range(len(table))}
    for number, (name, begin) in enumerate([("a", 0), ("b", 2500), ("later/a", 6000)]):
        end = [2500, 6000, 9000][number]
        part = parquet.read_table(whole).slice(begin, end - begin)
        parquet.write_table(part, tmp_path / "parts" / f"{name}.parquet", row_group_size=700)
    one, many = (
        answer_questions(classifier(path, seed=2, draws=100), table, 3) for path in (whole, tmp_path / "parts")
    )
    assert [event["atom"] for event in one.log if event["event"] == "ask"] == [
        event["atom"] for event in many.log if event["event"] == "ask"
    ]
    rows = [8999, 0, 2500, 2499]
    taken = Pool(tmp_path / "parts").take(rows, ["name"])["name"]
    assert [names[name] for name in taken] == rows
    reader = Reader(("x0", "x3"), (0.0, 1.0), (1.0, 2.0))
    wanted = np.column_stack([table[rows, 0], 2 * (table[rows, 3] - 1), np.ones(4)])
    assert np.allclose(reader.rows(Pool(tmp_path / "parts"), np.array(rows)), wanted, atol=1e-6)


def test_the_result_does_not_depend_on_the_workers(tmp_path, monkeypatch):
    monkeypatch.setattr(screening, "MIN_ROWS_PER_TASK", 2000)
    table = points(12_000)
    session = classifier(write_pool(tmp_path / "rows.parquet", table), seed=4, draws=100)
    family = session.problem.family
    alone = screened_rows(session, survivors=300, stages=SPARSE)
    with ThreadPoolExecutor(5) as workers:
        family.workers = workers
        assert screened_rows(session, survivors=300, stages=SPARSE).tolist() == alone.tolist()
    family.workers = None
    family.reader.kept.clear()
    assert screened_rows(session, survivors=300, stages=SPARSE).tolist() == alone.tolist()
    monkeypatch.setattr(screening, "MIN_ROWS_PER_TASK", 100_000)
    assert screened_rows(session, survivors=300, stages=SPARSE).tolist() == alone.tolist()
    assert len(pickle.dumps(family)) < 100_000  # its landmarks, but no rows: a worker reads for itself
    linear = classifier(tmp_path / "rows.parquet", seed=4, draws=100, shape="linear").problem.family
    assert len(pickle.dumps(linear)) < 1000


@pytest.mark.parametrize(("groups", "fewest", "most"), [(40, 20, 20), (4000, 512, 600)])
def test_a_huge_pool_is_cut_into_hundreds_of_tasks_not_thousands(groups, fewest, most):
    size = 1 << 18
    parts = [RowGroup("rows.parquet", group, group * size, size) for group in range(groups)]
    tasks = screening._tasks(parts)
    assert [part for task in tasks for part in task] == parts
    assert fewest <= len(tasks) <= most


class Killing:
    """Runs tasks on a cluster and kills one of its workers when the first result is in."""

    def __init__(self, workers, pid):
        self.workers, self.pid = workers, pid

    def map(self, function, tasks):
        for number, found in enumerate(self.workers.map(function, tasks)):
            if number == 0:
                os.kill(self.pid, signal.SIGKILL)
            yield found


def test_a_killed_worker_of_a_cluster_costs_nothing_but_time(tmp_path, monkeypatch):
    from distributed import Client, LocalCluster

    monkeypatch.setattr(screening, "MIN_ROWS_PER_TASK", 1000)
    table = points(16_000)
    session = classifier(write_pool(tmp_path / "rows.parquet", table), seed=4, draws=100)
    alone = screened_rows(session, survivors=300, stages=SPARSE)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster.scheduler_address, set_as_default=False) as client:
            pids = list(client.run(os.getpid).values())
        with on_cluster(cluster.scheduler_address) as workers:
            session.problem.family.workers = Killing(workers, pids[0])
            assert screened_rows(session, survivors=300, stages=SPARSE).tolist() == alone.tolist()


MEMORY = """
import resource, sys
from askwise import classifier
from askwise.data import parquet
parquet.MAX_CACHED_BYTES = 1 << 20
session = classifier(sys.argv[1], seed=1, draws=100)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
session.ask()
print(before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_memory_does_not_grow_with_the_pool(tmp_path):
    peaks = []
    for rows in (300_000, 1_800_000):
        folder = tmp_path / str(rows)
        folder.mkdir()
        for number in range(rows // 300_000):
            table = points(300_000, seed=number, columns=8)
            columns = pa.table({f"x{j}": column for j, column in enumerate(table.T)})
            parquet.write_table(columns, folder / f"{number}.parquet", row_group_size=100_000, use_dictionary=False)
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "OPENBLAS_NUM_THREADS": "1"}
        found = subprocess.run(
            [sys.executable, "-c", MEMORY, str(folder)], env=environment, capture_output=True, text=True, check=True
        )
        peaks.append(int(found.stdout.split()[1]) / 1024)
    size = 1_800_000 * 8 * 4 / 2**20
    assert peaks[1] - peaks[0] < 0.5 * size, peaks  # six times the rows; mapped pages of the files count, too


def test_a_pool_with_a_damaged_page_is_refused_in_a_sentence(tmp_path):
    path = tmp_path / "rows.parquet"
    parquet.write_table(pa.table({"x": np.arange(50.0)}), path)
    content = path.read_bytes()
    path.write_bytes(content[:4] + b"\xff" * 40 + content[44:])  # its footer is whole
    with pytest.raises(DataError, match=r"rows\.parquet cannot be read as Parquet \("):
        askwise.classifier(path)


def test_booleans_of_a_pool_may_be_unknown(tmp_path):
    path = tmp_path / "rows.parquet"
    rng = np.random.default_rng(31)
    flags = [None if i % 9 == 0 else bool(i % 2) for i in range(60)]
    parquet.write_table(pa.table({"x": rng.standard_normal(60), "flag": flags}), path)
    session = askwise.classifier(path, seed=1)
    for _ in range(3):
        question = session.ask()
        assert question.atom % 9  # a row that is known
        session.tell("yes" if flags[question.atom] else "no")
    assert len(session.answers) == 3
