"""Sweeps with real worker processes: the same numbers anywhere, killed workers, killed sweeps."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from askwise.errors import SettingError
from askwise.experiments.runner import Run, do_run, simulate, sweep

RUNS = [
    Run("line", rule, 4, person, settings=(("intervals", 6),)) for rule in ("random", "ndbal") for person in range(4)
]


MALA = (("sampler", "mala"),)


def metrics(records):
    return {run.name: record["metrics"] for run, record in records.items()}


def alone(runs):
    return {run.name: do_run(run)["metrics"] for run in runs}


def test_one_process_or_two_give_the_same_numbers():
    assert metrics(sweep(RUNS, workers=1)) == metrics(sweep(reversed(RUNS), workers=2)) == alone(RUNS)


def test_rules_meet_the_same_people_and_people_differ():
    results = alone(RUNS)
    first = {rule: results[Run("line", rule, 4, 0, settings=(("intervals", 6),)).name] for rule in ("random", "ndbal")}
    assert first["random"]["error"][0] == first["ndbal"]["error"][0]  # the same truth, before any question
    assert len({results[run.name]["error"][0] for run in RUNS if run.rule == "ndbal"}) > 1


def test_samplers_meet_the_same_people_with_the_same_random_numbers():
    """Only what is stored under a name differs; random questions are the same, so the errors are close."""
    ours, paper = (Run("classify", "random", 12, 0, settings=(("dim", 3), *more)) for more in ((), MALA))
    assert ours.person_name == paper.person_name
    assert ours.stream_name == paper.stream_name == ours.name
    assert paper.name == f"{ours.name} sampler=mala"
    errors = [np.array(do_run(run)["metrics"]["error"]) for run in (ours, paper)]
    assert not np.array_equal(*errors)
    assert np.abs(errors[0] - errors[1]).max() < 0.06  # five standard errors of a mean over 600 draws, of each


@pytest.mark.parametrize("settings", [{"sampler": "gibbs"}, {"sampler": "mala", "learn_scale": True}])
@pytest.mark.parametrize("task", ["classify", "choice"])
def test_a_sampler_that_cannot_do_it_is_refused(task, settings):
    with pytest.raises(SettingError, match="the sampler is hmc, or mala if the scale is not learned; got"):
        simulate(task, questions=1, runs=1, workers=1, **settings)


def test_what_is_kept_is_not_done_again(tmp_path):
    store = tmp_path / "runs.sqlite"
    sweep(RUNS[:3], store, workers=1)
    with sqlite3.connect(store) as db:
        db.execute(
            "UPDATE runs SET record = ? WHERE name = ?", (json.dumps({"metrics": "kept", "cpu_s": 0}), RUNS[0].name)
        )
    seen = []
    records = sweep(RUNS, store, workers=1, progress=lambda finished, total: seen.append((finished, total)))
    assert records[RUNS[0]]["metrics"] == "kept"
    assert metrics(records)[RUNS[5].name] == do_run(RUNS[5])["metrics"]
    assert seen[0] == (3, 8)
    assert seen[-1] == (8, 8)


SWEEP = """
import sys
from pathlib import Path
from askwise.experiments.runner import Run, sweep
if __name__ == "__main__":
    runs = [Run("line", "ndbal-paper", 12, person, settings=(("intervals", 8),)) for person in range(30)]
    sweep(runs, Path(sys.argv[1]), workers=2)
"""


def kept(store):
    if not store.exists():
        return {}
    with sqlite3.connect(store, timeout=30) as db:
        try:
            return {name: json.loads(record)["metrics"] for name, record in db.execute("SELECT name, record FROM runs")}
        except sqlite3.OperationalError:  # not created yet
            return {}


def test_a_sweep_killed_in_the_middle_goes_on_where_it_was(tmp_path):
    script, store = tmp_path / "sweep.py", tmp_path / "runs.sqlite"
    script.write_text(SWEEP)
    process = subprocess.Popen([sys.executable, str(script), str(store)])
    deadline = time.monotonic() + 90
    while len(kept(store)) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    workers = children(process.pid)
    process.kill()  # the parent alone: its workers must not outlive it
    process.wait()
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{pid}").exists() for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not [pid for pid in workers if Path(f"/proc/{pid}").exists()]
    before = kept(store)
    assert 3 <= len(before) < 30
    subprocess.run([sys.executable, str(script), str(store)], check=True, timeout=120)
    after = kept(store)
    assert len(after) == 30
    assert {name: after[name] for name in before} == before
    run = Run("line", "ndbal-paper", 12, 29, settings=(("intervals", 8),))
    assert after[run.name] == do_run(run)["metrics"]


def children(pid):
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(line) for line in listed.stdout.split()]


def test_a_killed_worker_of_this_machine_costs_nothing_but_time(tmp_path):
    script, store = tmp_path / "sweep.py", tmp_path / "runs.sqlite"
    script.write_text(SWEEP)
    process = subprocess.Popen([sys.executable, str(script), str(store)])
    deadline = time.monotonic() + 90
    while len(kept(store)) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    workers = [pid for pid in children(process.pid) if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    os.kill(workers[-1], signal.SIGKILL)
    assert process.wait(timeout=120) == 0
    assert len(kept(store)) == 30


def test_a_killed_worker_of_a_cluster_costs_nothing_but_time():
    from distributed import Client, LocalCluster

    runs = [Run("line", "ndbal-paper", 12, person, settings=(("intervals", 8),)) for person in range(16)]
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster.scheduler_address, set_as_default=False) as client:
            pids = list(client.run(os.getpid).values())
        killed = []

        def kill_one(finished, total):
            if finished == 2 and not killed:
                os.kill(pids[0], signal.SIGKILL)
                killed.append(pids[0])

        records = sweep(runs, cluster=cluster.scheduler_address, progress=kill_one)
    assert killed
    assert metrics(records) == alone(runs)


def test_simulate_is_a_sweep():
    result = simulate("line", rule="ndbal", questions=4, runs=4, intervals=6, workers=1)
    curves = [do_run(run)["metrics"]["error"] for run in RUNS[4:]]
    assert result["metrics"]["error"]["mean"] == pytest.approx([sum(step) / 4 for step in zip(*curves, strict=True)])


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda path: sweep(RUNS[:1], workers=0), "workers must be at least 1, got 0"),
        (lambda path: sweep(RUNS[:1], path / "missing" / "runs.sqlite"), "cannot keep results in"),
        (lambda path: simulate("line", questions=2, runs=1, speed=3), "speed means nothing to line; it is for no task"),
    ],
)
def test_bad_settings_are_refused(call, sentence, tmp_path):
    with pytest.raises(SettingError, match=sentence):
        call(tmp_path)
