"""Every bound against numbers worked out by hand or by another route; what is refused."""

from __future__ import annotations

from math import exp, inf, log, log2, nan, pi

import numpy as np
import pytest

from askwise import theory
from askwise.errors import SettingError
from askwise.experiments.published_select import PublishedSelect
from askwise.stopping import DiameterBelow
from askwise.theory import Index

INDEX = Index(rho=0.25, epsilon=0.1, tau=0.01)


def test_error_bound_is_reached():
    """Two structures, each half the mass, at distance 1: the mean distance to either is the corrected bound."""
    assert theory.error_bound(0.5, mass=0.5) == (1.0, 0.5)


def test_select():
    """alpha = 1/2, 98 atoms and 2 responses, delta = .1: 60 ln 1000 = 414.465; split .2: 96 * 5 ln 1000 = 3315.7."""
    assert theory.select_threshold(0.5, 0.1, 98, 2) == pytest.approx((414.4653, 414.4653))
    assert theory.select_pairs(0.5, 0.1, 98, 2, split=0.2) == (3316, 3316)
    assert theory.select_threshold(0.3, 0.02, 70, 3).corrected == PublishedSelect(0.3, 0.02).threshold(70, 3)
    # the printed form, 12 / (alpha^2 (1 - alpha) split) ln(...)
    assert theory.select_pairs(0.2, 0.1, 98, 2, split=0.2).printed == np.ceil(12 / (0.04 * 0.8 * 0.2) * log(1000))


@pytest.mark.parametrize("round", [1, 7, 100])
def test_stopping_is_the_rule_of_the_library(round):
    assert theory.stopping_pairs(round, 0.3, 0.1).corrected == DiameterBelow(0.3, 0.1).pairs(round)
    close = theory.stopping_pairs(round, 0.3, 0.1, closeness=2.0)
    assert close.corrected == DiameterBelow(0.3, 0.1, closeness=2.0).pairs(round)
    assert close.printed == close.corrected


def test_stopping_by_hand():
    """t = 1, eps = .48, delta = .02: 100 ln 100 = 460.5."""
    assert theory.stopping_pairs(1, 0.48, 0.02).corrected == 461


def test_zero_one_rounds():
    """rho = margin = 1, beta = .1: printed 2 / .09 times the larger of the goal and 2 e^.2 / .09 ln(1 / delta)."""
    index = Index(rho=1.0, epsilon=0.5, tau=0.5)
    found = theory.zero_one_resources(1, index, 0.5, margin=1.0, beta=0.1, mass=0.5)
    goal, chance = log(8), 2 * 1.2214028 / 0.09 * log(2)  # 2.079, 18.81
    assert found.rounds.printed == np.ceil(2 / 0.09 * max(goal, chance)) == 419
    # corrected: steps of mean .025 in a range of e^.2 - e^-.2 = .40267; 2 (.40267 / .025)^2 ln 8 = 1078.9
    assert found.rounds.corrected == 1079
    # with nearly no chance involved the goal decides: constant 8 instead of 2, and no 1 - beta
    sure = theory.zero_one_resources(1, index, 0.999, margin=1.0, beta=0.1, mass=1e-30)
    goal = log(2e60)
    assert sure.rounds == (np.ceil(2 / 0.09 * goal), np.ceil(8 / 0.1 * goal))


def test_zero_one_sampling():
    """tau = 1/2, delta = .5, t = 1: 2 ln 16 = 5.5 atoms; eps_o = .5 * .5 * .5 / 4 = 1/32."""
    found = theory.zero_one_resources(1, Index(1.0, 0.5, 0.5), 0.5, margin=1.0, beta=0.1, mass=0.5)
    assert found.atoms == (6, 6)
    assert found.structures.printed == np.ceil(32 * log(8 * 2 / 0.5)) == 111
    assert found.structures.corrected == 2 * np.ceil(96 * 32 * log(8 * 16))


def test_zero_one_leaves_chance_a_quarter_of_delta():
    """Azuma: T steps of that mean and range fall short of half their mean with probability below delta / 4."""
    delta, beta = 0.2, 0.1
    rounds = theory.zero_one_resources(1, Index(1.0, 0.5, 0.5), delta, margin=1.0, beta=beta, mass=0.5).rounds.corrected
    step, spread = beta / 4, exp(2 * beta) - exp(-2 * beta)
    assert exp(-2 * (rounds * step / 2) ** 2 / (rounds * spread**2)) <= delta / 4


