"""The population of a study: what the scores of people have in common, learned from those who answered before.

Scores of a new person have the prior N(mean, factor factor' - less less' + rest^2 C), where C is the covariance that
the shapes of the goal expect on average. Mean and covariance are learned by expectation maximisation: each person's
answers give a Gaussian posterior of their scores under the population so far, and the posteriors of all give the next
population. A few imaginary people with nothing in common are added, so that three real ones do not pass for everybody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from askwise.errors import SettingError
from askwise.posteriors.scores.kernels import Shape
from askwise.posteriors.scores.shape_points import PAIRS, AnswerLayout, Answers, Points, fit
from askwise.types import Floats

MIN_PEOPLE = 3  # before whom there is no population
MIN_ANSWERS = 5  # of somebody who counts
HALF_WEIGHT_PEOPLE = 4  # from whom on the population has half of the prior weight
MEAN_PSEUDO_PEOPLE = 0.5  # imaginary people whose scores are 0
COVARIANCE_PSEUDO_PEOPLE = 4.0  # imaginary people whose scores differ alike in all directions
TYPICAL_SPREAD = 2.0  # of scores, before anybody answered: real people are less decided than they could be
TYPICAL_LAPSE = 0.0475  # the prior mean of the share of answers given by accident
MAX_COORDINATES = 60  # of scores that depend on features
MAX_DIRECTIONS = 8  # in which people are known to differ more or less than in the others, which share one spread
MAX_ITEMS = 300  # whose scores can be learned without features
ROUNDS = 25
DECIMALS = 4  # of stored scores
SCALE_SPREAD = 0.7  # of how decided a person is, in doublings: others may be more or less so than the population
POPULATION = Shape("population")  # its covariance is learned


@dataclass(frozen=True)
class Population:
    """What scores (N,) people have in common.

    >>> Population.from_plain({"people": 3, "mean": [1.0, -1.0], "factor": [[0.5], [0.0]], "rest": 2.0}).weight
    0.42857142857142855
    """

    people: int
    mean: Floats  # (N,)
    factor: Floats  # (N, D): the directions in which people differ more than in the rest
    rest: float  # how much they differ in the other directions, in units of the shapes' own covariance
    less: Floats | None = None  # (N, E): the directions in which they differ less than in the rest

    @property
    def weight(self) -> float:
        """The prior weight of the population; the rest is for people unlike the others."""
        return self.people / (self.people + HALF_WEIGHT_PEOPLE)

    def covariance(self, base: Floats) -> Floats:
        """(N, N): the covariance of scores, where `base` (N, N) is that of the shapes."""
        found = self.factor @ self.factor.T + self.rest**2 * base
        return found if self.less is None else found - self.less @ self.less.T

    def extended(self, base: Floats) -> Population:
        """The same about more items, whose covariance by the shapes is `base` (M, M), the items known first.

        Given the scores of the known items, those of the others are as the shapes say, in units of `rest`.

        >>> known = Population(3, np.array([1.0, -1.0]), np.zeros((2, 1)), 2.0)
        >>> known.extended(np.array([[1.0, 0, 0.5], [0, 1, 0], [0.5, 0, 1]])).mean.tolist()
        [1.0, -1.0, 0.5]
        """
        count = len(self.mean)
        if count == len(base):
            return self
        slopes = base[count:, :count] @ np.linalg.pinv(base[:count, :count], hermitian=True)
        mean, factor, less = (
            None if part is None else np.concatenate([part, slopes @ part])
            for part in (self.mean, self.factor, self.less)
        )
        assert mean is not None
        assert factor is not None
        return Population(self.people, mean, factor, self.rest, less)

    def plain(self) -> dict[str, Any]:
        """As JSON can hold it."""
        known = {"mean": self.mean, "factor": self.factor} | ({} if self.less is None else {"less": self.less})
        numbers = {name: (values.round(DECIMALS) + 0.0).tolist() for name, values in known.items()}
        return {"people": self.people, **numbers, "rest": round(self.rest, DECIMALS)}

    @staticmethod
    def from_plain(stored: Mapping[str, Any]) -> Population:
        """What `plain` made."""
        try:
            people, mean, rest = int(stored["people"]), np.array(stored["mean"], dtype=float), float(stored["rest"])
            factor, less = (
                None if name not in stored else np.array(stored[name], dtype=float).reshape(len(mean), -1)
                for name in ("factor", "less")
            )
        except (KeyError, TypeError, ValueError):
            factor = None
        if factor is None:
            raise SettingError("population is not one that was learned; expected people, mean, factor and rest")
        finite = all(np.isfinite(values).all() for values in (mean, factor, less) if values is not None)
        if not (people >= 1 and rest > 0 and finite):
            raise SettingError("population has numbers that make no sense; expected what learn_population found")
        return Population(people, mean, factor, rest, less)


def scale_weights_around_one(scales: Floats) -> Floats:
    """(C,): the prior weight of each scale of the population's covariance.

    >>> scale_weights_around_one(np.array([0.5, 1.0, 2.0])).round(2)
    array([0.21, 0.58, 0.21])
    """
    weights = np.exp(-np.square(np.log2(scales) / SCALE_SPREAD) / 2)
    return weights / weights.sum()


class PersonAnswers(NamedTuple):
    """What one person answered: scores are `rows` @ coordinates."""

    rows: Floats  # (T, Q): of each question; several of one about more than two items, as `AnswerLayout` says
    responses: Floats  # (T,): 1, -1, or 0 for "about equal"


class CoordinateDistribution(NamedTuple):
    """A normal distribution of coordinates."""

    mean: Floats  # (Q,)
    covariance: Floats  # (Q, Q)
    mean_covariance: Floats  # (Q, Q): how well the mean is known


def learn_population(
    base: Floats,
    people: Sequence[PersonAnswers],
    ties: float = 0.0,
    limit: int = MAX_COORDINATES,
    layout: AnswerLayout = PAIRS,
) -> Population | None:
    """The population of people whose answers have rows (T, N) over items; None while there are too few people.

    - `base`: (N, N), the covariance of scores that the shapes expect on average.
    - `people`: those who answered; whoever gave fewer than five answers does not count.
    - `ties`: of the loss; 0 where answers cannot be equal.
    - `limit`: how many coordinates to learn in, those of the largest variance.
    - `layout`: of the rows of one answer.

    >>> rng = np.random.default_rng(0)
    >>> pairs = np.array([[1.0, -1, 0], [0, 1, -1], [1, 0, -1]])[[0, 1, 2, 0, 1, 2]]
    >>> found = learn_population(np.eye(3), [PersonAnswers(pairs, np.ones(6))] * 5)
    >>> bool(found.mean[0] > found.mean[1] > found.mean[2])
    True
    """
    counted = [person for person in people if len(person.responses) >= MIN_ANSWERS * layout.rows]
    if len(counted) < MIN_PEOPLE:
        return None
    basis = principal_basis(base, limit)
    within = [PersonAnswers(person.rows @ basis, person.responses) for person in counted]
    found = learn_gaussian(within, ties=ties, layout=layout)
    variances = np.square(basis).sum(axis=0)
    more, less, rest = telling_directions(found.covariance + found.mean_covariance, variances)
    return Population(len(counted), basis @ found.mean, basis @ more, rest, basis @ less)


def principal_basis(base: Floats, limit: int = MAX_COORDINATES) -> Floats:
    """(N, N) -> (N, Q): the directions of largest variance, as long as their standard deviations.

    >>> np.abs(principal_basis(np.diag([1.0, 4.0]), 1)).tolist()
    [[0.0], [2.0]]
    """
    values, vectors = np.linalg.eigh(base)
    chosen = np.flatnonzero(values > 1e-6 * values[-1])[::-1][:limit]
    found = vectors[:, chosen] * np.sqrt(values[chosen])
    return found * np.where(found[np.abs(found).argmax(axis=0), np.arange(len(chosen))] < 0, -1.0, 1.0)


def telling_directions(
    covariance: Floats, variances: Floats, limit: int = MAX_DIRECTIONS
) -> tuple[Floats, Floats, float]:
    """(Q, Q) -> (Q, D), (Q, E) and the spread of what is left: the covariance is nearly D D' - E E' + spread^2 I.

    The directions, `limit` in all, are those in which the scores' own variance differs most from what is left. A unit
    of each coordinate has `variances` (Q,) in scores. Were the directions of the largest variance chosen instead, all
    others would seem as unknown as the appeal of items that nobody was asked about.

    >>> more, less, spread = telling_directions(np.diag([5.0, 1.0, 1.0, 0.25]), np.ones(4), 2)
    >>> np.abs(more).T.tolist(), np.abs(less).T.round(2).tolist(), spread
    ([[2.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 0.87]], 1.0)
    """
    values, vectors = np.linalg.eigh(covariance)
    reach = np.square(vectors).T @ variances  # in scores
    left = np.arange(len(values))
    for _ in range(ROUNDS):
        rest = np.average(values[left], weights=reach[left])
        left = np.argsort(np.abs(values - rest) * reach)[: max(1, len(values) - limit)]
    known = np.setdiff1d(np.arange(len(values)), left)
    rest = np.average(values[left], weights=reach[left])
    above, below = known[values[known] > rest][::-1], known[values[known] <= rest]
    more, less = (vectors[:, each] * np.sqrt(np.abs(values[each] - rest)) for each in (above, below))
    return more, less, float(np.sqrt(rest))


def learn_gaussian(
    people: Sequence[PersonAnswers],
    *,
    ties: float = 0.0,
    lapse: float = TYPICAL_LAPSE,
    mean_pseudo_people: float = MEAN_PSEUDO_PEOPLE,
    covariance_pseudo_people: float = COVARIANCE_PSEUDO_PEOPLE,
    spread: float = TYPICAL_SPREAD,
    rounds: int = ROUNDS,
    layout: AnswerLayout = PAIRS,
) -> CoordinateDistribution:
    """Mean and covariance of people's coordinates, by expectation maximisation.

    The imaginary people make it the largest posterior density under a normal and inverse-Wishart prior.
    """
    size = people[0].rows.shape[1]
    target = spread**2 * np.eye(size)
    now = CoordinateDistribution(np.zeros(size), target, target)
    for _ in range(rounds):
        means, spreads, mean_covariance = posteriors(people, now, ties, lapse, mean_pseudo_people, layout)
        mean = means.sum(axis=0) / (len(people) + mean_pseudo_people)
        around = means - mean
        scatter = spreads + around.T @ around + mean_pseudo_people * np.outer(mean, mean)
        total = len(people) + covariance_pseudo_people + (mean_pseudo_people > 0)
        now = CoordinateDistribution(mean, (covariance_pseudo_people * target + scatter) / total, mean_covariance)
    return now


def posteriors(
    people: Sequence[PersonAnswers],
    prior: CoordinateDistribution,
    ties: float,
    lapse: float,
    mean_pseudo_people: float,
    layout: AnswerLayout = PAIRS,
) -> tuple[Floats, Floats, Floats]:
    """The means (n, Q) of people's coordinates given their answers, the sum (Q, Q) of the covariances, and the
    covariance (Q, Q) of the population's mean, which is wide where nobody was asked."""
    root = np.linalg.cholesky(prior.covariance)
    slots = [max(int((person.responses != 0).sum()) for person in people)]
    slots.append(max(int((person.responses == 0).sum()) for person in people))
    count = sum(slots)
    rank = min(count, len(root))
    rows, offsets = np.zeros((len(people), count, rank)), np.zeros((len(people), count))
    turns = []  # (Q, R) of each person: the coordinates that their answers inform
    for place, person in enumerate(people):
        equal = person.responses == 0
        order = np.argsort(equal, kind="stable")  # ties last, in slots of their own
        untied = int((~equal).sum())
        slot = np.concatenate([np.arange(untied), slots[0] + np.arange(len(equal) - untied)])
        signed = (person.rows * np.where(equal, 1.0, person.responses)[:, None])[order]
        turn, upper = np.linalg.qr((signed @ root).T)
        rows[place, slot, : upper.shape[0]] = upper.T
        offsets[place, slot] = signed @ prior.mean
        turns.append(turn)
    tied = np.arange(count) >= slots[0]
    lapses = np.array([lapse]), np.zeros(1)
    answers = Answers(rows, offsets, np.ones(count), tied, np.ones(count), ties, *lapses, layout=layout)
    size = len(people)
    start = Points(
        np.arange(size), np.ones(size), np.full(size, lapse), np.zeros((size, rank)), np.zeros((size, count)),
        np.zeros(size), np.full(size, 2), np.zeros(size),
    )  # fmt: skip
    found, roots = fit(answers, start)
    means, informed = np.empty((size, len(root))), np.zeros_like(root)
    for place, turn in enumerate(turns):
        used = turn.shape[1]
        means[place] = prior.mean + root @ (turn @ found.centers[place, :used])
        part = roots[place][:, :used]
        informed += turn @ (np.eye(used) - part.T @ part) @ turn.T
    known = np.linalg.inv(informed + max(mean_pseudo_people, 1e-9) * np.eye(len(root)))  # what answers say of the mean
    return means, root @ (size * np.eye(len(root)) - informed) @ root.T, root @ known @ root.T


def mean_covariance(weights: Floats, factors: Sequence[Floats]) -> Floats:
    """(M, M): of scores, on average over shapes."""
    pairs = zip(weights, factors, strict=True)
    return np.asarray(sum(weight * each @ each.T for weight, each in pairs)) / np.sum(weights)
