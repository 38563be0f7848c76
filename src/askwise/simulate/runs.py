"""One simulated person answers the questions of one session: the only loop of ask, respond and tell."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise._runtime.streams import stream
from askwise.errors import NothingToAsk
from askwise.options import implementing
from askwise.session import Session
from askwise.session.events import match_response
from askwise.simulate.people import BoundedNoisePerson, LapsingPerson, ModelPerson, SimulatedPerson
from askwise.simulate.tastes import person_with_taste
from askwise.structures import HasUtilities
from askwise.types import Question, Response

RIVALS = 64  # draws that say which wrong answer misleads most
MAX_EFFORT = 200  # draws and candidates of a simulated question: enough to see how many questions it takes


@dataclass(frozen=True)
class SimulatedRun:
    """How undecided we were after 0, 1, ... answers of one person, and after how many answers it was settled.

    >>> SimulatedRun("expected", (1.0, 0.4, 0.04), stopped=2).answers
    2
    """

    rule: str
    diameters: tuple[float, ...]
    stopped: int | None  # None: the run ended before that, or answers or questions ran out
    error: float | None = None  # the distance of the estimate from the truth at the stop

    @property
    def answers(self) -> int:
        """How many answers the person gave."""
        return len(self.diameters) - 1


def person_streams(seed: int, count: int) -> Iterator[Generator]:
    """The random streams of a person's answers, one an answer.

    >>> len(list(person_streams(seed=0, count=3)))
    3
    """
    return (stream(seed, number, "person") for number in range(count))


def answer_question(session: Session, person: SimulatedPerson, rng: Generator) -> tuple[Question, Response]:
    """Lets the person answer the open question, or a new one; returns the question and what was said.

    - `session`: whose question it is; it is told the answer.
    - `person`: who answers.
    - `rng`: the person's randomness.

    >>> from askwise.goals import best_item
    >>> import numpy as np
    >>> session = best_item(["tea", "coffee"], draws=50)
    >>> sure = ModelPerson(session.problem, np.array([50.0, 0.0]))
    >>> question, response = answer_question(session, sure, np.random.default_rng(0))
    >>> question.options[question.responses.index(response)].name
    'tea'
    """
    question = session.ask()
    response = person.respond(question.atom, rng)
    if question.kind != "number":
        code, asked = response, session.event_log.ask_events[question.id]
        response = next(name for name in question.responses if match_response(asked, name).code == code)
    session.tell(response)
    return question, response


def simulate_answers(
    session: Session,
    person: SimulatedPerson,
    rngs: Iterable[Generator],
    *,
    until_settled: bool = False,
    deadline: float = inf,
) -> Iterator[tuple[Question, Response]]:
    """Lets the person answer one question after the other; yields each with what was said, once the session knows it.

    - `session`: whose questions they are; it is told the answers.
    - `person`: who answers.
    - `rngs`: the person's randomness, one generator an answer. The run ends when there are no more.
    - `until_settled`: end as soon as the session says so, or has nothing left to ask.
    - `deadline`: begin no answer after this moment of `time.monotonic`.

    >>> from askwise.goals import best_item
    >>> import numpy as np
    >>> session = best_item(["tea", "coffee", "water"], draws=50)
    >>> person = ModelPerson(session.problem, np.array([50.0, 0.0, -50.0]))
    >>> len(list(simulate_answers(session, person, person_streams(seed=0, count=2))))
    2
    """
    for rng in rngs:
        if (until_settled and session.done) or time.monotonic() >= deadline:
            return
        try:
            answered = answer_question(session, person, rng)
        except NothingToAsk:
            if until_settled:
                return
            raise
        yield answered


def simulate_person(
    session: Session,
    rule: str | None,
    person: int,
    limit: int,
    deadline: float = inf,
    drawn_from: Session | None = None,
    lapses: float = 0.0,
    taste: str | None = None,
) -> SimulatedRun:
    """Lets a person drawn from what is believed now answer on a copy of the session, until it is settled.

    - `session`: where the person starts; it stays as it is.
    - `rule`: which strategy asks; None for the session's own.
    - `person`: a number. The same number is the same person, with every strategy.
    - `limit`: answers at most.
    - `deadline`: a moment of `time.monotonic` at which the run ends in any case.
    - `drawn_from`: a session with the same problem, whose beliefs the person is drawn from; by default the session.
    - `lapses`: the share of answers in which the person, unlike the model, gives some other response.
    - `taste`: one of `TASTES`, of which the person is instead; of a session that has `item_features`.

    >>> from askwise.goals import best_item
    >>> run = simulate_person(best_item(["tea", "coffee", "water"], draws=50, epsilon=0.3), None, person=1, limit=50)
    >>> run.stopped == run.answers
    True
    """
    seed = 1 + session.config.seed + 7919 * (1 + person)
    copy = session.branch(seed=seed, rule=rule, effort=MAX_EFFORT)
    drawn = person_from_posterior(drawn_from or session, stream(session.config.seed, person, "plan"))
    problem = session.problem
    if taste is not None:
        drawn = person_with_taste(session, taste, drawn.truth, stream(session.config.seed, person, "taste"))
        problem = drawn.problem
    somebody = LapsingPerson(drawn, responses_of(session), lapses) if lapses else drawn
    rngs = (stream(seed, number, "person") for number in range(1, limit + 1))
    diameters = [copy.diameter]
    for _ in simulate_answers(copy, somebody, rngs, until_settled=True, deadline=deadline):
        diameters.append(copy.diameter)
    reason = copy.reason
    finished = reason is not None and reason.kind != "budget"  # settled, or nothing left to ask
    stopped, error = None, None
    if finished:
        found, truth = (np.asarray(one)[None] for one in (copy.estimate().structure, drawn.truth))
        if taste is not None:
            found = implementing("family", session.problem.family, HasUtilities, "one of items").utilities(found)
        stopped, error = len(diameters) - 1, float(problem.distance.paired(found, truth)[0])
    return SimulatedRun(rule or "its own", tuple(map(float, diameters)), stopped, error)


def responses_of(session: Session) -> list[Response]:
    """What may be answered to the questions of a session, where these are not numbers.

    >>> from askwise.goals import best_item
    >>> sorted(responses_of(best_item(["tea", "coffee"], draws=50)))
    [-1, 1]
    """
    family = session.problem.family
    atoms = family.draw_atoms(1, stream(session.config.seed, 0, "responses"))[:1]
    return list(family.responses(family.predict(session.round.sample.structures[:1], atoms)))


def person_from_posterior(session: Session, rng: Generator) -> ModelPerson | BoundedNoisePerson:
    """A person for whom something still plausible is true, and who answers as the model says.

    Where only a margin is known of the noise, the person makes the worst of it.

    >>> from askwise.goals import best_item
    >>> import numpy as np
    >>> person_from_posterior(best_item(["tea", "coffee"], draws=50), np.random.default_rng(0)).truth.shape
    (2,)
    """
    problem = session.problem
    sample = session.posterior.sample(2 if problem.margin is None else RIVALS, rng)
    truth: Any = sample.structures[rng.choice(len(sample.weights), p=sample.weights)]
    if problem.margin is None:
        return ModelPerson(problem, truth)
    return BoundedNoisePerson(problem.family, truth, problem.margin, adversarial=True, others=sample.structures)
