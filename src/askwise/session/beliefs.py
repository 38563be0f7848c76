"""The evidence in force and the posterior of it. Nothing here changes: an answer or an undo gives new beliefs.

The posterior is a function of the answers in force, each with the revision it came at, and of nothing else: they
are taken in one by one, and everybody's reliability is learned after each. So it is the same live, replayed, and
resumed from a checkpoint.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from askwise._runtime.streams import stream
from askwise.posteriors import Posterior, ReleasesMemory, update_all
from askwise.session.reliability import (
    estimate_reliabilities,
    learns_reliability,
    measure_against_anchor,
    reweigh,
)
from askwise.types import Answer

MAX_TRAIL_ANSWERS = 16  # whose posteriors are kept, so that taking back a recent one costs little
RECENT_ANSWERS = 4  # of them whose posteriors are all kept
KEPT_EVERY = 4  # of those before, one in so many


class TrailEntry(NamedTuple):
    """What is held true after the first so many answers."""

    answers: int
    posterior: Posterior
    reliability: Mapping[str, float]  # how far each of several people is, from 0 to 1


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
    >>> len(told.told), len(told.undo("q1").told), told.undo("q1").revision
    (2, 1, 3)
    """

    prior: Posterior
    seed: int
    told: Mapping[str, tuple[int, Answer]] = field(default_factory=dict)  # in order: the revision it came, the answer
    trail: tuple[TrailEntry, ...] = ()  # after some of the answers; the last one after all of them
    revision: int = 0  # how often the evidence has changed
    anchor: str | None = None  # who is right by definition
    anchored: dict[tuple[int, ...], Posterior] = field(default_factory=dict, compare=False, repr=False)  # one, of the
    # anchor's answers, by the revisions that they came at

    @property
    def latest(self) -> TrailEntry:
        """What is believed after all answers in force."""
        return self.trail[-1] if self.trail else TrailEntry(0, self.prior, {})

    @property
    def posterior(self) -> Posterior:
        """The posterior of the answers in force."""
        return self.latest.posterior

    @property
    def reliability(self) -> Mapping[str, float]:
        """The reliability of each of several people, from 0 to 1; empty with one."""
        return self.latest.reliability

    def tell(self, id: str, answer: Answer) -> Beliefs:
        """With one more answer, to question `id`."""
        told = {**self.told, id: (self.revision, answer)}
        return self._with(told, self.trail)

    def undo(self, id: str) -> Beliefs:
        """Without the answer to question `id`: as if it had never come, from the latest posterior that lacks it."""
        place = list(self.told).index(id)
        told = {other: answer for other, answer in self.told.items() if other != id}
        return self._with(told, tuple(kept for kept in self.trail if kept.answers <= place))

    def with_answers(self, told: Mapping[str, tuple[int, Answer]]) -> Beliefs:
        """With these answers in place of those in force, from the latest posterior that has only some of them: as if
        the others had never come."""
        pairs = zip(told, self.told, strict=False)
        same = next((place for place, (one, other) in enumerate(pairs) if one != other), min(len(told), len(self.told)))
        return self._with(told, tuple(kept for kept in self.trail if kept.answers <= same))

    def with_prior(self, prior: Posterior) -> Beliefs:
        """The same answers from another prior, such as one about more items."""
        fresh = replace(self, prior=prior, anchored={})
        return replace(fresh._with(self.told, ()), revision=self.revision)

    def _with(self, told: Mapping[str, tuple[int, Answer]], trail: tuple[TrailEntry, ...]) -> Beliefs:
        """These answers in force, of which the last of the trail has the first ones."""
        revisions, answers = [revision for revision, _ in told.values()], [answer for _, answer in told.values()]
        # other beliefs that follow from these ones have other answers of the same revision
        after = replace(self, told=told, revision=self.revision + 1, anchored=self.anchored.copy())
        for count in range(trail[-1].answers if trail else 0, len(told)):
            before, trusted = (trail[-1].posterior, trail[-1].reliability) if trail else (self.prior, {})
            ages = [(count + 1 - kept.answers, kept) for kept in trail]
            kept = [
                entry
                for age, entry in ages
                if age < RECENT_ANSWERS or (age < MAX_TRAIL_ANSWERS and entry.answers % KEPT_EVERY == 0)
            ]
            trail = (*kept, after._after(before, trusted, answers[: count + 1], revisions[: count + 1]))
        for entry in trail[:-2]:  # but not of the last one that others may go on from
            if isinstance(entry.posterior, ReleasesMemory):
                entry.posterior.release_memory()
        return replace(after, trail=trail)

    def _after(
        self, before: Posterior, before_trusted: Mapping[str, float], answers: list[Answer], revisions: list[int]
    ) -> TrailEntry:
        """After the last of these answers, everybody trusted as far as they deserve it."""
        posterior = before.update(answers[-1], stream(self.seed, revisions[-1], "update"))
        rng = stream(self.seed, revisions[-1], "people")
        theirs = [place for place, answer in enumerate(answers) if answer.who == self.anchor]
        if self.anchor is None or not theirs:
            trusted = estimate_reliabilities(posterior, answers, rng)
        elif len(theirs) < len(answers) and learns_reliability(posterior):
            alone = self._anchored([answers[place] for place in theirs], tuple(revisions[place] for place in theirs))
            # the same draws measure everybody, so that nobody's strength changes without a shared question
            trusted = measure_against_anchor(
                alone, answers, self.anchor, stream(self.seed, revisions[theirs[-1]], "measure")
            )
        else:
            trusted = {}
        full = all(strength == before_trusted.get(who, 1.0) == 1.0 for who, strength in trusted.items())
        if not trusted or (self.anchor is not None and full):  # all count in full, as before
            return TrailEntry(len(answers), posterior, trusted)
        return TrailEntry(len(answers), reweigh(posterior, answers, trusted, rng), trusted)

    def _anchored(self, answers: list[Answer], revisions: tuple[int, ...]) -> Posterior:
        """The posterior of the anchor's answers alone."""
        if revisions not in self.anchored:
            found = update_all(self.prior, answers, stream(self.seed, revisions[-1], "anchor"))
            self.anchored.clear()
            self.anchored[revisions] = found
        return self.anchored[revisions]
