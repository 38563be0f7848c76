"""Whatever participants and owners do, on two servers that come and go: answers that were acknowledged are in the log
once, nobody's answer is changed by another, no quota is exceeded, and the log replays to the same state.

ASKWISE_TEST_EXAMPLES=1000 tries more sequences; with ASKWISE_TEST_SEED=... they are new ones.
"""

from __future__ import annotations

import os

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule, run_state_machine_as_test

import askwise
from askwise.storage.address import Address
from askwise.storage.journal import StudyJournal
from askwise.storage.participants import people, set_mode
from askwise.storage.store import Store
from askwise.web.app import create_app
from askwise.web.learner import workers
from tests.models import LogModel, assert_same_state
from tests.web.in_process import REFUSED, InProcess, Person, Server, Site
from tests.web.test_api import OWNER, TABLE, invited, served

NAMES = [row["name"] for row in TABLE[:7]]
STUDIES = {
    "own": lambda: askwise.best_item(NAMES, draws=8, seed=2, epsilon=1e-6, budget=10**6, repeat=True),
    "pooled": lambda: askwise.clusters(NAMES, draws=8, seed=2, epsilon=1e-6, budget=10**6),
}
CHOICE = st.integers(0, 11)  # of one thing among those there are then
SERVER = st.integers(0, 1)
HERE = "/api/v1/studies/cars"


