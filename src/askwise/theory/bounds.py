"""What the theorems allow: how many questions, atoms and structures are enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, exp, inf, log, sqrt
from typing import NamedTuple

from askwise.errors import SettingError
from askwise.theory.base import Bound, Index, check_arguments, round_up, unchanged
from askwise.theory.dimension import log_patterns

Needs = Callable[[int], float]


class Resources(NamedTuple):
    """What a theorem says is enough."""

    rounds: Bound[float]  # T, one question each
    atoms: Bound[float]  # m_t, drawn in the round asked about
    structures: Bound[float]  # n_t, sampled in it: two for a pair


def error_bound(diameter: float, mass: float) -> Bound[float]:
    """The largest mean distance to a structure that holds this `mass` (average diameter guarantee).

    It is on the left of some pairs and on the right of as many others, hence the corrected half.

    :param diameter: The average diameter of the posterior.
    :param mass: The posterior mass of the structure.

    >>> error_bound(0.25, mass=0.5)
    Bound(printed=0.5, corrected=0.25)
    """
    check_arguments(diameter=diameter, mass=mass)
    return Bound(diameter / mass, diameter / (2 * mass))


def select_threshold(alpha: float, delta: float, atoms: float, responses: int) -> Bound[float]:
    """N: the split distance an atom must gather under every response before SELECT halts (Algorithm SELECT).

    :param alpha: How much worse than the best atom the chosen one may be, from 0 to 1.
    :param delta: The probability of failure.
    :param atoms: How many candidate atoms there are.
    :param responses: How many responses there are.

    >>> round(select_threshold(0.5, 0.05, atoms=500, responses=2).corrected, 1)
    552.9
    """
    check_arguments(alpha=alpha, delta=delta, atoms=atoms, responses=responses)
    return unchanged(6 * (2 + alpha) / alpha**2 * log((atoms + responses) / delta))


def select_pairs(alpha: float, delta: float, atoms: float, responses: int, split: float) -> Bound[float]:
    """The pairs that SELECT draws at most, with probability 1 - delta (select lemma).

    `split` is rho times the average diameter: what the best atom takes off it.

    :param alpha: How much worse than the best atom the chosen one may be, above 0 and below 1.
    :param delta: The probability of failure.
    :param atoms: How many candidate atoms there are.
    :param responses: How many responses there are.
    :param split: What the best atom takes off the average diameter.

    >>> select_pairs(0.5, 0.05, atoms=500, responses=2, split=0.125).corrected
    7077.0
    """
    check_arguments(split=split)
    if not alpha < 1:
        raise SettingError(f"alpha must be below 1, got {alpha}")
    room = (1 + alpha / 2) * (1 - alpha) * split
    return unchanged(round_up(select_threshold(alpha, delta, atoms, responses).corrected / room))


def stopping_pairs(round: int, epsilon: float, delta: float, closeness: float = 1.0) -> Bound[float]:
    """The pairs to sample at the start of round 1, 2, ...; stop if they are on average at most
    3 epsilon / (4 closeness^2) apart (stopping criterion).

    :param round: The number of the round, from 1.
    :param epsilon: The average diameter at which to stop.
    :param delta: The probability of stopping too soon, in any round.
    :param closeness: How far the prior may be from the truth's own distribution, as a factor of at least 1.

    >>> stopping_pairs(100, epsilon=0.1, delta=0.05).corrected
    5864.0
    """
    check_arguments(round=round, epsilon=epsilon, delta=delta, closeness=closeness)
    return unchanged(round_up(48 * closeness**2 / epsilon * log(round * (round + 1) / delta)))


def posterior_distance(diameter: float, closeness: float = 1.0) -> Bound[float]:
    """The largest mean distance of a draw from the posterior to the truth, if the truth is drawn from a distribution
    whose density is within a factor `closeness` of the prior's (eq. diameter bounds posterior distance).

    :param diameter: The average diameter of the posterior.
    :param closeness: How far the prior may be from the truth's own distribution, as a factor of at least 1.

    >>> posterior_distance(0.02, closeness=2.0).corrected
    0.08
    """
    check_arguments(diameter=diameter, closeness=closeness)
    return unchanged(min(1.0, closeness**2 * diameter))


def log_odds_bound(noise: Sequence[float], delta: float) -> Bound[float]:
    """What wrong answers cost at most with probability 1 - delta, if a wrong answer to question i has probability
    `noise[i]` and costs ln((1 - q) / q) (concentration of log-odds).

    Corrected: Hoeffding's inequality has a half under the root, and noise must not be above 1/2.

    :param noise: The probability of a wrong answer to each question, above 0 and at most 1/2.
    :param delta: The probability that it costs more.

    >>> [round(cost, 1) for cost in log_odds_bound([0.1] * 100, delta=0.05)]
    [181.3, 134.6]
    """
    check_arguments(delta=delta)
    if not len(noise) or not all(0 < q <= 0.5 for q in noise):
        raise SettingError("noise must have one number for each question, above 0 and at most 1/2")
    mean = sum(q * log((1 - q) / q) for q in noise)
    chance = sqrt(len(noise) * log(2 / delta)) * log(2 * len(noise) / delta)
    return Bound(mean + chance, mean + chance / sqrt(2))


def zero_one_resources(
    round: int, index: Index, delta: float, *, margin: float, beta: float, mass: float, responses: int = 2
) -> Resources:
    """Until a posterior is index.epsilon from the truth on average; rho and tau hold down to epsilon delta mass / 4
    (0-1 loss DBAL guarantees; structures are an order as printed).

    Rounds, corrected: SELECT at alpha = 1/2 promises rho / 2, half of the sum may be lost to chance, a step ranges over
    e^(2 beta) - e^(-2 beta), and chance has a quarter of delta. The printed proof would need mass^2; an argument by the
    mean distance itself, which is above epsilon until the goal is reached, makes the printed mass right.

    :param round: The number of the round whose atoms and structures are wanted, from 1.
    :param index: The splitting index; its epsilon is the goal.
    :param delta: The probability of failure.
    :param margin: How much likelier the right answer is than any wrong one, at least.
    :param beta: The inverse temperature of the update, at most a tenth of the margin.
    :param mass: The prior mass of the truth.
    :param responses: How many responses there are.

    >>> zero_one_resources(1, Index(rho=0.5, epsilon=0.1, tau=0.1), 0.05, margin=0.8, beta=0.08, mass=0.1).rounds
    Bound(printed=16225.0, corrected=14143.0)
    """
    rho, epsilon, tau = index
    check_arguments(**index._asdict(), delta=delta, margin=margin, mass=mass)
    if not 0 < beta <= margin / 10:
        raise SettingError(f"beta must be above 0 and at most margin / 10 = {margin / 10:.4g}, got {beta}")
    goal, speed = log(1 / (epsilon * mass**2)), rho * margin * beta * (1 - beta)
    stated = 2 / speed * max(goal, 2 * exp(2 * beta) / speed * log(1 / delta))
    step, spread = rho * margin * beta / 4, exp(2 * beta) - exp(-2 * beta)
    rounds = Bound(round_up(stated), round_up(max(2 * goal / step, 2 * (spread / step) ** 2 * log(4 / delta))))
    atoms, tries, floor = _enough_atoms(round, tau, delta), round * (round + 1), epsilon * delta * mass / 4
    pairs = select_pairs(0.5, delta / (4 * tries), atoms, responses, rho * floor).corrected
    order = log((atoms + responses) * tries / delta) / (rho * floor)
    return Resources(rounds, unchanged(atoms), Bound(round_up(order), 2 * pairs))


def bayes_resources(
    round: int, index: Index, delta: float, *, dimension: int, responses: int = 2, closeness: float = 1.0
) -> Resources:
    """Until the stopping rule ends it at index.epsilon, without noise; rho and tau hold down to
    epsilon / (2 closeness^2), `dimension` is the graph dimension (noiseless Bayesian convergence; orders as printed).

    Rounds, corrected: the first T from which the proof's last display holds; each of its four events has delta / 4.

    :param round: The number of the round whose atoms and structures are wanted, from 1.
    :param index: The splitting index; its epsilon is the goal.
    :param delta: The probability of failure.
    :param dimension: The graph dimension of the family.
    :param responses: How many responses there are.
    :param closeness: How far the prior may be from the truth's own distribution, as a factor of at least 1.

    >>> bayes_resources(1, Index(rho=0.25, epsilon=0.1, tau=0.01), 0.05, dimension=3).rounds
    Bound(printed=202.0, corrected=1003.0)
    """
    rho, epsilon, tau = index
    check_arguments(
        **index._asdict(), round=round, delta=delta, dimension=dimension, responses=responses, closeness=closeness
    )
    needs = _version_space(index, delta, dimension, responses, closeness)
    order = log(responses * closeness / (epsilon * tau * delta)) + log(dimension / rho) ** 2
    atoms = Bound(round_up(log(round / delta) / tau), _enough_atoms(round, tau, delta))
    split, quarter = rho * epsilon / closeness**2, delta / 4
    pairs = select_pairs(0.5, quarter / (round * (round + 1)), atoms.corrected, responses, split / 2).corrected
    pairs += stopping_pairs(round, epsilon, quarter, closeness).corrected
    stated = log((atoms.printed + responses) * round / delta) / split
    return Resources(
        Bound(round_up(dimension / rho * order), _first(rho / 2, needs)), atoms, Bound(round_up(stated), 2 * pairs)
    )


def noisy_rate(rho: float, noise: float, responses: int = 2) -> Bound[float]:
    """gamma: the progress of a question when a share `noise` of answers is wrong (theorem of Noisy fast convergence).

    Corrected: the normaliser Z enters squared, so what the noise costs counts twice; for K responses beta is
    ln((K - 1)(1 - q) / q). Where it is not positive nothing is promised.

    :param rho: The rho of the splitting index.
    :param noise: The share of wrong answers.
    :param responses: How many responses there are.

    >>> [round(rate, 4) for rate in noisy_rate(0.25, noise=0.01)]
    [0.0778, 0.0318]
    """
    check_arguments(rho=rho, noise=noise, responses=responses)
    if noise >= (responses - 1) / responses:
        raise SettingError(f"noise must stay below {(responses - 1) / responses:.3g} for {responses} responses")
    odds, beta = log((1 - noise) / noise), log((responses - 1) * (1 - noise) / noise)
    stated = rho / 2 * (1 - 2 * noise) / (1 - noise) - noise * odds
    return Bound(stated, rho / 2 * (1 - exp(-beta)) - 2 * noise * beta)


def noisy_resources(
    round: int, index: Index, delta: float, *, noise: float, dimension: int, responses: int = 2, closeness: float = 1.0
) -> Resources:
    """As `bayes_resources` with a share `noise` of wrong answers; infinity where nothing is promised (theorem of Noisy
    fast convergence; orders as printed).

    Rounds, corrected: the first T from which the proof's inequality holds at the rate of `noisy_rate`, with all of
    log 1 / Z doubled and Hoeffding's inequality. They grow as 1 / gamma^2; the statement prints 1 / gamma.

    :param round: The number of the round whose atoms and structures are wanted, from 1.
    :param index: The splitting index; its epsilon is the goal.
    :param delta: The probability of failure.
    :param noise: The share of wrong answers.
    :param dimension: The graph dimension of the family.
    :param responses: How many responses there are.
    :param closeness: How far the prior may be from the truth's own distribution, as a factor of at least 1.

    >>> noisy_resources(1, Index(rho=0.25, epsilon=0.1, tau=0.01), 0.05, noise=0.01, dimension=3).rounds
    Bound(printed=2744.0, corrected=1403810.0)
    """
    quiet = bayes_resources(round, index, delta, dimension=dimension, responses=responses, closeness=closeness)
    gamma, rate = noisy_rate(index.rho, noise, responses)
    order = dimension * responses * closeness / (index.epsilon * index.tau * delta)
    stated = inf
    if gamma > 0:
        stated = log(1 / (gamma * delta)) ** 3 / gamma + dimension / gamma * log(order * log(order))
    mass_left = _version_space(index, delta, dimension, responses, closeness)
    beta = log((responses - 1) * (1 - noise) / noise)

    def needs(rounds: int) -> float:
        unlucky = log(8 * rounds * (rounds + 1) / delta)
        return mass_left(rounds) + 2 * log(2) + 2 * beta * sqrt(rounds / 2 * unlucky)

    return quiet._replace(rounds=Bound(round_up(stated), _first(rate, needs)))


def _version_space(index: Index, delta: float, dimension: int, responses: int, closeness: float) -> Needs:
    """What rate * T must exceed: twice log of one over the mass left (Bayesian posterior lower bound), and the goal."""

    def needs(rounds: int) -> float:
        tries = 4 * rounds * (rounds + 1) / delta
        seen = rounds * (log(tries) / index.tau + 1)
        patterns = log_patterns(dimension, seen, responses).corrected
        return 2 * log(tries) + 2 * patterns + log(2 * closeness**4 / index.epsilon)

    return needs


def _first(rate: float, needs: Needs) -> float:
    """From which T on rate * T >= needs(T); once `needs` is below rate * T it grows more slowly."""
    if rate <= 0:
        return inf
    rounds = 1
    while rate * rounds < needs(rounds):  # climbs from below, never past the first T that is enough
        rounds = max(rounds + 1, ceil(needs(rounds) / rate))
    return float(rounds)


def _enough_atoms(round: int, tau: float, delta: float) -> float:
    """Atoms of which one splits, in every round, with probability 1 - delta / 4."""
    check_arguments(round=round, tau=tau, delta=delta)
    return round_up(log(4 * round * (round + 1) / delta) / tau)