def last_display(rounds, index, delta, dimension, responses, closeness):
    """The proof's last display for noiseless answers, in its own order: the average diameter it still allows."""
    quarter = delta / 4
    seen = rounds * (log(rounds * (rounds + 1) / quarter) / index.tau + 1)
    mass = quarter / (rounds * (rounds + 1)) * (dimension / (np.e * seen * (responses - 1))) ** dimension / closeness
    return exp(-index.rho * rounds / 2) / mass**2


@pytest.mark.parametrize(("dimension", "responses", "closeness"), [(3, 2, 1.0), (1, 2, 2.0), (5, 4, 1.5)])
def test_bayes_rounds(dimension, responses, closeness):
    settings = {"dimension": dimension, "responses": responses, "closeness": closeness}
    rounds = theory.bayes_resources(1, INDEX, 0.05, **settings).rounds
    target = INDEX.epsilon / (2 * closeness**2)
    assert last_display(rounds.corrected, INDEX, 0.05, **settings) <= target
    assert last_display(rounds.corrected - 1, INDEX, 0.05, **settings) > target
    assert last_display(2 * rounds.corrected, INDEX, 0.05, **settings) <= target
    order = log(responses * closeness / (0.1 * 0.01 * 0.05)) + log(dimension / 0.25) ** 2
    assert rounds.printed == np.ceil(dimension / 0.25 * order)


def test_a_dimension_beyond_the_atoms_needs_more_rounds_not_fewer():
    """The closed form is negative there, and the search for T would end at once."""
    easy = Index(rho=1.0, epsilon=0.1, tau=1.0)
    rounds = [theory.bayes_resources(1, easy, 0.05, dimension=d).rounds.corrected for d in (10, 1000, 100_000)]
    assert rounds[0] < rounds[1] < rounds[2]
    assert rounds[2] > 100_000


def test_bayes_sampling():
    """t = 2, tau = .01, delta = .05: 100 ln 40 printed, 100 ln 480 corrected."""
    found = theory.bayes_resources(2, INDEX, 0.05, dimension=3, closeness=2.0)
    assert found.atoms == (369, 618)
    assert found.structures.printed == np.ceil(4 / (0.25 * 0.1) * log((369 + 2) * 2 / 0.05))
    select = np.ceil(96 / (0.25 * 0.1 / 8) * log((618 + 2) * 4 * 6 / 0.05))
    assert found.structures.corrected == 2 * (select + np.ceil(48 * 4 / 0.1 * log(6 * 4 / 0.05)))


def test_noisy_rate():
    """q = .2: ln 4 = 1.3863, (1 - 2q) / (1 - q) = .75."""
    assert theory.noisy_rate(1.0, 0.2) == pytest.approx((0.375 - 0.27726, 0.375 - 0.55452), abs=1e-5)
    # four responses: beta = ln 12, 1 - e^-beta = 11/12
    assert theory.noisy_rate(1.0, 0.2, 4).corrected == pytest.approx(11 / 24 - 0.4 * log(12))


def noisy_display(rounds, noise, dimension):
    """Log of the average diameter that is still allowed, with Hoeffding's count of wrong answers."""
    beta, quarter = log((1 - noise) / noise), 0.05 / 4
    wrong = rounds * noise + np.sqrt(rounds / 2 * log(2 * rounds * (rounds + 1) / quarter))
    seen = rounds * (log(rounds * (rounds + 1) / quarter) / INDEX.tau + 1)
    log_mass = -log(2 * rounds * (rounds + 1) / quarter) - dimension * log(np.e * seen / dimension)
    return -INDEX.rho / 2 * (1 - exp(-beta)) * rounds - 2 * (log_mass - beta * wrong)


def test_noisy_rounds():
    rounds = theory.noisy_resources(1, INDEX, 0.05, noise=0.01, dimension=3).rounds.corrected
    assert noisy_display(rounds, 0.01, 3) <= log(0.1 / 2)
    assert noisy_display(rounds - 1, 0.01, 3) > log(0.1 / 2)


def test_noisy_rounds_printed():
    gamma = theory.noisy_rate(0.25, 0.01).printed
    order = 3 * 2 / (0.1 * 0.01 * 0.05)
    stated = log(1 / (gamma * 0.05)) ** 3 / gamma + 3 / gamma * log(order * log(order))
    found = theory.noisy_resources(1, INDEX, 0.05, noise=0.01, dimension=3)
    assert found.rounds.printed == np.ceil(stated)
    quiet = theory.bayes_resources(1, INDEX, 0.05, dimension=3)
    assert found[1:] == quiet[1:]


def test_noise_that_only_the_printed_rate_survives():
    assert theory.noisy_resources(1, INDEX, 0.05, noise=0.02, dimension=3).rounds.corrected == inf
    assert theory.noisy_resources(1, INDEX, 0.05, noise=0.02, dimension=3).rounds.printed < inf
    assert theory.noisy_resources(1, INDEX, 0.05, noise=0.1, dimension=3).rounds == (inf, inf)


