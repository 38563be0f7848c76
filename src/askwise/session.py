"""The algorithm as a conversation: ask, tell, skip, undo, estimate, certificate. The only object that changes.

The log is the state. Every event (a question asked, told, skipped or undone) is applied by the same code when it
happens and when it is replayed, and all randomness is keyed by the seed and the place in the log.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import Any, overload

import numpy as np

from askwise.certificate import Certificate, Estimate, certify, estimate
from askwise.distances import form_of, verify
from askwise.errors import AnswerError, DataError, NothingToAsk, SettingError
from askwise.posteriors import Posterior
from askwise.problem import Problem
from askwise.split import average_diameter
from askwise.stopping import Stop
from askwise.strategies import Strategy, strategy
from askwise.streams import stream
from askwise.structures import prompt
from askwise.threads import one_thread
from askwise.types import Answer, Atoms, Option, Question, Response, Sample

Event = dict[str, Any]
TRAIL = 16  # posteriors kept, so that taking back a recent answer costs nothing
CHECKED = 32  # structures on which a distance is checked at the start


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

    def _begin(self) -> None:
        self.posterior = self.prior
        self.log: list[Event] = []
        self._asked: dict[str, Event] = {}  # the ask event of every question
        self._status: dict[str, str] = {}  # open, answered, skipped or withdrawn
        self._told: dict[str, tuple[int, Answer]] = {}  # evidence in force, in order: the turn it came, the answer
        self._trail: list[tuple[tuple[str, ...], Posterior]] = []
        self._turn = 0  # answers, skips and undos so far
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
        while len(self._open()) < (count or 1):
            try:
                self._record(self._choose())
            except NothingToAsk:
                if not self._open():
                    raise
                break
        questions = [_question(self._asked[id]) for id in self._open()]
        return questions[0] if count is None else questions[:count]

    @one_thread
    def tell(self, response: Response, question: str | Question | None = None, who: str | None = None) -> None:
        """Takes an answer to the open question, or to the one named. Refused answers change nothing."""
        id = self._find(question)
        said = _match(self._asked[id], response)
        self._record({"event": "tell", "question": id, "response": said, "who": who})

    def skip(self, question: str | Question | None = None, reason: str | None = None) -> None:
        """Can't tell: logged, not asked again, and nothing is concluded from it."""
        self._record({"event": "skip", "question": self._find(question), "reason": reason})

    @one_thread
    def undo(self, question: str | Question | None = None) -> None:
        """Takes back the last answer or skip, or that of the question named. The question is open again; open questions
        that were chosen after that answer are withdrawn, since what they stood on is gone."""
        self._record({"event": "undo", "question": self._closed(question)})

    @property
    def done(self) -> bool:
        """True when there is a reason to stop. Asking on is allowed all the same, while there are questions."""
        return self.reason is not None

    @property
    def reason(self) -> str | None:
        """Why it is time to stop, or None."""
        return self._once("reason", self._reason)

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

    def event(self, question: str | Question) -> Event:
        """What the log says about a question: its atom, and what each response means to the family."""
        return self._asked[question.id if isinstance(question, Question) else question]

    # ------------------------------------------------------------------ saving and replaying

    def to_json(self) -> str:
        """Everything needed to go on elsewhere: `askwise.from_json` reads it back. No pickle."""
        return json.dumps({"askwise": 1, "recipe": self.recipe, "log": self.log}, allow_nan=False)

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
        """The one place where the session changes: nothing has changed yet if this raises."""
        apply = {"ask": self._on_ask, "tell": self._on_tell, "skip": self._on_skip, "undo": self._on_undo}
        apply[event["event"]](event)
        self.log.append(event)
        if event["event"] != "ask":
            self._turn += 1
            self._cache = {}

    def _on_ask(self, event: Event) -> None:
        id = _question(event).id
        if id in self._asked:
            raise AnswerError(f"question {id} was asked before")
        self._asked[id] = event
        self._status[id] = "open"

    def _on_tell(self, event: Event) -> None:
        id = self._find(event["question"])
        asked = self._asked[id]
        answer = Answer(_atom(asked), dict(map(tuple, asked["codes"]))[event["response"]], event["who"])
        posterior = self.posterior.update(answer, stream(self.seed, self._turn, "update"))
        self.posterior = posterior
        self._told[id] = (self._turn, answer)
        self._status[id] = "answered"
        self._trail = [*self._trail[1 - TRAIL :], (tuple(self._told), posterior)]

    def _on_skip(self, event: Event) -> None:
        self._status[self._find(event["question"])] = "skipped"

    def _on_undo(self, event: Event) -> None:
        id = self._closed(event["question"])
        since = [e["event"] != "ask" and e["question"] == id for e in self.log]
        later = self.log[len(since) - since[::-1].index(True) :]
        for asked in (e["question"] for e in later if e["event"] == "ask"):
            if self._status[asked] == "open":
                self._status[asked] = "withdrawn"
        if self._told.pop(id, None) is not None:
            self._rebuild()
        self._status[id] = "open"

    def _rebuild(self) -> None:
        """The posterior of the answers still in force, from the latest one known that holds only those."""
        order = tuple(self._told)
        self._trail = [(held, posterior) for held, posterior in self._trail if held == order[: len(held)]]
        held, posterior = self._trail[-1] if self._trail else ((), self.prior)
        for id in order[len(held) :]:
            turn, answer = self._told[id]
            posterior = posterior.update(answer, stream(self.seed, turn, "update"))
        self.posterior = posterior

    def _open(self) -> list[str]:
        return [id for id, status in self._status.items() if status == "open"]

    def _find(self, question: str | Question | None) -> str:
        """The id of an open question."""
        if question is None:
            if not self._open():
                raise AnswerError("no question is open; call ask() first")
            return self._open()[0]
        id = question.id if isinstance(question, Question) else question
        if id not in self._status:
            raise AnswerError(f"there is no question {id!r}; the open ones are {self._open() or 'none'}")
        if self._status[id] != "open":
            hint = "a new question took its place" if self._status[id] == "withdrawn" else "undo it first to change it"
            raise AnswerError(f"question {id} was {self._status[id]} before and is not open; {hint}")
        return id

    def _closed(self, question: str | Question | None) -> str:
        """The id of an answered or skipped question."""
        closed = ("answered", "skipped")
        if question is None:
            past = [e["question"] for e in self.log if e["event"] in ("tell", "skip")]
            standing = [id for id in past if self._status[id] in closed]
            if not standing:
                raise AnswerError("nothing to undo: no answer or skip is in force")
            return str(standing[-1])
        id = question.id if isinstance(question, Question) else question
        if self._status.get(id) not in closed:
            raise AnswerError(f"question {id!r} has no answer to undo; it is {self._status.get(id, 'unknown')}")
        return id

    def _choose(self) -> Event:
        number = len(self._asked)
        atoms = self._fresh_atoms()
        if not len(atoms):
            raise NothingToAsk("every candidate question was asked or skipped; undo one, or take the estimate as it is")
        scored = self.rule(self.problem, self.posterior, self.sample, atoms, stream(self.seed, number, "rule"))
        best = int(np.argmax(scored.gain))
        shown = prompt(self.problem.family, atoms[best], stream(self.seed, number, "show"))
        return {
            "event": "ask",
            "question": f"q{number + 1}",
            "atom": np.asarray(atoms[best]).tolist(),
            "kind": shown.kind,
            "options": [asdict(option) for option in shown.options],
            "responses": list(shown.responses),
            "codes": [list(pair) for pair in shown.codes.items()],
            "text": shown.text,
            "gain": float(scored.gain[best]),
            "info": dict(scored.info),
        }

    def _fresh_atoms(self) -> Atoms:
        """Candidates that may be asked: not open, not skipped, and not answered unless questions may repeat."""
        atoms = self.problem.family.draw_atoms(self.candidates, stream(self.seed, len(self._asked), "atoms"))
        kept = ("withdrawn", "answered") if self.repeat else ("withdrawn",)
        gone = {_key(event["atom"]) for id, event in self._asked.items() if self._status[id] not in kept}
        if not gone:
            return atoms
        fresh = [index for index, atom in enumerate(np.asarray(atoms).tolist()) if _key(atom) not in gone]
        return atoms[np.array(fresh, dtype=int)]

    @one_thread
    def _reason(self) -> str | None:
        rng = stream(self.seed, self._turn, "stop")
        if self.stop is not None:
            reason = self.stop(self.problem, self.posterior, self.sample, len(self._told) + 1, rng)
            if reason is not None:
                return reason
        return None if self._open() or len(self._fresh_atoms()) else "every question was asked"

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


def _question(event: Event) -> Question:
    options = tuple(Option(**option) for option in event["options"])
    head = event["question"], event["kind"], options, tuple(event["responses"]), event["text"]
    return Question(*head, event["gain"], event["info"])


def _match(event: Event, response: Any) -> Response:
    """What was told, as one of the names the question knows: itself, or the text of it in any case."""
    known = [said for said, _ in event["codes"]]
    same = [said for said in known if type(said) is type(response) and said == response] or [
        said for said in known if str(said).casefold() == str(response).strip().casefold()
    ]
    if not same:
        allowed = ", ".join(map(repr, event["responses"]))
        raise AnswerError(f"response {response!r} is not one of {allowed}; question {event['question']} stays open")
    result: Response = same[0]
    return result


def _atom(event: Event) -> Any:
    return np.asarray(event["atom"])


def _key(atom: Any) -> Any:
    return tuple(atom) if isinstance(atom, list) else atom
