"""What we believe after some answers: the `Posterior` protocol and its optional capabilities.

One package a model, imported from there (``from askwise.posteriors.scores.logconcave import LogConcave``), so that
this module stays light. A posterior never changes: ``update`` returns the next one, ``sample`` leaves no trace, and
everything random comes from the generator that is passed in. Posteriors know problems and structures; they know no
strategy, session or file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator

from askwise.losses import Loss
from askwise.structures import Family
from askwise.types import Answer, Atoms, Capability, Floats, Sample


@runtime_checkable
class Drawn(Protocol):
    """What can be drawn from: all that a strategy needs.

    :param count: How many draws.
    :param rng: The generator that everything random comes from.
    """

    def sample(self, count: int, rng: Generator) -> Sample: ...


@runtime_checkable
class Posterior(Drawn, Protocol):
    """Beliefs about a structure: something to draw from and to update with answers.

    The draws of a sample are independent of each other and of those of any other sample. Draws of chains that continue
    are not: `Sample.chains` then says which chain each draw came from. Code that counts draws (the sequential test,
    certificates) reads it, and pairs draws of different chains.

    :param count: How many draws; a posterior of chains may return another number.
    :param rng: The generator that everything random comes from.
    :param answer: The answer that is added.
    """

    def update(self, answer: Answer, rng: Generator) -> Posterior: ...
    def diagnostics(self) -> Mapping[str, float]: ...  # effective sample size, acceptance, ...


@runtime_checkable
class UpdatesInBatch(Capability, Protocol):
    """Takes many answers at once, for less than one by one.

    :param answers: The answers that are added, oldest first.
    :param rng: The generator that everything random comes from.
    """

    def update_all(self, answers: Sequence[Answer], rng: Generator) -> Posterior: ...


@runtime_checkable
class Reweighs(Capability, Protocol):
    """Trusts answers to different degrees; a session with several people then learns how reliable each one is.

    :param answers: The answers so far, oldest first.
    :param strengths: How far each of them is trusted, `(T,)`, from 0 to 1.
    :param rng: The generator that everything random comes from.
    """

    @property
    def family(self) -> Family: ...
    @property
    def loss(self) -> Loss: ...
    @property
    def beta(self) -> float: ...
    # the same answers, each to the power of its strength (T,), from 0 to 1
    def reweighed(self, answers: Sequence[Answer], strengths: Floats, rng: Generator) -> Posterior: ...


@runtime_checkable
class DescribesShape(Capability, Protocol):
    """Learns how scores depend on features, and says what the answers show about it."""

    @property
    def shape_sentence(self) -> str | None: ...  # None where nothing can be said


@runtime_checkable
class AllowsLapses(Capability, Protocol):
    """Learns which share of the answers is given by accident; predicted chances then allow for it."""

    @property
    def lapse(self) -> float: ...  # the expected share


@runtime_checkable
class LearnsFromOthers(Capability, Protocol):
    """Starts from what other people answered before; the certificate says from how many."""

    @property
    def people_before(self) -> int: ...  # 0: nobody


@runtime_checkable
class LearnsLoss(Capability, Protocol):
    """Learns how people use the grades of an answer; strategies and certificates then use the loss it has learned."""

    @property
    def learned_loss(self) -> Loss | None: ...  # None: as the problem says


@runtime_checkable
class LearnsBias(Capability, Protocol):
    """Learns how far each person prefers the left one of two options, whatever stands there.

    :param count: How many draws.
    :param rng: The generator that everything random comes from.
    """

    @property
    def biases(
        self,
    ) -> Mapping[str, float]: ...  # by who answered: what they are expected to add to the left one's score
    # the draws of `sample`, and the bias of each person in each of them (S,)
    def sample_with_biases(self, count: int, rng: Generator) -> tuple[Sample, Mapping[str, Floats]]: ...


@runtime_checkable
class RefusesContradictions(Capability, Protocol):
    """Takes no answer to be wrong, and refuses one that contradicts earlier ones.

    :param answer: The answer that may contradict earlier ones.
    """

    def check_answer(self, answer: Answer) -> None: ...  # ContradictionError where `update` would raise it, but sooner


@runtime_checkable
class KnowsAnswerers(Capability, Protocol):
    """Expects of each person what they would answer: judges may have a taste of their own.

    :param who: Who is asked.
    :param atoms: The atoms `(A, ...)` of which they would be asked.
    """

    def atoms_of(self, who: str, atoms: Atoms) -> Atoms: ...  # what the atoms are if this person is asked


@runtime_checkable
class ReleasesMemory(Capability, Protocol):
    """Keeps what was computed from it for the next time, and can let go of that. Sessions ask this of the posteriors
    that are kept only for an undo."""

    def release_memory(self) -> None: ...  # what is needed again is computed again, with the same result


CAPABILITIES = (
    AllowsLapses,
    DescribesShape,
    KnowsAnswerers,
    LearnsBias,
    LearnsFromOthers,
    LearnsLoss,
    RefusesContradictions,
    ReleasesMemory,
    Reweighs,
    UpdatesInBatch,
)


def asked_atoms(posterior: Drawn, answers: Sequence[Answer]) -> Atoms:
    """(T, ...): what the answers are about, each as its author was asked.

    :param posterior: The beliefs, which may expect different things of different people.
    :param answers: The answers.

    >>> asked_atoms(None, [Answer((0, 1), 1), Answer((1, 2), -1)]).tolist()
    [[0, 1], [1, 2]]
    """
    atoms = [np.asarray(answer.atom) for answer in answers]
    if isinstance(posterior, KnowsAnswerers):
        atoms = [
            posterior.atoms_of(answer.who or "", atom[None])[0] for answer, atom in zip(answers, atoms, strict=True)
        ]
    return np.stack(atoms)


def update_all(posterior: Posterior, answers: Sequence[Answer], rng: Generator) -> Posterior:
    """The posterior after these answers: all at once if it can, else one by one.

    :param posterior: The beliefs before these answers.
    :param answers: The answers, oldest first.
    :param rng: The generator that everything random comes from.

    >>> import numpy as np
    >>> from askwise.losses import zero_one
    >>> from askwise.posteriors.enumerated import Enumerated
    >>> from askwise.structures.finite import Finite
    >>> prior = Enumerated.prior(Finite([[0, 0], [0, 1]]), np.arange(2), zero_one, beta=float("inf"))
    >>> update_all(prior, [Answer(0, 0), Answer(1, 1)], np.random.default_rng(0)).weights
    array([0., 1.])
    """
    if isinstance(posterior, UpdatesInBatch):
        return posterior.update_all(answers, rng)
    for answer in answers:
        posterior = posterior.update(answer, rng)
    return posterior