class ParticipantMachine(Site):
    """One study, two servers, and people who do what they like."""

    @initialize(mode=st.sampled_from(sorted(STUDIES)))
    def begin(self, mode):
        askwise.save(STUDIES[mode](), self.path)
        self.store = Store.at(Address.of(self.path))
        self.study = self.store.record().study
        set_mode(self.store, self.study, mode)
        self.pooled, self.state, self.number = mode == "pooled", "open", 0
        self.servers = [Server(app) for app in self.apps]
        self.people, self.models, self.journals, self.items = [], {}, {}, NAMES
        self.invite(0, None)
        self.invite(1, 2)

    def meant(self, person, which, whose):
        """Some question: mostly the one before them."""
        model = self.models[person.log]
        if whose == "shown" and person.shown is None and not self.resting(person):
            self.look(self.people.index(person), which % 2)
        others = [other.shown for other in self.people if other is not person and other.shown]
        known = {"shown": [person.shown] if person.shown else [], "another's": others, "open": model.open()}
        found = known.get(whose, list(model.asked)) or ["q99"]
        return found[which % len(found)]

    # ------------------------------------------------------------------ participants

    @rule(which=CHOICE, server=SERVER)
    def look(self, which, server):
        person = self.someone(which)
        reply = self.servers[server].send("GET", person.path)
        assert reply.status_code == 200, reply.text
        assert all(event["event"] == "ask" for event in self.new_events(person.log))
        self.take_note(person, reply.json())
        self.check()

    @rule(
        which=CHOICE,
        server=SERVER,
        whose=st.sampled_from(["shown", "shown", "another's", "open", "any"]),
        place=CHOICE,
        said=st.integers(0, 1),
    )
    def tell(self, which, server, whose, place, said):
        person = self.someone(which)
        question = self.meant(person, place, whose)
        response = self.models[person.log].responses.get(question, ["left"] * 2)[said]
        body = {"question": question, "response": response, "key": self.key(), "seconds": 1.5}
        allowed = self.may_answer(person, question)
        self.send(person, server, "answers", body, ("tell", question, response), allowed)

    @rule(turns=st.lists(st.tuples(CHOICE, SERVER, st.integers(0, 1)), min_size=2, max_size=6))
    def several_tell(self, turns):
        for which, server, said in turns:
            self.tell(which, server, "shown", 0, said)

    @rule(which=CHOICE, server=SERVER, whose=st.sampled_from(["shown", "another's", "open", "any"]), place=CHOICE)
    def skip(self, which, server, whose, place):
        person = self.someone(which)
        question = self.meant(person, place, whose)
        body = {"question": question, "reason": "no idea", "key": self.key()}
        self.send(person, server, "skips", body, ("skip", question, None), self.may_answer(person, question))

    @rule(which=CHOICE, server=SERVER, whose=st.sampled_from(["last", "last", "mine", "any"]), place=CHOICE)
    def undo(self, which, server, whose, place):
        person = self.someone(which)
        mine, model = list(person.in_force), self.models[person.log]
        question = None if whose == "last" else self.meant(person, place, "any")
        if whose == "mine" and mine:
            question = mine[place % len(mine)]
        allowed = bool(mine) and question in [None, *mine] and not self.resting(person)
        expected = "undo", model.last(person.id) if question is None else question, None
        body = {"key": self.key()} | ({} if question is None else {"question": question})
        self.send(person, server, "undo", body, expected, allowed)

    @rule(which=CHOICE, server=SERVER, place=CHOICE, by=CHOICE)
    def send_again(self, which, server, place, by):
        """The same request once more, now and then by somebody else who shares the log: nothing is noted."""
        sender = self.someone(which)
        if not sender.sent:
            return
        person = self.someone(by) if self.pooled and by > 8 else sender
        way, body = sender.sent[place % len(sender.sent)]
        reply = self.servers[server].send("POST", f"{person.path}/{way}", body)
        assert all(event["event"] == "ask" for event in self.new_events(person.log))
        if reply.status_code == 200:
            self.take_note(person, reply.json())
        else:
            assert reply.status_code in REFUSED
            assert person is not sender or self.resting(person), reply.text
        self.check()

    @rule(which=CHOICE, server=SERVER)
    def look_at_own_answers(self, which, server):
        person = self.someone(which)
        found = self.servers[server].send("GET", f"{person.path}/answers").json()
        said = {mine["question"]: ("skip" if mine["skipped"] else "tell", mine["response"]) for mine in found}
        assert said == person.in_force
        assert len(found) == len(said)

    # ------------------------------------------------------------------ the owner

    def owner(self, server, way, body=None):
        return self.servers[server].send("POST", f"{HERE}/{way}", body, OWNER)

    @precondition(lambda self: len(self.people) < 4)
    @rule(server=SERVER, quota=st.sampled_from([None, 1, 3]))
    def invite(self, server, quota):
        reply = self.owner(server, "participants", {"name": f"person {len(self.people)}", "quota": quota})
        assert reply.status_code == 201
        made = reply.json()
        known = {each.participant: each.log for each in people(self.store, self.study)}
        path = "/api/v1" + made["link"].split("testserver")[1]
        person = Person(made["participant"], path, known[made["participant"]], quota)
        if person.log not in self.models:
            self.models[person.log] = LogModel()
            self.models_begin_again({person.log})
        self.people.append(person)

    @rule(which=CHOICE, server=SERVER)
    def pause_or_resume(self, which, server):
        person = self.someone(which)
        person.paused = not person.paused
        way = f"participants/{person.id}/pause?paused={str(person.paused).lower()}"
        assert self.owner(server, way).status_code == 200
        self.check()

    @precondition(lambda self: self.state != "closed")
    @rule(server=SERVER)
    def pause_or_open(self, server):
        self.state = "paused" if self.state == "open" else "open"
        assert self.owner(server, "state", {"state": self.state}).status_code == 200
        self.check()

    @precondition(lambda self: self.number > 20)
    @rule(server=SERVER)
    def close(self, server):
        assert self.owner(server, "state", {"state": "closed"}).status_code == 200
        self.state = "closed"
        assert self.owner(server, "state", {"state": "open"}).status_code == 409
        self.check()

    @rule(server=SERVER, which=CHOICE, retires=st.booleans(), sent=st.integers(1, 2))
    def change_items(self, server, which, retires, sent):
        """The event is in every log that has begun, once; the others begin with the new table."""
        key = self.key()
        gone = self.items[which % len(self.items)]
        form = {"retire": [gone]} if retires else {"rows": f"new {self.number}"}
        allowed = self.state != "closed" and not (retires and (self.pooled or len(self.items) == 2))
        for turn in range(sent):
            reply = self.servers[(server + turn) % 2].send("POST", f"{HERE}/items", None, OWNER, form | {"key": key})
            assert (reply.status_code == 200) == allowed, reply.text
        begun = {log for log, model in self.models.items() if model.events}
        self.models_begin_again(set(self.models) - begun)
        for log in begun:
            found = self.new_events(log)
            assert [event["key"] for event in found if event["event"] == "items"] == [key] * allowed
            assert {event["event"] for event in found} <= {"items"}
        if allowed:
            self.items = reply.json()["items"]
            assert (gone in self.items) != retires
        self.check()

    def models_begin_again(self, logs):
        """What a log starts from may have changed, as it has not begun."""
        for log in logs:
            self.journals[log] = StudyJournal(self.store, self.store.record(log))
            self.models[log].retired = set(self.journals[log].record.recipe["options"].get("retired") or ())

    # ------------------------------------------------------------------ servers

    @rule(server=SERVER)
    def restart(self, server):
        self.servers[server].stop()
        self.servers[server] = Server(self.apps[server])
        self.check()

    @rule(which=CHOICE, server=SERVER, said=st.integers(0, 1), cut=st.integers(0, 9))
    def kill_while_somebody_tells(self, which, server, said, cut):
        """The answer that got no reply may be there or not; sent again to the other server, it is there once."""
        person = self.someone(which)
        question = self.meant(person, 0, "shown")
        response = self.models[person.log].responses.get(question, ["left"] * 2)[said]
        body = {"question": question, "response": response, "key": self.key()}
        allowed = self.may_answer(person, question)
        self.servers[server].begin(f"{person.path}/answers", body, cut / 1000)
        self.servers[server].kill()
        self.servers[server] = Server(self.apps[server])
        told = [event for event in self.new_events(person.log) if event["event"] != "ask"]
        if not told:
            self.send(person, 1 - server, "answers", body, ("tell", question, response), allowed)
            return
        assert allowed
        assert [(event["event"], event["key"], event["who"]) for event in told] == [("tell", body["key"], person.id)]
        person.in_force[question] = "tell", response
        person.shown = None
        person.sent.append(("answers", body))
        self.send_again(which, 1 - server, len(person.sent) - 1, 0)


