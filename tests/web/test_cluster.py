"""Learners on a Dask cluster: a real scheduler, real workers, and one that is killed."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="NOT RUN: dask.distributed is not installed; pip install 'askwise[cluster]'")
from fastapi.testclient import TestClient

from askwise.errors import SettingError, StudyError
from askwise.web.app import create_app
from askwise.web.learner.cluster import ClusterError, ClusterLearner, chosen_worker, require_cluster
from benchmarks.serve.cluster import RunningCluster, failing, process_of
from tests.web.test_sharing import ask, study_at, told


@pytest.fixture(scope="module")
def cluster():
    with closing(RunningCluster()) as running:
        running.add_worker()
        running.add_worker()
        yield running


async def two_workers(learner):
    while len(await learner._workers_now()) < 2:
        await asyncio.sleep(0.05)


def test_a_log_stays_with_its_worker_and_errors_come_back(cluster):
    async def main():
        learner, other = ClusterLearner(cluster.address), ClusterLearner(cluster.address)
        await two_workers(learner)
        jobs = [("cars", log) for log in range(12)]
        first = [await learner.run(process_of, job) for job in jobs]
        again = [await learner.run(process_of, job, rank=1) for job in jobs]
        there = [await other.run(process_of, job) for job in jobs]  # another server
        with pytest.raises(StudyError, match="the study is gone"):
            await learner.run(failing, jobs[0])
        for each in (learner, other):
            await each.stop()
            each.close()
        return first, again, there

    first, again, there = asyncio.run(main())
    assert first == again == there
    assert len(set(first)) == 2


def test_most_logs_stay_when_a_worker_comes():
    workers = [f"tcp://10.0.0.{number}:40000" for number in range(4)]
    jobs = [("postgresql://db/lab#cars", log) for log in range(400)]
    before = [chosen_worker(job, workers[:3]) for job in jobs]
    after = [chosen_worker(job, workers) for job in jobs]
    moved = [new for old, new in zip(before, after, strict=True) if old != new]
    assert set(moved) == {workers[3]}
    assert 50 < len(moved) < 150
    assert {before.count(worker) > 90 for worker in workers[:3]} == {True}


def test_when_a_worker_is_killed_its_people_go_on_and_another_worker_takes_over(cluster, tmp_path):
    path = tmp_path / "cars.askwise"
    people, links = study_at(path, pooled=False, names=tuple(f"Person {number}" for number in range(6)))
    with TestClient(create_app(str(path), token="secret-of-the-owner", cluster=cluster.address)) as client:
        client.portal.call(two_workers, client.app.state.studies.learner)
        questions = {link: ask(client, link) for link in links}
        homes = client.app.state.studies.learner._homes
        assert len(set(homes.values())) == 2
        killed = cluster.workers[0]
        os.killpg(killed.pid, signal.SIGKILL)
        killed.wait()
        taken = 0
        for turn in range(3):
            for number, link in enumerate(links):
                sent = {"question": questions[link]["id"], "response": "same", "key": f"answer-{number}-{turn}"}
                reply = client.post(f"{link}/answers", json=sent)
                assert reply.status_code == 200
                questions[link] = reply.json()["question"] or ask(client, link)
                taken += 1
        service = client.app.state.studies._services["cars", people[0].log]
        for link in links:
            while client.get(link).json()["catching_up"]:  # until the other worker has all logs
                time.sleep(0.05)
        assert len(set(homes.values())) == 1
        assert service.states.failures == 0
    assert len(told(path, [one.log for one in people])) == taken == 18


def test_without_a_worker_calls_end_in_a_sentence(monkeypatch):
    monkeypatch.setattr("askwise.web.learner.cluster.GIVE_UP_SECONDS", 0.5)

    async def main(address):
        learner = ClusterLearner(address)
        try:
            await learner.run(process_of, ("cars", 1))
        finally:
            await learner.stop()

    with closing(RunningCluster()) as empty, pytest.raises(ClusterError, match="no worker of the cluster"):
        asyncio.run(main(empty.address))


def test_an_address_without_a_scheduler_is_refused():
    with pytest.raises(SettingError, match="expected tcp://host:8786"):
        require_cluster("somewhere")
    with pytest.raises(SettingError, match="no dask scheduler answers"):
        require_cluster("tcp://127.0.0.1:9")


def test_the_docs_say_how_workers_are_started():
    text = (Path(__file__).parents[2] / "docs" / "servers.md").read_text()
    assert "dask scheduler" in text
    assert "--nthreads 1" in text
