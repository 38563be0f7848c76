"""Servers whose learner computes in a thread of the tests: starting processes takes most of a test's time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from askwise.web.learner import dashboard as watching
from askwise.web.learner import learner
from askwise.web.learner.workers import Worker


class Thread:
    """In place of a worker's process. One for all, since they share what a process has for itself."""

    _processes: dict[int, object] = {}  # noqa: RUF012

    def __init__(self):
        self.pool = ThreadPoolExecutor(1)

    def submit(self, function, *more):
        return self.pool.submit(function, *more)

    def shutdown(self, **options):
        """It goes on for the others."""


def nobody(job):
    return 0, []


async def nobody_next(learner, job):
    return 0, []


@pytest.fixture
def in_process(monkeypatch):
    thread = Thread()
    monkeypatch.setattr(Worker, "_new_pool", lambda worker: thread)
    monkeypatch.setattr("askwise.web.studies.simulate_people", nobody)  # simulated people would take half a minute
    monkeypatch.setattr("askwise.web.studies.simulate_next_people", nobody_next)
    yield
    thread.pool.shutdown(cancel_futures=True)
    for kept in (learner._sessions, learner._stores, learner._beginnings, watching._watched, watching._curves):
        kept.clear()
