"""A group that decides together in the web: everybody answers for themselves into one log."""

from __future__ import annotations

import time

import pytest

import askwise
from askwise.errors import SettingError
from askwise.exchange.answers import study_answers_table
from askwise.goals import goal_of
from askwise.storage.address import Address
from askwise.storage.erasure import erase_participant
from askwise.storage.store import Store
from tests.helpers import stored_bytes
from tests.web.test_api import OWNER, invited, served

pytestmark = pytest.mark.usefixtures("in_process")
DRINKS = ["tea", "coffee", "water", "milk"]


def study(tmp_path, people):
    path = tmp_path / "drinks.askwise"
    askwise.save(askwise.group_item(DRINKS, people, draws=40, seed=2, epsilon=0.001), path)
    return path


def tell(client, here, turn, response="left"):
    """Somebody answers the question before them; returns what it was, and their page after it."""
    question = client.get(here).json()["question"]
    told = {"question": question["id"], "response": response, "key": f"{here[-9:]}-{turn}"}
    reply = client.post(f"{here}/answers", json=told)
    assert reply.status_code == 200, reply.text
    return question, reply.json()


def test_everybody_gets_their_own_questions(tmp_path):
    path = study(tmp_path, ["Ann", "Ben", "Cleo"])
    ann, ben = invited(path, "Ann")[1], invited(path, "Ben")[1]
    with served(path) as client:
        for turn in range(3):
            for here, name in ((ann, "Ann"), (ben, "Ben")):
                question, after = tell(client, here, turn)
                assert question["who"] == after["question"]["who"] == name
        seen = client.get("/api/v1/studies/drinks", headers=OWNER).json()
        refused = client.post(f"{ben}/answers", json={"question": client.get(ann).json()["question"]["id"],
                                                      "response": "left", "key": "not-mine-1"})  # fmt: skip
        learned = client.get("/api/v1/studies/drinks/learned", headers=OWNER).json()
    assert refused.status_code == 409
    assert seen["mode"] == "pooled"
    assert {one["name"]: one["answers"] for one in seen["participants"]} == {"Ann": 3, "Ben": 3}
    assert seen["to_invite"] == ["Cleo"]
    assert seen["next_person"] in ("Ann", "Ben", "Cleo")
    assert any("Cleo has not answered" in remark for remark in learned["remarks"])
    session = askwise.open(path)
    assert [answer.who for answer in session.answers] == ["Ann", "Ben"] * 3
    assert [int(answer.atom[0]) for answer in session.answers] == [0, 1] * 3
    assert study_answers_table(Store.at(Address.of(path)), 1)["name"] == ["Ann", "Ben"] * 3


def test_people_take_back_their_own_answers(tmp_path):
    path = study(tmp_path, ["Ann", "Ben"])
    ann, ben = invited(path, "Ann")[1], invited(path, "Ben")[1]
    with served(path) as client:
        question, _ = tell(client, ann, 0)
        tell(client, ben, 0)
        after = client.post(f"{ann}/undo", json={"key": "undo-12345"}).json()
        assert after["question"]["id"] == question["id"]
        skipped = client.post(f"{ann}/skips", json={"question": question["id"], "key": "skip-12345"})
        assert skipped.status_code == 200
    assert [answer.who for answer in askwise.open(path).answers] == ["Ben"]


def test_the_owner_passes_on_everybody_s_answers(tmp_path):
    path = study(tmp_path, ["Ann", "Ben"])
    here, asked = "/api/v1/studies/drinks", []
    with served(path) as client:
        question = client.get(f"{here}/questions", headers=OWNER).json()
        for turn in range(4):
            asked.append(question["who"])
            told = {"question": question["id"], "response": "left", "key": f"owner-{turn}-key"}
            question = client.post(f"{here}/answers", headers=OWNER, json=told).json()
    assert [answer.who for answer in askwise.open(path).answers] == asked
    assert set(asked) == {"Ann", "Ben"}


def test_people_join_up_to_a_number(tmp_path):
    path = study(tmp_path, 2)
    dora, emil = invited(path, "Dora")[1], invited(path, "")[1]
    with pytest.raises(SettingError, match="all 2 people of this group are invited already"):
        invited(path, "Fay")
    with served(path) as client:
        assert tell(client, dora, 0)[0]["who"] == "Dora"
        assert tell(client, emil, 0)[0]["who"] == "person 1"
        assert tell(client, dora, 1)[0]["who"] == "Dora"
    places = [(answer.who, int(answer.atom[0])) for answer in askwise.open(path).answers]
    assert [who for who, _ in places] == ["Dora", "person 1", "Dora"]
    assert len(set(places)) == len({place for _, place in places}) == 2  # everybody keeps a place of their own


