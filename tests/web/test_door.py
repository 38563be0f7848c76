"""The pages between a panel and the questions: the open link, the consent, the end, and several invitations."""

from __future__ import annotations

import csv
import io
import re
import time

import pytest
from fastapi.testclient import TestClient

import askwise
from askwise.errors import AnswerError
from askwise.storage.actions import actions_of
from askwise.storage.address import Address
from askwise.storage.checks import DueCheck, past_checks, record_check
from askwise.storage.consent import accept, set_status
from askwise.storage.joining import change_crowd, crowd_settings, join
from askwise.storage.participants import people, set_mode, token_of
from askwise.storage.store import Store
from askwise.web.app import create_app
from askwise.web.error_pages import error_reply
from askwise.web.texts import catalogue
from tests.web.test_api import OWNER, TABLE
from tests.web.test_sharing import ask

pytestmark = pytest.mark.usefixtures("in_process")
HERE = "/api/v1/studies/cars"
PERSON = {"PROLIFIC_PID": "5f1", "STUDY_ID": "7", "SESSION_ID": "9"}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "cars.askwise"
    askwise.save(askwise.best_item(TABLE, draws=60, seed=2, epsilon=1e-6, budget=30), path)
    return path


@pytest.fixture
def client(path):
    with TestClient(create_app(str(path), token="secret-of-the-owner", workers=1), follow_redirects=False) as client:
        yield client


def open_door(client, **changes):
    reply = client.post(f"{HERE}/crowd", json={"open": True, **changes}, headers=OWNER)
    assert reply.status_code == 200, reply.text
    return reply.json()


def joined(client, query=PERSON, **more):
    """The address of the page of somebody who opens the link."""
    reply = client.get("/s/cars/join", params=query, **more)
    assert reply.status_code == 303, reply.text
    return reply.headers["location"]


def test_a_person_of_a_panel_joins_accepts_answers_and_goes_back(client, path):
    door = open_door(
        client,
        consent="I take part.\n\nIt takes <b>ten</b> minutes.",
        retention="We delete everything in 2030.",
        answers=2,
        thanks="You helped us.",
        code="C-42",
        return_done="https://panel.example/complete?cc={code}&who={PROLIFIC_PID}",
    )
    assert door["link"] == "http://testserver/s/cars/join"
    page = joined(client)
    consent = client.get(page).text
    assert "It takes &lt;b&gt;ten&lt;/b&gt; minutes." in consent
    assert "We delete everything in 2030." in consent
    api = f"/api/v1{page}"
    assert client.get(api).json()["question"] is None
    refused = client.post(f"{api}/answers", json={"question": "q1", "response": "left", "key": "too-early"})
    assert refused.status_code == 409
    version = re.search(r'name="version" value="(\w+)"', consent)[1]
    assert client.post(f"{page}/consent", data={"choice": "accept", "version": version}).status_code == 303
    assert 'id="question"' in client.get(page).text
    for number in range(2):
        question = ask(client, api)
        sent = {"question": question["id"], "response": "left", "key": f"answer-{number}"}
        state = client.post(f"{api}/answers", json=sent).json()
    assert (state["done_kind"], state["thanks"], state["code"], state["returns"]) == (
        "quota",
        "You helped us.",
        "C-42",
        True,
    )
    assert client.get(f"{page}/return").headers["location"] == "https://panel.example/complete?cc=C-42&who=5f1"
    assert joined(client) == page
    assert len(people(Store.at(Address.of(path)), 1)) == 1
    assert client.get(f"{HERE}/crowd", headers=OWNER).json()["people"] == {"done": 1}


def test_whoever_is_done_goes_on_if_the_owner_wants_more_answers(client):
    open_door(client, answers=1)
    api = f"/api/v1{joined(client)}"
    sent = {"question": ask(client, api)["id"], "response": "left", "key": "answer-1"}
    assert client.post(f"{api}/answers", json=sent).json()["done_kind"] == "quota"
    open_door(client, answers=2)
    state = client.get(api).json()
    assert (state["done_kind"], state["quota"], state["answers"]) == (None, 2, 1)
    assert ask(client, api)


