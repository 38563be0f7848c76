"""The exact posterior over finitely many structures, in log space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.errors import AnswerError, SettingError
from askwise.losses import Loss
from askwise.problem import check_beta, potential
from askwise.structures import Family
from askwise.types import Answer, Floats, Sample, Structures

MAX_EXACT_STRUCTURES = 3000  # with weight, of which a sample is the whole posterior; of more, independent draws


@dataclass(frozen=True)
class Enumerated:
    """Every structure of a family with its exact weight, for any loss and any beta up to infinity.

    >>> from askwise.losses import zero_one
    >>> from askwise.structures.finite import Finite
    >>> family = Finite([[0, 0, 1], [0, 1, 1]])
    >>> prior = Enumerated.prior(family, np.arange(2), zero_one, beta=float("inf"))
    >>> prior.update(Answer(1, 0), np.random.default_rng(0)).weights
    array([1., 0.])
    """

    family: Family  # the family of the structures
    structures: Structures  # all of them, `(G, ...)`
    loss: Loss  # what a structure pays for an answer
    beta: float  # the weight of a loss
    log_weights: Floats  # (G,), log-sum-exp zero

    @classmethod
    def prior(
        cls, family: Family, structures: Structures, loss: Loss, beta: float = 1.0, weights: Any = None
    ) -> Enumerated:
        """Beliefs before any answer: uniform over `structures` (G), unless `weights` (G,) say otherwise.

        A structure pays `beta` times the `loss` for each answer.

        :param family: The family of the structures.
        :param structures: All that can be true, `(G, ...)`.
        :param loss: What a structure pays for an answer.
        :param beta: The weight of a loss.
        :param weights: The prior weights `(G,)`; uniform by default.
        """
        check_beta(loss, beta)
        mass = np.ones(len(structures)) if weights is None else np.asarray(weights, dtype=float)
        if mass.shape != (len(structures),) or not np.isfinite(mass).all() or (mass < 0).any() or not mass.any():
            raise SettingError(
                f"prior weights must be {len(structures)} numbers, none negative, not all zero; got shape {mass.shape}"
            )
        with np.errstate(divide="ignore"):
            return cls(family, structures, loss, beta, np.log(mass / mass.sum()))

    @property
    def weights(self) -> Floats:
        """(G,), which sum to one."""
        return np.exp(self.log_weights)

    def update(self, answer: Answer, rng: Generator) -> Enumerated:
        predictions = self.family.predict(self.structures, np.asarray(answer.atom)[None])
        cost = potential(self.family, self.loss, self.beta, predictions, answer.response)[:, 0]
        raw = self.log_weights - cost
        largest = raw.max()
        if largest == -np.inf:
            raise AnswerError(
                f"the answer {answer.response!r} contradicts the earlier ones: no structure fits them all; "
                "give another answer, undo an earlier one, or allow noise with a finite beta"
            )
        # 10,000 answers at beta = 50 leave weights of e^-500000: subtract the largest before exp()
        return replace(self, log_weights=raw - largest - np.log(np.exp(raw - largest).sum()))

    def sample(self, count: int, rng: Generator) -> Sample:
        possible = np.flatnonzero(self.log_weights > -np.inf)
        weights = self.weights[possible]
        if len(possible) <= MAX_EXACT_STRUCTURES:  # for any count
            return Sample(self.structures[possible], weights / weights.sum(), exact=True)
        drawn = possible[rng.choice(len(possible), count, p=weights / weights.sum())]
        return Sample(self.structures[drawn], np.full(count, 1 / count), exact=False)

    def diagnostics(self) -> Mapping[str, float]:
        """The effective number of structures left."""
        return {"effective_structures": float(1 / (self.weights**2).sum())}