def test_strangers_and_the_same_person_twice_are_refused(tmp_path):
    path = study(tmp_path, ["Ann", "Ben"])
    invited(path, "Ann")
    with served(path) as client:
        for name, sentence in (("Zoe", "there is no 'Zoe' in this group"), ("Ann", "'Ann' is invited already")):
            reply = client.post("/api/v1/studies/drinks/participants", headers=OWNER, json={"name": name})
            assert reply.status_code == 422
            assert sentence in reply.json()["detail"]


def test_the_owner_leaves_out_who_never_answers(tmp_path):
    path = tmp_path / "drinks.askwise"
    session = askwise.group_item(DRINKS, ["Ann", "Ben", "Cleo"], draws=60, seed=1, epsilon=0.1, by="borda")
    while not goal_of(session).absence(session).settled_without:
        question = session.ask(who="Ann" if len(session.answers) % 2 else "Ben")
        session.tell(min((option.name for option in question.options), key=DRINKS.index), question)
    askwise.save(session, path)
    here = "/api/v1/studies/drinks"
    with served(path) as client:
        absence = client.get(f"{here}/learned", headers=OWNER).json()["absence"]
        assert (absence["silent"], absence["settled_without"]) == (["Cleo"], True)
        assert client.post(f"{here}/group", json={"without": ["Cleo"]}).status_code == 401
        refused = client.post(f"{here}/group", headers=OWNER, json={"without": ["Zoe"]})
        assert refused.status_code == 422
        assert "without names 'Zoe', who is not in the group of Ann, Ben, Cleo" in refused.json()["detail"]
        client.get(f"{here}/questions", headers=OWNER)
        assert client.post(f"{here}/group", headers=OWNER, json={"without": ["Cleo"]}).status_code == 200
        assert becomes(client, here, "settled")
        learned = client.get(f"{here}/learned", headers=OWNER).json()
        assert (learned["settled"], learned["absence"]["left_out"]) == (True, ["Cleo"])
        assert client.post(f"{here}/group", headers=OWNER, json={"without": []}).status_code == 200
        assert becomes(client, here, "open")
    options = askwise.open(path).pursued["options"]
    assert (options["without"], options["by"], options["epsilon"]) == ([], "borda", 0.1)


def test_nobody_is_left_out_where_people_do_not_decide_together(tmp_path):
    askwise.save(askwise.best_item(DRINKS, draws=40), tmp_path / "drinks.askwise")
    with served(tmp_path / "drinks.askwise") as client:
        reply = client.post("/api/v1/studies/drinks/group", headers=OWNER, json={"without": ["Ann"]})
    assert reply.status_code == 409
    assert "do not decide together" in reply.json()["detail"]


def becomes(client, here, state):
    """Whether the study is soon in that state."""
    for _ in range(300):
        if client.get(here, headers=OWNER).json()["state"] == state:
            return True
        time.sleep(0.06)  # not faster than the rate limit lets pass
    return False


@pytest.mark.parametrize("by_server", [True, False])
def test_nobody_names_again_who_was_erased(tmp_path, by_server):
    path = study(tmp_path, ["Annabella", "Benedikt", "Cleo"])
    (ann, her), (_, his) = invited(path, "Annabella"), invited(path, "Benedikt")
    store = Store.at(Address.of(path))
    with served(path) as client:
        for turn in range(2):
            tell(client, her, turn)
            tell(client, his, turn)
        assert b"Annabella" in stored_bytes(store)
        if by_server:
            reply = client.post(f"/api/v1/studies/drinks/participants/{ann.participant}/erase", headers=OWNER)
            assert reply.status_code == 200
        else:
            erase_participant(store, store.record(), ann.participant)
        for turn in range(2, 5):
            assert tell(client, his, turn)[0]["who"] == "Benedikt"
        seen = client.get("/api/v1/studies/drinks", headers=OWNER).json()
        learned = client.get("/api/v1/studies/drinks/learned", headers=OWNER)
        assert becomes_stored(store, "fallback questions")
    assert (seen["to_invite"], learned.json()["absence"]["left_out"]) == (["Cleo"], ["erased"])
    assert "Annabella" not in learned.text
    assert b"Annabella" not in stored_bytes(store)
    store.close()


def becomes_stored(store, key):
    """Whether the server keeps this in the store before long."""
    until = time.monotonic() + 20
    while store.forecast(1, key) is None and time.monotonic() < until:
        time.sleep(0.05)
    return store.forecast(1, key) is not None
