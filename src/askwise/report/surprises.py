"""Answers that disagree with the rest: what each one's chance was, given all the others.

Nobody samples the posterior again for each answer left out. The draws at hand are reweighted by one over the chance
they give that answer, which is exact for a whole finite posterior and an approximation for draws. Where that is rough,
the posterior of the other answers is computed if it takes them all at once; else the answer is not judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, sqrt
from typing import Any

import numpy as np

from askwise._runtime.streams import stream
from askwise.posteriors import UpdatesInBatch
from askwise.posteriors.scores.psis import pareto_shape
from askwise.problem import Problem, potential
from askwise.report.usage import ReportedAnswer
from askwise.session import Session
from askwise.types import Answer, Floats, Response, Sample

MIN_EFFECTIVE_DRAWS = 100  # with fewer, a chance is called rough
MAX_PARETO_SHAPE = 0.7  # of the weights; above, a chance is called rough
MAX_ROUGH_CHANCE = 0.5  # a rough chance above is not computed again
MAX_RECOMPUTED = 20  # answers whose chance is computed again
RECOMPUTED_DRAWS = 2000
ODD_CHANCE = 0.1  # the others speak against an answer that is less likely
ODD_DEVIATIONS = 2.0  # the others speak against a number that is further off
MAX_ODD_ANSWERS = 8


@dataclass(frozen=True)
class Surprise:
    """How badly one answer fits the others."""

    place: int  # of the answer, from 0
    chance: float  # of this answer given all the others; of a number this far off or further, the normal one
    off: float | None  # standard deviations above what the others suggest; None if the answers are not numbers
    rough: bool  # too few draws speak for the others alone: the answer may be odder still


@dataclass(frozen=True)
class OddAnswer:
    """An answer that the others speak against."""

    row: ReportedAnswer
    surprise: Surprise

    @property
    def fit(self) -> str:
        """How badly it fits, in a few letters.

        >>> row = ReportedAnswer("q1", "A or B?", "A", None, "", None, None, False)
        >>> OddAnswer(row, Surprise(0, 0.0823, None, rough=False)).fit
        'about 8 %'
        """
        found = self.surprise
        if found.off is not None:
            return f"{abs(found.off):.2g} sd {'above' if found.off > 0 else 'below'}"
        return "under 1 %" if found.chance < 0.01 else f"about {100 * found.chance:.0f} %"


def odd_answers(session: Session, sample: Sample, answers: Sequence[ReportedAnswer]) -> tuple[list[OddAnswer], bool]:
    """The answers that disagree most with the rest, the least expected first; and whether answers are numbers.

    `answers` are those of the session.

    >>> from askwise.goals import best_item
    >>> session = best_item(["tea", "coffee"], seed=1)
    >>> odd_answers(session, session.sample, [])
    ([], False)
    """
    found = sorted(_judged(session, surprises(session.problem, sample, session.answers)), key=lambda one: one.chance)
    odd = [one for one in found if (one.chance < ODD_CHANCE if one.off is None else abs(one.off) >= ODD_DEVIATIONS)]
    rows = {row.question: row for row in answers}
    asked = list(session.round.beliefs.told)  # in the order of session.answers
    numeric = bool(found) and found[0].off is not None
    return [OddAnswer(rows[asked[one.place]], one) for one in odd[:MAX_ODD_ANSWERS]], numeric


def _judged(session: Session, found: list[Surprise]) -> list[Surprise]:
    """Those whose chance is known well: rough ones are computed again or left out."""
    rough = [one for one in found if one.rough and one.off is None and one.chance < MAX_ROUGH_CHANCE]
    prior = session.prior
    if session.round.reliability or not isinstance(prior, UpdatesInBatch):
        rough = []
    again = [_recomputed(session, prior, one.place) for one in rough[:MAX_RECOMPUTED]]
    return [*(one for one in found if not one.rough), *again]


def _recomputed(session: Session, prior: Any, place: int) -> Surprise:
    """The same by draws from the posterior of the other answers."""
    answers = session.answers
    answer, rng = answers[place], stream(session.config.seed, place, "left out")
    posterior = prior.update_all([*answers[:place], *answers[place + 1 :]], rng)
    sample = posterior.sample(RECOMPUTED_DRAWS, rng)
    problem = session.problem
    predictions = problem.family.predict(sample.structures, np.asarray(answer.atom)[None])
    responses = list(problem.family.responses(predictions))
    chance = float(sample.weights @ problem.chances(predictions)[responses.index(answer.response), :, 0])
    return Surprise(place, min(1.0, chance), None, rough=False)


def surprises(problem: Problem, sample: Sample, answers: list[Answer]) -> list[Surprise]:
    """Every answer, the least expected first.

    >>> from askwise.distances import TableDistance
    >>> from askwise.losses import zero_one
    >>> from askwise.structures.finite import Finite
    >>> problem = Problem(Finite([[0, 0, 0], [1, 1, 1]]), TableDistance(1.0 - np.eye(2)), zero_one, beta=2.0)
    >>> told = [Answer(0, 1), Answer(1, 1), Answer(2, 0)]
    >>> odds = np.exp([-4.0, -2.0])
    >>> found = surprises(problem, Sample(np.arange(2), odds / odds.sum(), exact=True), told)
    >>> found[0].place, round(found[0].chance, 3)
    (2, 0.133)
    """
    if not answers:
        return []
    atoms = np.stack([np.asarray(answer.atom) for answer in answers])
    predictions = problem.family.predict(sample.structures, atoms)
    one = _number if np.ndim(problem.family.responses(predictions)) != 1 else _choice
    found = [
        one(problem, sample, predictions[:, [place]], place, answer.response) for place, answer in enumerate(answers)
    ]
    return sorted(found, key=lambda surprise: surprise.chance)


def _choice(problem: Problem, sample: Sample, alone: Floats, place: int, response: Response) -> Surprise:
    weights, rough = _without(problem, sample, alone, response)
    responses = list(problem.family.responses(alone))
    chance = float(weights @ problem.chances(alone)[responses.index(response), :, 0])
    return Surprise(place, min(1.0, chance), None, rough)


def _number(problem: Problem, sample: Sample, alone: Floats, place: int, response: Response) -> Surprise:
    """The residual over the spread of an answer: of what the entry may be and of the noise together."""
    weights, rough = _without(problem, sample, alone, response)
    entries, noise = alone[:, 0, 0], 0.5 / alone[:, 0, 1]
    mean = weights @ entries
    spread = weights @ ((entries - mean) ** 2 + noise)
    off = float((float(response) - mean) / np.sqrt(spread))
    return Surprise(place, erfc(abs(off) / sqrt(2)), off, rough)


def _without(problem: Problem, sample: Sample, alone: Floats, response: Response) -> tuple[Floats, bool]:
    """The weights of the draws had this answer not come: over what the posterior multiplied in for it. And whether too
    few draws are left with weight."""
    logs = potential(problem.family, problem.loss, problem.beta, alone, response)[:, 0]
    logs = np.where(sample.weights > 0, logs, -np.inf)
    weights = sample.weights * np.exp(logs - logs.max())
    weights /= weights.sum()
    if sample.exact:
        return weights, False
    heavy = not problem.loss.takes_decision and pareto_shape(logs) > MAX_PARETO_SHAPE
    return weights, 1 / float(weights @ weights) < MIN_EFFECTIVE_DRAWS or heavy
