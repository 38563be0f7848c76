"""The algorithm as a conversation: ask, tell, skip, undo, estimate, certificate. The only object that changes.

The log is the state. Every event (a question asked, told, skipped or undone, another goal) is applied by the same code
when it happens and when it is replayed, and all randomness is keyed by the seed and the place in the log. With a
journal, an event is on disk before it is in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import replace
from threading import RLock
from typing import Any, overload

import numpy as np

from askwise.beliefs import Beliefs, Kept
from askwise.conversation import NUMBER, Conversation, Event, Journal, happened
from askwise.distances import verify
from askwise.errors import DataError, NothingToAsk, SettingError, StudyError
from askwise.options import LARGEST_SEED, flag, function, having, mapping, refusal, text, whole_number
from askwise.posteriors import Posterior
from askwise.problem import Problem
from askwise.reading import Reading, Recipe
from askwise.stopping import Stop
from askwise.strategies import Strategy, strategy
from askwise.streams import stream
from askwise.structures import checked_atom
from askwise.threads import one_at_a_time
from askwise.turn import Aim, Eligible, Turn
from askwise.types import Answer, Question, Response

MAX_DRAWS = 100_000  # a question; a diameter compares all pairs of them
MAX_CANDIDATES = 1_000_000  # questions that are scored
MAX_COUNT = 1_000  # questions that are asked together
CHECKED = 12  # structures on which a distance is checked at the start
MAX_ATTEMPTS = 100  # at writing one event, while others write theirs first


class Session(Reading):
    """Asks the questions that settle a problem, and says when to stop. Several threads may use it: what changes it
    happens one after the other.

    >>> from askwise.distances.labels import Disagreement
    >>> from askwise.losses import zero_one
    >>> from askwise.posteriors.enumerated import Enumerated
    >>> from askwise.stopping import DiameterBelow
    >>> from askwise.structures.finite import Finite
    >>> family = Finite([[0, 0], [0, 1], [1, 1]])
    >>> problem = Problem(family, Disagreement(family, np.arange(2)), zero_one, beta=float("inf"))
    >>> prior = Enumerated.prior(family, np.arange(3), zero_one, beta=float("inf"))
    >>> session = Session(problem, prior, stop=DiameterBelow(0.01))
    >>> while not session.done:
    ...     question = session.ask()
    ...     session.tell(1)
    >>> int(session.estimate().value), session.reason
    (2, 'the average diameter is below 0.01')
    """

    def __init__(
        self,
        problem: Problem,
        prior: Posterior,
        *,
        rule: str | Strategy = "expected",
        stop: Stop | None = None,
        seed: int = 0,
        draws: int = 600,
        candidates: int = 500,
        repeat: bool = False,
        describe: Callable[[Any], Any] | None = None,
        recipe: Recipe | None = None,
        remake: Callable[[Recipe], Session] | None = None,
    ):
        if not isinstance(problem, Problem):
            raise refusal("problem", problem, "an askwise.Problem")
        having("prior", prior, "a posterior before any answer", "sample", "update", "diagnostics")
        seed = whole_number("seed", seed, at_least=0, at_most=LARGEST_SEED)
        draws = whole_number("draws", draws, at_least=2, at_most=MAX_DRAWS)
        candidates = whole_number("candidates", candidates, at_least=1, at_most=MAX_CANDIDATES)
        for name, given in (("stop", stop), ("describe", describe), ("remake", remake)):
            if given is not None:
                function(name, given)
        if recipe is not None:
            mapping("recipe", recipe, "a goal, its data and its options", "goal", "data", "options")
        self.prior = prior
        self.recipe = recipe
        self.journal: Journal | None = None
        self._remake = remake
        self.lock = RLock()
        shown = describe or (lambda structure: structure)
        repeat = flag("repeat", repeat)
        self.aim = Aim(problem, strategy(rule, problem), stop, seed, draws, candidates, repeat, shown)
        self._begin()
        few = prior.sample(CHECKED, stream(seed, 0, "verify")).structures
        verify(problem.distance, few[np.arange(min(CHECKED, len(few)))])

    def __repr__(self) -> str:
        goal = f"{self.pursued['goal']}, " if self.pursued else ""
        return f"<Session: {goal}{len(self.answers)} answers, {len(self.conversation.open())} open>"

    def _begin(self) -> None:
        self.conversation = Conversation()
        self.turn = Turn(self.aim, Beliefs(self.prior, self.aim.seed))
        self._ahead: dict[tuple[Any, ...], Turn] = {}  # by place in the log, question, response and person

    # ------------------------------------------------------------------ the conversation

    @overload
    def ask(self, *, eligible: Eligible | None = None) -> Question: ...
    @overload
    def ask(self, count: int, *, eligible: Eligible | None = None) -> list[Question]: ...
    @one_at_a_time
    def ask(self, count: int | None = None, *, eligible: Eligible | None = None) -> Question | list[Question]:
        """The open question, or a new one if there is none. Asking again changes nothing.

        With `count`, a list of that many worth asking together, or of fewer where the candidates run out. Each new one
        is chosen for what it adds to those open. `eligible(atoms, atom)` may keep a candidate from joining them.
        """
        if count is not None:
            count = whole_number("count", count, at_least=1, at_most=MAX_COUNT)
        if eligible is not None:
            function("eligible", eligible)
        self.refresh()
        while len(self.conversation.open()) < (count or 1):
            try:
                self._settle(lambda: self._next_question(count or 1, eligible))
            except NothingToAsk:
                if not self.conversation.open():
                    raise
                break
        questions = [self.conversation.question(id) for id in self.conversation.open()]
        return questions[0] if count is None else questions[:count]

    @one_at_a_time
    def pose(self, atom: Any) -> Question:
        """Opens a question of one's own choice: for answers that were collected before."""
        valid = checked_atom(self.problem.family, atom)
        event = self._settle(lambda: self.turn.pose(self.conversation, valid))
        return self.conversation.question(event["question"])

    @one_at_a_time
    def tell(
        self,
        response: Response,
        question: str | Question | None = None,
        who: str | None = None,
        *,
        seconds: float | None = None,
        key: str | None = None,
    ) -> None:
        """Takes an answer to the open question, or to the one named. Refused answers change nothing.

        `seconds` is how long the answer took. The same `key` given twice is one answer: send it again when in doubt.
        """

        def judged() -> Event | None:
            nonlocal question  # what was open at first is meant, whatever opens meanwhile
            talk = self.conversation
            if talk.repeated("tell", question, key, response, who=who):
                return None
            question = talk.to_answer(question)
            said = talk.match(question, response)
            return happened("tell", question, response=said, who=who, seconds=seconds, key=key)

        self._settle(judged)

    @one_at_a_time
    def skip(
        self,
        question: str | Question | None = None,
        reason: str | None = None,
        who: str | None = None,
        *,
        seconds: float | None = None,
        key: str | None = None,
    ) -> None:
        """Can't tell: logged, not asked again, and nothing is concluded from it."""

        def judged() -> Event | None:
            nonlocal question
            if self.conversation.repeated("skip", question, key, who=who):
                return None
            question = self.conversation.to_answer(question)
            return happened("skip", question, reason=reason, who=who, seconds=seconds, key=key)

        self._settle(judged)

    @one_at_a_time
    def undo(self, question: str | Question | None = None, who: str | None = None, *, key: str | None = None) -> None:
        """Takes back the last answer or skip, or that of the question named; with `who`, only that person's own.

        The question is open again; open questions that were chosen after that answer are withdrawn, since what they
        stood on is gone.
        """

        def judged() -> Event | None:
            nonlocal question
            if self.conversation.repeated("undo", question, key, who=who):
                return None
            question = self.conversation.to_undo(question, who)
            return happened("undo", question, who=self.conversation.closing[question].get("who"), key=key)

        self._settle(judged)

    @one_at_a_time
    def take_up(self, recipe: Recipe) -> None:
        """Another goal about the same structures: all answers stay, open questions are withdrawn."""
        mapping("recipe", recipe, "a goal and its options", "goal", "options")
        goal = text("goal", recipe["goal"])
        options = dict(mapping("options", recipe["options"], "options by their names"))
        self._settle(lambda: happened("goal", None, goal=goal, options=options))

    def branch(self, *, seed: int, rule: str | None = None, effort: int | None = None) -> Session:
        """A copy that goes its own way, in memory only: what would come of other answers, or of another rule.

        With `effort`, no more draws and candidates a question than that.
        """
        seed = whole_number("seed", seed, at_least=0, at_most=LARGEST_SEED)
        most = MAX_CANDIDATES if effort is None else whole_number("effort", effort, at_least=2)
        other = copy(self)
        other.lock = RLock()
        chosen = self.aim.rule if rule is None else strategy(rule, self.problem)
        other.journal, other.conversation, other._ahead = None, self.conversation.copy(), {}
        draws, candidates = min(self.aim.draws, most), min(self.aim.candidates, most)
        other.aim = replace(self.aim, seed=seed, rule=chosen, draws=draws, candidates=candidates)
        other.conversation.withdraw()
        other.turn = Turn(other.aim, replace(self.turn.beliefs, seed=seed))
        return other

    def prepare(self, who: str | None = None) -> None:
        """Works out what comes after each possible answer to the open question, so that it is there at once when the
        answer comes. Meant for a thread of its own while a person thinks; a number has too many answers for it."""
        if who is not None:
            who = text("who", who)
        with self.lock:
            talk, turn, ahead = self.conversation.copy(), self.turn, self._ahead
        ids = talk.open()
        if ids and talk.asked[ids[0]]["kind"] != NUMBER:
            for response in turn.likely(talk.asked[ids[0]]):
                _foresee(talk, turn, ahead, response, who)

    def foresee(self, talk: Conversation, response: Response, who: str | None, known: Turn | None = None) -> Turn:
        """The turn after that answer to the open question of a copy of the conversation, there at once if it comes.

        `known` is the same turn, worked out in a session of the same recipe where the same was said by somebody else.
        """
        return _foresee(talk, self.turn, self._ahead, response, who, known)

    # ------------------------------------------------------------------ replaying

    @one_at_a_time
    def replay(self, events: Iterable[Event]) -> None:
        """Applies the events of another session's log to this one, which must be built the same way and still be new.

        A log that this session could not have written is refused, and the session stays new.
        """
        if self.log:
            raise SettingError(f"a log is replayed on a new session; this one has {len(self.log)} events")
        aim = self.aim
        try:
            for event in events:
                self._apply(event)
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            number = len(self.log) + 1
            self.aim = aim
            self._begin()
            raise DataError(
                f"event {number} of the log cannot be replayed ({type(error).__name__}: {error}); "
                "give the whole log of a session that was built the same way"
            ) from error

    @one_at_a_time
    def resume(self, log: Iterable[Event], trail: tuple[Kept, ...]) -> None:
        """Puts a new session where this log has led before, with the posteriors of its latest answers: at once."""
        told, turn = dict[str, tuple[int, Answer]](), 0
        for event in log:
            self.conversation.record(event)
            id, kind = event.get("question", ""), event["event"]
            if kind == "tell":
                told[id] = (turn, self.conversation.answer(event))
            self.aim = self._other(event) if kind == "goal" else self.aim
            turn += kind == "tell" or (kind == "undo" and told.pop(id, None) is not None)
        self.turn = Turn(self.aim, Beliefs(self.prior, self.aim.seed, told, trail, turn))

    @one_at_a_time
    def refresh(self) -> None:
        """Takes in what others have written to the journal since."""
        for event in self.journal.since(len(self.log)) if self.journal else ():
            self._apply(event)

    # ------------------------------------------------------------------ inside

    def _next_question(self, count: int, eligible: Eligible | None) -> Event | None:
        """The next question to open, or None where others have opened enough."""
        enough = len(self.conversation.open()) >= count
        return None if enough else self.turn.choose(self.conversation, eligible)

    @overload
    def _settle(self, judged: Callable[[], Event]) -> Event: ...
    @overload
    def _settle(self, judged: Callable[[], Event | None]) -> Event | None: ...
    def _settle(self, judged: Callable[[], Event | None]) -> Event | None:
        """Records the event that is judged right, None if there is none to record. Judged anew whenever others wrote
        to the journal first."""
        for _ in range(MAX_ATTEMPTS):
            event = judged()
            if event is None or self._record(event):
                return event
        raise StudyError("other programs keep writing to this study; nothing was added: try again when they are done")

    def _record(self, event: Event) -> bool:
        """The one place where something new happens. If the posterior refuses an answer, nothing has changed; if others
        wrote to the journal first, their events are taken in, and False says that this one must be judged anew."""
        self.conversation.check(event)
        turn = self._next(event)
        position = len(self.log)
        if self.journal is not None and not self.journal.append(position, event):
            self.refresh()
            if len(self.log) == position:
                raise StudyError("the study takes no new events, though nobody else wrote; nothing was added")
            return False
        self._adopt(event, turn)
        if self.journal is not None:
            self.journal.keep(self)
        return True

    def _apply(self, event: Event) -> None:
        """An event that happened before, or elsewhere."""
        self.conversation.check(event)
        self._adopt(event, self._next(event))

    def _adopt(self, event: Event, turn: Turn) -> None:
        self.conversation.record(event)
        if turn is not self.turn:
            self.turn, self.aim, self._ahead = turn, turn.aim, {}

    def _next(self, event: Event) -> Turn:
        """The turn that the event leads to: the same one unless the evidence or the goal changes."""
        id, kind, beliefs = event.get("question", ""), event["event"], self.turn.beliefs
        if kind == "goal":
            return Turn(self._other(event), beliefs)
        if kind == "undo" and id in beliefs.told:
            return Turn(self.aim, beliefs.undo(id))
        if kind != "tell":
            return self.turn
        place = (len(self.log), id, self.conversation.standard(id, event["response"]), event.get("who"))
        return self._ahead.get(place) or Turn(self.aim, beliefs.tell(id, self.conversation.answer(event)))

    def _other(self, event: Event) -> Aim:
        """The aim of another goal; what shapes beliefs stays."""
        if self._remake is None or self.recipe is None:
            raise SettingError("the session was built by hand, so it knows no other goal; build another one")
        other = self._remake({**self.recipe, "goal": event["goal"], "options": event["options"]}).aim
        if type(other.problem.family) is not type(self.problem.family):
            raise SettingError(f"the goal {event['goal']} needs other questions than were answered; start a new study")
        return replace(other, seed=self.aim.seed, draws=self.aim.draws, changes=self.aim.changes + 1)


def _foresee(
    talk: Conversation,
    turn: Turn,
    ahead: dict[tuple[Any, ...], Turn],
    response: Response,
    who: str | None,
    known: Turn | None = None,
) -> Turn:
    """The turn after that answer to the open question, taken from `ahead` or added to it."""
    place = (len(talk.log), talk.open()[0], response, who)
    if place not in ahead:
        event = happened("tell", place[1], response=response, who=who)
        if known is None:
            ahead[place] = turn.after(talk, event)
        else:
            told = {**turn.beliefs.told, place[1]: (turn.beliefs.turn, talk.answer(event))}
            ahead[place] = known.retold(told)
    return ahead[place]
