"""Servers in the process of the test, which can be killed, and the people who talk to them."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field

from httpx2 import ASGITransport, AsyncClient
from hypothesis.stateful import RuleBasedStateMachine

import askwise
from askwise.web.learner import learner, next_person
from askwise.web.security import RateLimiter
from tests.models import assert_same_state

REFUSED = (409, 422)
NOBODY = {learner.simulate_people: (0, []), next_person.known_runs: (0, [], False)}


class InProcess:
    """In place of a worker process: computes at once, so that a sequence of requests always gives the same."""

    _processes = {}  # noqa: RUF012

    def __init__(self, *_, **__):
        pass

    def submit(self, function, *more):
        done = Future()
        try:
            # nobody is simulated for a forecast: that takes long, and nothing here depends on it
            done.set_result(NOBODY[function] if function in NOBODY else function(*more))
        except Exception as error:
            done.set_exception(error)
        return done

    def shutdown(self, **_):
        pass


@dataclass
class Person:
    """A participant, and what they know."""

    id: str
    path: str
    log: int
    quota: int | None
    paused: bool = False
    shown: str | None = None  # the question before them
    in_force: dict = field(default_factory=dict)  # by question: (event, response) that were acknowledged
    sent: list = field(default_factory=list)  # requests that were acknowledged: (path, body)

    @property
    def full(self):
        return self.quota is not None and len(self.in_force) >= self.quota


class Server:
    """From the start of an app to its end, or to its death."""

    def __init__(self, app):
        self.app = app
        self.app.state.rate_limiter = RateLimiter(rate=1e9, burst=1e9)
        self.loop = asyncio.new_event_loop()
        self.life = self.app.router.lifespan_context(self.app)
        self.loop.run_until_complete(self.life.__aenter__())

    async def _reply(self, method, path, body, headers, form=None):
        async with AsyncClient(transport=ASGITransport(app=self.app), base_url="http://testserver") as client:
            return await client.request(method, path, json=body, data=form, headers=headers)

    async def _rest(self):
        """Until everything is worked out that was begun: the same requests then always lead to the same state."""
        while tasks := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(tasks)

    def send(self, method, path, body=None, headers=None, form=None):
        reply = self.loop.run_until_complete(self._reply(method, path, body, headers, form))
        self.loop.run_until_complete(self._rest())
        return reply

    def begin(self, path, body, seconds):
        """Posts, and waits so long, whether or not there is a reply by then."""
        self._begun = self.loop.create_task(self._reply("POST", path, body, None))
        self.loop.run_until_complete(asyncio.sleep(seconds))

    def stop(self):
        self.loop.run_until_complete(self.life.__aexit__(None, None, None))
        self.kill()

    def kill(self):
        """What it was about to do is not done, and what its workers had in memory is gone."""
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
            with suppress(asyncio.CancelledError):
                self.loop.run_until_complete(task)
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()
        for kept in (learner._sessions, learner._stores, learner._beginnings):
            kept.clear()


class Site(RuleBasedStateMachine):
    """A study on servers, and what should be in its logs."""

    def __init__(self, path, apps):
        super().__init__()
        self.path = path
        self.apps = apps
        self.servers = []

    def teardown(self):
        if not self.servers:
            return
        try:
            self.logs_replay()
        finally:
            for server in self.servers:
                server.stop()
            self.store.close()
            for file in self.path.parent.iterdir():
                file.unlink()

    # ------------------------------------------------------------------ what is there, and what should be

    def new_events(self, log):
        """What was written since; the model of the log takes it in."""
        model = self.models[log]
        found = self.journals[log].since(len(model.events))
        for event in found:
            named = [option["name"] for option in event.get("options", ())], event.get("retired", ())
            model.add(*(event.get(part) for part in ("event", "question", "response", "who", "key")), *named)
        return found

    def check(self):
        """Everybody's answers in force are those that they were told are; nothing was written to other logs."""
        for log in self.models:
            assert not self.new_events(log)
        for person in self.people:
            found = {
                question: said[:2]
                for question, said in self.models[person.log].in_force.items()
                if said[2] == person.id
            }
            assert found == person.in_force
            assert person.quota is None or len(found) <= person.quota
        for model in self.models.values():
            assert {said[2] for said in model.in_force.values()} <= {person.id for person in self.people}
            keys = [event[4] for event in model.events if event[4] is not None]
            assert len(keys) == len(set(keys))

    def resting(self, person):
        return self.state != "open" or person.paused

    def take_note(self, person, state):
        """What a reply shows."""
        question = state["question"]
        assert state["answers"] == len(person.in_force)
        assert not (question and (self.resting(person) or person.full))
        if question is None:
            return
        model = self.models[person.log]
        assert model.status[question["id"]] == "open"
        if self.pooled:  # it belongs to nobody else
            assert question["id"] not in [other.shown for other in self.people if other is not person]
        model.responses[question["id"]] = question["responses"]
        person.shown = question["id"]

    def send(self, person, server, way, body, expected, allowed):
        """A request that adds this event, with or without a new question after it, or that is refused and adds nothing.

        `allowed` is None where both is right.
        """
        reply = self.servers[server].send("POST", f"{person.path}/{way}", body)
        found = self.new_events(person.log)
        assert reply.status_code in (200, *REFUSED), reply.text
        if reply.status_code != 200:
            assert not allowed, reply.text
            assert not found
        else:
            assert allowed is not False, "the request should have been refused"
            told = [event for event in found if event["event"] != "ask"]
            assert [(event["event"], event["question"], event.get("response")) for event in told] == [expected]
            assert [(event["who"], event["key"]) for event in told] == [(person.id, body["key"])]
            assert found[0] is told[0]
            event, question, response = expected
            if event == "undo":
                del person.in_force[question]
            else:
                person.in_force[question] = event, response
            person.sent.append((way, body))
            if person.shown not in self.models[person.log].open():
                person.shown = None
            self.take_note(person, reply.json())
        self.check()

    def key(self):
        self.number += 1
        return f"key-{self.number:05}"

    def someone(self, which):
        return self.people[which % len(self.people)]

    def may_answer(self, person, question):
        """Whether the question is theirs to answer; None where it is nobody's."""
        model = self.models[person.log]
        if not (model.status.get(question) == "open" or question in model.late) or self.resting(person) or person.full:
            return False
        if not self.pooled or person.shown == question:
            return True
        return False if question in [other.shown for other in self.people] else None

    def logs_replay(self):
        for log in self.models:
            opened = askwise.storage.open(self.path, log=log)
            replayed = askwise.from_json(opened.to_json())
            assert_same_state(opened, replayed)
            assert opened.event_log.status == self.models[log].status
