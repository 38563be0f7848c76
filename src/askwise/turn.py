"""What is computed between two answers, each thing at most once: draws, diameter, estimate, the reason to stop, and the
question to ask next."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from askwise.batch import Branch, grow, imagine, per_cost, score
from askwise.beliefs import Beliefs
from askwise.certificate import Certificate, Estimate, certify, estimate
from askwise.conversation import Conversation, Event, asked
from askwise.distances import form_of
from askwise.errors import NothingToAsk
from askwise.pool import SURVIVORS, race
from askwise.posteriors import Posterior
from askwise.problem import Problem
from askwise.split import average_diameter
from askwise.stopping import Stop
from askwise.strategies import Strategy
from askwise.strategies.baselines import random
from askwise.streams import stream
from askwise.structures import prompt
from askwise.structures.pooled import PoolRows
from askwise.threads import one_thread
from askwise.types import Answer, Atoms, Response, Sample, Scored

Eligible = Callable[[list[Any], Any], bool]  # the atoms of the open questions, a candidate -> may it join them?
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
    changes: int = 0  # of the goal, before this one


class Turn:
    """One state of the beliefs under one aim. Safe to compute in a thread of its own."""

    def __init__(self, aim: Aim, beliefs: Beliefs):
        self.aim = aim
        self.beliefs = beliefs
        self.chosen: tuple[int, Event] | None = None  # a question worked out ahead, for that place in the log
        self.foreseen: str | None = None  # the reason to stop, where the turn was worked out ahead
        self.audit: dict[str, Any] = {}  # what a look at the race for a question found
        self._cache: dict[Hashable, Any] = {}
        self._imagined: tuple[list[str], list[Branch]] = [], []  # open questions, and what they may bring

    def retold(self, answers: Mapping[str, tuple[int, Answer]]) -> Turn:
        """The same turn with all that was computed, where the same was said by somebody else."""
        same = copy(self)
        same.beliefs = replace(self.beliefs, told=answers)
        return same

    def after(self, talk: Conversation, event: Event) -> Turn:
        """The turn after an answer that may come, with its question, draws and estimate."""
        told = talk.copy()
        told.record(event)
        after = Turn(self.aim, self.beliefs.tell(event["question"], talk.answer(event)))
        after.foreseen = after.reason(told)
        if after.foreseen is None and not told.open():
            after.chosen = len(told.log), after.choose(told)
        after.estimate, after.diameter  # noqa: B018  computed once, shown later
        return after

    @property
    def revision(self) -> int:
        """How often the evidence or the goal has changed. Undo raises it too, so that no two turns share a number."""
        return self.beliefs.turn + self.aim.changes

    @property
    def posterior(self) -> Posterior:
        return self.beliefs.posterior

    @property
    def answers(self) -> list[Answer]:
        return [answer for _, answer in self.beliefs.told.values()]

    @property
    def people(self) -> Mapping[str, float]:
        """How far each of several people is trusted; empty with one."""
        return self.beliefs.trusted

    @property
    def sample(self) -> Sample:
        rng = stream(self.aim.seed, self.revision, "sample")
        return self._once("sample", lambda: self.posterior.sample(self.aim.draws, rng))

    @property
    def diameter(self) -> float:
        return self._once("diameter", self._diameter)

    @property
    def estimate(self) -> Estimate:
        return self._once("estimate", self._estimate)

    @property
    def certificate(self) -> Certificate:
        rng = stream(self.aim.seed, self.revision, "certificate")
        return self._once(
            "certificate", lambda: certify(self.aim.problem, self.posterior, self.estimate, self.answers, rng)
        )

    def reason(self, talk: Conversation) -> str | None:
        """Why it is time to stop, or None."""
        reason: str | None = self._once("reason", self._reason)
        if reason is None and not talk.open() and not len(self.fresh_atoms(talk)):
            return "every question was asked"
        return reason

    def choose(self, talk: Conversation, eligible: Eligible | None = None) -> Event:
        """The question that adds most to those open, as an event to record."""
        if self.chosen is not None and self.chosen[0] == len(talk.log) and eligible is None:
            return self.chosen[1]
        branches = [] if self.aim.rule is random else self._branches(talk)  # random asks the same, whatever the answers
        return self.best(talk, 1, eligible, branches)[0]

    @one_thread
    def best(
        self, talk: Conversation, count: int, eligible: Eligible | None = None, branches: Sequence[Branch] = ()
    ) -> list[Event]:
        """The questions that the rule likes best, the very best first, each as if it were the next one asked.

        With `branches`, on average over what the open questions may bring; without, as if none were open.
        """
        aim, number = self.aim, len(talk.asked)
        atoms = self.fresh_atoms(talk, eligible)
        if not len(atoms):
            rest = "" if eligible is None else " or is not eligible"
            raise NothingToAsk(
                f"every candidate question was asked or skipped{rest}; undo one, or take the estimate as it is"
            )
        if branches:
            scored = score(aim.rule, aim.problem, branches, atoms, lambda: stream(aim.seed, number, "rule"))
        else:
            scored = aim.rule(aim.problem, self.posterior, self.sample, atoms, stream(aim.seed, number, "rule"))
        scored = scored._replace(info={**scored.info, **self.audit})
        gains = per_cost(aim.problem, scored.gain, atoms)
        best = [int(np.argmax(gains))] if count == 1 else np.argsort(-gains, kind="stable")[:count].tolist()
        return [self.pose(talk, atoms[i], scored, i) for i in best]

    def likely(self, event: Event) -> list[Response]:
        """The responses to a question, the likeliest first."""
        problem, codes = self.aim.problem, dict(event["codes"])
        predictions = problem.family.predict(self.sample.structures, np.asarray(event["atom"])[None])
        chances = problem.chances(predictions)[:, :, 0] @ self.sample.weights
        by_code = dict(zip(list(problem.family.responses(predictions)), chances.tolist(), strict=True))
        return sorted(event["responses"], key=lambda response: -by_code[codes[response]])

    def pose(self, talk: Conversation, atom: Any, scored: Scored = POSED, best: int = 0) -> Event:
        """The question about an atom, as an event to record."""
        number = len(talk.asked)
        shown = prompt(self.aim.problem.family, atom, stream(self.aim.seed, number, "show"))
        return asked(f"q{number + 1}", atom, shown, scored, best)

    def fresh_atoms(self, talk: Conversation, eligible: Eligible | None = None) -> Atoms:
        """Candidates that may be asked."""
        taken = talk.taken(self.aim.repeat)
        place = "fresh", len(talk.asked), frozenset(taken)  # looked at to stop, and again to choose
        atoms = self._once(place, lambda: self._untaken(self._candidates(talk, taken), taken))
        if eligible is None:
            return atoms
        waiting = [talk.asked[id]["atom"] for id in talk.open()]
        return atoms[np.array([eligible(waiting, atom) for atom in np.asarray(atoms).tolist()], dtype=bool)]

    @staticmethod
    def _untaken(atoms: Atoms, taken: set[Any]) -> Atoms:
        if not taken or not len(atoms):
            return atoms
        rows = np.asarray(atoms)
        known = set(_as_bytes(np.array(list(taken), dtype=rows.dtype)))
        return atoms[np.array([row not in known for row in _as_bytes(rows)], dtype=bool)]

    def _candidates(self, talk: Conversation, taken: set[Any]) -> Atoms:
        """What the family draws; of a pool on disk, what its race leaves, one race a turn while that is enough."""
        family, count = self.aim.problem.family, self.aim.candidates
        if not isinstance(family, PoolRows) or count < SURVIVORS:  # a branch in a hurry runs no race
            return family.draw_atoms(count, stream(self.aim.seed, len(talk.asked), "atoms"))
        if len(taken) >= count:
            return self._once(f"race {len(talk.log)}", lambda: self._race(taken))
        told = set() if self.aim.repeat else {int(answer.atom) for answer in self.answers}
        return self._once("race", lambda: self._race(told))

    def _race(self, masked: set[Any]) -> Atoms:
        aim = self.aim
        state = aim.problem, aim.rule, self.posterior, self.sample, masked, aim.seed, self.beliefs.turn
        atoms, self.audit = race(*state, survivors=aim.candidates)
        return atoms

    @one_thread
    def _branches(self, talk: Conversation) -> list[Branch]:
        """What the open questions may bring, if any are open. A batch that grows goes on from what was imagined."""
        ids, order, seed = talk.open(), list(talk.asked), self.aim.seed
        known, branches = self._imagined
        if known != ids[: len(known)]:
            known, branches = [], []
        if ids and not known:
            branches = imagine(self.posterior, self.sample, stream(seed, self.beliefs.turn, "truths"))
        for id in ids[len(known) :]:
            rng = stream(seed, order.index(id), "imagined")
            branches = grow(self.aim.problem, branches, talk.asked[id]["atom"], rng)
        self._imagined = ids, branches
        return branches

    @one_thread
    def _reason(self) -> str | None:
        if self.aim.stop is None:
            return None
        rng, answers = stream(self.aim.seed, self.revision, "stop"), len(self.beliefs.told)
        return self.aim.stop(self.aim.problem, self.posterior, self.sample, answers, self.revision + 1, rng)

    @one_thread
    def _diameter(self) -> float:
        form = form_of(self.aim.problem.distance, self.sample.structures)
        return average_diameter(form, self.sample.weights, self.sample.exact)

    def _estimate(self) -> Estimate:
        structure, distance = estimate(self.aim.problem, self.sample)
        return Estimate(self.aim.describe(structure), structure, distance)

    @one_thread
    def _once(self, name: Hashable, compute: Callable[[], Any]) -> Any:
        """Computed at most once."""
        if name not in self._cache:
            self._cache[name] = compute()
        return self._cache[name]


def _as_bytes(rows: Atoms) -> list[bytes]:
    """Each row as bytes, which are looked up in a set much faster than tuples."""
    whole, size = rows.tobytes(), rows[:1].nbytes
    return [whole[start : start + size] for start in range(0, len(whole), size)]
