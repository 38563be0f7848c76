"""What is computed between two answers, each thing at most once: draws, diameter, estimate, the reason to stop, and the
question to ask next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise.beliefs import Beliefs
from askwise.certificate import Certificate, Estimate, certify, estimate
from askwise.conversation import Conversation, Event, asked, key
from askwise.distances import form_of
from askwise.errors import NothingToAsk
from askwise.posteriors import Posterior
from askwise.problem import Problem
from askwise.split import average_diameter
from askwise.stopping import Stop
from askwise.strategies import Strategy
from askwise.streams import stream
from askwise.structures import prompt
from askwise.threads import one_thread
from askwise.types import Answer, Atoms, Sample, Scored

POSED = Scored(np.zeros(1), {"posed": True})  # a question that no rule chose


@dataclass(frozen=True)
class Aim:
    """What is wanted, and how it is pursued."""

    problem: Problem
    rule: Strategy
    stop: Stop | None
    seed: int
    draws: int
    candidates: int
    repeat: bool
    describe: Callable[[Any], Any]


class Turn:
    """One state of the beliefs under one aim. Safe to compute in a thread of its own."""

    def __init__(self, aim: Aim, beliefs: Beliefs):
        self.aim = aim
        self.beliefs = beliefs
        self.chosen: tuple[int, Event] | None = None  # a question worked out ahead, for that place in the log
        self.foreseen: str | None = None  # the reason to stop, where the turn was worked out ahead
        self._cache: dict[str, Any] = {}

    @property
    def posterior(self) -> Posterior:
        return self.beliefs.posterior

    @property
    def answers(self) -> list[Answer]:
        return [answer for _, answer in self.beliefs.told.values()]

    @property
    def sample(self) -> Sample:
        rng = stream(self.aim.seed, self.beliefs.turn, "sample")
        return self._once("sample", lambda: self.posterior.sample(self.aim.draws, rng))

    @property
    def diameter(self) -> float:
        return self._once("diameter", self._diameter)

    @property
    def estimate(self) -> Estimate:
        return self._once("estimate", self._estimate)

    @property
    def certificate(self) -> Certificate:
        rng = stream(self.aim.seed, self.beliefs.turn, "certificate")
        return self._once(
            "certificate", lambda: certify(self.aim.problem, self.posterior, self.estimate, self.answers, rng)
        )

    def reason(self, talk: Conversation) -> str | None:
        """Why it is time to stop, or None."""
        reason: str | None = self._once("reason", self._reason)
        if reason is None and not talk.open() and not len(self.fresh_atoms(talk)):
            return "every question was asked"
        return reason

    def choose(self, talk: Conversation) -> Event:
        """The question that the rule likes best, as an event to record."""
        if self.chosen is not None and self.chosen[0] == len(talk.log):
            return self.chosen[1]
        return self.best(talk, 1)[0]

    @one_thread
    def best(self, talk: Conversation, count: int) -> list[Event]:
        """The questions that the rule likes best, the very best first, each as if it were the next one asked."""
        aim, number = self.aim, len(talk.asked)
        atoms = self.fresh_atoms(talk)
        if not len(atoms):
            raise NothingToAsk("every candidate question was asked or skipped; undo one, or take the estimate as it is")
        scored = aim.rule(aim.problem, self.posterior, self.sample, atoms, stream(aim.seed, number, "rule"))
        cost = getattr(aim.problem.family, "cost", None)  # where answers cost more or less: the gain per unit
        gains = scored.gain if cost is None else scored.gain / cost(atoms)
        first = int(np.argmax(gains))
        others = [int(i) for i in np.argsort(-gains, kind="stable")[:count] if i != first][: count - 1]
        return [self.pose(talk, atoms[i], scored, i) for i in (first, *others)]

    def pose(self, talk: Conversation, atom: Any, scored: Scored = POSED, best: int = 0) -> Event:
        """The question about an atom, as an event to record."""
        number = len(talk.asked)
        shown = prompt(self.aim.problem.family, atom, stream(self.aim.seed, number, "show"))
        return asked(f"q{number + 1}", atom, shown, scored, best)

    def fresh_atoms(self, talk: Conversation) -> Atoms:
        """Candidates that may be asked."""
        rng = stream(self.aim.seed, len(talk.asked), "atoms")
        atoms = self.aim.problem.family.draw_atoms(self.aim.candidates, rng)
        taken = talk.taken(self.aim.repeat)
        if not taken:
            return atoms
        fresh = [index for index, atom in enumerate(np.asarray(atoms).tolist()) if key(atom) not in taken]
        return atoms[np.array(fresh, dtype=int)]

    @one_thread
    def _reason(self) -> str | None:
        if self.aim.stop is None:
            return None
        rng = stream(self.aim.seed, self.beliefs.turn, "stop")
        return self.aim.stop(self.aim.problem, self.posterior, self.sample, len(self.beliefs.told) + 1, rng)

    @one_thread
    def _diameter(self) -> float:
        form = form_of(self.aim.problem.distance, self.sample.structures)
        return average_diameter(form, self.sample.weights, self.sample.exact)

    def _estimate(self) -> Estimate:
        structure, distance = estimate(self.aim.problem, self.sample)
        return Estimate(self.aim.describe(structure), structure, distance)

    @one_thread
    def _once(self, name: str, compute: Callable[[], Any]) -> Any:
        """Computed at most once."""
        if name not in self._cache:
            self._cache[name] = compute()
        return self._cache[name]
