"""A PostgreSQL server that is killed and started again while people answer, and workers that are killed."""

from __future__ import annotations

import os
import signal
import time

import pytest

from askwise.web.error_pages import OUTAGE
from tests.web.test_api import OWNER
from tests.web.test_sharing import ask, served, study_at, told


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("pooled", [False, True])
def test_answers_wait_for_a_database_that_was_killed(own_server, pooled):
    place = f"{own_server.address}#cars"
    people, (link, *_) = study_at(place, pooled)
    with served(place) as client, served(place) as other:
        sent = {"question": ask(client, link)["id"], "response": "same", "key": "answer-1"}
        other.get(link)
        own_server.kill()
        for server in (client, other):
            for reply in (server.post(f"{link}/answers", json=sent), server.get(link)):
                assert (reply.status_code, reply.json()) == (503, {"detail": OUTAGE})
        page = client.get(link.removeprefix("/api/v1"))
        assert page.status_code == 503
        assert "nothing is lost" in page.text
        own_server.start()
        for server in (other, client, other):  # as a page does until it is taken
            assert server.post(f"{link}/answers", json=sent).status_code == 200
        following = ask(client, link)
        more = {"question": following["id"], "response": "different", "key": "answer-2"}
        assert other.post(f"{link}/answers", json=more).status_code == 200
        assert client.get("/api/v1/studies/cars", headers=OWNER).json()["answers"] == 2
    assert [event["key"] for event in told(place, [people[0].log])] == ["answer-1", "answer-2"]


def test_while_workers_are_killed_people_get_fallback_questions(tmp_path):
    """With real processes; each is killed when it has started, so that none ever computes anything again."""
    path = tmp_path / "cars.askwise"
    people, (link, *_) = study_at(path, pooled=False)
    with served(path) as client:
        question, fallbacks = ask(client, link), 0
        [worker] = client.app.state.studies.learner._workers
        while client.app.state.studies._fallbacks["cars"].state is None:
            time.sleep(0.01)
        for turn in range(4):
            for process in list(worker._pool._processes.values()):
                os.kill(process.pid, signal.SIGKILL)
            sent = {"question": question["id"], "response": "same", "key": f"answer-{turn}"}
            reply = client.post(f"{link}/answers", json=sent)
            assert reply.status_code == 200
            question = reply.json()["question"]
            assert question is not None
            fallbacks += question["fallback"]
        assert fallbacks
    assert len(told(path, [people[0].log])) == 4
