"""The scores of several people: one Gaussian process over people and items.

Person p gives item i the score c(i) + d_p(i): a common taste and a deviation of their own, both of one shape. The
variances of the two add up to that of the shape, and `share` is the part of the common taste. So the covariance of the
scores of p and q is (share + (1 - share) [p = q]) K, where K is that of the shape. Every pair of a shape and a share is
a shape of `ShapedScores`, which learns from the answers how likely each is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from askwise.losses import Loss
from askwise.posteriors.scores.answer_coordinates import LinearScoreFamily
from askwise.posteriors.scores.kernels import Shape, factor
from askwise.posteriors.scores.shaped import ShapedScores
from askwise.types import Floats

SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)  # the midpoints of five equal parts: a uniform prior of the share


@dataclass(frozen=True)
class GroupShape(Shape):
    """A shape of scores with the share of their variance that people have in common.

    >>> GroupShape("individual", own=1.0, share=0.3).share
    0.3
    """

    share: float = 0.0


def group_factor(alone: Floats, people: int, share: float) -> Floats:
    """(N, D) -> (P N, E): a factor of the scores of all, from one of the scores of one person.

    >>> found = group_factor(np.ones((1, 1)), people=2, share=0.25)
    >>> (found @ found.T).round(4).tolist()
    [[1.0, 0.25], [0.25, 1.0]]
    """
    common, own = np.sqrt(share), np.sqrt(1 - share)
    parts = [np.kron(np.ones((people, 1)), common * alone)] if share > 0 else []
    return np.hstack([*parts, *([np.kron(np.eye(people), own * alone)] if share < 1 else [])])


def group_prior(
    family: LinearScoreFamily,
    loss: Loss,
    people: int,
    features: Floats,
    shapes: Sequence[Shape],
    weights: Floats,
    sigma: float | None = None,
    shares: Sequence[float] = SHARES,
) -> ShapedScores:
    """The beliefs about the scores (P N,) of a group before any answer.

    - `family`: what people are asked.
    - `loss`: how answers are noisy.
    - `people`: how many they are.
    - `features`: (N, D), of the items.
    - `shapes`: how scores may depend on features, each with a prior weight of `weights` (H,).
    - `sigma`: the prior scale of scores; None learns it.
    - `shares`: what share of the variance may be common, all equally likely.
    """
    alone = [factor(shape, features) for shape in shapes]
    pairs = [(shape, own, share) for shape, own in zip(shapes, alone, strict=True) for share in shares]
    prior = ShapedScores.prior(
        family,
        loss,
        [GroupShape(**asdict(shape), share=share) for shape, _, share in pairs],
        [group_factor(own, people, share) for _, own, share in pairs],
        np.repeat(weights, len(shares)) / len(shares),
        sigma,
    )
    return replace(prior, kinds=np.repeat(np.arange(len(shapes)), len(shares)))


def share_weights(posterior: ShapedScores) -> dict[float, float]:
    """How likely each share of the common taste is.

    >>> from askwise.losses import logistic
    >>> from askwise.posteriors.scores.kernels import INDIVIDUAL
    >>> from askwise.structures.groups import GroupChoice
    >>> family = GroupChoice(["Ann", "Ben"], 3)
    >>> prior = group_prior(family, logistic, 2, np.zeros((3, 0)), [INDIVIDUAL], np.ones(1), shares=(0.2, 0.8))
    >>> {share: round(weight, 3) for share, weight in share_weights(prior).items()}
    {0.2: 0.5, 0.8: 0.5}
    """
    found: dict[float, float] = {}
    for shape, weight in zip(posterior.shapes, posterior.shape_weights, strict=True):
        assert isinstance(shape, GroupShape)
        found[shape.share] = found.get(shape.share, 0.0) + float(weight)
    return found