def test_the_code_comes_at_the_end_and_not_before(client):
    open_door(client, code="C-42", return_done="https://panel.example/?cc={code}")
    page = joined(client)
    ask(client, f"/api/v1{page}")
    assert client.get(f"/api/v1{page}").json()["code"] is None
    assert client.get(f"{page}/return").headers["location"] == page


def test_whoever_never_accepted_gets_no_code_when_a_shared_study_is_settled(tmp_path):
    path = tmp_path / "pair.askwise"
    askwise.save(askwise.best_item(["tea", "milk"], draws=60, seed=2, epsilon=0.5), path)
    store = Store.at(Address.of(path))
    set_mode(store, 1, "pooled")
    settings = change_crowd(store, 1, {"open": True, "consent": "Yes?", "return_done": "https://panel.example/{code}"})
    ann, ben = (join(store, store.record(), {"participant": who}).person.participant for who in ("ann", "ben"))
    accept(store, 1, ann, settings.consent_version)
    pages = [f"/s/pair/p/{token_of(store, 1, who)}" for who in (ann, ben)]
    store.close()
    with TestClient(create_app(str(path), workers=1), follow_redirects=False) as client:

        def settled(page):
            for number in range(200):
                state = client.get(f"/api/v1{page}").json()
                if state["done"]:
                    return state
                if state["question"]:
                    sent = {"question": state["question"]["id"], "response": "left", "key": f"key-of-answer-{number}"}
                    client.post(f"/api/v1{page}/answers", json=sent)
                time.sleep(0.02)
            raise AssertionError("the study is not settled")

        assert settled(pages[0])["code"]
        assert client.get(f"/api/v1{pages[1]}").json()["code"] is None
        assert client.get(f"{pages[1]}/return").headers["location"] == pages[1]


def test_predictions_and_results_are_hidden_from_a_crowd_unless_the_owner_shows_them(client):
    open_door(client, answers=30)
    api = f"/api/v1{joined(client)}"
    question = ask(client, api)
    assert client.get(api).json()["why"] is False
    assert client.get(f"{api}/why/{question['id']}").status_code == 403
    open_door(client, why=True)
    assert client.get(api).json()["why"] is True
    assert client.get(f"{api}/why/{question['id']}").status_code == 200
    for number in range(30):
        sent = {"question": ask(client, api)["id"], "response": "left", "key": f"answer-{number}"}
        state = client.post(f"{api}/answers", json=sent).json()
    assert state["done_kind"] == "quota"
    assert (state["result"], state["estimate"], state["certainty"]) == (None, None, None)


def test_whoever_declines_may_change_their_mind(client):
    open_door(client, consent="I take part.", return_declined="https://panel.example/no?who={PROLIFIC_PID}")
    page = joined(client)
    client.post(f"{page}/consent", data={"choice": "decline"})
    shown = client.get(page).text
    assert "You do not take part" in shown
    assert client.get(f"{page}/return").headers["location"] == "https://panel.example/no?who=5f1"
    again = client.get(f"{page}?again=yes").text
    version = re.search(r'name="version" value="(\w+)"', again)[1]
    client.post(f"{page}/consent", data={"choice": "accept", "version": version})
    assert 'id="question"' in client.get(page).text


def test_what_happens_to_the_answers_is_shown_also_without_a_consent(client):
    open_door(client, retention="We delete everything in 2030.", language="de")
    page = joined(client)
    expected = "Was mit Ihren Antworten geschieht\nWe delete everything in 2030."
    assert client.get(f"/api/v1{page}").json()["instructions"] == expected
    assert client.get(f"{HERE}/preview?lang=de", headers=OWNER).json()["instructions"] == expected
    assert client.post(f"{HERE}/settings", json={"instructions": "Look closely."}, headers=OWNER).status_code == 200
    assert client.get(f"/api/v1{page}").json()["instructions"] == f"Look closely.\n\n{expected}"
    open_door(client, consent="I take part.")
    assert client.get(f"/api/v1{page}").json()["instructions"] == "Look closely."  # the consent page has it


