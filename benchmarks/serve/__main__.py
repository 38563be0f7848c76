"""Many people at once: python -m benchmarks.serve [--people 100] [--seconds 60] [--kills 3] [--servers 2] [--alternate]
[--json]

Simulated people on loopback, with think times of 1 to 5 seconds, each looking for the best of 50 items with a posterior
of their own; whoever is done is followed by somebody else. Measured: from sending an answer to the next question.
Afterwards the store is read: every answer that was acknowledged must be there, once. With --kills a server is killed
by kill -9 and started again so many times in between; answers that got no reply are sent again with the same key.

With --servers 2, two servers share one PostgreSQL database, which is started for it unless --store names one. People
stay with one server until it does not respond; with --alternate, each request goes to another server than the one
before. With --cluster 2, the learner is a Dask cluster that is started for it: the run is made with one worker, then
with two, and the CPU of its workers is not counted. `refused` counts answers to shown questions that a server refused,
which is always wrong here. `reweighed_share` counts questions that were chosen from the draws of an earlier
state because the learner was behind; they are no fallback questions.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
import time
from collections import Counter
from contextlib import ExitStack, closing
from typing import Any

import numpy as np

import askwise
from askwise.storage.address import Address
from askwise.storage.journal import StudyJournal
from askwise.storage.participants import people, set_mode
from askwise.storage.store import Store
from benchmarks.kills.postgres import PostgresServer
from benchmarks.serve.cluster import RunningCluster
from benchmarks.serve.people import DIMENSION, THINK_SECONDS, Crowd, table
from benchmarks.serve.servers import RunningServer


async def crowd(
    options: argparse.Namespace, store: Store, servers: list[RunningServer], features: Any
) -> dict[str, Any]:
    ports = [server.port for server in servers]
    watched = Crowd(store, features, ports, time.monotonic() + options.seconds, options.alternate, options.think)
    memory = []
    tasks = [asyncio.create_task(watched.person(number)) for number in range(options.people)]
    for part in range(options.kills + 1):
        for _ in range(4):
            await asyncio.sleep(options.seconds / (options.kills + 1) / 4)
            memory.append(sum(server.memory_mb() for server in servers))
        if part < options.kills:
            await asyncio.to_thread(servers[part % len(servers)].kill)
            await asyncio.to_thread(servers[part % len(servers)].start)
    await asyncio.gather(*tasks)
    return {"crowd": watched, "memory": memory, "cpu": sum(server.total_cpu_seconds() for server in servers)}


def count(store: Store, acknowledged: list[tuple[str, str]], pooled: bool) -> tuple[int, int, int, float]:
    """(answers in the store, acknowledged ones that are not there, ones that are there twice, the share of questions
    chosen from reweighed draws)"""
    found: Counter[str] = Counter()
    twice, asked, reweighed = 0, 0, 0
    study = store.record().study
    for log in [study] if pooled else [each.log for each in people(store, study)]:
        events = StudyJournal(store, store.record(log)).since(0)
        told = [event for event in events if event["event"] == "tell"]
        infos = [event["info"] for event in events if event["event"] == "ask"]
        asked, reweighed = asked + len(infos), reweighed + sum(info.get("reweighed", 0) > 0 for info in infos)
        found.update(event["key"] for event in told)
        twice += len(told) - len({event["question"] for event in told})
    lost = sum(found[key] == 0 for _, key in acknowledged)
    doubled = twice + sum(number - 1 for number in found.values())
    return sum(found.values()), lost, doubled, reweighed / max(asked, 1)


def run_on_cluster(options: argparse.Namespace) -> list[dict[str, Any]]:
    """The same with a learner on a Dask cluster that has one worker, then two, and so on."""
    found = []
    with closing(RunningCluster()) as cluster:
        given = list(options.option)
        options.option = [*given, f"--cluster={cluster.address}"]
        for number in range(1, options.cluster + 1):
            cluster.add_worker()
            found.append({"cluster_workers": number, **run(options)})
    return found


def run(options: argparse.Namespace) -> dict[str, Any]:
    items = table(np.random.default_rng(0))
    features = np.array([[row[f"x{j}"] for j in range(DIMENSION)] for row in items])
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        where = options.store
        if where is None and options.servers > 1:
            where = stack.enter_context(closing(PostgresServer())).address
        address = f"{where}#crowd{os.getpid()}" if where else f"{folder}/crowd.askwise"
        askwise.save(askwise.best_item(items, seed=1), address)
        store = stack.enter_context(closing(Store.at(Address.of(address))))
        if options.pooled:
            set_mode(store, store.record().study, "pooled")
        servers = []
        for _ in range(options.servers):
            servers.append(RunningServer(address, tuple(options.option)))
            stack.callback(servers[-1].kill)
        for server in servers:
            server.wait_until_ready()
        found = asyncio.run(crowd(options, store, servers, features))
        watched: Crowd = found["crowd"]
        answers, lost, doubled, reweighed = count(store, watched.acknowledged, options.pooled)
    waits = 1e3 * np.array(watched.waits or [np.nan])
    p50, p95, p99 = (float(np.percentile(waits, level)) for level in (50, 95, 99))
    return {
        "people": options.people,
        "seconds": options.seconds,
        "servers": options.servers,
        "alternate": options.alternate,
        "kills": options.kills,
        "answers": answers,
        "p50_ms": p50,
        "p95_ms": p95,
        "p99_ms": p99,
        "longest_ms": float(waits.max()),
        "refused": len(watched.refusals),
        "refusals": sorted(set(watched.refusals))[:5],
        "lost": lost,
        "doubled": doubled,
        "fallback_share": watched.fallbacks / max(len(watched.waits), 1),
        "reweighed_share": reweighed,
        "cpu_ms_per_answer": 1e3 * found["cpu"] / max(answers, 1),
        "load": os.getloadavg()[0],
        "retries": watched.retries,
        "settled": watched.finished,
        "memory_mb": found["memory"],
    }


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--people", type=int, default=100)
    made.add_argument("--seconds", type=float, default=60)
    made.add_argument("--servers", type=int, default=1)
    made.add_argument("--alternate", action="store_true", help="each request goes to another server than the last")
    made.add_argument("--kills", type=int, default=0)
    made.add_argument(
        "--think", type=float, nargs=2, default=THINK_SECONDS, help="seconds before an answer, from and to"
    )
    made.add_argument("--pooled", action="store_true", help="all people answer for one result")
    made.add_argument(
        "--cluster", type=int, default=0, help="learners on a Dask cluster with 1, 2, ... so many workers"
    )
    made.add_argument("--store", default=None, help="postgresql://host/database; a SQLite file unless given")
    made.add_argument("--option", action="append", default=[], help="of askwise serve, such as --option=--workers=1")
    made.add_argument("--json", action="store_true")
    return made


def main() -> None:
    options = parser().parse_args()
    found = run_on_cluster(options) if options.cluster else [run(options)]
    for result in found:
        if options.json:
            print(json.dumps(result))
        else:
            for name, value in result.items():
                print(f"{name:17} {value if not isinstance(value, float) else round(value, 3)}")
    raise SystemExit(int(any(result["refused"] or result["lost"] or result["doubled"] for result in found)))


if __name__ == "__main__":
    main()
