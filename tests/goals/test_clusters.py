"""The goals about clusters: they end, say the members, survive JSON, and refuse nonsense in one sentence."""

from __future__ import annotations

import json

import numpy as np
import pytest

from askwise.errors import DataError, SettingError
from askwise.goals import cluster_of, clusters
from askwise.posteriors.clusterings.cloud_posterior import CloudClusteringPosterior
from askwise.posteriors.clusterings.posterior import ClusteringPosterior
from tests.helpers import SEED

TRUTH = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 1, 0])
NAMES = [f"thing {i}" for i in range(len(TRUTH))]
POINTS = np.array([[0.0, 3.0], [3.0, 0.0], [-3.0, 0.0]])[TRUTH] + 0.8 * np.random.default_rng(3).standard_normal(
    (12, 2)
)
TABLE = {"name": NAMES, "x": POINTS[:, 0].tolist(), "y": POINTS[:, 1].tolist()}
MADE = {
    "cluster_of": lambda **o: cluster_of(TABLE, "thing 4", seed=SEED, **o),
    "clusters": lambda **o: clusters(TABLE, seed=SEED, **o),
}


def answer(session, questions=None):
    """Answers as the truth would, to the end or for so many questions."""
    while not session.done if questions is None else len(session.answers) < questions:
        i, j = session.ask().atom
        session.tell("same" if TRUTH[i] == TRUTH[j] else "different")
    return session


@pytest.mark.parametrize("data", [TABLE, NAMES], ids=["features", "names only"])
def test_one_cluster_is_found(data):
    session = answer(cluster_of(data, "thing 4", seed=SEED))
    assert session.reason.startswith("undecided is below 0.1")
    assert session.estimate().value == ["thing 3", "thing 4", "thing 5", "thing 10"]
    assert "of the cluster (at most" in str(session.certificate())


def test_all_clusters_are_found():
    session = answer(clusters(NAMES, seed=SEED))
    assert session.reason.startswith("undecided is below 0.02")
    assert session.estimate().value == [[NAMES[i] for i in np.flatnonzero(c == TRUTH)] for c in range(3)]


@pytest.mark.parametrize("spread", [1.6, 4.0], ids=["groups overlap", "groups are clear"])
def test_sixty_products_end_as_their_six_groups(spread):
    rng = np.random.default_rng([SEED, 60])
    truth = rng.permutation(np.arange(60) % 6)
    rows = spread * rng.standard_normal((6, 3))[truth] + rng.standard_normal((60, 3))
    session = clusters(rows, seed=SEED)
    while len(session.answers) % 10 or not session.done:  # testing whether to stop costs more than an answer
        i, j = session.ask().atom
        session.tell("same" if truth[i] == truth[j] else "different")
    found = session.estimate()
    assert len(found.value) == 6
    assert session.problem.distance.paired(found.structure[None], truth[None])[0] <= 0.02


def test_a_similarity_matrix_takes_the_place_of_features():
    session = answer(cluster_of(NAMES, 4, similarity=POINTS @ POINTS.T, seed=SEED), 2)
    assert session.problem.family.around == 4
    assert session.posterior.features.shape == (12, 2)
    kept = json.loads(session.to_json())["recipe"]["options"]["similarity"]
    assert np.array_equal(kept, POINTS @ POINTS.T)


@pytest.mark.parametrize("seed", [SEED, SEED + 1])
def test_answers_that_ignore_the_features_are_believed_without_a_warning(seed):
    """Two clouds, three groups across them: the answers overrule the features, so there is nothing to warn about."""
    rng = np.random.default_rng([seed, 24])
    points = np.array([[-3.0, 0.0], [3.0, 0.0]])[np.arange(24) % 2] + rng.standard_normal((24, 2))
    truth = rng.integers(3, size=24)
    session = cluster_of({"x": points[:, 0].tolist(), "y": points[:, 1].tolist()}, 0, seed=seed)
    while not session.done:
        i, j = session.ask().atom
        session.tell("same" if truth[i] == truth[j] else "different")
    certificate = session.certificate()
    wrong = session.problem.distance.paired(certificate.estimate.structure[None], truth[None])[0]
    assert wrong <= 0.1
    assert certificate.upper_bound < 0.1
    assert certificate.warning is None