def test_whoever_declines_reads_what_is_kept(client):
    open_door(client, consent="I take part.")
    page = joined(client)
    client.post(f"{page}/consent", data={"choice": "decline"})
    shown = client.get(page).text
    assert "You gave no answers." in shown
    assert "such as your id, are kept" in shown
    assert client.get(f"/api/v1{page}").json()["refused"] == "You chose not to take part. No more answers are taken."
    assert "5f1" in client.get(f"{HERE}/people.csv", headers=OWNER).text


def test_whoever_declines_a_changed_consent_reads_that_their_answers_stay(client):
    open_door(client)
    page = joined(client)
    sent = {"question": ask(client, f"/api/v1{page}")["id"], "response": "left", "key": "answer-1"}
    assert client.post(f"/api/v1{page}/answers", json=sent).status_code == 200
    open_door(client, consent="I take part.")
    client.post(f"{page}/consent", data={"choice": "decline"})
    shown = client.get(page).text
    assert "Those you gave before are kept until whoever runs the study erases them" in shown
    assert "ask whoever gave you the link" in shown
    assert "You gave no answers." not in shown


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"open": False}, "not open at the moment"),
        ({"people": 1}, "all the people it needs"),
        ({"opens": "2100-01-01"}, "has not opened yet"),
        ({"closes": "2020-01-01"}, "is over"),
    ],
)
def test_somebody_who_cannot_join_reads_why(client, changes, sentence):
    open_door(client, return_full="https://panel.example/full?who={PROLIFIC_PID}")
    joined(client, {"participant": "first"})
    open_door(client, **{"open": True, **changes})
    reply = client.get("/s/cars/join", params=PERSON)
    assert reply.status_code == 403
    assert sentence in reply.text
    assert ("https://panel.example/full?who=5f1" in reply.text) is (sentence in ("all the people it needs", "is over"))


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("en", "The study has not opened yet"),
        ("de", "Die Studie hat noch nicht begonnen"),
        ("ar", "لم تبدأ الدراسة بعد"),
    ],
)
def test_a_study_that_opens_later_says_when(client, language, title):
    open_door(client, consent="Yes?")
    api = f"/api/v1{joined(client)}"
    open_door(client, opens="2100-01-01T09:00+01:00")
    page = client.get("/s/cars/join", params={"participant": "ben", "lang": language}).text
    assert f"<h1>{title}</h1>" in page
    assert '<time datetime="2100-01-01T08:00:00+00:00">2100-01-01 08:00 UTC</time>' in page
    assert "{time}" not in page
    state = client.get(api).json()
    assert (state["state"], state["opens"]) == ("paused", "2100-01-01T08:00:00+00:00")
    assert state["refused"] == "The study has not opened yet."
    open_door(client, opens=None)
    assert client.get(api).json()["opens"] is None


def test_whoever_comes_back_after_their_place_was_given_away_reads_so(client, path):
    open_door(client, people=1, return_full="https://panel.example/full?who={PROLIFIC_PID}")
    page = joined(client)
    question = ask(client, f"/api/v1{page}")
    store = Store.at(Address.of(path))
    with store.begin() as connection:
        connection.exec_driver_sql("UPDATE participants SET created = '2020-01-01T00:00:00.000000+00:00'")
    other = joined(client, {"participant": "second"})
    assert joined(client) == page  # the same id is known, but there is no room
    reply = client.get(page)
    assert (reply.status_code, "all the people it needs" in reply.text) == (200, True)
    assert client.get(f"{page}/return").headers["location"] == "https://panel.example/full?who=5f1"
    state = client.get(f"/api/v1{page}").json()
    assert (state["question"], state["leaves"]) == (None, True)
    sent = {"question": question["id"], "response": "left", "key": "answer-1"}
    refused = client.post(f"/api/v1{page}/answers", json=sent)
    assert (refused.status_code, "all the people it needs" in refused.json()["detail"]) == (409, True)
    set_status(store, 1, other.split("/p/")[1].split(".")[0], "declined")
    assert 'id="question"' in client.get(page).text
    assert client.post(f"/api/v1{page}/answers", json=sent).status_code == 200


def test_an_unknown_study_and_a_bare_link_are_pages(client):
    open_door(client)
    assert client.get("/s/nothing/join", params=PERSON).status_code == 404
    bare = client.get("/s/cars/join")
    assert bare.status_code == 403
    assert "does not say who you are" in bare.text


