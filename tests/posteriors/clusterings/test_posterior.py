"""Chains against the exact posterior over all partitions, surprises against fresh long runs, and the borders."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from functools import lru_cache
from math import inf

import numpy as np
import pytest

from askwise._runtime.streams import stream
from askwise.distances.clusterings import ClusterOf
from askwise.errors import AnswerError, DataError, SettingError
from askwise.posteriors.clusterings.posterior import ClusteringPosterior
from askwise.posteriors.clusterings.rows import classical_scaling
from askwise.simulate.tasks import clusters
from askwise.structures.clusterings import Clusterings
from askwise.testing import check_posterior
from askwise.types import Answer
from tests.helpers import SEED, generator
from tests.posteriors.six_items import (
    ANSWERS,
    PARTITIONS,
    POINTS,
    SCALES,
    exact,
    log_answers,
    log_evidence,
    log_seating,
    shares,
    worst_error,
)

CHAINS = 1000


def told(posterior, answers, rng):
    for i, j, same in answers:
        posterior = posterior.update(Answer((i, j), same), rng)
    return posterior


@pytest.mark.parametrize("beta", [0.5, 3.0, 8.0])
@pytest.mark.parametrize("points", [POINTS, None], ids=["features", "no features"])
def test_chains_have_the_exact_posterior(points, beta):
    rng = generator(520)
    prior = ClusteringPosterior.prior(Clusterings(6), beta, features=points, chains=CHAINS, scales=SCALES, seed=SEED)
    assert worst_error(prior.labels, exact(points, [], beta)) < 4
    some = told(prior, ANSWERS[:6], rng)
    assert worst_error(some.labels, exact(points, ANSWERS[:6], beta)) < 4
    posterior = told(some, ANSWERS[6:], rng)
    expected = exact(points, ANSWERS, beta)
    assert 0.5 * np.abs(expected - exact(points, [], beta)).sum() > 0.15  # the answers did change it
    assert worst_error(posterior.labels, expected) < 4


def test_trust_is_a_power_of_the_likelihood():
    prior = ClusteringPosterior.prior(
        Clusterings(6), 3.0, features=POINTS, chains=CHAINS, scales=SCALES, trust=0.3, seed=SEED
    )
    alpha, s2, t2 = SCALES
    expected = shares([log_seating(z, alpha) + 0.3 * log_evidence(z, POINTS, s2, t2) for z in PARTITIONS])
    assert worst_error(prior.labels, expected) < 4


@lru_cache(maxsize=1)
def grid():
    """Prior-weighted nodes of the log scales: the prior is log-normal with standard deviation 1."""
    nodes = np.linspace(-5, 5, 61)
    return nodes, np.exp(-0.5 * nodes**2) / np.exp(-0.5 * nodes**2).sum()


def test_learned_scales_against_integration():
    beta, rng = 3.0, generator(521)
    prior = ClusteringPosterior.prior(Clusterings(6), beta, features=POINTS, chains=CHAINS, seed=SEED)
    posterior = told(prior, ANSWERS, rng)
    for _ in range(5):
        posterior = posterior._advanced(2, rng)  # scales and clusterings forget each other slowly
    nodes, mass = grid()
    medians = np.exp(prior.log_medians)
    seats = np.array([[log_seating(z, medians[0] * np.exp(u)) for u in nodes] for z in PARTITIONS])  # (P, U)
    rows = np.empty((len(PARTITIONS), len(nodes), len(nodes)))
    for p, z in enumerate(PARTITIONS):
        # the covariance has the eigenvalues s2 + size t2 (cluster means) and s2 (the rest): no matrix to solve
        sizes = np.bincount(z)
        sums = np.stack([POINTS[z == c].sum(axis=0) for c in range(len(sizes))])
        along = (sums**2).sum(axis=1) / sizes
        s2, t2 = medians[1] * np.exp(nodes)[:, None, None], medians[2] * np.exp(nodes)[None, :, None]
        logs = -0.5 * (along / (s2 + sizes * t2) - along / s2).sum(axis=2) - np.log(s2 + sizes * t2).sum(axis=2)
        rows[p] = logs - 0.5 * (POINTS**2).sum() / s2[:, :, 0] - (6 - len(sizes)) * np.log(s2[:, :, 0])
    assert rows[100, 30, 40] == pytest.approx(
        log_evidence(PARTITIONS[100], POINTS, medians[1], np.exp(nodes[40]) * medians[2])
    )
    joint = np.exp(rows - rows.max()) * mass[:, None] * mass[None, :]
    noise = np.exp([log_answers(z, ANSWERS, beta) for z in PARTITIONS])
    seating = np.exp(seats) @ mass
    expected = joint.sum(axis=(1, 2)) * seating * noise
    assert worst_error(posterior.labels, expected / expected.sum()) < 4
    alpha = (np.exp(seats) @ (mass * nodes)) @ (joint.sum(axis=(1, 2)) * noise)
    spread = np.einsum("p,pst,s->", seating * noise, joint, nodes)
    between = np.einsum("p,pst,t->", seating * noise, joint, nodes)
    drawn = np.log(posterior.scales / medians)
    error = drawn.mean(axis=0) - np.array([alpha, spread, between]) / expected.sum()
    assert np.abs(error / (drawn.std(axis=0) / np.sqrt(CHAINS))).max() < 4


@pytest.mark.parametrize("beta", [3.0, 8.0])
def test_one_surprising_answer_is_taken_in_at_once(beta):
    rng = generator(522)
    sure = [(0, 1, 1), (1, 2, 1), (0, 2, 1), (3, 4, 0)]
    prior = ClusteringPosterior.prior(Clusterings(6), beta, features=POINTS, chains=CHAINS, scales=SCALES, seed=SEED)
    for surprise in [(3, 4, 1), (0, 1, 0)]:
        before = told(prior, sure, rng)
        answers = [*sure, surprise]
        assert worst_error(told(before, [surprise], rng).labels, exact(POINTS, answers, beta)) < 4


def three_groups(rng, chains):
    """60 items in three groups that overlap, after 40 answers."""
    truth = np.repeat(np.arange(3), 20)
    points = np.array([[0.0, 2.5], [2.2, 0.0], [-2.2, 0.0]])[truth] + rng.standard_normal((60, 2))
    pairs = [(*sorted(rng.choice(60, 2, replace=False).tolist()),) for _ in range(40)]
    prior = ClusteringPosterior.prior(Clusterings(60), 2.94, features=points, chains=chains, seed=SEED)
    return told(prior, [(i, j, int(truth[i] == truth[j])) for i, j in pairs], rng), points


def test_a_surprise_among_many_items_matches_a_fresh_long_run():
    """Two items of different groups are said to belong together."""
    rng = generator(523)
    before, points = three_groups(rng, 300)
    together = (before.labels[:, :20] == before.labels[:, [45]]).mean(axis=0)
    item = int(np.argmin(np.abs(together - 0.05)))
    assert 0.0 < together[item] < 0.2
    after = before.update(Answer((item, 45), 1), rng)
    fresh = ClusteringPosterior.prior(Clusterings(60), 2.94, features=points, chains=300, seed=SEED + 1)
    fresh = replace(fresh, pairs=after.pairs, same=after.same, strengths=after.strengths)._advanced(80, rng)
    measured = [
        np.stack(
            [p.labels[:, item] == p.labels[:, 45], (p.labels == p.labels[:, [item]]).sum(axis=1), p.labels.max(axis=1)]
        )
        for p in (after, fresh)
    ]
    gap = measured[0].mean(axis=1) - measured[1].mean(axis=1)
    error = np.sqrt(measured[0].var(axis=1) / 300 + measured[1].var(axis=1) / 300)
    assert np.abs(gap / error).max() < 4


def test_check_posterior():
    family = Clusterings(9)
    prior = ClusteringPosterior.prior(family, 3.0, features=generator(524).standard_normal((9, 2)), chains=16)
    check_posterior(prior, [Answer((0, 1), 1), Answer((3, 8), 0), Answer((0, 1), 0)])


def test_a_chain_does_not_depend_on_the_others():
    """Streams are by chain, so results depend on neither the number of chains nor the order they are run in."""
    prior = ClusteringPosterior.prior(Clusterings(20), 3.0, features=generator(525).standard_normal((20, 2)), chains=8)
    alone = replace(prior, labels=prior.labels[:3], scales=prior.scales[:3])
    many, few = (p._advanced(4, generator(526)) for p in (prior, alone))
    assert (many.labels[:3] == few.labels).all()
    assert (many.scales[:3] == few.scales).all()


def test_scales_of_many_rows_match_a_long_run_from_elsewhere():
    """Chains start from random labels; the reference from one cluster and scales far off, ten times longer."""
    rng, chains = generator(527), 64
    truth = rng.integers(8, size=120)
    points = 100 * (3.0 * rng.standard_normal((8, 3))[truth] + rng.standard_normal((120, 3)))
    prior = ClusteringPosterior.prior(Clusterings(120), 3.0, features=points, chains=chains)
    off = np.exp(prior.log_medians) * np.array([5.0, 9.0, 0.1])
    start = replace(prior, labels=np.zeros_like(prior.labels), scales=np.tile(off, (chains, 1)))
    found = [
        np.column_stack([np.log(posterior.scales), posterior.labels.max(axis=1)])
        for posterior in (prior, start._advanced(600, rng))
    ]
    gap = found[0].mean(axis=0) - found[1].mean(axis=0)
    error = np.sqrt((found[0].var(axis=0) + found[1].var(axis=0)) / chains)
    assert np.abs(gap / error).max() < 4
    assert np.exp(found[0][:, 1].mean() / 2) == pytest.approx(100, rel=4 * (2 * 3 * 112) ** -0.5)  # well determined


def test_more_draws_than_chains_are_fresh_and_pair_different_chains():
    """Rules pair the first half of a sample with the second: draws are sorted by chain, so no chain meets itself."""
    prior = ClusteringPosterior.prior(Clusterings(30), 3.0, features=generator(528).standard_normal((30, 2)), chains=8)
    few, many = prior.sample(5, generator(529)), prior.sample(50, generator(529))
    assert few.structures.shape == (5, 30)
    assert (few.structures == prior.labels[:5]).all()
    assert many.structures.shape == (50, 30)
    assert not many.exact
    first = prior._advanced(4, generator(529)).labels
    place = [int(np.flatnonzero((many.structures == row).all(axis=1))[0]) for row in first]
    assert place == sorted(place)  # sorted by chain
    assert place[4] >= 25


def test_draws_of_one_chain_are_nearly_independent():
    """So that they are worth nearly their number. With 2 sweeps between them the correlation here is .25."""
    chains, each, rng = 200, 10, generator(534)
    task = clusters(stream(1, 0, "benchmark"), chains=chains)
    posterior, truth = task.prior, task.person.truth
    about = task.problem.family.draw_atoms(298, rng)[:149]
    for i, j in rng.permutation(about)[:60]:
        posterior = posterior.update(Answer((i, j), int(truth[i] == truth[j])), rng)
    draws = posterior.sample(chains * each, rng).structures
    losses = task.problem.distance.paired(draws, np.repeat(truth[None], chains * each, axis=0)).reshape(chains, each)
    losses -= losses.mean()
    lag = (losses[:, 1:] * losses[:, :-1]).mean() / losses.var()
    assert lag < 0.1 + 3 / np.sqrt(chains * (each - 1))
    inflation = each * losses.mean(axis=1).var() / losses.var()  # of the variance of the mean of all draws
    assert inflation < 1.2 * (1 + 3 * np.sqrt(2 / chains))


@pytest.mark.parametrize("kind", ["similarity", "wide"])
def test_similarities_and_wide_tables_become_few_dimensions(kind):
    rng = generator(530)
    truth = np.repeat(np.arange(3), 10)
    points = 4 * rng.standard_normal((3, 40))[truth] + rng.standard_normal((30, 40))
    given = {"similarity": points @ points.T} if kind == "similarity" else {"features": points}
    prior = ClusteringPosterior.prior(Clusterings(30), 3.0, chains=16, **given)
    assert prior.features.shape == (30, 8)
    draws = prior.sample(16, rng).structures
    right = np.repeat(truth[None], 16, axis=0)
    assert ClusterOf(4).paired(draws, right).mean() < 0.1


def test_scaling_gives_back_points_up_to_rotation():
    points = generator(531).standard_normal((12, 3))
    points -= points.mean(axis=0)
    rows = classical_scaling(points @ points.T, 12)
    assert rows.shape == (12, 3)
    assert rows @ rows.T == pytest.approx(points @ points.T, abs=1e-9)


def test_constant_features_say_nothing():
    prior = ClusteringPosterior.prior(Clusterings(4), 3.0, features=np.ones((4, 2)), chains=4)
    assert prior.features.shape == (4, 0)


def test_contradictions_are_lived_with():
    prior = ClusteringPosterior.prior(Clusterings(4), 3.0, chains=400)
    rng = generator(532)
    posterior = told(prior, [(0, 1, 1), (1, 2, 1), (0, 2, 0)], rng)
    found = posterior.diagnostics()
    assert 1.0 <= found["contradicted"] < 1.3
    assert all(np.isfinite(value) for value in found.values())


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"beta": inf}, SettingError),
        ({"beta": 0.0}, SettingError),
        ({"chains": 1}, SettingError),
        ({"components": 0}, SettingError),
        ({"trust": 0.0}, SettingError),
        ({"scales": (1.0, 0.0, 1.0)}, SettingError),
        ({"features": np.eye(3), "similarity": np.eye(4)}, SettingError),
        ({"features": np.eye(3)}, DataError),
        ({"features": np.full((4, 1), np.nan)}, DataError),
        ({"similarity": np.eye(3)}, DataError),
        ({"similarity": np.triu(np.ones((4, 4)))}, DataError),
    ],
)
def test_bad_priors_get_one_sentence(options, kind):
    with pytest.raises(kind, match=r"^[^\n]{20,}$"):
        ClusteringPosterior.prior(Clusterings(4), **{"beta": 2.0, **options})


@pytest.mark.parametrize(
    "answer", [Answer((0, 4), 1), Answer((1, 1), 1), Answer((0, 1), 2), Answer((0.5, 1), 1), Answer(3, 1)]
)
def test_bad_answers_get_one_sentence(answer):
    prior = ClusteringPosterior.prior(Clusterings(4), 2.0, chains=4)
    with pytest.raises(AnswerError, match=r"^[^\n]{20,}$"):
        prior.update(answer, generator(533))


def test_importing_askwise_does_not_import_numba():
    code = "import sys, askwise, askwise.posteriors.clusterings.posterior; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
