"""Splitting indices, and the lower bounds that follow where there is none."""

from __future__ import annotations

from math import ceil, inf, log, log2, pi, sqrt
from typing import NamedTuple

from askwise.errors import SettingError
from askwise.theory.base import Bound, Index, check_arguments, unchanged


class LowerBound(NamedTuple):
    """The atoms and questions that are needed to come within `distance` of any target, if no average split is known."""

    lacking: Index  # the splitting index that is not there
    atoms: float  # at least so many must be drawn, unless `questions` are asked
    questions: float  # at least so many must be asked, unless `atoms` are drawn
    distance: float  # how close to the target the learner is to come


def splitting_lower_bound(rho: float, epsilon: float, tau: float) -> Bound[LowerBound]:
    """What a learner needs that succeeds with probability above 3/4, if there is no such splitting index (splitting
    lower bound).

    Its proof uses the triangle inequality: without it one structure may be near two that are far from each other. And
    it needs success for all targets at once: a learner that asks 4 of 5 questions at random may succeed for each target
    with probability 4/5. For each target alone, success with probability above 15/16 needs 1 / (2 rho) questions.

    :param rho: The rho of the index that is not there.
    :param epsilon: The epsilon of the index that is not there.
    :param tau: The tau of the index that is not there, below 1/2.

    >>> splitting_lower_bound(rho=0.1, epsilon=0.25, tau=0.01).corrected.questions
    10.0
    """
    check_arguments(rho=rho, epsilon=epsilon, tau=tau)
    if not tau < 0.5:
        raise SettingError(f"tau must be below 1/2, got {tau}")
    return unchanged(LowerBound(Index(rho, epsilon, tau), 1 / tau, 1 / rho, epsilon / 2))


def star_bound(points: int, epsilon: float) -> Bound[LowerBound]:
    """What a learner needs if `points` structures are more than epsilon from a centre, and no atom tells two of them
    from it (star-shaped bound). No share of atoms splits by more than 1 / points, and more atoms do not help.

    The triangle inequality is needed here, too.

    :param points: How many structures lie around the centre.
    :param epsilon: How far they are from the centre at least.

    >>> star_bound(5, epsilon=0.1).corrected
    LowerBound(lacking=Index(rho=0.2, epsilon=0.1, tau=0.0), atoms=inf, questions=5.0, distance=0.05)
    """
    check_arguments(points=points, epsilon=epsilon)
    return unchanged(LowerBound(Index(1 / points, epsilon, 0.0), inf, float(points), epsilon / 2))


def lower_bound(rho: float, epsilon: float, tau: float) -> Bound[LowerBound]:
    """What a learner needs that succeeds with probability above 3/4 (average splitting lower bound).

    As for `splitting_lower_bound`, the distance must satisfy the triangle inequality, and the learner must succeed for
    all targets at once.

    :param rho: The rho of the splitting index that is not there.
    :param epsilon: The epsilon of the splitting index that is not there.
    :param tau: The tau of the splitting index that is not there, below 1/2.

    >>> lower_bound(rho=0.1, epsilon=0.25, tau=0.01).corrected
    LowerBound(lacking=Index(rho=0.0125, epsilon=0.5, tau=0.01), atoms=100.0, questions=10.0, distance=0.125)
    """
    found = splitting_lower_bound(rho, epsilon, tau).corrected
    return unchanged(found._replace(lacking=average_index(rho, epsilon, tau).corrected))


def average_index(rho: float, epsilon: float, tau: float) -> Bound[Index]:
    """The average splitting index that a splitting index implies (splitting implies average splitting).

    :param rho: The rho of the splitting index.
    :param epsilon: The epsilon of the splitting index.
    :param tau: The tau of the splitting index.

    >>> average_index(rho=0.25, epsilon=0.05, tau=0.01).corrected
    Index(rho=0.0125, epsilon=0.1, tau=0.01)
    """
    check_arguments(rho=rho, epsilon=epsilon, tau=tau)
    return unchanged(Index(rho / (4 * max(1, ceil(log2(1 / epsilon)))), 2 * epsilon, tau))