def test_pages_speak_the_language_of_the_link_the_study_or_the_browser(client):
    open_door(client, consent="I take part.")
    page = joined(client)
    german, english = {"Accept-Language": "de-AT,de;q=0.9"}, {"Accept-Language": "fr"}
    assert "Bevor Sie beginnen" in client.get(page, headers=german).text
    assert "Before you start" in client.get(page, headers=english).text
    open_door(client, language="de")
    assert '<html lang="de" dir="ltr">' in client.get(page, headers=english).text
    assert '<html lang="ar" dir="rtl">' in client.get(f"{page}?lang=ar", headers=english).text
    arabic = joined(client, {"participant": "two", "lang": "ar"})
    assert '<html lang="ar" dir="rtl">' in client.get(arabic, headers=german).text
    refused = client.post(f"/api/v1{page}/undo", json={"key": "some-key-1"})
    assert "Bitte laden Sie die Seite neu" in refused.json()["detail"]
    missing = client.get("/s/cars/p/forged", headers=german)
    assert (missing.status_code, "Nicht gefunden" in missing.text) == (404, True)


def test_whoever_joined_before_reads_the_language_of_the_link(client):
    open_door(client, consent="I take part.")
    page = joined(client)
    again = joined(client, {**PERSON, "lang": "ar"})
    assert again == f"{page}?lang=ar"
    assert '<html lang="ar" dir="rtl">' in client.get(again).text
    declined = client.post(f"{page}/consent", data={"choice": "decline", "lang": "ar"}).headers["location"]
    assert 'href="?again=yes&amp;lang=ar"' in client.get(declined).text
    assert joined(client, {**PERSON, "lang": "xx"}) == page


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "The text has been changed meanwhile."),
        ("de", "Der Text wurde inzwischen geändert."),
        ("ar", "تغير النص في هذه الأثناء."),
    ],
)
def test_whoever_accepts_an_outdated_consent_reads_the_new_one(client, language, sentence):
    old = open_door(client, consent="I take part.")["consent_version"]
    page = joined(client)
    new = open_door(client, consent="I take part again.")["consent_version"]
    sent = {"choice": "accept", "version": old, "lang": language}
    shown = client.get(client.post(f"{page}/consent", data=sent).headers["location"]).text
    assert sentence in shown
    assert "I take part again." in shown
    assert f'value="{new}"' in shown
    accepted = {"accept": True, "version": old}
    refused = client.post(f"/api/v1{page}/consent", json=accepted, headers={"X-Language": language})
    assert (refused.status_code, sentence in refused.json()["detail"]) == (409, True)


@pytest.mark.parametrize(("language", "sentence"), [("en", "too long"), ("de", "zu lang"), ("ar", "أطول من اللازم")])
def test_a_link_with_an_overlong_parameter_works_and_one_with_a_bad_id_says_so(client, language, sentence):
    open_door(client)
    assert joined(client, {**PERSON, "jwt": "x" * 700, "lang": language})
    reply = client.get("/s/cars/join", params={"PROLIFIC_PID": "x" * 201, "lang": language})
    assert reply.status_code == 422
    assert f'<html lang="{language}"' in reply.text
    assert sentence in reply.text


def test_a_check_that_was_answered_before_is_refused_in_the_language_of_the_person(client, path):
    """Two servers may let the same check in at the same time; the second one to write is told."""
    store = Store.at(Address.of(path))
    open_door(client, language="de")
    [person] = [join(store, store.record(), PERSON).person]
    due = DueCheck(0, "attention", {"question": "check-0", "kind": "check", "text": "?", "options": [],
                                    "responses": ["a", "b"], "codes": [["a", "a"], ["b", "b"]]}, "a")  # fmt: skip
    record_check(store, 1, person.participant, due, "a", "key-of-check-1", None)
    with pytest.raises(AnswerError, match="answered before") as refused:
        record_check(store, 1, person.participant, due, "a", "key-of-check-2", None)
    told = error_reply(refused.value)[1]
    assert told.in_language(catalogue("de")) == "Diese Frage haben Sie schon beantwortet. Hier ist die nächste."