def test_any_sequence_of_requests(tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "ProcessPoolExecutor", InProcess)
    path = tmp_path / "cars.askwise"
    apps = [create_app(str(path), token=OWNER["Authorization"].removeprefix("Bearer "), workers=1) for _ in range(2)]
    run_state_machine_as_test(
        lambda: ParticipantMachine(path, apps),
        settings=settings(
            max_examples=int(os.environ.get("ASKWISE_TEST_EXAMPLES", "14")),
            stateful_step_count=30,
        ),
    )


def test_two_servers_with_workers_of_their_own(tmp_path):
    """Each question comes from one server and the answer goes to the other, twice."""
    path = tmp_path / "cars.askwise"
    askwise.save(STUDIES["pooled"](), path)
    store = Store.at(Address.of(path))
    set_mode(store, store.record().study, "pooled")
    seats = [invited(path, name) for name in ("Ann", "Ben")]
    acknowledged = {person.participant: [] for person, _ in seats}
    with served(path) as one, served(path) as two:
        for turn in range(4):
            for person, here in seats:
                asking, telling = (one, two) if turn % 2 else (two, one)
                question = next(q for _ in range(9) if (q := asking.get(here).json()["question"]))
                key = f"{person.participant}-{turn}"
                body = {"question": question["id"], "response": question["responses"][0], "key": key}
                first, again = (client.post(f"{here}/answers", json=body) for client in (telling, asking))
                assert first.status_code == again.status_code == 200
                acknowledged[person.participant].append(key)
        assert one.post(f"{seats[0][1]}/undo", json={"key": "take-back"}).status_code == 200
        acknowledged[seats[0][0].participant].pop()
    session = askwise.open(path)
    assert_same_state(askwise.from_json(session.to_json()), session)
    log = session.event_log
    for who, keys in acknowledged.items():
        mine = [
            log.closing_events[id]
            for id in log.status
            if log.status[id] == "answered" and log.closing_events[id]["who"] == who
        ]
        assert sorted(event["key"] for event in mine) == keys
