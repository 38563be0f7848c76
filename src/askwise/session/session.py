"""The algorithm as ask and tell: ask, tell, skip, undo, estimate, certificate. The only object that changes.

The log is the state. The module `recording` applies events (ask, tell, skip, undo, another goal or other items), new
ones and replayed ones alike. All randomness is keyed by the seed and the position in the log.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, overload

from askwise import display
from askwise._runtime.threads import one_at_a_time, one_thread
from askwise.errors import AnswerError, SettingError
from askwise.options import function, mapping, number, shown, text, whole_number
from askwise.posteriors import Posterior
from askwise.problem import Problem
from askwise.session import recording
from askwise.session.answerers import Answerer, checked_costs
from askwise.session.beliefs import Beliefs
from askwise.session.config import MAX_DRAWS, Present, PresentWith, Recipe, SessionConfig
from askwise.session.effects import Effects
from askwise.session.event_log import EventLog, ValidEvent
from askwise.session.events import Event, Journal, new_event
from askwise.session.item_events import ChangesItems
from askwise.session.people import place_of_person
from askwise.session.plates import Plates, checked_plates
from askwise.session.prepared_rounds import PreparedRounds
from askwise.session.round import Eligible, Round
from askwise.session.wording import USUAL, sample_prompt, wording_of
from askwise.stopping import CostLimits, Stop, StopReason
from askwise.stopping.certificate import Certificate, Estimate, ModelCheck
from askwise.stopping.outlook import Outlook
from askwise.strategies import Strategy
from askwise.strategies.splitting import Splitting
from askwise.structures import AsksPeople, checked_atom
from askwise.types import Answer, Atom, GivenResponse, Question, Sample, Structure

if TYPE_CHECKING:
    from askwise.data.tables import Rows
    from askwise.notebook.widget import QuestionWidget
    from askwise.report.cells import Plot

__all__ = ["MAX_DRAWS", "Session"]
MAX_COUNT = 1_000  # questions that are asked together


class Session:
    """Asks the questions that settle a problem, and says when to stop. Several threads may use one session.

    :param problem: What can be true, what you care about, and how answers are noisy.
    :param prior: The posterior before any answer.
    :param rule: The strategy that chooses questions: a name, or a function of your own.
    :param stop: The stopping rule. Without one, the session stops when no question is left.
    :param seed: The same seed and answers give the same questions.
    :param draws: Posterior draws behind each question.
    :param candidates: Questions that are scored, of families that have more.
    :param repeat: Whether the same question may be asked again.
    :param spacing: Other questions, at least, before it is, as long as there are others.
    :param describe: A function from a structure to the estimate as people read it.
    :param effects: A function from draws to what each column of the table does. Goals about tables set it.
    :param model_check: A function from the answers, the posterior and a random generator to an `Objection` against the
        model, or None; certificates warn of it. Goals set it.
    :param cost_limits: Stop also when answers have cost enough, or when no question is worth its cost.
    :param closeness: How many times likelier or less likely than the prior says the truth may be. Certificates then
        state what holds for such truths; give it to the stopping rule, too. Goals set it.
    :param presentation: A function from changed options, none at first, to the same as plain values and a function
        that completes the options of a question with what people see. Goals about tables set it.
    :param anchor: Who is right by definition. The others are trusted as far as they agree with this person.
    :param recipe: The goal, data and options that build this session again. Goals set it.
    :param remake: The function that builds a session from a recipe. Goals set it.

    >>> from askwise.distances.labels import Disagreement
    >>> from askwise.losses import zero_one
    >>> from askwise.posteriors.enumerated import Enumerated
    >>> from askwise.stopping import DiameterBelow
    >>> from askwise.structures.finite import Finite
    >>> import numpy as np
    >>> family = Finite([[0, 0], [0, 1], [1, 1]])
    >>> problem = Problem(family, Disagreement(family, np.arange(2)), zero_one, beta=float("inf"))
    >>> prior = Enumerated.prior(family, np.arange(3), zero_one, beta=float("inf"))
    >>> session = Session(problem, prior, stop=DiameterBelow(0.01))
    >>> while not session.done:
    ...     question = session.ask()
    ...     session.tell(1)
    >>> int(session.estimate().value), session.reason
    (2, 'undecided is below 0.01')
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
        spacing: int = 0,
        describe: Callable[[Structure], object] | None = None,
        effects: Callable[[Sample], Effects] | None = None,
        model_check: ModelCheck | None = None,
        cost_limits: CostLimits | None = None,
        closeness: float = 1.0,
        presentation: PresentWith | None = None,
        anchor: str | None = None,
        recipe: Recipe | None = None,
        remake: Callable[[Recipe], Session] | None = None,
    ):
        settings = (
            rule, stop, seed, draws, candidates, repeat, spacing, describe, effects, model_check, cost_limits,
            closeness, presentation, anchor,
        )  # fmt: skip
        if remake is not None:
            function("remake", remake)
        if recipe is not None:
            mapping("recipe", recipe, "a goal, its data and its options", "goal", "data", "options")
        config = SessionConfig.checked(problem, prior, *settings)
        self.prior = prior
        self.recipe = recipe
        self.goal: object | None = None  # what built the session, if a goal did
        self.journal: Journal | None = None
        self.wording = USUAL
        self.shown_to_all: Mapping[str, Any] = {}  # options that say what everybody in the study of this log sees
        self.remake = remake
        self.media: Mapping[str, bytes] = {}  # pictures, sounds and films by name, of a session that no study has yet
        self.lock = RLock()
        self._restart(config)

    def __repr__(self) -> str:
        goal = f"{self.pursued['goal']}, " if self.pursued else ""
        return f"<Session: {goal}{len(self.answers)} answers, {len(self.event_log.open_questions())} open>"

    def _repr_html_(self) -> str:
        return str(display.call("session_html", self))

    def _restart(self, config: SessionConfig) -> None:
        """Forgets every event."""
        self._presented: tuple[Any, Present] | None = None  # what it depends on, and what completes questions
        self.config, self.event_log, self.prepared = config, EventLog(), PreparedRounds()
        self.round = Round(config, Beliefs(self.prior, config.seed, anchor=config.anchor))

    # ------------------------------------------------------------------ ask and tell

    @overload
    def ask(self, *, eligible: Eligible | None = None, who: str | None = None) -> Question: ...
    @overload
    def ask(self, count: int, *, eligible: Eligible | None = None, who: str | None = None) -> list[Question]: ...
    @overload
    def ask(self, *, plates: Plates) -> list[Question]: ...
    @one_at_a_time
    def ask(
        self,
        count: int | None = None,
        *,
        eligible: Eligible | None = None,
        plates: Plates | None = None,
        who: str | None = None,
    ) -> Question | list[Question]:
        """The open question, or a new one if there is none. Asking again changes nothing.

        :param count: Return a list of this many questions that are worth asking together, or fewer if there are no more
            candidates. Each is chosen for what it adds to the others.
        :param eligible: A `Plate`, or a function of the open atoms and a candidate. It may refuse the candidate.
        :param plates: Sets of atoms by name, of which one is asked whole: the one with the largest gain per unit of
            cost. Returns its questions, or all open ones if there are any.
        :param who: Ask this person of a group that decides together. Without it, the session chooses whom to ask:
            `question.who`. If it would rather ask somebody else, `question.info["rather"]` says whom.

        >>> from askwise import best_item
        >>> len(best_item(["tea", "coffee", "water"], seed=1).ask(2))
        2
        """
        if plates is not None:
            if count is not None or eligible is not None or who is not None:
                raise SettingError("a plate is asked whole; give plates alone, without count, eligible and who")
            return recording.open_plate(self, checked_plates(plates, self.problem.family))
        wanted = 1 if count is None else whole_number("count", count, at_least=1, at_most=MAX_COUNT)
        if eligible is not None:
            function("eligible", eligible)
        if who is not None:
            place_of_person(self.problem.family, self.event_log, who)  # refuses strangers
        questions = recording.open_questions(self, wanted, eligible, who)
        return questions[0] if count is None else questions

    @one_at_a_time
    def pose(self, atom: Atom) -> Question:
        """Opens a question of your own choice, for answers that were collected before.

        :param atom: What to ask about, as the family names it: two places for a pair, one for a label.

        >>> from askwise import best_item
        >>> print(best_item(["tea", "coffee", "water"], seed=1).pose((0, 2)))
        Which do you prefer: ...
        """
        valid = checked_atom(self.problem.family, atom)
        recording.record(
            self, lambda _: self.event_log.validate(self.wording.apply(self.round.pose(self.event_log, valid)))
        )
        return self.question(self.log[-1]["question"])

    @one_at_a_time
    def tell(
        self,
        response: GivenResponse,
        question: str | Question | None = None,
        who: str | None = None,
        *,
        seconds: float | None = None,
        key: str | None = None,
        cost: float | None = None,
        note: str | None = None,
    ) -> None:
        """Takes an answer. A refused answer changes nothing.

        :param response: One of `question.responses`, or the name of an option.
        :param question: The question that is answered, or its id; by default the first open one.
        :param who: Who answered; by default whom the question asks. With several people who answer the same questions,
            the session learns how reliable each of them is.
        :param seconds: How long the answer took.
        :param key: The same key given twice is one answer, so it is safe to send an answer again.
        :param cost: What the answer cost, in any unit.
        :param note: A remark for the record, such as why.

        >>> from askwise import best_item
        >>> session = best_item(["tea", "coffee", "water"], seed=1)
        >>> question = session.ask()
        >>> session.tell("left", question, who="Ann", key="a1")
        >>> session.tell("left", question, who="Ann", key="a1")
        >>> len(session.answers)
        1
        """
        event = partial(self.event_log.tell_event, response, who=who, seconds=seconds, key=key, cost=cost, note=note)
        recording.record(self, event, question)

    @one_at_a_time
    def skip(
        self,
        question: str | Question | None = None,
        reason: str | None = None,
        who: str | None = None,
        *,
        seconds: float | None = None,
        key: str | None = None,
        cost: float | None = None,
    ) -> None:
        """Skips a question ("can't tell"). It is not asked again, and nothing is concluded from it.

        :param question: The question, or its id; by default the first open one.
        :param reason: Why it was skipped, for the record.
        :param who: Who skipped it.
        :param seconds: How long that took.
        :param key: The same key given twice is one skip.
        :param cost: What it cost to find that out.

        >>> from askwise import best_item
        >>> session = best_item(["tea", "coffee", "water"], seed=1)
        >>> session.skip(session.ask(), reason="both unknown")
        >>> len(session.answers)
        0
        """
        event = partial(self.event_log.skip_event, reason=reason, who=who, seconds=seconds, key=key, cost=cost)
        recording.record(self, event, question)

    @one_at_a_time
    def undo(self, question: str | Question | None = None, who: str | None = None, *, key: str | None = None) -> None:
        """Takes back an answer or a skip. The question is open again.

        Open questions that were chosen after that answer are withdrawn, since what they were based on is gone.

        :param question: The question, or its id; by default the last one that was answered or skipped.
        :param who: Take back only an answer of this person.
        :param key: The same key given twice is one undo.

        >>> from askwise import best_item
        >>> session = best_item(["tea", "coffee", "water"], seed=1)
        >>> session.tell("left", session.ask())
        >>> session.undo()
        >>> len(session.answers)
        0
        """
        who = None if who is None else text("who", who)
        recording.record(self, partial(self.event_log.undo_event, who=who, key=key), question)

    @one_at_a_time
    def take_up(self, recipe: Recipe) -> None:
        """Takes up another goal about the same structures. Answers stay, and open questions are withdrawn.

        :param recipe: The goal and its options. `askwise.change_goal` makes it for you.
        """
        mapping("recipe", recipe, "a goal and its options", "goal", "options")
        goal = text("goal", recipe["goal"])
        options = dict(mapping("options", recipe["options"], "options by their names"))
        recording.record(self, lambda _: self.event_log.validate(new_event("goal", None, goal=goal, options=options)))

    @one_at_a_time
    def reword(self, **changes: str | Mapping[str, str] | None) -> None:
        """Changes what people read, from the next question on: answers, beliefs and questions stay the same.

        :param changes: `question`, `answers` or `instructions`, as the goals take them; None: the usual text.

        >>> from askwise import best_item
        >>> session = best_item(["tea", "coffee", "water"], seed=1)
        >>> session.reword(question="What would you like to drink?", answers={"left": "A", "right": "B"})
        >>> print(session.ask())
        What would you like to drink? (...) [left/right]
        """
        wording = self.wording.changed(changes)
        wording.check(sample_prompt(self.problem.family))
        if self.journal is not None:
            self.journal.keep_wording(wording)
        self.wording = wording

    @one_at_a_time
    def show(self, options: Mapping[str, object]) -> None:
        """Changes what people see. No belief changes, and neither does the next question.

        :param options: Options that say what is shown, such as `show`. `askwise.change_goal` takes them, too.

        >>> from askwise import best_item
        >>> session = best_item({"name": ["tea", "milk"], "price": [2, 1], "fat": [0, 3]}, seed=1)
        >>> session.show({"show": ["fat"]})
        >>> [option.fields for option in session.ask().options]
        [{'fat': '...'}, {'fat': '...'}]
        """
        given = mapping("options", options, "options by their names")
        if self.config.presentation is None:
            raise SettingError("the questions of this session show no table; there is nothing to choose")
        changed, _ = self.config.presentation({**self.event_log.shown_options, **given})
        recording.record(self, lambda _: self.event_log.validate(new_event("show", None, options=changed)))

    def question(self, id: str) -> Question:
        """A question of the log with all that people see.

        :param id: Its id.

        >>> from askwise import best_item
        >>> session = best_item({"name": ["tea", "milk"], "price": [2, 1]}, seed=1)
        >>> session.question(session.ask().id).options[0].fields
        {'price': '...'}
        """
        if not isinstance(id, str) or id not in self.event_log.ask_events:
            raise AnswerError(f"there is no question {shown(id)}; expected the id of one that was asked, such as 'q1'")
        found = self.event_log.question(id)
        if self.config.presentation is None:
            return found
        wanted = self.config.presentation, {**self.event_log.shown_options, **self.shown_to_all}
        if self._presented is None or self._presented[0] != wanted:
            self._presented = wanted, self.config.presentation(wanted[1])[1]
        return replace(found, options=self._presented[1](found.options, found.kind, found.atom))

    @one_at_a_time
    def add_items(self, rows: Rows, *, key: str | None = None) -> None:
        """Adds items to the table. Answers stay, and beliefs are those of a table that had these rows from the start.

        A study in a file or a database changes for everybody who answers there.

        :param rows: Rows with the columns of the table, as any goal takes them; a list of names if it has only names.
        :param key: The same key given twice is one change.

        >>> from askwise import best_item
        >>> session = best_item(["tea", "coffee", "water"], seed=1)
        >>> session.tell("tea", session.pose((0, 1)))
        >>> session.add_items(["milk"])
        >>> session.problem.family.names, len(session.answers)
        (('tea', 'coffee', 'water', 'milk'), 1)
        """
        self._change_items(rows, None, key)

    @one_at_a_time
    def retire(self, names: str | Sequence[str], *, key: str | None = None) -> None:
        """Takes items out of the running: they are not asked about any more, and cannot be the result.

        What was answered about them still counts. An open question about one is withdrawn, but whoever sees it may
        answer it.

        :param names: The name of an item, or several.
        :param key: The same key given twice is one change.

        >>> from askwise import best_item
        >>> session = best_item(["tea", "coffee", "water"], seed=1)
        >>> session.retire("tea")
        >>> sorted(option.name for option in session.ask().options)
        ['coffee', 'water']
        """
        self._change_items(None, names, key)

    def _change_items(self, rows: Rows | None, names: str | Sequence[str] | None, key: str | None) -> None:
        def make(_: str | Question | None) -> ValidEvent | None:
            if key is not None and self.event_log.is_known_change(key):
                return None
            if not isinstance(self.goal, ChangesItems) or self.pursued is None:
                raise SettingError("the session was built by hand, so its table is not known; build another one")
            return self.event_log.validate(self.goal.items_event(self.pursued, rows, names, key))

        self.refresh()
        recording.record(self, make)

    def branch(self, *, seed: int, rule: str | None = None, effort: int | None = None) -> Session:
        """A copy in memory, to try other answers or another strategy.

        :param seed: The seed of the copy.
        :param rule: Its strategy; by default the same.
        :param effort: Use at most this many draws and candidates for each question.
        """
        other = copy(self)
        other.lock = RLock()
        other._restart(self.config.branch(seed, rule, effort))
        other.journal, other.event_log = None, self.event_log.copy()
        other.event_log.withdraw_open()
        other.round = Round(other.config, replace(self.round.beliefs, seed=seed))
        return other

    def prepare(self, who: str | None = None) -> None:
        """Computes the next question for each possible answer to the open one, so that nobody waits when it comes.

        Call it in a thread of its own while a person thinks. It does nothing for answers that are numbers.

        :param who: Who will answer.
        """
        who = None if who is None else text("who", who)
        with self.lock:
            round, log, prepared = self.round, self.event_log.copy(), self.prepared  # as they are now
        prepared.add_all(round, log, who)

    # ------------------------------------------------------------------ events of other sessions

    @one_at_a_time
    def replay(self, events: Iterable[Event]) -> None:
        """Applies the log of another session to this one, which must be new and built in the same way.

        A log that this session could not have written is refused, and the session stays new.

        :param events: The other session's `log`.
        """
        recording.replay(self, events)

    @one_at_a_time
    def refresh(self) -> None:
        """Reads what other programs have written to the journal since, and applies it."""
        for event in self.journal.since(len(self.event_log.events)) if self.journal else ():
            recording.apply(self, self.event_log.validate(event))

    # ------------------------------------------------------------------ what is known

    @one_thread
    def why(self, question: str | Question | None = None) -> list[Outlook]:
        """For each possible answer: how likely it is, and what it would settle.

        :param question: The question, or its id; by default the first open one.
        """
        return self.round.outlooks(self.event_log.ask_events[self.event_log.require_open(question)])

    def whom(self, costs: Mapping[str, float]) -> list[Answerer]:
        """Who should answer the next question, who gains most per unit of cost first.

        Each is expected to gain what the best question does under their reliability; who is new counts in full.

        :param costs: What one answer of each person costs, in any unit.

        >>> from askwise import best_item
        >>> session = best_item(["tea", "coffee", "water"], seed=1)
        >>> [one.who for one in session.whom({"Ann": 1.0, "judge": 0.01})]
        ['judge', 'Ann']
        """
        checked = checked_costs(costs)
        if isinstance(self.problem.family, AsksPeople):
            raise SettingError("a question asks one person of a group here; ask() chooses whom: question.who")
        return self.round.answerers(self.event_log, checked)

    @property
    def done(self) -> bool:
        """True when there is a reason to stop. You may ask more questions while there are any."""
        return self.reason is not None

    @property
    def reason(self) -> StopReason | None:
        """Why it is time to stop, or None. A text for people; its `kind` is "settled", "budget" or "exhausted"."""
        return self.round.reason(self.event_log)

    def estimate(self) -> Estimate:
        """The best guess: the structure that is closest, on average, to all that are still plausible."""
        return self.round.estimate

    def certificate(self) -> Certificate:
        """What may be claimed about the estimate."""
        return self.round.certificate

    def effects(self) -> Effects:
        """What mattered: the effect of each column of the table, the strongest first, with 80 % intervals.

        For goals about preferences and labels. Computed when first asked for after an answer, never for a question.

        >>> from askwise import best_item
        >>> prices = {"name": ["tea", "coffee", "juice", "wine", "water"], "price": [1.0, 2.0, 3.0, 9.0, 0.5]}
        >>> session = best_item(prices, seed=1)
        >>> cost = dict(zip(prices["name"], prices["price"]))
        >>> while not session.done:
        ...     session.tell(min(session.ask().options, key=lambda option: cost[option.name]).name)
        >>> print(session.effects()["price"])
        price: lower is better.
        """
        return self.round.effects

    @one_thread
    def splitting(self, epsilon: float | None = None) -> Splitting:
        """How well questions split what is still plausible: the average splitting index of your own problem, now.

        It says which share of random questions splits off so much of what is undecided whatever the answer is, with an
        interval, how many questions follow at the present pace, and warns if the candidates are too few to find good
        ones. It takes as long as some dozen questions.

        :param epsilon: Where "undecided" shall end; by default where the goal stops, or 0.05.

        >>> from askwise import best_item
        >>> found = best_item(["tea", "coffee", "water"], seed=1).splitting()
        >>> [share.rho for share in found.shares]
        [0.05, 0.1, 0.25, 0.5]
        """
        goal = self.pursued["options"].get("epsilon", 0.05) if self.pursued else 0.05
        level = goal / self.config.closeness**2 if epsilon is None else epsilon
        wanted = number("epsilon", level, above=0, at_most=1)
        return self.round.splitting(self.event_log, wanted)

    @property
    def pursued(self) -> Recipe | None:
        """The present goal, its data and options; None if the session was built by hand."""
        if self.recipe is None:
            return None
        found = self.event_log.pursued(self.recipe)
        return {**found, "options": {**found["options"], **self.shown_to_all}} if self.shown_to_all else found

    @property
    def people(self) -> Mapping[str, float]:
        """How reliable the answers of each of several people are: from 0, a guess, to 1. Empty with one person."""
        return self.round.reliability

    @property
    def problem(self) -> Problem:
        """What can be true and what is wanted, with what was learned about how grades are used."""
        return self.round.config.problem

    @property
    def posterior(self) -> Posterior:
        """What is believed after the answers in force."""
        return self.round.posterior

    @property
    def answers(self) -> list[Answer]:
        """The answers in force, in the order they came."""
        return self.round.answers

    @property
    def sample(self) -> Sample:
        """The draws of this round, shared by scoring, stopping and the estimate."""
        return self.round.sample

    @property
    def diameter(self) -> float:
        """How undecided the goal still is, in its own units: the mean distance of two structures still plausible."""
        return self.round.diameter

    @property
    def log(self) -> list[Event]:
        """Everything that happened, in order."""
        return self.event_log.events

    # ------------------------------------------------------------------ in a notebook

    def widget(self) -> QuestionWidget:
        """The questions as cards in a notebook: answer by click or key, and watch how the result becomes clear.

        It needs `pip install 'askwise[notebook]'`, and works where anywidget does: Jupyter, VS Code, Colab, marimo.

        >>> from askwise import best_item
        >>> session = best_item(["tea", "coffee", "water"], seed=1)
        >>> shown = session.widget()  # in a notebook: session.widget()
        >>> shown.state["question"]["text"]
        'Which do you prefer: ...?'
        """
        made: QuestionWidget = display.call("question_widget", self)
        return made

    def plot(self, chart: str | None = None) -> Plot:
        """A chart of what is known, for a notebook or a file of SVG: by default the first one of the report.

        :param chart: Which one, by its name: "path" shows how the result became clear. Another name is refused with a
            list of those there are.

        >>> from askwise import best_item
        >>> session = best_item(["tea", "coffee", "water"], seed=1)
        >>> session.plot()
        <Plot of How likely each item is the best one>
        >>> session.plot("path").svg[:4]
        '<svg'
        """
        made: Plot = display.call("plot", self, chart)
        return made

    def report(self, path: str | Path) -> Path:
        """Writes the report: one page that needs neither the network nor a script. Returns where it is.

        :param path: The file, such as report.html. One that is there is replaced.

        >>> import tempfile
        >>> from askwise import best_item
        >>> best_item(["tea", "coffee", "water"], seed=1).report(tempfile.mkdtemp() + "/report.html").name
        'report.html'
        """
        written: Path = display.call("write_page", self, path)
        return written

    def answers_frame(self) -> Any:
        """The answers as a dataframe, one row each: of pandas, or of polars or pyarrow where pandas is not installed.

        >>> from askwise import best_item
        >>> session = best_item(["tea", "coffee", "water"], seed=1)
        >>> session.tell("left", session.ask(), seconds=2.5)
        >>> session.answers_frame()["seconds"].to_list()
        [2.5]
        """
        return display.call("answers_frame", self)

    def to_json(self) -> str:
        """Everything needed to continue elsewhere: `askwise.from_json` reads it back. No pickle."""
        state = {"askwise": 1, "recipe": self.recipe, "log": self.log}
        if self.recipe is not None and self.wording != wording_of(self.recipe):
            state["wording"] = self.wording.as_dict()
        return json.dumps(state, allow_nan=False, default=lambda number: number.item())  # NumPy's numbers