def coarse_index(separation: float, epsilon: float, gamma: float = 0.5) -> Bound[Index]:
    """The splitting index of a finite family in which any two structures that are apart answer a share `separation` of
    the atoms differently (coarse splitting bounds).

    The paper allows any gamma above 0. Beyond 1, tau = gamma * separation may be above 1, so it is refused.

    :param separation: The share of the atoms that any two structures apart answer differently.
    :param epsilon: The epsilon of the index.
    :param gamma: The share of `separation` that tau gets, above 0 and at most 1; rho gets the rest.

    >>> coarse_index(0.2, epsilon=0.1).corrected
    Index(rho=0.1, epsilon=0.1, tau=0.1)
    """
    check_arguments(separation=separation, epsilon=epsilon, gamma=gamma)
    return unchanged(Index((1 - gamma) * separation, epsilon, gamma * separation))


def coarse_average_index(separation: float, epsilon: float) -> Bound[Index]:
    """The same for average splits (average splitting index lower bound).

    Corrected: a random atom tells a share `separation` of the average diameter apart on average, so Markov's inequality
    gives the index at once, without the logarithm, and for every epsilon.

    :param separation: The share of the atoms that any two structures apart answer differently.
    :param epsilon: The epsilon of the index.

    >>> coarse_average_index(0.2, epsilon=0.25)
    Bound(printed=Index(rho=0.00625, epsilon=0.25, tau=0.1), corrected=Index(rho=0.1, epsilon=0.25, tau=0.1))
    """
    check_arguments(separation=separation, epsilon=epsilon)
    half = separation / 2
    return Bound(Index(half / (4 * (log2(1 / epsilon) + 2)), epsilon, half), Index(half, epsilon, half))


def expected_split(separation: float, diameter: float, alpha: float, delta: float) -> Bound[float]:
    """The least mean split of the atom that SELECT returns, whatever the number of candidates (expected splitting lower
    bound). `diameter` is the average diameter before the question.

    Printed, with the constant of the proof: it shrinks as the diameter does. Corrected: it does not, because the best
    of some random atoms splits by `separation` on average. If no candidate splits, SELECT never halts; what is stated
    is for a SELECT that gives up, and counts this as a split of 0.

    :param separation: The share of the atoms that any two structures apart answer differently.
    :param diameter: The average diameter before the question.
    :param alpha: How much worse than the best atom the chosen one may be.
    :param delta: The probability that SELECT fails.

    >>> [round(split, 5) for split in expected_split(0.2, diameter=0.01, alpha=0.5, delta=0.05)]
    [0.00011, 0.095]
    """
    check_arguments(separation=separation, diameter=diameter, alpha=alpha, delta=delta)
    kept = (1 - alpha) * (1 - delta)
    return Bound(kept * separation**2 / (32 * (1 - log(diameter))), kept * separation)


def ranking_index(epsilon: float, shrink: float) -> Bound[Index]:
    """Feature-based rankings of spherically symmetric items (ranking index).

    `shrink` is c_o of the subspace lemma: the share of an angle that a random plane keeps three times in four.
    Corrected: the good directions are two arcs of c_o epsilon pi out of 2 pi, not out of 2.

    :param epsilon: The epsilon of the index.
    :param shrink: The share of an angle that a random plane keeps three times in four, c_o.

    >>> ranking_index(0.25, shrink=0.5).corrected
    Index(rho=0.020833333333333332, epsilon=0.25, tau=0.03125)
    """
    check_arguments(shrink=shrink, epsilon=epsilon)
    index = average_index(0.25, epsilon / 2, shrink * epsilon / 4).corrected
    return Bound(index._replace(tau=pi * index.tau), index)


def cluster_index(epsilon: float, alpha: float) -> Bound[Index]:
    """Clusterings of the line under d_I, the known interval having mass `alpha` (cluster identification index).

    :param epsilon: The epsilon of the index.
    :param alpha: The mass of the known interval.

    >>> cluster_index(0.1, alpha=0.25).corrected
    Index(rho=0.0125, epsilon=0.1, tau=0.0125)
    """
    check_arguments(alpha=alpha, epsilon=epsilon)
    return average_index(0.25, epsilon / 2, epsilon * alpha / 2)


def hard_line(k: int, epsilon: float) -> Bound[int]:
    """Clusterings in the set that needs one question less than it has members under d_c (clustering lower bounds).

    :param k: How many clusters a clustering has at most.
    :param epsilon: The epsilon of the bound.

    >>> hard_line(k=8, epsilon=0.0001).corrected
    9
    """
    check_arguments(k=k, epsilon=epsilon)
    return unchanged(min(k, int(1 / sqrt(8 * epsilon) + 1e-9)) + 1)
