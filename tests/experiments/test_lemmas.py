"""The lemma checks agree with plain loops, hold where the paper says so, and fail where its conditions are broken."""

from __future__ import annotations

import csv
from functools import partial
from math import exp

import numpy as np
import pytest
from scipy.optimize import linprog

from askwise.experiments import lemmas
from askwise.experiments.files import write_table
from askwise.experiments.lemmas import (
    Families,
    average_diameter,
    bayes_counterexample,
    check,
    check_all,
    mass_supermartingale,
    normaliser_decrease,
    potential_decrease,
)
from tests.helpers import SEED, generator


def test_every_lemma_holds():
    for found in check_all(count=600, steps=3, seed=SEED):
        assert found.holds, found
        assert found.families >= 600


def test_how_much_room_there_is():
    """The average-diameter lemma and the normaliser's are tight; the potential's constant could be .95, not .5."""
    worst = {found.name: found.worst for found in check_all(count=2000, seed=SEED)}
    assert worst["average diameter"] == pytest.approx(1)
    assert worst["normaliser decrease"] == pytest.approx(1)
    assert 0.5 / worst["potential decrease, k=2"] == pytest.approx(0.95, abs=1e-3)


@pytest.mark.parametrize(
    "broken",
    [
        lambda families: 1.01 * average_diameter(families),  # the half is the best possible
        partial(potential_decrease, times=20.0),
        partial(potential_decrease, k=4, times=40.0),
        partial(mass_supermartingale, times=4.0),
        partial(mass_supermartingale, k=1, times=4.0),
        lambda families: 1.01 * normaliser_decrease(families),  # so is this factor
    ],
)
def test_fails_when_a_condition_is_broken(broken):
    assert not check("broken", broken, count=600, seed=SEED).holds


def test_a_split_that_is_overstated_is_noticed():
    class Boast(Families):
        def split(self):
            return np.minimum(1.02 * super().split(), 1)

    def ratio(families):
        return normaliser_decrease(Boast(**vars(families)))

    assert not check("boast", ratio, count=600, seed=SEED).holds


def plain(family, beta, k, noise):
    """Expected potential, expected 1 / mass^k, each over that before; and Z^2 avg-diam by answer: loops over floats."""
    weights, apart, answers = family.weights[0], family.distances[0], family.answers[0]
    size = len(weights)

    def diameter(pi):
        return sum(pi[g] * pi[h] * apart[g, h] for g in range(size) for h in range(size))

    potential = mass = 0.0
    squares = []
    for y in range(family.responses):
        raw = [weights[g] * (1.0 if answers[g] == y else exp(-beta)) for g in range(size)]
        pi = [value / sum(raw) for value in raw]
        potential += noise[y] * diameter(pi) / pi[0] ** k
        mass += noise[y] / pi[0] ** k
        squares.append(sum(raw) ** 2 * diameter(pi) / diameter(weights))
    before = diameter(weights) / weights[0] ** k
    left = max(
        sum(
            weights[g] * weights[h] * apart[g, h]
            for g in range(size)
            for h in range(size)
            if answers[g] == answers[h] == y
        )
        for y in range(family.responses)
    )
    return potential / before, mass * weights[0] ** k, max(squares), 1 - left / diameter(weights)


def test_against_plain_loops():
    """Two responses leave one corner of noise: the wrong answer as likely as allowed, or never."""
    for trial in range(20):
        family = lemmas.random_families(1, 4, 2, generator(900, trial))
        margin, beta_share = float(family.margin[0]), float(family.beta_share[0])
        corners = [((1 + margin) / 2, (1 - margin) / 2), (1.0, 0.0)]
        beta = beta_share * margin / 10
        found = [plain(family, beta, 2, noise) for noise in corners]
        rho = found[0][3]
        if rho > 1e-6:
            promised = rho * margin * beta / 2
            expected = promised / (1 - max(f[0] for f in found))
            assert float(potential_decrease(family)[0]) == pytest.approx(float(expected), rel=1e-6)
        beta = beta_share * margin / 3
        expected = max(plain(family, beta, 3, noise)[1] for noise in corners)
        assert float(mass_supermartingale(family, k=3)[0]) == pytest.approx(float(expected))
        beta = 8 * beta_share
        expected = plain(family, beta, 2, corners[0])[2] / (1 - rho * (1 - exp(-beta)))
        assert float(normaliser_decrease(family)[0]) == pytest.approx(float(expected))


@pytest.mark.parametrize("responses", [2, 3, 4])
def test_the_worst_noise_is_the_worst(responses):
    """Against a linear program, and against random noise that keeps the margin."""
    rng = generator(901, responses)
    family = lemmas.random_families(30, 4, responses, rng)
    values = rng.standard_normal((responses, 30))
    worst = family.worst_mean(values)
    for place in range(30):
        margin = float(family.margin[place])
        leads = [-np.eye(responses)[0] + np.eye(responses)[y] for y in range(1, responses)]
        best = linprog(-values[:, place], leads, [-margin] * len(leads), np.ones((1, responses)), [1.0], bounds=(0, 1))
        assert float(worst[place]) == pytest.approx(-best.fun)
        wrong = rng.dirichlet(np.ones(responses - 1)) * rng.random()
        wrong *= min(1.0, (1 - margin) / (wrong.max() + wrong.sum()))
        noise = np.append(1 - wrong.sum(), wrong)
        assert noise[0] >= noise[1:].max() + margin - 1e-12
        assert noise @ values[:, place] <= worst[place] + 1e-12


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_supermartingale_s_own_limit(k):
    """It holds up to beta = ln(likelihood of the true answer over that of the likeliest wrong one) / k, not beyond."""

    def growth(mass, noise, beta):
        stay = noise[0] * (mass[0] + np.exp(-beta) * (1 - mass[0])) ** k
        return stay + (noise[1:] * (np.exp(beta) * mass[1:] + 1 - mass[1:]) ** k).sum()

    rng = generator(903, k)
    for _ in range(300):
        noise = np.sort(rng.dirichlet(np.ones(rng.integers(2, 5))))[::-1]
        limit = np.log(noise[0] / noise[1]) / k
        assert growth(rng.dirichlet(np.full(len(noise), 0.3)), noise, limit) <= 1 + 1e-12
        rival = np.eye(len(noise))[1]
        assert growth(rival, noise, limit) == pytest.approx(1)
        assert growth(rival, noise, 1.01 * limit) > 1


def test_local_search_makes_it_worse():
    rng = generator(902)
    family = lemmas.random_families(50, 5, 3, rng)
    climbed = lemmas.worsen(family, mass_supermartingale, 20, rng)
    assert (mass_supermartingale(climbed) >= mass_supermartingale(family)).all()
    assert (mass_supermartingale(climbed) > mass_supermartingale(family)).any()
    np.testing.assert_allclose(climbed.weights.sum(axis=1).astype(float), 1)
    assert (climbed.distances == climbed.distances.transpose(0, 2, 1)).all()
    assert 0 <= climbed.distances.min() <= climbed.distances.max() <= 1


def test_counterexample_at_the_bayes_beta():
    """By hand: .9 * .007506 / .352 + .1 * 81 * .323556 / .352."""
    assert bayes_counterexample(0.1) == pytest.approx(7.4646, abs=1e-4)
    assert bayes_counterexample(0.4) > 1


def test_written_as_csv(tmp_path):
    checks = check_all(count=10)
    write_table(checks, tmp_path / "lemmas.csv")
    with open(tmp_path / "lemmas.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows] == [found.name for found in checks]
    assert float(rows[0]["worst"]) == checks[0].worst
