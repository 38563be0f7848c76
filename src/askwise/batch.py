"""Questions worth asking together: what a candidate still adds once the open questions have their answers.

Nobody knows these answers yet, so some dozens of answer vectors are imagined: a draw of the posterior is taken for the
truth and answers every open question. Vectors that begin alike share a branch. A branch holds the draws reweighed by
its answers, or fresh ones where reweighing leaves too few. A candidate's gain is the mean over the branches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.posteriors import Posterior
from askwise.problem import Problem
from askwise.strategies import Strategy
from askwise.types import Answer, Atoms, Floats, Sample, Scored, Structures

VECTORS = 32  # of answers
FEW = 50  # effective draws, or a quarter of all if that is less: below, fresh ones are drawn
DRAWS = 6400  # scored in all branches together
LEAST = 200  # draws of a branch, where there are more
SCOUTS = 4  # branches that look at all candidates
SHORT = 256  # candidates that the other branches look at


@dataclass(frozen=True)
class Branch:
    """One way in which the open questions may be answered, and what would be believed then."""

    truths: Structures  # the structures that answer so
    sample: Sample  # reweighed by the answers, or drawn after them
    posterior: Posterior  # has heard all but these:
    unheard: tuple[Answer, ...] = ()


def imagine(posterior: Posterior, sample: Sample, rng: Generator) -> list[Branch]:
    """Before any question: a single branch, with as many truths as vectors, spread evenly over the sample.

    >>> from askwise.losses import zero_one
    >>> from askwise.posteriors.enumerated import Enumerated
    >>> from askwise.structures.finite import Finite
    >>> prior = Enumerated.prior(Finite([[0], [1]]), np.arange(2), zero_one, weights=[0.25, 0.75])
    >>> rng = np.random.default_rng(0)
    >>> np.bincount(imagine(prior, prior.sample(2, rng), rng)[0].truths)
    array([ 8, 24])
    """
    levels = (rng.random() + np.arange(VECTORS)) / VECTORS
    places = np.searchsorted(np.cumsum(sample.weights), levels)
    truths = sample.structures[np.minimum(places, len(sample.weights) - 1)]
    return [Branch(truths, sample, posterior)]


def grow(problem: Problem, branches: Sequence[Branch], atom: Any, rng: Generator) -> list[Branch]:
    """The branches after one more open question."""
    return [grown for branch in branches for grown in _answered(problem, branch, np.asarray(atom), rng)]


def score(
    rule: Strategy, problem: Problem, branches: Sequence[Branch], atoms: Atoms, rng: Callable[[], Generator]
) -> Scored:
    """The rule's mean gain. All branches get the same random numbers, so that a rule of chance is one chance, not many.

    The likeliest branches look at all atoms, the others at the best of these.
    """
    most = max(DRAWS // len(branches), LEAST)
    ordered = sorted(branches, key=lambda branch: -len(branch.truths))

    def mean(some: Sequence[Branch], over: Atoms) -> Floats:
        total = np.zeros(len(over))
        for branch in some:
            sample = thinned(branch.sample, most)
            total += len(branch.truths) / VECTORS * rule(problem, Resampled(sample), sample, over, rng()).gain
        return total

    gains = mean(ordered[:SCOUTS], atoms)
    short = np.argsort(-per_cost(problem, gains, atoms), kind="stable")[:SHORT]
    if not gains[short].all():  # a rule that names one atom ranks no others
        short = np.arange(len(atoms))
    left = np.zeros(len(atoms))
    left[short] = gains[short] + mean(ordered[SCOUTS:], atoms[short])
    return Scored(left, {"branches": len(branches)})


def per_cost(problem: Problem, gains: Floats, atoms: Atoms) -> Floats:
    """Where answers cost more or less: the gain per unit."""
    cost = getattr(problem.family, "cost", None)
    return gains if cost is None else gains / cost(atoms)


@dataclass(frozen=True)
class Resampled:
    """A branch's draws as the posterior of a rule that wants more of them."""

    drawn: Sample

    def sample(self, count: int, rng: Generator) -> Sample:
        places = rng.choice(len(self.drawn.weights), count, p=self.drawn.weights)
        return Sample(self.drawn.structures[places], np.full(count, 1 / count), exact=False)


def thinned(sample: Sample, most: int) -> Sample:
    """At most so many draws, in proportion to their weights; most of the light ones are left out.

    >>> fewer = thinned(Sample(np.arange(4), np.array([0.64, 0.3, 0.04, 0.02]), exact=True), 3)
    >>> fewer.structures, fewer.weights.round(2)
    (array([0, 1]), array([0.67, 0.33]))
    """
    if len(sample.weights) <= most:
        return sample
    counts = np.diff(np.ceil(np.cumsum(sample.weights) * most - 0.5), prepend=0.0)
    kept = np.flatnonzero(counts)
    return Sample(sample.structures[kept], counts[kept] / counts.sum(), exact=False)


def effective(weights: Floats) -> float:
    """How many equal weights are worth as much.

    >>> effective(np.array([0.5, 0.5, 0.0]))
    2.0
    """
    squares = float(weights @ weights)
    return float(weights.sum()) ** 2 / squares if squares else 0.0


def _answered(problem: Problem, branch: Branch, atom: Any, rng: Generator) -> Iterator[Branch]:
    """One branch for each answer that some of the branch's truths give."""
    held = problem.family.predict(branch.sample.structures, atom[None])
    said = _said(problem, problem.family.predict(branch.truths, atom[None]), rng)
    for response in dict.fromkeys(said):
        truths = branch.truths[np.flatnonzero([own == response for own in said])]
        weights = branch.sample.weights * problem.likelihood(held, response)[:, 0]
        heard = replace(branch, truths=truths, unheard=(*branch.unheard, Answer(atom, response)))
        if branch.sample.exact or effective(weights) >= min(FEW, len(weights) / 4):
            yield replace(heard, sample=branch.sample._replace(weights=weights / weights.sum()))
        else:
            yield _refreshed(heard, rng)


def _refreshed(branch: Branch, rng: Generator) -> Branch:
    """The same branch with draws of the posterior that has heard all its answers."""
    posterior = branch.posterior
    at_once = getattr(posterior, "update_all", None)  # where that is cheaper than one by one
    if at_once is not None:
        posterior = at_once(branch.unheard, rng)
    else:
        for answer in branch.unheard:
            posterior = posterior.update(answer, rng)
    count = min(len(branch.sample.weights), LEAST)
    return Branch(branch.truths, posterior.sample(count, rng), posterior)


def _said(problem: Problem, predictions: Floats, rng: Generator) -> list[Any]:
    """(K,): what each of K truths answers."""
    draw = getattr(problem.family, "draw_responses", None)  # for answers that are numbers
    if draw is not None:
        return list(draw(predictions, rng)[:, 0].tolist())
    chances = problem.chances(predictions)[:, :, 0]  # (Y, K)
    count = chances.shape[1]
    levels = (rng.permutation(count) + rng.random(count)) / count  # spread evenly
    places = (levels > np.cumsum(chances, axis=0)[:-1]).sum(axis=0)
    responses = list(problem.family.responses(predictions))
    return [responses[place] for place in places]
