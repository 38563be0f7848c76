"""The best and the worst of several items in the API: as a text, an object or a list; and why they are asked for."""

from __future__ import annotations

import pytest

import askwise
from tests.web.test_api import OWNER, invited, served
from tests.web.test_sharing import ask

pytestmark = pytest.mark.usefixtures("in_process")
DRINKS = ["tea", "coffee", "water", "milk", "gin", "rum"]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "drinks.askwise"
    session = askwise.ranking(DRINKS, shown=6, worst=True, repeat=True, draws=40, seed=2, epsilon=1e-6)
    askwise.save(session, path)
    return path


def sent(question, response, key):
    return {"question": question["id"], "response": response, "key": f"answer-{key}"}


def test_an_object_and_a_list_mean_the_same_as_a_text(path):
    _, here = invited(path)
    told = []
    with served(path) as client:
        question = ask(client, here)
        for turn in range(5):
            names = [option["name"] for option in question["options"]]
            said = [
                f"{names[1]} > {names[3]}",
                {"best": names[1], "worst": names[3]},
                {"best": 2, "worst": names[3].upper()},
                [names[1], names[3]],
                [2, 4],
            ][turn]
            reply = client.post(f"{here}/answers", json=sent(question, said, turn))
            assert reply.status_code == 200, reply.text
            told.append(f"{names[1]} > {names[3]}")
            again = client.post(f"{here}/answers", json=sent(question, said, turn))
            assert again.json()["answers"] == turn + 1
            question = ask(client, here)
        mine = client.get(f"{here}/answers").json()
        owner = client.get("/api/v1/studies/drinks/questions", headers=OWNER).json()
        robot = sent(owner, {"best": 1, "worst": 6}, "owner")
        assert client.post("/api/v1/studies/drinks/answers", headers=OWNER, json=robot).status_code == 200
    assert [answer["response"] for answer in reversed(mine)] == told


@pytest.mark.parametrize(
    ("response", "status", "sentence"),
    [
        ({"best": "tea", "worst": "tea"}, 409, "is not the best and the worst of"),
        ({"best": "tea", "worst": 7}, 409, "is not the best and the worst of"),
        ({"best": "wine", "worst": 1}, 409, "is not the best and the worst of"),
        ({"best": "tea"}, 422, 'response: expected a text, a number, or the best and the worst such as {"best": "tea"'),
        ({"best": True, "worst": 2}, 422, "got {'best': True, 'worst': 2}"),
        ({"best": "tea", "worst": "gin", "middle": "rum"}, 422, "response: expected a text"),
        (["tea"], 422, "got ['tea']"),
        (["tea", "gin", "rum"], 422, "response: expected a text"),
        (None, 422, "got None"),
        ("a\0b", 422, "response: a text may not contain the character NUL"),
    ],
)
def test_wrong_ones_are_refused_in_a_sentence(path, response, status, sentence):
    _, here = invited(path)
    with served(path) as client:
        question = ask(client, here)
        reply = client.post(f"{here}/answers", json=sent(question, response, "wrong"))
        assert reply.status_code == status
        assert sentence in reply.json()["detail"]
        assert "\n" not in reply.json()["detail"]
        assert client.get(here).json()["question"]["id"] == question["id"]


def test_a_pair_refuses_an_object(tmp_path):
    path = tmp_path / "cars.askwise"
    askwise.save(askwise.best_item(DRINKS, draws=40, seed=2), path)
    _, here = invited(path)
    with served(path) as client:
        question = ask(client, here)
        reply = client.post(f"{here}/answers", json=sent(question, {"best": 1, "worst": 2}, "pair"))
        assert reply.status_code == 409
        assert "is not one of 'left', 'right'" in reply.json()["detail"]


def test_the_description_of_the_api_knows_them(path):
    with served(path) as client:
        described = client.get("/api/v1/openapi.json").json()["components"]["schemas"]
    assert described["BestAndWorst"]["required"] == ["best", "worst"]
    kinds = described["AnswerRequest"]["properties"]["response"]["anyOf"]
    assert {"$ref": "#/components/schemas/BestAndWorst"} in kinds
    assert any(kind.get("type") == "array" and kind["maxItems"] == 2 for kind in kinds)


def test_why_has_a_row_for_each_that_may_be_the_best(path):
    _, here = invited(path)
    with served(path) as client:
        client.post(f"/api/v1/studies/{path.stem}/settings", json={"why": True}, headers=OWNER)
        question = ask(client, here)
        rows = client.get(f"{here}/why/{question['id']}").json()
    assert [row["response"] for row in rows] == [option["name"] for option in question["options"]]
    assert sum(row["chance"] for row in rows) == pytest.approx(1)
    session = askwise.open(path, log=2)
    each = [found for found in session.why(question["id"]) if found.response.startswith(f"{rows[0]['response']} > ")]
    assert len(each) == 5
    chance = sum(found.chance for found in each)
    assert rows[0]["chance"] == pytest.approx(chance)
    assert rows[0]["diameter"] == pytest.approx(sum(found.chance * found.diameter for found in each) / chance)
