"""The evidence in force and the posterior of it. Nothing here changes: an answer or an undo gives new beliefs.

The posterior is a function of the answers in force, each with the turn it came at, and of nothing else: taken in one by
one, with everybody's reliability learned after each. So it is the same live, replayed, and resumed from a checkpoint,
whatever was kept on the way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from askwise.posteriors import Posterior
from askwise.reliability import reliabilities, reweighed
from askwise.streams import stream
from askwise.types import Answer

TRAIL = 16  # posteriors kept, so that taking back a recent answer costs nothing


class Kept(NamedTuple):
    """What is held true after the first so many answers."""

    answers: int
    posterior: Posterior
    trusted: Mapping[str, float]  # how far each of several people is, from 0 to 1


@dataclass(frozen=True)
class Beliefs:
    """What is held true after the answers in force.

    >>> import numpy as np
    >>> from askwise.losses import zero_one
    >>> from askwise.posteriors.enumerated import Enumerated
    >>> from askwise.structures.finite import Finite
    >>> prior = Enumerated.prior(Finite([[0, 0], [1, 1]]), np.arange(2), zero_one, beta=3.0)
    >>> beliefs = Beliefs(prior, seed=7)
    >>> told = beliefs.tell("q1", Answer(0, 1)).tell("q2", Answer(1, 1))
    >>> len(told.told), len(told.undo("q1").told), told.undo("q1").turn
    (2, 1, 3)
    """

    prior: Posterior
    seed: int
    told: Mapping[str, tuple[int, Answer]] = field(default_factory=dict)  # in order: the turn it came, the answer
    trail: tuple[Kept, ...] = ()  # after some of the answers; the last one after all of them
    turn: int = 0  # how often the evidence has changed

    @property
    def posterior(self) -> Posterior:
        return self.trail[-1].posterior if self.trail else self.prior

    @property
    def trusted(self) -> Mapping[str, float]:
        """How far each of several people is trusted, from 0 to 1; empty with one."""
        return self.trail[-1].trusted if self.trail else {}

    def tell(self, id: str, answer: Answer) -> Beliefs:
        """With one more answer, to question `id`."""
        told = {**self.told, id: (self.turn, answer)}
        return self._with(told, self.trail)

    def undo(self, id: str) -> Beliefs:
        """Without the answer to question `id`: as if it had never come, from the latest posterior that lacks it."""
        place = list(self.told).index(id)
        told = {other: answer for other, answer in self.told.items() if other != id}
        return self._with(told, tuple(kept for kept in self.trail if kept.answers <= place))

    def _with(self, told: Mapping[str, tuple[int, Answer]], trail: tuple[Kept, ...]) -> Beliefs:
        """These answers in force, of which the last of the trail has the first ones."""
        turns, answers = [turn for turn, _ in told.values()], [answer for _, answer in told.values()]
        for count in range(trail[-1].answers if trail else 0, len(told)):
            before = trail[-1].posterior if trail else self.prior
            trail = (*trail[1 - TRAIL :], self._after(before, answers[: count + 1], turns[count]))
        return replace(self, told=told, trail=trail, turn=self.turn + 1)

    def _after(self, before: Posterior, answers: list[Answer], turn: int) -> Kept:
        """After the last of these answers, which came at that turn, everybody trusted as far as they deserve it."""
        posterior = before.update(answers[-1], stream(self.seed, turn, "update"))
        rng = stream(self.seed, turn, "people")
        trusted = reliabilities(posterior, answers, rng)
        return Kept(len(answers), reweighed(posterior, answers, trusted, rng) if trusted else posterior, trusted)
