"""Any sequence of calls on a study leaves a log that replays to the same state, and refused calls change nothing.

ASKWISE_TEST_EXAMPLES=1000 tries more sequences; with ASKWISE_TEST_SEED=... they are new ones.
"""

from __future__ import annotations

import os
import shutil
import tempfile

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

import askwise
from askwise.errors import AskwiseError, NothingToAsk
from askwise.session.events import match_response
from askwise.storage import close, journal
from tests.models import LogModel, assert_same_state, event_parts

NAMES = list("abcdef")
GOALS = {
    "best_item": (lambda: askwise.best_item(NAMES, draws=8, seed=3, repeat=True), ("top_k", {"k": 2}), ("ranking", {})),
    "clusters": (lambda: askwise.clusters(NAMES, draws=8, seed=3), ("cluster_of", {"item": "b"}), ("clusters", {})),
}
PEOPLE = st.sampled_from([None, "Ann", "Ben", "Cy"])
CHOICE = st.integers(0, 11)  # of one thing among those there are then
KEYS = st.sampled_from([None, None, "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8"])
SESSIONS = 3  # on one file


class SessionMachine(RuleBasedStateMachine):
    """One study on disk, and up to three sessions on it, each of which may be behind the others."""

    @initialize(goal=st.sampled_from(sorted(GOALS)), every=st.sampled_from([2, 5, 20]))
    def begin(self, goal, every):
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(journal, "CHECKPOINT_EVERY", every)
        self.folder = tempfile.mkdtemp()
        self.path = f"{self.folder}/study.askwise"
        make, *self.goals = GOALS[goal]
        askwise.save(make(), self.path)
        self.model = LogModel()
        self.sessions = [askwise.open(self.path)]
        self.copies = 0

    def teardown(self):
        if not hasattr(self, "sessions"):
            return
        try:
            self.all_are_the_same()
        finally:
            self.patch.undo()
            self.sessions = []
            shutil.rmtree(self.folder)

    def all_are_the_same(self):
        """Every session, the study opened anew with and without its checkpoint, and a replay of the whole log."""
        replayed = askwise.from_json(self.session(0).to_json())
        for number in range(len(self.sessions)):
            assert_same_state(self.session(number), replayed)
        assert_same_state(askwise.open(self.path), replayed)
        self.forget_checkpoint()
        assert_same_state(askwise.open(self.path), replayed)

    def session(self, number, behind=False):
        found = self.sessions[number % len(self.sessions)]
        if not behind:
            found.refresh()
        return found

    def forget_checkpoint(self):
        with self.sessions[0].journal.store.engine.begin() as connection:
            connection.exec_driver_sql("DELETE FROM checkpoints")

    def attempt(self, session, allowed, call, event=None, named=True):
        """The call adds this event, or it is refused and adds nothing; with the key of the same event, it is neither.

        A session that has not seen what others wrote may refuse what it would take afterwards.
        """
        behind = len(session.log) < len(self.model.events)
        known = self.model.keys.get(event[4]) if event else None
        if known is not None:
            kind, question, response, who, _ = event
            meant = kind, question if named else known[1], response, known[3] if who is None else who
            allowed, event = meant == known[:4], None
        refusal = None
        try:
            call()
        except AskwiseError as error:
            refusal = str(error)
        if refusal is None:
            assert allowed, "the call should have been refused"
            if event is not None:
                self.model.add(*event)
        else:
            assert behind or not allowed, refusal
            assert "\n" not in refusal
        session.refresh()
        self.as_the_model(session)

    def as_the_model(self, session):
        assert event_parts(session.log) == self.model.events
        assert session.event_log.status == self.model.status
        told = [(question, *said) for question, said in self.model.in_force.items() if said[0] == "tell"]
        log = session.event_log
        expected = [
            (log.ask_events[question]["atom"], match_response(log.ask_events[question], said).code, by)
            for question, _, said, by in told
        ]
        assert [(answer.atom.tolist(), answer.response, answer.who) for answer in session.answers] == expected

    # ------------------------------------------------------------------ questions

    @rule(number=CHOICE, count=st.sampled_from([None, 1, 2, 4]))
    def ask(self, number, count):
        session = self.session(number, behind=True)
        try:
            questions = [session.ask()] if count is None else session.ask(count)
        except NothingToAsk:
            assert not self.model.open()
            return
        for question in questions:
            if question.id not in self.model.status:
                self.model.add("ask", question.id)
                self.model.responses[question.id] = question.responses
        assert [question.id for question in questions] == self.model.open()[: count or 1]
        self.as_the_model(session)

    @rule(number=CHOICE, one=CHOICE, step=st.integers(1, len(NAMES) - 1))
    def pose(self, number, one, step):
        session = self.session(number, behind=True)
        pair = sorted({one % len(NAMES), (one + step) % len(NAMES)})
        question = session.pose(pair)
        self.model.add("ask", question.id)
        self.model.responses[question.id] = question.responses
        self.as_the_model(session)

    # ------------------------------------------------------------------ answers

    @rule(number=CHOICE, which=CHOICE, said=CHOICE, who=PEOPLE, key=KEYS, behind=st.booleans(), named=st.booleans())
    def tell(self, number, which, said, who, key, behind, named):
        """Whoever names no question means the first open one, which takes a session that has seen what is open."""
        if not self.model.open():
            self.ask(number + which, None)
        if not self.model.open():
            return
        session = self.session(number, behind and named)
        question = self.model.open()[which % len(self.model.open()) if named else 0]
        known = self.model.responses[question]
        response = known[said % len(known)]
        self.attempt(
            session,
            True,
            lambda: session.tell(
                response if which % 2 else response.upper(), question if named else None, who, key=key
            ),
            ("tell", question, response, who, key),
            named,
        )

    @rule(number=CHOICE, said=st.lists(st.tuples(CHOICE, PEOPLE), min_size=3, max_size=8))
    def several_tell(self, number, said):
        """Long logs, with many people, are where checkpoints leave something out."""
        for response, who in said:
            self.tell(number, 0, response, who, None, False, True)

    @precondition(lambda self: self.model.open())
    @rule(number=CHOICE, which=CHOICE, who=PEOPLE, key=KEYS, behind=st.booleans())
    def skip(self, number, which, who, key, behind):
        session = self.session(number, behind)
        question = self.model.open()[which % len(self.model.open())]
        self.attempt(
            session,
            True,
            lambda: session.skip(question, "no idea", who, key=key),
            ("skip", question, None, who, key),
        )

    @rule(number=CHOICE, who=PEOPLE, key=KEYS)
    def undo_the_last(self, number, who, key):
        """Of all, or of this person: never somebody else's."""
        session, question = self.session(number), self.model.last(who)
        self.attempt(
            session,
            question is not None,
            lambda: session.undo(who=who, key=key),
            ("undo", question, None, who, key),
            False,
        )

    @precondition(lambda self: self.model.in_force)
    @rule(number=CHOICE, which=CHOICE, who=PEOPLE, key=KEYS, behind=st.booleans())
    def undo_one(self, number, which, who, key, behind):
        session = self.session(number, behind)
        question = list(self.model.in_force)[which % len(self.model.in_force)]
        self.attempt(
            session,
            who in (None, self.model.in_force[question][2]),
            lambda: session.undo(question, who, key=key),
            ("undo", question, None, who, key),
        )

    @precondition(lambda self: self.model.keys)
    @rule(number=CHOICE, which=CHOICE, behind=st.booleans())
    def repeat(self, number, which, behind):
        """The same call once more, with its key: nothing happens, whatever came in between."""
        session, key = self.session(number, behind), sorted(self.model.keys)[which % len(self.model.keys)]
        event, question, response, who, _ = self.model.keys[key]
        calls = {
            "tell": lambda: session.tell(response, question, who, key=key),
            "skip": lambda: session.skip(question, who=who, key=key),
            "undo": lambda: session.undo(question, who, key=key),
        }
        self.attempt(session, True, calls[event])

    @rule(number=CHOICE, goal=st.integers(0, 1))
    def change_goal(self, number, goal):
        session, (name, options) = self.session(number, behind=True), self.goals[goal]
        event = "goal", None, None, None, None
        self.attempt(session, True, lambda: askwise.change_goal(session, name, **options), event)

    @precondition(lambda self: self.model.open())
    @rule(
        number=CHOICE,
        which=CHOICE,
        call=st.sampled_from(["response", "question", "closed", "key", "number as key", "undo", "goal", "count"]),
    )
    def refused(self, number, which, call):
        session, model = self.session(number), self.model
        question = model.open()[which % len(model.open())]
        first = model.responses[question][0]
        calls = {
            "response": lambda: session.tell("neither", question),
            "question": lambda: session.tell(first, "q999"),
            "number as key": lambda: session.tell(first, question, key=which),
            "undo": lambda: session.undo(question),
            "goal": lambda: askwise.change_goal(session, "best_column"),
            "count": lambda: session.ask(0),
        }
        if model.keys:
            calls["key"] = lambda: session.skip("q999", key=sorted(model.keys)[0])
        closed = [other for other, status in model.status.items() if status != "open"]
        if closed:
            calls["closed"] = lambda: session.skip(closed[which % len(closed)])
        if call in calls:
            self.attempt(session, False, calls[call])

    # ------------------------------------------------------------------ programs that come and go

    @precondition(lambda self: len(self.sessions) < SESSIONS)
    @rule()
    def another_session(self):
        self.sessions.append(askwise.open(self.path))

    @rule(number=CHOICE, kept=st.booleans())
    def reopen(self, number, kept):
        """Closed, which leaves a checkpoint, and opened again, from it or from the log alone."""
        place = number % len(self.sessions)
        close(self.sessions[place])
        self.sessions[place] = askwise.open(self.path)
        if not kept:
            self.forget_checkpoint()
            self.sessions[place] = askwise.open(self.path)
        self.as_the_model(self.sessions[place])

    @rule(number=CHOICE)
    def kill(self, number):
        """A program that goes without closing; another one opens the study."""
        del self.sessions[number % len(self.sessions)]
        self.sessions.append(askwise.open(self.path))
        self.as_the_model(self.sessions[-1])

    @precondition(lambda self: self.model.open())
    @rule(number=CHOICE, who=PEOPLE)
    def prepare(self, number, who):
        """What is worked out ahead is what would have been worked out then: every replay finds out."""
        self.session(number).prepare(who)

    @rule(number=CHOICE, elsewhere=st.booleans())
    def save(self, number, elsewhere):
        """Into the study's own file, or into a new one, which opens as the same session."""
        session = self.session(number)
        self.copies += elsewhere
        path = f"{self.folder}/copy{self.copies}.askwise" if elsewhere else self.path
        askwise.save(session, path)
        if elsewhere:
            assert_same_state(askwise.open(path), session)

    @rule(number=CHOICE)
    def as_json(self, number):
        session = self.session(number)
        assert_same_state(askwise.from_json(session.to_json()), session)


TestSessions = SessionMachine.TestCase
TestSessions.settings = settings(
    max_examples=int(os.environ.get("ASKWISE_TEST_EXAMPLES", "10")), stateful_step_count=30
)
