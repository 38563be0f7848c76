"""Whether answers speak against straight lines, where a goal was told shape="linear"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from askwise.goals.base.sets import with_sets
from askwise.goals.base.shapes import shaped_label_prior, shaped_prior
from askwise.losses import davidson, logistic
from askwise.posteriors import Posterior
from askwise.posteriors.scores.shape_sentence import times_in_words
from askwise.posteriors.scores.shaped import ShapedScores
from askwise.stopping.certificate import Objection
from askwise.structures.choice import ItemScores
from askwise.structures.linear import RowScores
from askwise.types import Answer, Floats

MAX_CHECKED_ROWS = 300  # the rows asked about, and random others: so many tell how far apart rows lie
WARNING_ODDS = 3.0  # from which on a certificate warns


@dataclass(frozen=True, eq=False)
class StraightLineCheck:
    """Compares the evidence of straight lines with that of all other shapes, on the answers that came.

    If straight lines are true, the odds against them reach k in at most one of k cases, whatever was asked.

    >>> rows = np.linspace(-1.0, 1.0, 9)[:, None]
    >>> inside = [Answer(row, 1 if 2 < row < 6 else -1) for row in range(9)]
    >>> check = StraightLineCheck(rows, labels=True)
    >>> print(check(3 * inside, None, np.random.default_rng(0)).sentence)
    straight lines explain the answers more than 1,000 times less well than other shapes: set shape to "learned"
    """

    features: Floats  # (N, P)
    labels: bool = False  # whether rows are labelled, not compared
    ties: bool = False
    sets: tuple[int, bool] = (2, False)  # how many items are shown, and whether the worst is asked for

    def __call__(self, answers: Sequence[Answer], posterior: Posterior | None, rng: Generator) -> Objection | None:
        """What speaks against straight lines, whatever the posterior; None if nothing much does."""
        odds = self.odds(answers, rng)
        if odds < WARNING_ODDS:
            return None
        explained = f"straight lines explain the answers {times_in_words(odds)} times less well than other shapes"
        return Objection(f'{explained}: set shape to "learned"')

    def odds(self, answers: Sequence[Answer], rng: Generator) -> float:
        """How many times better other shapes explain the answers than straight lines do."""
        if not answers:
            return 1.0
        atoms = np.array([answer.atom for answer in answers], dtype=int)
        asked = np.unique(atoms)
        others = np.setdiff1d(np.arange(len(self.features)), asked)
        more = min(len(others), max(0, MAX_CHECKED_ROWS - len(asked)))
        rows = np.union1d(asked, rng.choice(others, more, replace=False))
        places = np.searchsorted(rows, atoms)
        sides = [float(np.sign(answer.response)) for answer in answers]  # grades say nothing about shapes
        told = [Answer(place, side) for place, side in zip(places, sides, strict=True)]
        if not np.ptp(self.features[rows], axis=0).any():
            return 1.0
        prior = self._prior(self.features[rows])
        before, now = prior.prior_shape_weights, prior.update_all(told, rng).shape_weights
        straight = np.array([shape.is_linear for shape in prior.shapes])
        against, in_favour = (now[some].sum() / before[some].sum() for some in (~straight, straight))
        return float(against / max(in_favour, 1e-12))

    def _prior(self, features: Floats) -> ShapedScores:
        if self.labels:
            return shaped_label_prior("learned", features, RowScores(len(features)), None)
        pairs = ItemScores(len(features), ties=self.ties)
        family, loss = with_sets(pairs, davidson() if self.ties else logistic, *self.sets)
        return shaped_prior("learned", features, family, loss, None)
