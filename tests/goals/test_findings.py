"""What is shown about items and groups, against plain loops over the draws."""

from __future__ import annotations

import numpy as np
import pytest

from askwise.distances.fairness import EqualOpportunity
from askwise.distances.items import TopK
from askwise.goals import best_item, cluster_of, goal_of
from askwise.goals.base import findings, groups
from askwise.report.page import certificate_sample
from askwise.stopping.certificate import CERTIFICATE_DRAWS
from askwise.structures.clusterings import compact
from askwise.structures.hierarchies import clades, random_trees
from askwise.structures.linear import LinearPool
from askwise.structures.multiclass import SoftmaxPool
from askwise.types import Sample
from tests.helpers import generator

NAMES = ["a", "b", "c", "d", "e"]


@pytest.fixture
def weighted():
    """Values (S, N) with weights of their own."""
    rng = generator(900)
    return rng.standard_normal((37, len(NAMES))), rng.dirichlet(np.ones(37))


def test_the_chance_of_being_best_and_the_loss(weighted):
    utilities, weights = weighted
    regrets = (utilities.max(axis=1, keepdims=True) - utilities) / np.ptp(utilities, axis=1)[:, None]
    chance, loss = dict.fromkeys(NAMES, 0.0), dict.fromkeys(NAMES, 0.0)
    for row, weight in zip(utilities, weights, strict=True):
        chance[NAMES[max(range(5), key=lambda i: row[i])]] += weight
        for i, name in enumerate(NAMES):
            loss[name] += weight * (max(row) - row[i]) / (max(row) - min(row))
    found = findings.best_chances(regrets, weights, NAMES)
    assert [row.name for row in found] == sorted(NAMES, key=lambda name: -chance[name])
    for row in found:
        assert row.name == NAMES[row.place]
        assert row.probability == pytest.approx(chance[row.name])
        assert row.loss == pytest.approx(loss[row.name])


def test_the_chance_of_being_among_the_top(weighted):
    utilities, weights = weighted
    found = findings.membership_chances(TopK(np.eye(5), 2).top(utilities), weights, NAMES)
    for row in found:
        on_top = [sum(value > values[row.place] for value in values) < 2 for values in utilities]
        assert row.probability == pytest.approx(sum(w for w, top in zip(weights, on_top, strict=True) if top))
    assert sum(row.probability for row in found) == pytest.approx(2)


def weighted_quantile(values, weights, share):
    """Walks up the sorted values until the share is reached."""
    total = 0.0
    for value, weight in sorted(zip(values, weights, strict=True)):
        total += weight
        if total >= share - 1e-12:
            return value
    return max(values)


def test_ranks_and_their_intervals(weighted):
    utilities, weights = weighted
    found = findings.rank_spans(utilities, weights, NAMES, [4, 3, 2, 1, 0])
    assert [row.name for row in found] == NAMES[::-1]
    for row in found:
        own = [1 + sum(value > values[row.place] for value in values) for values in utilities]
        assert row.low == weighted_quantile(own, weights, 0.1)
        assert row.middle == weighted_quantile(own, weights, 0.5)
        assert row.high == weighted_quantile(own, weights, 0.9)
        assert row.probability == pytest.approx(sum(w for w, r in zip(weights, own, strict=True) if r == 1))


def test_scores_and_their_intervals(weighted):
    utilities, weights = weighted
    found = findings.score_spans(utilities, weights, NAMES)
    assert sorted(row.middle for row in found)[::-1] == [row.middle for row in found]
    for row in found:
        own = utilities[:, row.place].tolist()
        assert (row.low, row.middle, row.high) == tuple(weighted_quantile(own, weights, q) for q in (0.1, 0.5, 0.9))


def test_an_interval_holds_the_truth_as_often_as_it_says():
    rng = generator(901)
    draws, truth = rng.standard_normal((1000, 2000)), rng.standard_normal(2000)
    low, high = findings.quantiles(draws, np.full(1000, 1 / 1000), [0.1, 0.9])
    inside = ((low <= truth) & (truth <= high)).mean()
    assert abs(inside - findings.INTERVAL_PROBABILITY) < 4 * np.sqrt(0.8 * 0.2 / 2000)


def test_the_standard_error_of_a_chance_that_the_docs_name():
    assert 0.5 / CERTIFICATE_DRAWS**0.5 < 0.008


def test_the_draws_are_those_of_the_certificate():
    session = best_item(["tea", "coffee", "water", "milk"], by="exact", seed=2)
    for _ in range(3):
        session.ask()
        session.tell("left")
    sample = certificate_sample(session)
    assert len(sample.weights) == CERTIFICATE_DRAWS
    found = findings.best_chances(-session.problem.distance.utilities(sample.structures), sample.weights, range(4))
    own = next(row for row in found if session.problem.family.names[row.place] == session.estimate().value)
    assert own.probability == pytest.approx(session.certificate().probability_exact, abs=1e-12)


