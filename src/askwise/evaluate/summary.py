"""What an evaluation has found: the result, how far each judge is trusted, and what it took."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from askwise.goals.base.findings import quantiles
from askwise.goals.base.texts import in_words, one_line, percent, plural
from askwise.losses import sigmoid
from askwise.session import Session
from askwise.session.reliability import agreements
from askwise.stopping import StopReason

INTERVAL = (0.1, 0.9)  # of what is still plausible


@dataclass(frozen=True)
class JudgeRecord:
    """What a judge did in the whole study, and how far it is trusted.

    >>> print(JudgeRecord("gpt", 40, 0, 0.2, 0.64, 17, 20))
    gpt: 40 calls at a cost of 0.2. It agreed with the person on 17 of 20 questions: trusted to 0.64.
    """

    name: str  # under which the judge answers
    calls: int  # that led to an answer or a skip
    skips: int  # questions without an answer
    cost: float  # of all calls
    trust: float | None  # from 0, a guess, to 1; None: nobody to compare with
    agreed: int  # with the person
    both: int  # questions that both answered

    def __str__(self) -> str:
        cost = f" at a cost of {self.cost:.6g}" if self.cost else ""
        skipped = f" ({self.skips} skipped)" if self.skips else ""
        done = f"{self.name}: {plural(self.calls, 'call')}{skipped}{cost}."
        if not self.both:
            return f"{done} It was not compared with a person, so it counts in full."
        shared = f"It agreed with the person on {self.agreed} of {plural(self.both, 'question')}"
        return f"{done} {shared}: trusted to {self.trust:.2f}."


@dataclass(frozen=True)
class WinRate:
    """How often the best system's reply is better than another's, on a new prompt.

    >>> print(WinRate("old", 0.7, 0.6, 0.8))
    better than old on 70 % of new prompts (60 % to 80 %)
    """

    other: str
    mean: float
    low: float  # of what is still plausible, four fifths lie between
    high: float

    def __str__(self) -> str:
        low, high = percent(self.low), percent(self.high)
        return f"better than {self.other} on {percent(self.mean)} of new prompts ({low} to {high})"


@dataclass(frozen=True)
class Evaluation:
    """The result of an evaluation."""

    estimate: Any  # one name, or all names in order
    best: str  # the best system
    gives_up: float  # what choosing the best gives up, as the certificate says
    chance: float  # that the estimate is exactly right
    certificate: str  # the certificate in words
    reason: str  # why it ended
    settled: bool  # whether the goal was reached
    judges: tuple[JudgeRecord, ...]  # what each judge did
    labels: int  # answers of the person
    all_pairs: int  # calls that a judge would need for all pairs of different replies
    wins: tuple[WinRate, ...]  # the win rate of each system

    @property
    def calls(self) -> int:
        """Of all judges."""
        return sum(judge.calls for judge in self.judges)

    @property
    def cost(self) -> float:
        """Of all judges."""
        return sum(judge.cost for judge in self.judges)

    @property
    def all_pairs_cost(self) -> float:
        """What one judge would cost for all pairs on all prompts, at the mean cost of a call so far."""
        return self.cost * self.all_pairs / self.calls if self.calls else 0.0

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return asdict(self) | {"calls": self.calls, "cost": self.cost, "all_pairs_cost": self.all_pairs_cost}

    def __str__(self) -> str:
        sure = f"We are {in_words(self.chance)} sure." if self.settled else f"Not settled: {self.reason}."
        spent = f" at a cost of {self.cost:.6g}" if self.cost else ""
        other = f" at about {self.all_pairs_cost:.4g}" if self.cost else ""
        saved = (
            f"{plural(self.calls, 'call')}{spent}, in place of {self.all_pairs:,}{other} for all pairs on all prompts"
        )
        return "\n".join(
            [
                f"{one_line(self.estimate)}. {sure}",
                self.certificate,
                *(f"{self.best} is {win}." for win in self.wins),
                *map(str, self.judges),
                f"{saved}, and {plural(self.labels, 'label')} of a person.",
            ]
        )


def summarise(session: Session, human: str, reason: StopReason) -> Evaluation:
    """What was found so far, and what it took in all runs.

    - `session`: in which judges and the person have answered.
    - `human`: what the log calls the person.
    - `reason`: why it ended.
    """
    family: Any = session.problem.family
    certificate = session.certificate()
    value = session.estimate().value
    best = value if isinstance(value, str) else value[0]
    return Evaluation(
        value,
        best,
        certificate.estimate.expected_distance,
        certificate.probability_exact,
        str(certificate),
        str(reason),
        reason.kind == "settled",
        judge_records(session, human),
        sum(answer.who == human for answer in session.answers),
        family.atom_count,
        tuple(_wins(session, family.names.index(best))),
    )


def judge_records(session: Session, human: str | None) -> tuple[JudgeRecord, ...]:
    """Everybody but the person who has answered, in the order they came. Calls that were taken back count, too: they
    are paid.

    - `session`: in which they have answered.
    - `human`: what the log calls the person, if there is one.

    >>> from askwise import best_item
    >>> session = best_item(["tea", "coffee", "water"], seed=1)
    >>> session.tell("left", session.ask(), who="gpt", cost=0.25)
    >>> print(*judge_records(session, None))
    gpt: 1 call at a cost of 0.25. It was not compared with a person, so it counts in full.
    """
    given = [event for event in session.log if event["event"] in ("tell", "skip") and event.get("who") != human]
    shared = {} if human is None else agreements(session.answers, human)
    found = []
    for name in dict.fromkeys(event.get("who") for event in given):
        mine = [event for event in given if event.get("who") == name]
        skips = sum(event["event"] == "skip" for event in mine)
        cost = float(sum(event.get("cost", 0.0) for event in mine))
        agreed, both = shared.get(name or "", (0, 0))
        found.append(
            JudgeRecord(name or "somebody", len(mine), skips, cost, session.people.get(name or ""), agreed, both)
        )
    return tuple(found)


def _wins(session: Session, best: int) -> list[WinRate]:
    """The best against each other system, on prompts about which nothing was asked: they stand for new ones."""
    family: Any = session.problem.family
    contexts, scores = len(family.contexts), family.scores_within(session.sample.structures)
    asked = {int(answer.atom[0]) for answer in session.answers}
    new = [place for place in range(contexts) if place not in asked] or list(range(contexts))
    found = []
    for other in (place for place in family.active.tolist() if place != best):
        rates = np.asarray(sigmoid(scores[:, new, best] - scores[:, new, other], 1)).mean(axis=1)
        low, high = quantiles(rates[:, None], session.sample.weights, INTERVAL).ravel()
        found.append(WinRate(family.names[other], float(session.sample.weights @ rates), float(low), float(high)))
    return found
