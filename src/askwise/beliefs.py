"""The evidence in force and the posterior of it. Nothing here changes: an answer or an undo gives new beliefs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from askwise.posteriors import Posterior
from askwise.reliability import reliabilities, reweighed
from askwise.streams import stream
from askwise.types import Answer

TRAIL = 16  # posteriors kept, so that taking back a recent answer costs nothing


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
    trail: tuple[tuple[int, Posterior], ...] = ()  # the posterior of the first so many of them; the last one of all
    turn: int = 0  # how often the evidence has changed
    trusted: Mapping[str, float] = field(default_factory=dict)  # how far each of several people is, from 0 to 1

    @property
    def posterior(self) -> Posterior:
        return self.trail[-1][1] if self.trail else self.prior

    def tell(self, id: str, answer: Answer) -> Beliefs:
        """With one more answer, to question `id`."""
        posterior = self.posterior.update(answer, stream(self.seed, self.turn, "update"))
        told = {**self.told, id: (self.turn, answer)}
        posterior, trusted = self._weighed(posterior, told)
        trail = (*self.trail[1 - TRAIL :], (len(told), posterior))
        return replace(self, told=told, trail=trail, turn=self.turn + 1, trusted=trusted)

    def undo(self, id: str) -> Beliefs:
        """Without the answer to question `id`: as if it had never come, from the latest posterior that lacks it."""
        place = list(self.told).index(id)
        told = {other: answer for other, answer in self.told.items() if other != id}
        trail = tuple((held, posterior) for held, posterior in self.trail if held <= place)
        held, posterior = trail[-1] if trail else (0, self.prior)
        for turn, answer in list(told.values())[held:]:
            posterior = posterior.update(answer, stream(self.seed, turn, "update"))
        posterior, trusted = self._weighed(posterior, told)
        if held < len(told):
            trail = (*trail, (len(told), posterior))
        return replace(self, told=told, trail=trail, turn=self.turn + 1, trusted=trusted)

    def _weighed(
        self, posterior: Posterior, told: Mapping[str, tuple[int, Answer]]
    ) -> tuple[Posterior, Mapping[str, float]]:
        """The posterior with everybody's answers trusted as far as they deserve it, where there are several people."""
        answers, rng = [answer for _, answer in told.values()], stream(self.seed, self.turn, "people")
        trusted = reliabilities(posterior, answers, rng)
        return (reweighed(posterior, answers, trusted, rng) if trusted else posterior), trusted