def test_rounds_grow_with_the_square_of_the_rate():
    """Ten times less progress, a hundred times the rounds and a little more."""
    rates, rounds = [], []
    for noise in (0.011, 0.01385):
        rates.append(theory.noisy_rate(0.25, noise).corrected)
        rounds.append(theory.noisy_resources(1, INDEX, 0.05, noise=noise, dimension=3).rounds.corrected)
    slope = log(rounds[1] / rounds[0]) / log(rates[0] / rates[1])
    assert 2 < slope < 2.3


def test_indices():
    assert theory.average_index(0.25, 0.3, 0.1) == ((0.03125, 0.6, 0.1),) * 2  # ceil(log2 3.33) = 2
    assert theory.average_index(0.25, 0.125, 0.1).corrected.rho == 0.25 / 12
    assert theory.cluster_index(0.2, alpha=0.5) == ((1 / 64, 0.2, 0.05),) * 2  # ceil(log2 10) = 4
    printed, corrected = theory.ranking_index(0.2, shrink=0.5)
    assert corrected == pytest.approx((1 / 64, 0.2, 0.025))
    assert printed.tau == pytest.approx(pi * corrected.tau)
    assert theory.ranking_index(0.01, 0.5).corrected.rho == 1 / (16 * np.ceil(log2(200)))


def test_coarse_indices():
    assert theory.coarse_index(0.4, 0.1, gamma=0.25) == (pytest.approx((0.3, 0.1, 0.1)),) * 2
    printed, corrected = theory.coarse_average_index(0.4, 0.125)
    assert printed == pytest.approx((0.4 / 8 / 5, 0.125, 0.2))
    assert corrected == pytest.approx((0.2, 0.125, 0.2))
    # the printed corollary follows from the two statements before it
    split = theory.coarse_index(0.4, 0.125 / 2).corrected
    assert printed.rho <= theory.average_index(*split).corrected.rho
    # at an average diameter of 1 the logarithm is gone: p^2 / 32 against p
    assert theory.expected_split(0.4, 1.0, alpha=0.5, delta=0.5) == pytest.approx((0.25 * 0.16 / 32, 0.25 * 0.4))
    assert theory.expected_split(0.4, 1e-9, 0.5, 0.5).corrected == pytest.approx(0.1)


def test_the_printed_expected_split_follows_from_the_corollary():
    for diameter in (1.0, 0.5, 1e-3, 1e-12):
        index = theory.coarse_average_index(0.4, diameter).printed
        assert theory.expected_split(0.4, diameter, 0.5, 0.1).printed <= 1.0001 * index.tau * 0.9 * 0.5 * index.rho


def test_distance_to_the_truth_and_the_cost_of_wrong_answers():
    assert theory.posterior_distance(0.1, closeness=2.0) == pytest.approx((0.4, 0.4))
    assert theory.posterior_distance(0.5, closeness=2.0).corrected == 1.0
    # one question, q = .2: .2 ln 4 + sqrt(ln 4) ln 4, without and with the half under the root
    mean, chance = 0.2 * log(4), log(4) ** 1.5
    assert theory.log_odds_bound([0.2], 0.5) == pytest.approx((mean + chance, mean + chance / 2**0.5))


def test_the_normalising_constant_as_printed_follows_from_the_half():
    """Half of delta for the log-odds, with Hoeffding's half, stays below the statement's 3 / delta up to .99."""
    delta, count = np.linspace(0.001, 0.99, 500)[:, None], np.array([1.0, 2.0, 10.0, 1e6])
    right = np.sqrt(count / 2 * np.log(4 / delta)) * np.log(4 * count / delta)
    stated = np.sqrt(count * np.log(3 / delta)) * np.log(3 * count / delta)
    assert (right <= stated).all()


def test_patterns_and_the_mass_they_leave():
    assert theory.log_patterns(2, 10, 3) == pytest.approx((2 * log(20 * np.e), 2 * log(10 * np.e)))
    assert theory.log_patterns(20, 10, 3).corrected == pytest.approx(10 * log(3))
    assert theory.version_space_mass(2, 10, 3, delta=0.1).corrected == pytest.approx(0.1 / (10 * np.e) ** 2)
    assert theory.version_space_mass(100, 1, 2, delta=0.1) == pytest.approx((1.0, 0.05))