def test_answers_by_the_toss_of_a_coin_are_warned_about():
    session, rng = clusters(NAMES, seed=SEED), np.random.default_rng([SEED, 12])
    for _ in range(60):
        session.ask()
        session.tell("same" if rng.random() < 0.5 else "different")
    assert "the answers do not fit the model" in session.certificate().warning


@pytest.mark.parametrize("goal", MADE)
def test_trust_is_learned_unless_it_is_given(goal):
    learned, fixed = MADE[goal](), MADE[goal](trust=0.3)
    assert isinstance(learned.posterior, CloudClusteringPosterior)
    assert learned.recipe["options"]["trust"] is None
    assert isinstance(fixed.posterior, ClusteringPosterior)
    assert fixed.posterior.trust == fixed.recipe["options"]["trust"] == 0.3


def test_a_group_may_be_several_clouds():
    """Four clouds far apart, two groups: answers about a few items settle all of them."""
    rng = np.random.default_rng([SEED, 40])
    clouds = np.repeat(np.arange(4), 10)
    points = np.array([[0.0, 9.0], [9.0, 0.0], [-9.0, 0.0], [0.0, -9.0]])[clouds] + rng.standard_normal((40, 2))
    session = cluster_of({"x": points[:, 0].tolist(), "y": points[:, 1].tolist()}, 0, seed=SEED)
    while not session.done:
        i, j = session.ask().atom
        session.tell("same" if clouds[i] % 2 == clouds[j] % 2 else "different")
    found = session.estimate().structure
    assert ((found == found[0]) == (clouds % 2 == 0)).all()
    assert len(session.answers) < 40


@pytest.mark.parametrize("goal", MADE)
@pytest.mark.parametrize("options", [{}, {"trust": 0.3}], ids=["learned", "trust"])
def test_a_recipe_builds_the_same_session(goal, options):
    session = answer(MADE[goal](**options), 3)
    state = json.loads(session.to_json())
    build = {"cluster_of": cluster_of, "clusters": clusters}[state["recipe"]["goal"]]
    copy = build(state["recipe"]["data"], **state["recipe"]["options"])
    copy.replay(state["log"])
    assert copy.to_json() == session.to_json()
    assert copy.ask() == session.ask()
    assert copy.ask().gain == session.ask().gain  # bit for bit
    assert copy.estimate().value == session.estimate().value


@pytest.mark.parametrize("goal", MADE)
def test_undo_gives_back_the_very_belief(goal):
    session = answer(MADE[goal](), 2)
    before, question = session.posterior, session.ask()
    session.tell("same")
    session.undo()
    assert session.posterior is before
    assert session.ask() == question


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda: cluster_of(NAMES, "nobody"), DataError),
        (lambda: cluster_of(NAMES, 12), SettingError),
        (lambda: cluster_of(NAMES, True), SettingError),
        (lambda: cluster_of(["one"], 0), DataError),
        (lambda: cluster_of(NAMES, 0, noise=0), SettingError),
        (lambda: clusters(NAMES, noise=0.5), SettingError),
        (lambda: clusters(TABLE, trust=0), SettingError),
        (lambda: clusters(TABLE, trust="learned"), SettingError),
        (lambda: clusters(NAMES, draws=1), SettingError),
        (lambda: clusters(NAMES, seed=-1), SettingError),
        (lambda: clusters(NAMES, epsilon=0), SettingError),
        (lambda: clusters(NAMES, rule="best"), SettingError),
        (lambda: clusters(NAMES, similarity=[[1.0]]), DataError),
        (lambda: clusters(NAMES, similarity=[["x"]]), SettingError),
    ],
)
def test_bad_input_gets_one_sentence(call, kind):
    with pytest.raises(kind, match=r"^[^\n]{20,}$"):
        call()