def test_facts_of_the_best_item():
    pictures = ["w.png", "x.png", "y.png", "z.png"]
    table = {"name": list("wxyz"), "image": pictures, "note": [None, "n", "n", "n"], "price": [1.0, 2.0, 3.0, 4.0]}
    goal = goal_of(best_item(table, features=["price"], draws=20))
    found = [findings.row_facts(table, place, goal.features, ["wxyz"[place], pictures[place]]) for place in (0, 1)]
    assert found == [[("price", 1.0)], [("price", 2.0), ("note", "n")]]


@pytest.mark.parametrize("labels", [("no", "yes"), ("red", "green", "blue")])
def test_labels_and_their_chances(labels, monkeypatch):
    monkeypatch.setattr(groups, "DRAWS_PER_BLOCK", 7)  # several blocks
    rng = generator(902, len(labels))
    points = rng.standard_normal((6, 2))
    family = LinearPool(points, labels=labels) if len(labels) == 2 else SoftmaxPool(points, labels=labels)
    draws = rng.standard_normal((23, family.dimension))
    weights = rng.dirichlet(np.ones(23))

    def label(structure, point):
        if len(labels) == 2:
            return labels[int(structure @ point > 0)]
        return labels[int((structure.reshape(3, 2) @ point).argmax())]

    found = groups.label_findings(family, Sample(draws, weights, exact=False), draws[0], labels)
    for i, row in enumerate(found.rows):
        own = label(draws[0], points[i])
        assert found.given[i] == own
        same = sum(w for draw, w in zip(draws, weights, strict=True) if label(draw, points[i]) == own)
        assert row.probability == pytest.approx(same)
    assert dict(found.counts) == {name: found.given.count(name) for name in labels}
    unsure = [row.probability for row, _ in found.unsure(3)]
    assert unsure == sorted(row.probability for row in found.rows)[:3]


def test_the_gap_between_groups():
    rng = generator(903)
    points, protected = rng.standard_normal((30, 2)), np.arange(30) % 2 == 0
    family = LinearPool(points)
    draws = rng.standard_normal((41, 2))
    estimate = draws[0]
    gaps = []
    for draw in draws:
        deserving = points @ draw > 0
        shares = [
            (points[deserving & side] @ estimate > 0).mean() if (deserving & side).any() else None
            for side in (protected, ~protected)
        ]
        gaps.append(0.0 if None in shares else abs(shares[0] - shares[1]))
    weights = np.full(41, 1 / 41)
    distance = EqualOpportunity(family, np.arange(30), protected)
    found = groups.fairness_gap(distance, Sample(draws, weights, False), estimate)
    assert found == pytest.approx([weighted_quantile(gaps, weights, q) for q in (0.1, 0.5, 0.9)], abs=1e-6)


def test_clusters_and_how_surely_each_belongs():
    rng = generator(904)
    draws = compact(rng.integers(3, size=(50, 5)))
    weights = rng.dirichlet(np.ones(50))
    estimate = np.array([0, 1, 0, 0, 2])
    found = groups.cluster_findings(draws, weights, estimate, NAMES)
    assert [{row.name for row in cluster.members} for cluster in found] == [{"a", "c", "d"}, {"b"}, {"e"}]
    for cluster in found:
        for row in cluster.members:
            others = [member.place for member in cluster.members if member is not row]
            total = 0.0
            for draw, weight in zip(draws, weights, strict=True):
                if others:
                    total += weight * sum(draw[row.place] == draw[other] for other in others) / len(others)
                else:
                    total += weight * (sum(draw == draw[row.place]) == 1)
            assert row.probability == pytest.approx(total)


def test_members_of_one_cluster():
    session = cluster_of(["ant", "bee", "cow", "dog"], "bee", seed=1)
    draws, weights = session.sample.structures, session.sample.weights
    found = findings.membership_chances(session.problem.distance.members(draws), weights, session.problem.family.names)
    assert found[0].name == "bee"
    assert found[0].probability == 1
    for row in found:
        expected = sum(w for draw, w in zip(draws, weights, strict=True) if draw[row.place] == draw[1])
        assert row.probability == pytest.approx(expected)


def test_forks_and_their_support():
    rng = generator(905)
    trees = random_trees(200, 5, rng)
    weights = rng.dirichlet(np.ones(200))
    found = groups.inner_nodes(trees, weights, trees[0])
    assert {frozenset(fork.leaves) for fork in found} == clades(trees[0])
    for fork in found:
        same = sum(w for tree, w in zip(trees, weights, strict=True) if frozenset(fork.leaves) in clades(tree))
        assert fork.support == pytest.approx(same)
        below = [({child} if child < 5 else set(found[child - 5].leaves)) for child in fork.children]
        assert below[0] | below[1] == set(fork.leaves)
        assert not below[0] & below[1]
        assert fork.height == 1 + max(0 if child < 5 else found[child - 5].height for child in fork.children)
    assert found[-1].support == pytest.approx(1)
    assert sorted(found[-1].leaves) == list(range(5))
