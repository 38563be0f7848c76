"""Judges and a person answer in one study, until the goal is settled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from askwise.errors import DataError, NothingToAsk, SettingError
from askwise.evaluate.runs import Runs
from askwise.evaluate.summary import Evaluation, summarise
from askwise.goals.base.registry import goal_class
from askwise.options import choice, whole_number
from askwise.oracles import Oracle, OracleRun, answer
from askwise.oracles.reservations import Reservations
from askwise.session import Session
from askwise.session.answerers import checked_costs
from askwise.stopping import StopReason
from askwise.types import Question

GOALS = ("best_item", "ranking")
HUMAN = "human"  # what the log calls the person
DEFAULT_LABELS = 20  # that the person shares with the judges
LABEL_COST = 1.0  # of a person's answer, where nothing else is said
CALL_COST = 0.01  # of a judge's, while nothing is known
NEARLY_EQUAL = 0.99  # of the largest gain per cost: then who has answered least is asked
BATCH = 10  # calls between two looks at whom to ask

TOLD = object()  # what a person returns who tells the session by themselves
Person = Callable[[Question], Any]  # who answers with a response, None to skip, or `TOLD`


def start(runs: Runs, goal: str = "best_item", *, human: bool = False, **options: Any) -> Session:
    """A session that compares the systems by their replies.

    - `runs`: what the systems replied.
    - `goal`: best_item or ranking.
    - `human`: whether a person answers, too, who is right by definition. Without, it is the judges who are right.
    - `options`: of the goal, such as ties=True.

    >>> runs = Runs.of([{"prompt": "2 + 2", "a": "4", "b": "5"}, {"prompt": "3 + 3", "a": "6", "b": "7"}])
    >>> [option.name for option in start(runs).ask().options]
    ['A', 'B']
    """
    choice("goal", goal, GOALS)
    used = runs.sampled(int(options.get("seed", 0)))
    known = {"name": used.name_column, "contexts": list(used.replies), "features": []}
    session = goal_class(goal)(**{**known, **options, "anchor": HUMAN if human else None}).session(used.table)
    family: Any = session.problem.family
    if not family.atom_count:
        raise DataError("all systems gave the same replies, so there is nothing to judge; give replies that differ")
    return session


def evaluate(
    session: Session,
    judges: Mapping[str, Oracle],
    human: Person | None = None,
    *,
    labels: int = DEFAULT_LABELS,
    costs: Mapping[str, float] | None = None,
    jobs: int = 8,
    max_cost: float | None = None,
    progress: bool = False,
) -> Evaluation:
    """Lets judges and a person answer until the goal is settled, and says what was found.

    With a person, the first questions go to everybody: so each judge is measured. Later ones go to whoever gains most
    for what an answer costs. Each answer is recorded before the next question is asked; call it again to go on, also
    with other judges, or without the person: what the person answered, here or elsewhere, the judges are asked, too.

    - `session`: from `start`, or one that was saved.
    - `judges`: functions of a question, by the name under which they answer.
    - `human`: a function of a question that a person answers; None: nobody is asked.
    - `labels`: how many questions the person shares with each judge, at most.
    - `costs`: of one answer, by name; by default what the calls of a judge have cost, and 1 for the person.
    - `jobs`: calls in flight.
    - `max_cost`: what the calls of each judge may cost.
    - `progress`: show on a terminal how far it is.

    >>> rows = [{"prompt": f"{n} + {n}", "good": str(2 * n), "bad": "7"} for n in range(10, 30)]
    >>> session = start(Runs.of(rows), human=True, seed=1)
    >>> right = lambda question: "left" if question.options[1].body == "7" else "right"
    >>> found = evaluate(session, {"judge": right}, human=right, labels=3)
    >>> found.estimate, found.judges[0].trust, found.judges[0].both
    ('good', 1.0, 3)
    """
    labels = whole_number("labels", labels, at_least=0)
    if not judges and human is None:
        raise SettingError("nobody answers; give a judge, or a person")
    if HUMAN in judges:
        raise SettingError(f"a judge is called {HUMAN!r}, which is what the person is called; give another name")
    if human is not None and session.config.anchor != HUMAN:
        raise SettingError("a person answers, and the session was started without one; give start(..., human=True)")
    table = _Table(session, judges, human, labels, checked_costs(costs or {}), jobs, max_cost, progress)
    reason: StopReason | None = session.reason
    while reason is None:
        try:
            reason = table.turn() or session.reason
        except NothingToAsk as error:
            reason = StopReason(str(error), "exhausted")
    return summarise(session, HUMAN, reason)


class _Table:
    """Who answers at one session, and for what."""

    def __init__(
        self,
        session: Session,
        judges: Mapping[str, Oracle],
        human: Person | None,
        labels: int,
        costs: Mapping[str, float],
        jobs: int,
        max_cost: float | None,
        progress: bool,
    ):
        self.session, self.judges, self.human, self.labels = session, judges, human, labels
        self.costs, self.jobs, self.max_cost, self.progress = costs, jobs, max_cost, progress
        self.spent: set[str] = set()  # judges that may not be asked any more

    def turn(self) -> StopReason | None:
        """A question for the person, or some for a judge; the reason to stop if nobody may be asked."""
        self.session.refresh()
        log = self.session.event_log
        able = [name for name in self.judges if name not in self.spent]
        for name in able:
            if shared := self._not_shared_with(name):
                self._ask_judge(name, [self._posed(atom) for atom in shared])
                return None
        if self.human is not None and (not able or log.closed_count(HUMAN) < self.labels):
            self._ask_person()
            return None
        if not able:
            return StopReason("the judges have cost as much as they may", "budget")
        names = [*able, *([HUMAN] if self.human is not None else [])]
        found = self.session.whom({name: self._cost(name) for name in names})
        equal = [one.who for one in found if one.gain_per_cost >= NEARLY_EQUAL * found[0].gain_per_cost]
        who = min(equal, key=log.closed_count)
        if who == HUMAN:
            self._ask_person()
            return None
        run = self._ask_judge(who)
        idle = not run.answers + run.skips and run.reason.kind == "exhausted"  # others are answering what is left
        return run.reason if idle else None

    def _not_shared_with(self, name: str) -> list[tuple[int, ...]]:
        """What the person answered first and this judge was not asked yet, so that the judge can be measured."""
        asked = {self._atom(event) for event in self.session.event_log.closed(name)}
        told = [event for event in self.session.event_log.closed(HUMAN) if event["event"] == "tell"]
        first = dict.fromkeys(self._atom(event) for event in told[: self.labels])
        return [atom for atom in first if atom not in asked]

    def _atom(self, event: Mapping[str, Any]) -> tuple[int, ...]:
        """What an answer is about."""
        return tuple(self.session.event_log.ask_events[event["question"]]["atom"])

    def _posed(self, atom: tuple[int, ...]) -> Question:
        """An open question about this: one that a run before has left, or a new one."""
        log = self.session.event_log
        busy = Reservations(self.session, None).held_by_others()
        known = (id for id in log.open_questions() if tuple(log.ask_events[id]["atom"]) == atom and id not in busy)
        id = next(known, None)
        return self.session.pose(atom) if id is None else self.session.question(id)

    def _ask_judge(self, name: str, questions: list[Question] | None = None) -> OracleRun:
        """Answers of a judge, to these questions or to those that gain most."""
        most: dict[str, float] = {} if self.max_cost is None else {"cost": self.max_cost}
        if questions is None:
            most["answers"] = self.session.event_log.closed_count(name) + BATCH
        run = answer(
            self.session,
            self.judges[name],
            who=name,
            jobs=self.jobs,
            budget=most or None,
            progress=self.progress,
            questions=questions,
        )
        short = run.answers + run.skips < (BATCH if questions is None else len(questions))
        if short and run.reason.kind == "budget" and not self.session.done:
            self.spent.add(name)
        return run

    def _ask_person(self) -> None:
        assert self.human is not None
        busy = Reservations(self.session, None).held_by_others() & self.session.event_log.open_ids.keys()
        question = next((each for each in self.session.ask(len(busy) + 1) if each.id not in busy), None)
        if question is None:
            raise NothingToAsk("others are answering all questions that are left")
        said = self.human(question)
        if said is TOLD:
            return
        if said is None:
            self.session.skip(question, who=HUMAN)
        else:
            self.session.tell(said, question, who=HUMAN)

    def _cost(self, name: str) -> float:
        """Of one answer: as given, or as the answers before have cost."""
        if name in self.costs:
            return self.costs[name]
        if name == HUMAN:
            return LABEL_COST
        known = [event["cost"] for event in self.session.event_log.closed(name) if event.get("cost")]
        return sum(known) / len(known) if known else CALL_COST