def test_questions_and_sentences_are_translated(client):
    open_door(client, language="de", answers=1)
    api = f"/api/v1{joined(client)}"
    question = ask(client, api)
    assert question["text"].startswith("Was ist Ihnen lieber: ")
    sent = {"question": question["id"], "response": "left", "key": "answer-1"}
    state = client.post(f"{api}/answers", json=sent).json()
    assert state["done"] == "Sie haben die Antwort gegeben, um die wir gebeten haben."
    assert client.get(f"{api}/answers").json()[0]["text"] == question["text"]
    assert client.post(f"{api}/answers", json={**sent, "key": "answer-2"}).json()["detail"].startswith("Sie haben")


def test_several_invitations_at_once(client):
    names = ["Ann", "ben@example.org", "", "=cmd()"]
    made = client.post(f"{HERE}/invitations", json={"names": names, "quota": 3}, headers=OWNER)
    assert made.status_code == 201
    assert [one["name"] for one in made.json()] == ["Ann", "ben@example.org", "=cmd()"]
    again = client.post(f"{HERE}/invitations", json={"names": ["Ann"]}, headers=OWNER).json()
    assert again[0]["link"] == made.json()[0]["link"]
    rows = list(csv.DictReader(io.StringIO(client.get(f"{HERE}/links.csv", headers=OWNER).text)))
    assert [row["link"] for row in rows] == [one["link"] for one in made.json()]
    assert rows[2]["name"] == "'=cmd()"
    assert client.post(f"{HERE}/invitations", json={"names": [" "]}, headers=OWNER).status_code == 422


def test_strangers_do_not_see_the_settings(client):
    assert client.get(f"{HERE}/crowd").status_code == 401
    assert client.post(f"{HERE}/crowd", json={"open": True}).status_code == 401
    assert client.post(f"{HERE}/crowd", json={"people": -1}, headers=OWNER).status_code == 422
    assert client.post(f"{HERE}/crowd", json={"opens": "soon"}, headers=OWNER).status_code == 422


def test_settings_are_stored_with_the_study(client, path):
    open_door(client, people=5, checks=[{"text": "2 + 2?", "options": ["3", "4"], "answer": "4"}])
    found = crowd_settings(Store.at(Address.of(path)), 1)
    assert (found.open, found.people, found.checks[0].answer) == (True, 5, "4")
    change_crowd(Store.at(Address.of(path)), 1, {"people": None})
    assert client.get(f"{HERE}/crowd", headers=OWNER).json()["settings"]["people"] is None


def test_a_preview_records_nothing(client, path):
    open_door(
        client,
        consent="I take part.",
        thanks="You helped us.",
        code="C-42",
        return_done="https://panel.example/?cc={code}",
    )
    assert client.get("/s/cars/preview").status_code == 401
    assert "This is a preview" in client.get("/s/cars/preview", headers=OWNER).text
    going = client.get("/s/cars/preview/consent?lang=de&choice=accept", headers=OWNER)
    page = client.get(going.headers["location"], headers=OWNER).text
    assert 'data-preview="yes"' in page
    assert '<html lang="de"' in page
    state = client.get(f"{HERE}/preview", headers=OWNER).json()
    for number in range(3):
        sent = {"question": state["question"]["id"], "response": "left", "key": f"preview-{number}"}
        state = client.post(f"{HERE}/preview/answers", json=sent, headers=OWNER).json()
    assert (state["done_kind"], state["code"], state["thanks"]) == ("quota", "C-42", "You helped us.")
    assert len(client.get(f"{HERE}/preview/answers", headers=OWNER).json()) == 3
    assert client.post(f"{HERE}/preview/undo", json={"key": "preview-u"}, headers=OWNER).json()["answers"] == 2
    assert "https://panel.example/?cc=C-42" in client.get("/s/cars/preview/return", headers=OWNER).text
    store = Store.at(Address.of(path))
    assert (people(store, 1), askwise.storage.resume(store).log) == ([], [])