def test_lower_bounds():
    assert theory.splitting_lower_bound(0.05, 0.2, 0.25).corrected == (Index(0.05, 0.2, 0.25), 4, 20, 0.1)
    assert theory.star_bound(20, 0.2).corrected == (Index(0.05, 0.2, 0.0), inf, 20, 0.1)
    least = theory.lower_bound(rho=0.05, epsilon=0.2, tau=0.25).corrected
    assert least == (Index(0.05 / 12, 0.4, 0.25), 4, 20, 0.1)
    assert theory.hard_line(8, 1 / 512) == (9, 9)
    assert theory.hard_line(8, 1 / 8).corrected == 2  # 1 / sqrt(8 eps) = 1
    assert [theory.hard_line(k, 1 / (8 * k**2)).corrected for k in range(2, 200)] == list(range(3, 201))


BAD = [
    (theory.error_bound, {"diameter": 0.0, "mass": 0.5}, "diameter"),
    (theory.error_bound, {"diameter": 0.5, "mass": 1.5}, "mass"),
    (theory.select_threshold, {"alpha": 0.0, "delta": 0.1, "atoms": 5, "responses": 2}, "alpha"),
    (theory.select_threshold, {"alpha": 0.5, "delta": nan, "atoms": 5, "responses": 2}, "delta"),
    (theory.select_threshold, {"alpha": 0.5, "delta": 0.1, "atoms": 2.5, "responses": 2}, "atoms"),
    (theory.select_threshold, {"alpha": 0.5, "delta": 0.1, "atoms": 5, "responses": 1}, "responses"),
    (theory.select_pairs, {"alpha": 1.0, "delta": 0.1, "atoms": 5, "responses": 2, "split": 0.5}, "alpha"),
    (theory.select_pairs, {"alpha": 0.5, "delta": 0.1, "atoms": 5, "responses": 2, "split": 0.0}, "split"),
    (theory.stopping_pairs, {"round": 0, "epsilon": 0.1, "delta": 0.1}, "round"),
    (theory.stopping_pairs, {"round": 1, "epsilon": 0.1, "delta": 0.1, "closeness": 0.5}, "closeness"),
    (theory.noisy_rate, {"rho": 0.5, "noise": 0.5}, "noise"),
    (theory.lower_bound, {"rho": 0.5, "epsilon": 0.1, "tau": 0.6}, "tau"),
    (theory.average_index, {"rho": 0.5, "epsilon": 2.0, "tau": 0.6}, "epsilon"),
    (theory.ranking_index, {"epsilon": 0.5, "shrink": -1.0}, "shrink"),
    (theory.cluster_index, {"epsilon": 0.5, "alpha": inf}, "alpha"),
    (theory.hard_line, {"k": 0, "epsilon": 0.1}, "k must"),
    (theory.coarse_index, {"separation": 0.5, "epsilon": 0.1, "gamma": 2.0}, "gamma"),
    (theory.coarse_average_index, {"separation": 0.0, "epsilon": 0.1}, "separation"),
    (theory.expected_split, {"separation": 0.5, "diameter": 0.0, "alpha": 0.5, "delta": 0.5}, "diameter"),
    (theory.splitting_lower_bound, {"rho": 0.5, "epsilon": 0.1, "tau": 0.5}, "tau"),
    (theory.star_bound, {"points": 0, "epsilon": 0.1}, "points"),
    (theory.posterior_distance, {"diameter": 0.5, "closeness": 0.9}, "closeness"),
    (theory.log_odds_bound, {"noise": [0.1, 0.7], "delta": 0.1}, "noise"),
    (theory.log_odds_bound, {"noise": [], "delta": 0.1}, "noise"),
    (theory.log_patterns, {"dimension": 3, "atoms": 0, "responses": 2}, "atoms"),
    (theory.version_space_mass, {"dimension": 3, "atoms": 2, "responses": 2, "delta": 0.0}, "delta"),
]
GOOD = {"round": 1, "index": INDEX, "delta": 0.05}
BAD += [
    (theory.zero_one_resources, {**GOOD, "margin": 0.5, "beta": 0.06, "mass": 0.1}, "beta"),
    (theory.zero_one_resources, {**GOOD, "margin": 0.5, "beta": 0.05, "mass": 0.0}, "mass"),
    (theory.bayes_resources, {**GOOD, "index": INDEX._replace(rho=0.0), "dimension": 3}, "rho"),
    (theory.bayes_resources, {**GOOD, "dimension": 0}, "dimension"),
    (theory.bayes_resources, {**GOOD, "dimension": 1, "closeness": inf}, "closeness"),
    (theory.noisy_resources, {**GOOD, "dimension": 3, "noise": 0.7}, "noise"),
]


@pytest.mark.parametrize(("function", "settings", "named"), BAD)
def test_refuses_in_one_sentence(function, settings, named):
    with pytest.raises(SettingError, match=f"^{named}") as caught:
        function(**settings)
    assert "\n" not in str(caught.value)
