"""Groups made of clouds: chains against the exact posterior, what the mixing learns, and the borders."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from askwise.errors import DataError, SettingError
from askwise.posteriors.clusterings.cloud_posterior import MIXING, CloudClusteringPosterior, clustering_prior
from askwise.posteriors.clusterings.posterior import ClusteringPosterior
from askwise.structures.clusterings import Clusterings
from askwise.testing import check_posterior
from askwise.types import Answer
from tests.helpers import SEED, generator
from tests.posteriors.six_clouded_items import CLOUD_SCALES, cloud_weights, exact_with_clouds, groups_given_clouds
from tests.posteriors.six_items import ANSWERS, PARTITIONS, POINTS, log_seating, worst_error

CHAINS = 1000


def told(posterior, answers, rng):
    for i, j, same in answers:
        posterior = posterior.update(Answer((i, j), same), rng)
    return posterior


def test_the_oracle_is_a_distribution_with_the_right_limits():
    assert groups_given_clouds(0.7, 0.9).sum(axis=0) == pytest.approx(np.ones(len(PARTITIONS)))
    far = groups_given_clouds(1e6, 0.9)[:, 100]  # clouds say nothing
    assert far == pytest.approx([np.exp(log_seating(z, 0.9)) for z in PARTITIONS], abs=1e-4)
    near, clouds = groups_given_clouds(1e-9, 0.9)[:, 100], PARTITIONS[100]  # groups are unions of clouds
    whole = np.array([all(len(set(z[clouds == c])) == 1 for c in range(clouds.max() + 1)) for z in PARTITIONS])
    assert 1 < whole.sum() < len(PARTITIONS)
    assert near[whole].sum() == pytest.approx(1.0)


@pytest.mark.parametrize(("mixing", "beta"), [(0.05, 8.0), (1.0, 0.5), (20.0, 3.0), (None, 3.0)])
def test_chains_have_the_exact_posterior(mixing, beta):
    rng = generator(560)
    prior = CloudClusteringPosterior.prior(
        Clusterings(6), beta, features=POINTS, chains=CHAINS, scales=CLOUD_SCALES, mixing=mixing, seed=SEED
    )
    weights = np.exp(prior.log_mixing_prior) / np.exp(prior.log_mixing_prior).sum()
    before = exact_with_clouds(POINTS, [], beta, prior.mixings, weights)
    assert before.sum(axis=0) == pytest.approx(weights)  # features alone say nothing about the mixing
    assert worst_error(prior.labels, before.sum(axis=1)) < 4
    some = told(prior, ANSWERS[:6], rng)
    after = exact_with_clouds(POINTS, ANSWERS[:6], beta, prior.mixings, weights)
    assert worst_error(some.labels, after.sum(axis=1)) < 4
    posterior = told(some, ANSWERS[6:], rng)
    expected = exact_with_clouds(POINTS, ANSWERS, beta, prior.mixings, weights)
    assert worst_error(posterior.labels, expected.sum(axis=1)) < 4
    found = np.isclose(posterior.scales[:, [MIXING]], prior.mixings).mean(axis=0)
    error = np.sqrt(np.maximum(expected.sum(axis=0) * (1 - expected.sum(axis=0)), 1 / CHAINS) / CHAINS)
    assert (np.abs(found - expected.sum(axis=0)) / error).max() < 4


def test_the_concentration_of_the_groups_against_integration():
    rng = generator(561)
    prior = CloudClusteringPosterior.prior(Clusterings(6), 3.0, features=POINTS, chains=CHAINS, seed=SEED)
    widths, scales = np.append(np.zeros(4), 1.5), np.tile(np.exp(prior.log_medians), (CHAINS, 1))
    posterior = told(replace(prior, log_widths=widths, scales=scales)._advanced(30, rng), ANSWERS, rng)
    for _ in range(5):
        posterior = posterior._advanced(2, rng)
    nodes = np.linspace(-4, 4, 13)
    alpha, s2, t2, _, median = np.exp(prior.log_medians)
    joint = np.zeros((len(PARTITIONS), len(nodes)))
    for node, log_value in enumerate(nodes):
        value = median * np.exp(1.5 * log_value)
        weights = np.exp(prior.log_mixing_prior - 0.5 * log_value**2)
        joint[:, node] = cloud_weights(POINTS, ANSWERS, 3.0, prior.mixings, weights, (alpha, s2, t2, value)).sum(axis=1)
    assert worst_error(posterior.labels, joint.sum(axis=1) / joint.sum()) < 4
    logs = np.log(posterior.scales[:, 4] / median) / 1.5
    gap = logs.mean() - joint.sum(axis=0) @ nodes / joint.sum()
    assert abs(gap) < 4 * logs.std() / np.sqrt(CHAINS)


def two_clouds(rng, groups, answers):
    """The mixing after so many random answers about 40 items in two clouds far apart, in such groups."""
    points = np.repeat([[-4.0, 0.0], [4.0, 0.0]], 20, axis=0) + rng.standard_normal((40, 2))
    posterior = CloudClusteringPosterior.prior(Clusterings(40), 3.0, features=points, chains=32, seed=SEED)
    for _ in range(answers):
        i, j = np.sort(rng.choice(40, 2, replace=False))
        posterior = posterior.update(Answer((int(i), int(j)), int(groups[i] == groups[j])), rng)
    return posterior


def test_the_mixing_learns_how_far_features_inform_the_groups():
    rng = generator(562)
    by_cloud, by_chance = np.repeat([0, 1], 20), rng.permutation(np.repeat([0, 1], 20))
    clear, shuffled = two_clouds(rng, by_cloud, 60), two_clouds(rng, by_chance, 60)
    assert clear.diagnostics()["mixing"] < 0.2
    assert shuffled.diagnostics()["mixing"] > 1.0
    right = (clear.labels[:, :, None] == clear.labels[:, None, :]) == (by_cloud[:, None] == by_cloud)
    assert right.mean() > 0.95


def test_one_group_may_be_several_clouds():
    rng = generator(563)
    together = two_clouds(rng, np.zeros(40, int), 30)
    assert (together.labels[:, 0] == together.labels[:, 39]).mean() > 0.9
    assert together.diagnostics()["clouds"] > 1.9


def test_check_posterior():
    prior = CloudClusteringPosterior.prior(
        Clusterings(9), 3.0, features=generator(564).standard_normal((9, 2)), chains=16
    )
    check_posterior(prior, [Answer((0, 1), 1), Answer((3, 8), 0), Answer((0, 1), 0)])


def test_a_chain_does_not_depend_on_the_others():
    points = generator(565).standard_normal((20, 2))
    prior = CloudClusteringPosterior.prior(Clusterings(20), 3.0, features=points, chains=8)
    some = replace(prior, **{name: getattr(prior, name)[:3] for name in ("labels", "clouds", "parts", "scales")})
    both = [each._advanced(3, np.random.default_rng(5)) for each in (prior, some)]
    assert (both[0].labels[:3] == both[1].labels).all()


@pytest.mark.parametrize("count", [2, 3])
def test_few_items(count):
    prior = CloudClusteringPosterior.prior(Clusterings(count), 2.0, features=np.eye(count), chains=4)
    assert prior.update(Answer((0, 1), 1), generator(566)).labels.shape == (4, count)


def test_contradictions_beyond_measure_are_taken_in():
    """Answers that cost a thousand in one sum: their exponentials are never taken alone."""
    rng = generator(567)
    posterior = CloudClusteringPosterior.prior(Clusterings(4), 300.0, features=[[0.0], [0.1], [5.0], [5.1]], chains=8)
    posterior = told(posterior, [(0, 1, 0)] * 5 + [(0, 1, 1)] * 5 + [(0, 2, 1)] * 5 + [(1, 3, 0)] * 5, rng)
    assert (posterior.labels[:, 0] == posterior.labels[:, 2]).all()
    assert (posterior.labels[:, 1] != posterior.labels[:, 3]).all()
    assert np.isfinite(posterior.scales).all()


def test_which_model_the_goals_believe():
    family, points = Clusterings(4), [[0.0], [0.1], [5.0], [5.1]]
    assert isinstance(clustering_prior(family, 2.0, features=points, chains=2), CloudClusteringPosterior)
    assert isinstance(clustering_prior(family, 2.0, chains=2), ClusteringPosterior)
    assert isinstance(clustering_prior(family, 2.0, features=np.ones((4, 1)), chains=2), ClusteringPosterior)
    fixed = clustering_prior(family, 2.0, features=points, trust=0.3, chains=2, seed=4)
    same = ClusteringPosterior.prior(family, 2.0, features=points, trust=0.3, chains=2, seed=4)
    assert (fixed.labels == same.labels).all()
    assert (fixed.scales == same.scales).all()


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"mixing": 0}, SettingError),
        ({"mixing": -1.0}, SettingError),
        ({"chains": 1}, SettingError),
        ({"seed": -1}, SettingError),
        ({"scales": (1.0, 0.0, 1.0, 1.0)}, SettingError),
        ({"features": [[1.0]]}, DataError),
    ],
)
def test_bad_settings_get_one_sentence(options, kind):
    with pytest.raises(kind, match=r"^[^\n]{20,}$"):
        CloudClusteringPosterior.prior(Clusterings(4), 2.0, **{"features": np.eye(4), **options})