@pytest.mark.parametrize(
    ("stage", "sentence", "back"),
    [
        ("declined", "You gave no answers.", "https://panel.example/no"),
        ("declined-late", "Those you gave before are kept", "https://panel.example/no"),
        ("screened", "Your part in this study ends here.", "https://panel.example/out"),
        ("full", "all the people it needs", "https://panel.example/full"),
        ("early", '<time datetime="2100-01-01T08:00:00+00:00">', None),
        ("late", "This study is over.", "https://panel.example/full"),
        ("questions", 'id="question"', None),
    ],
)
def test_a_preview_shows_every_page(client, path, stage, sentence, back):
    open_door(
        client,
        consent="I take part.",
        opens="2100-01-01T09:00+01:00",
        return_declined="https://panel.example/no?who={PROLIFIC_PID}",
        return_screened="https://panel.example/out",
        return_full="https://panel.example/full",
    )
    first = client.get("/s/cars/preview?lang=en", headers=OWNER).text
    assert f'href="?stage={stage}&amp;lang=en"' in first
    page = client.get(f"/s/cars/preview?stage={stage}&lang=en", headers=OWNER).text
    assert sentence in page
    assert 'href="?stage=full&amp;lang=en"' in page
    where = f"/s/cars/preview/return?stage={stage}"
    assert (f'href="{where}"' in page) is (back is not None)
    if back is not None:
        assert f"They go to {back}" in client.get(where, headers=OWNER).text
    assert people(Store.at(Address.of(path)), 1) == []


def test_a_preview_has_the_check_that_people_meet(client, path):
    checks = [{"text": "Is ice hot?", "options": ["yes", "no"], "answer": "no"}]
    for changes, text in (({"checks": checks}, "Is ice hot?"), ({"checks": None}, "people read along")):
        open_door(client, check_every=10, **changes)
        client.get("/s/cars/preview?stage=questions", headers=OWNER)
        state = client.get(f"{HERE}/preview", headers=OWNER).json()
        for number in range(3):
            sent = {"question": state["question"]["id"], "response": "left", "key": f"preview-{number}"}
            state = client.post(f"{HERE}/preview/answers", json=sent, headers=OWNER).json()
        assert (state["question"]["kind"], state["answers"], state["quota"]) == ("check", 3, 3)
        assert text in state["question"]["text"]
        response = state["question"]["responses"][0]
        sent = {"question": state["question"]["id"], "response": response, "key": "preview-3"}
        state = client.post(f"{HERE}/preview/answers", json=sent, headers=OWNER).json()
        assert (state["done_kind"], state["answers"]) == ("quota", 3)
        assert len(client.get(f"{HERE}/preview/answers", headers=OWNER).json()) == 3
    assert past_checks(Store.at(Address.of(path)), 1, "preview") == []


def test_the_owner_sees_who_is_done_and_who_got_a_code(client, path):
    open_door(client, consent=None, answers=2, check_every=None)
    done, begun, _ = (joined(client, {"participant": who}) for who in ("done", "begun", "never"))
    codes = []
    for page, count in ((done, 2), (begun, 1)):
        for number in range(count):
            question = ask(client, f"/api/v1{page}")
            sent = {"question": question["id"], "response": "left", "key": f"{page[-9:]}-{number}"}
            state = client.post(f"/api/v1{page}/answers", json=sent).json()
        codes.append(state["code"])
    rows = list(csv.DictReader(io.StringIO(client.get(f"{HERE}/people.csv", headers=OWNER).text)))
    assert [(row["done"], row["code"]) for row in rows] == [("quota reached", codes[0]), ("", ""), ("", "")]
    assert [bool(row["finished_at"]) for row in rows] == [True, False, False]
    assert client.get(f"{HERE}/crowd", headers=OWNER).json()["people"] == {"done": 1, "answering": 2}
    undone = client.post(f"/api/v1{done}/undo", json={"key": "undo-after-the-end"})
    assert undone.json()["code"] is None
    again = list(csv.DictReader(io.StringIO(client.get(f"{HERE}/people.csv", headers=OWNER).text)))
    assert (again[0]["finished_at"], again[0]["code"]) == (rows[0]["finished_at"], codes[0])  # they have it
    store = Store.at(Address.of(path))
    assert [action.kind for action in actions_of(store, 1)].count("finished") == 1
