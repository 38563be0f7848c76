"""The algorithm as a conversation: ask, tell, skip, undo, estimate, certificate. The only object that changes.

The log is the state. Every event (a question asked, told, skipped or undone) is applied by the same code when it
happens and when it is replayed, and all randomness is keyed by the seed and the place in the log.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, overload

import numpy as np

from askwise.certificate import Certificate, Estimate, certify, estimate
from askwise.conversation import Conversation, Event, asked, key
from askwise.distances import form_of, verify
from askwise.errors import DataError, NothingToAsk, SettingError
from askwise.posteriors import Posterior
from askwise.problem import Problem
from askwise.split import average_diameter
from askwise.stopping import Stop
from askwise.strategies import Strategy, strategy
from askwise.streams import stream
from askwise.structures import prompt
from askwise.threads import one_thread
from askwise.types import Answer, Atoms, Question, Response, Sample

TRAIL = 16  # posteriors kept, so that taking back a recent answer costs nothing
CHECKED = 12  # structures on which a distance is checked at the start


class Session:
    """Asks the questions that settle a problem, and says when to stop.

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
        recipe: Mapping[str, Any] | None = None,
    ):
        if draws < 2 or candidates < 1 or seed < 0:
            raise SettingError(
                f"draws must be at least 2, candidates at least 1, seed at least 0; got {draws}, {candidates}, {seed}"
            )
        self.problem = problem
        self.prior = prior
        self.rule = strategy(rule)
        self.stop = stop
        self.seed = seed
        self.draws = draws
        self.candidates = candidates
        self.repeat = repeat
        self.recipe = recipe
        self._describe = describe or (lambda structure: structure)
        self._begin()
        few = prior.sample(CHECKED, stream(seed, 0, "verify")).structures
        verify(problem.distance, few[np.arange(min(CHECKED, len(few)))])

    def __repr__(self) -> str:
        goal = f"{self.recipe['goal']}, " if self.recipe else ""
        return f"<Session: {goal}{len(self._told)} answers, {len(self.conversation.open())} open>"

    def _begin(self) -> None:
        self.posterior = self.prior
        self.conversation = Conversation()
        self._told: dict[str, tuple[int, Answer]] = {}  # evidence in force, in order: the turn it came, the answer
        self._trail: list[tuple[tuple[str, ...], Posterior]] = []
        self._turn = 0  # how often the evidence has changed
        self._cache: dict[str, Any] = {}

    # ------------------------------------------------------------------ the conversation

    @overload
    def ask(self) -> Question: ...
    @overload
    def ask(self, count: int) -> list[Question]: ...
    @one_thread
    def ask(self, count: int | None = None) -> Question | list[Question]:
        """The open question, or a new one if there is none. Asking again changes nothing.

        With `count`, a list of that many, or of fewer where the candidates run out.
        """
        if count is not None and not (isinstance(count, int | np.integer) and count >= 1):
            raise SettingError(f"count must be a whole number of at least 1, got {count!r}")
        while len(self.conversation.open()) < (count or 1):
            try:
                self._record(self._choose())
            except NothingToAsk:
                if not self.conversation.open():
                    raise
                break
        questions = [self.conversation.question(id) for id in self.conversation.open()]
        return questions[0] if count is None else questions[:count]

    @one_thread
    def tell(self, response: Response, question: str | Question | None = None, who: str | None = None) -> None:
        """Takes an answer to the open question, or to the one named. Refused answers change nothing."""
        id = self.conversation.to_answer(question)
        said = self.conversation.match(id, response)
        self._record({"event": "tell", "question": id, "response": said, "who": who})

    def skip(self, question: str | Question | None = None, reason: str | None = None) -> None:
        """Can't tell: logged, not asked again, and nothing is concluded from it."""
        self._record({"event": "skip", "question": self.conversation.to_answer(question), "reason": reason})

    @one_thread
    def undo(self, question: str | Question | None = None) -> None:
        """Takes back the last answer or skip, or that of the question named. The question is open again; open questions
        that were chosen after that answer are withdrawn, since what they stood on is gone."""
        self._record({"event": "undo", "question": self.conversation.to_undo(question)})

    @property
    def done(self) -> bool:
        """True when there is a reason to stop. Asking on is allowed all the same, while there are questions."""
        return self.reason is not None

    @property
    def reason(self) -> str | None:
        """Why it is time to stop, or None."""
        reason: str | None = self._once("reason", self._reason)
        if reason is None and not self.conversation.open() and not len(self._fresh_atoms()):
            return "every question was asked"
        return reason

    @one_thread
    def estimate(self) -> Estimate:
        """What is closest on average to what is still plausible."""
        return self._once("estimate", self._estimate)

    @one_thread
    def certificate(self) -> Certificate:
        """What may be claimed about the estimate."""
        rng = stream(self.seed, self._turn, "certificate")
        return self._once(
            "certificate", lambda: certify(self.problem, self.posterior, self.estimate(), self.answers, rng)
        )

    @property
    def answers(self) -> list[Answer]:
        """The evidence in force, in the order it came."""
        return [answer for _, answer in self._told.values()]

    @property
    def sample(self) -> Sample:
        """The draws of this turn, shared by scoring, stopping and the estimate."""
        return self._once("sample", lambda: self.posterior.sample(self.draws, stream(self.seed, self._turn, "sample")))

    @property
    def diameter(self) -> float:
        """How undecided we still are, in the goal's own units: the mean distance of two structures still plausible."""
        return self._once("diameter", self._diameter)

    # ------------------------------------------------------------------ saving and replaying

    @property
    def log(self) -> list[Event]:
        """Everything that happened, in order."""
        return self.conversation.log

    def to_json(self) -> str:
        """Everything needed to go on elsewhere: `askwise.from_json` reads it back. No pickle."""
        state = {"askwise": 1, "recipe": self.recipe, "log": self.log}
        return json.dumps(state, allow_nan=False, default=lambda number: number.item())  # NumPy's numbers

    @one_thread
    def replay(self, events: Iterable[Event]) -> None:
        """Applies the events of another session's log to this one, which must be built the same way and still be new.

        A log that this session could not have written is refused, and the session stays new.
        """
        if self.log:
            raise SettingError(f"a log is replayed on a new session; this one has {len(self.log)} events")
        try:
            for event in events:
                self._record(event)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            number = len(self.log) + 1
            self._begin()
            raise DataError(
                f"event {number} of the log cannot be replayed ({type(error).__name__}: {error}); "
                "give the whole log of a session that was built the same way"
            ) from error

    # ------------------------------------------------------------------ inside

    def _record(self, event: Event) -> None:
        """The one place where the session changes; if the posterior refuses an answer, nothing has changed."""
        self.conversation.check(event)
        id, believed = event["question"], self.posterior
        if event["event"] == "tell":
            atom = np.asarray(self.conversation.asked[id]["atom"])
            answer = Answer(atom, self.conversation.code(id, event["response"]), event["who"])
            self.posterior = self.posterior.update(answer, stream(self.seed, self._turn, "update"))
            self._told[id] = (self._turn, answer)
            self._trail = [*self._trail[1 - TRAIL :], (tuple(self._told), self.posterior)]
        elif event["event"] == "undo" and self._told.pop(id, None) is not None:
            self._rebuild()
        self.conversation.record(event)
        if self.posterior is not believed:
            self._turn += 1
            self._cache = {}

    def _rebuild(self) -> None:
        """The posterior of the answers still in force, from the latest one known that holds only those."""
        order = tuple(self._told)
        self._trail = [(held, posterior) for held, posterior in self._trail if held == order[: len(held)]]
        held, posterior = self._trail[-1] if self._trail else ((), self.prior)
        for id in order[len(held) :]:
            turn, answer = self._told[id]
            posterior = posterior.update(answer, stream(self.seed, turn, "update"))
        self.posterior = posterior

    def _choose(self) -> Event:
        number = len(self.conversation.asked)
        atoms = self._fresh_atoms()
        if not len(atoms):
            raise NothingToAsk("every candidate question was asked or skipped; undo one, or take the estimate as it is")
        scored = self.rule(self.problem, self.posterior, self.sample, atoms, stream(self.seed, number, "rule"))
        cost = getattr(self.problem.family, "cost", None)  # where answers cost more or less: the gain per unit
        best = int(np.argmax(scored.gain if cost is None else scored.gain / cost(atoms)))
        shown = prompt(self.problem.family, atoms[best], stream(self.seed, number, "show"))
        return asked(f"q{number + 1}", atoms[best], shown, scored, best)

    def _fresh_atoms(self) -> Atoms:
        """Candidates that may be asked."""
        number = len(self.conversation.asked)
        atoms = self.problem.family.draw_atoms(self.candidates, stream(self.seed, number, "atoms"))
        taken = self.conversation.taken(self.repeat)
        if not taken:
            return atoms
        fresh = [index for index, atom in enumerate(np.asarray(atoms).tolist()) if key(atom) not in taken]
        return atoms[np.array(fresh, dtype=int)]

    @one_thread
    def _reason(self) -> str | None:
        if self.stop is None:
            return None
        rng = stream(self.seed, self._turn, "stop")
        return self.stop(self.problem, self.posterior, self.sample, len(self._told) + 1, rng)

    @one_thread
    def _diameter(self) -> float:
        form = form_of(self.problem.distance, self.sample.structures)
        return average_diameter(form, self.sample.weights, self.sample.exact)

    def _estimate(self) -> Estimate:
        structure, distance = estimate(self.problem, self.sample)
        return Estimate(self._describe(structure), structure, distance)

    def _once(self, name: str, compute: Callable[[], Any]) -> Any:
        """Computed at most once a turn."""
        if name not in self._cache:
            self._cache[name] = compute()
        return self._cache[name]
