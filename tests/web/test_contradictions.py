"""Where no answer is wrong, the server refuses one that contradicts others, before it is written."""

from __future__ import annotations

import pytest

import askwise
from tests.web.test_sharing import served, study_at

pytestmark = pytest.mark.usefixtures("in_process")
NAMES = ["tea", "milk", "water"]


@pytest.mark.parametrize("pooled", [False, True])
def test_a_contradiction_is_refused(tmp_path, pooled):
    place = tmp_path / "drinks.askwise"
    session = askwise.ranking(NAMES, noise=0, draws=50, seed=1, epsilon=0.01, repeat=True)
    _, (link, *_) = study_at(place, pooled, names=["Ann"], session=session)
    with served(place) as client:
        replies = []
        for turn in range(3):
            question = client.get(link).json()["question"]
            if question is None:
                break
            names = [option["name"] for option in question["options"]]
            sent = {"question": question["id"], "response": min(names, key=NAMES.index), "key": f"answer-{turn}"}
            replies.append(client.post(f"{link}/answers", json=sent).status_code)
        assert set(replies) == {200}
    # a question whose answer is known by now, as when somebody else wrote meanwhile
    known = askwise.storage.open(place, log=None if pooled else 2)
    asked = known.pose((0, 2))
    known.journal.store.close()
    with served(place) as client:
        sent = {"question": asked.id, "response": "water", "key": "wrong-one"}
        if pooled:
            client.get(link)
        reply = client.post(f"{link}/answers", json=sent)
        assert reply.status_code == 409, reply.text
        told = reply.json()["detail"]
        assert "contradicts" in told
        assert ("over" in told) is not pooled
        assert client.post(f"{link}/answers", json={**sent, "response": "tea", "key": "right-one"}).status_code == 200


def test_segments_refuse_them_as_well(tmp_path):
    place = tmp_path / "ages.askwise"
    ages = {"name": ["Ann", "Bob", "Cem"], "age": [20, 40, 60]}
    session = askwise.segments(ages, "age", noise=0, draws=20, seed=1, repeat=True)
    _, (link, *_) = study_at(place, False, names=["Zoe"], session=session)
    with served(place) as client:
        question = client.get(link).json()["question"]
        first = {"question": question["id"], "response": "same", "key": "answer-0"}
        assert client.post(f"{link}/answers", json=first).status_code == 200
    known = askwise.storage.open(place, log=2)
    asked = known.pose(known.answers[0].atom)
    known.journal.store.close()
    with served(place) as client:
        sent = {"question": asked.id, "response": "different", "key": "wrong-one"}
        reply = client.post(f"{link}/answers", json=sent)
        assert reply.status_code == 409, reply.text
        assert "contradicts" in reply.json()["detail"]
        assert client.post(f"{link}/answers", json={**sent, "response": "same", "key": "right-one"}).status_code == 200
