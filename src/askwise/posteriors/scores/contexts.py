"""The scores of items within contexts: one Gaussian process over contexts and items.

In context c item i has the score f(i) + g_c(i): its score in general, and a deviation that belongs to the context, both
of one shape. The variances of the two add up to that of the shape, and `share` is the part of the score in general,
learned as in `groups`. What is wanted is f, so that a result holds for new contexts. Almost all of a factor is zero.

Where one person, the anchor, is right by definition, f + g is what the anchor thinks. Judge p thinks f + g + h_p: what
the judge adds has `taste` times the variance of f, which is learned, too. So any number of answers of a judge leaves
open how far the judge is from the anchor, and only answers of the anchor can tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import sparse

from askwise.losses import Loss
from askwise.posteriors.scores.groups import SHARES, GroupShape
from askwise.posteriors.scores.kernels import Shape, factor
from askwise.posteriors.scores.shaped import ShapedScores
from askwise.structures.contexts import ChoiceInContexts
from askwise.types import Answer, Atoms, Floats

TASTES = (0.0, 0.25, 1.0)  # of a judge, all equally likely; without an anchor there is none
SHARES_WITH_TASTES = (1 / 6, 1 / 2, 5 / 6)  # fewer than `SHARES`, since each comes with every taste


@dataclass(frozen=True)
class ContextShape(GroupShape):
    """A shape of scores in contexts, with the taste of judges.

    >>> ContextShape("individual", own=1.0, share=0.3, taste=0.25).taste
    0.25
    """

    taste: float = 0.0


@dataclass(frozen=True)
class AnchoredScores(ShapedScores):
    """Beliefs about scores in contexts, where judges may have a taste of their own and the anchor has none.

    Whoever is not named counts as the anchor. Judges have places in the order of their first answers; who comes after
    all places are taken shares the last one.
    """

    anchor: str = ""  # who has no taste beside the general one
    judges: Any = field(default_factory=lambda: np.zeros(0, dtype=str))  # (J,): the names of those with a place

    def update_all(self, answers: Sequence[Answer], rng: Generator) -> ShapedScores:
        """The beliefs after more answers."""
        fresh = dict.fromkeys([*self.judges.tolist(), *(answer.who for answer in answers)])
        names = [name for name in fresh if name not in (None, "", self.anchor)]
        known = replace(self, judges=np.array(names, dtype=str)) if len(names) > len(self.judges) else self
        return ShapedScores.update_all(known, known._placed(answers), rng)

    def reweighed(self, answers: Sequence[Answer], strengths: Floats, rng: Generator) -> ShapedScores:
        """The same answers, trusted as far as `strengths` (T,) say."""
        return super().reweighed(self._placed(answers), strengths, rng)

    def atoms_of(self, who: str, atoms: Atoms) -> Atoms:
        """What questions are about if this person answers them."""
        rows = np.asarray(atoms)
        return np.column_stack([rows, np.full(len(rows), self._place(who))])

    def _placed(self, answers: Sequence[Answer]) -> list[Answer]:
        return [answer._replace(atom=(*answer.atom, self._place(answer.who))) for answer in answers]

    def _place(self, who: str | None) -> int:
        """Of a judge; that of the anchor is after all of them. A judge who has not answered yet has the next one."""
        most: int = self.family.judges  # type: ignore[attr-defined]
        if who in (None, "", self.anchor):
            return most
        names = self.judges.tolist()
        return min(names.index(who) if who in names else len(names), most - 1)


def context_factor(alone: Floats, contexts: int, share: float, judges: int = 0, taste: float = 0.0) -> Any:
    """(N, D) -> (N + C N + J N, D + C D + J D), sparse: a factor of the scores in general and in each context, and of
    the tastes of judges, from one of the scores in general.

    >>> found = context_factor(np.ones((1, 1)), contexts=2, share=0.25).toarray()
    >>> (found @ found.T).round(4).tolist()
    [[0.25, 0.25, 0.25], [0.25, 1.0, 0.25], [0.25, 0.25, 1.0]]
    """
    general = sparse.kron(sparse.coo_array(np.ones((1 + contexts, 1))), np.sqrt(share) * alone)
    own = sparse.kron(sparse.eye_array(1 + contexts, contexts, k=-1), np.sqrt(1 - share) * alone)
    scores = sparse.hstack([general, own])
    if not judges:
        return sparse.csr_array(scores)
    tastes = sparse.kron(sparse.eye_array(judges), np.sqrt(taste * share) * alone)
    return sparse.csr_array(sparse.block_diag([scores, tastes]))


def context_prior(
    family: ChoiceInContexts,
    loss: Loss,
    contexts: int,
    features: Floats,
    shapes: Sequence[Shape],
    weights: Floats,
    sigma: float | None = None,
    shares: Sequence[float] | None = None,
    learns_bias: bool = False,
    anchor: str | None = None,
) -> ShapedScores:
    """The beliefs about the scores (N + C N + J N,) of items in general and in contexts before any answer.

    - `family`: what people are asked.
    - `loss`: how answers are noisy.
    - `contexts`: how many there are.
    - `features`: (N, D), of the items.
    - `shapes`: how scores may depend on features, each with a prior weight of `weights` (H,).
    - `sigma`: the prior scale of scores; None learns it.
    - `shares`: what share of the variance may be that of the scores in general, all equally likely; None: `SHARES`,
      or fewer with an anchor.
    - `learns_bias`: whether people may prefer a side.
    - `anchor`: who is right by definition; the judges of the family then may have a taste of their own.
    """
    judges = family.judges
    tastes = TASTES if judges and anchor is not None else (0.0,)
    if shares is None:
        shares = SHARES if len(tastes) == 1 else SHARES_WITH_TASTES
    alone = [factor(shape, features) for shape in shapes]
    cells = [
        (shape, own, share, taste)
        for shape, own in zip(shapes, alone, strict=True)
        for share in shares
        for taste in tastes
    ]
    count = len(shares) * len(tastes)
    prior = ShapedScores.prior(
        family,
        loss,
        [ContextShape(**asdict(shape), share=share, taste=taste) for shape, _, share, taste in cells],
        [context_factor(own, contexts, share, judges, taste) for _, own, share, taste in cells],
        np.repeat(weights, count) / count,
        sigma,
        learns_bias=learns_bias,
    )
    prior = replace(prior, kinds=np.repeat(np.arange(len(shapes)), count))
    if anchor is None:
        return prior
    parts = {part.name: vars(prior)[part.name] for part in fields(prior) if part.init}
    return AnchoredScores(**parts, anchor=anchor)
