"""The tasks are those of `simulate`, the summaries right on made-up runs. No peer is needed here."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import norm

from askwise.distances.clusterings import ClusterOf, ClusterPairs
from askwise.distances.items import ItemRegret
from askwise.distances.labels import Disagreement
from askwise.simulate.tasks import choice, clusters
from askwise.structures.linear import LinearPool
from askwise.types import Sample
from benchmarks.peers import page, run, summary
from benchmarks.peers.naive import Langevin
from benchmarks.peers.ours import RUNS, BestItemLearner
from benchmarks.peers.tasks import POSTERIOR_SEED, SIGMA, Choice, Clusters, Labels, Posterior
from benchmarks.peers.worker import MEASURED_ANSWERS, rounded, run_learner, sampler_record


def test_the_choice_is_that_of_simulate():
    task, rng = Choice.of(3), np.random.default_rng([3, 1])
    theirs = choice(rng, items=50, dim=10, sigma=SIGMA)
    np.testing.assert_array_equal(theirs.problem.family.items, task.items)
    np.testing.assert_array_equal(theirs.person.truth, task.taste)
    guess = np.random.default_rng(0).standard_normal(10)
    found = task.errors(int((task.items @ guess).argmax()))
    one = Sample(guess[None], np.ones(1), exact=True)
    assert found["wrong"] == theirs.metrics["top_item_error"](one)
    assert np.isclose(found["distance"], theirs.metrics["distance_to_best"](one))
    assert np.isclose(
        found["regret"], ItemRegret(task.items).regrets(task.taste[None])[0, (task.items @ guess).argmax()]
    )


def test_answers_have_the_models_chances_and_depend_on_nothing_else():
    task = Choice.of(1)
    utilities = task.items @ task.taste
    pair = next((i, j) for i in range(50) for j in range(i) if 0.5 < utilities[i] - utilities[j] < 1.0)
    said = [task.answer(pair, times) for times in range(2000)]
    assert said == [task.answer(pair[::-1], times) for times in range(2000)]
    chance = 1 / (1 + np.exp(utilities[pair[1]] - utilities[pair[0]]))
    assert abs(np.mean(np.array(said) == pair[0]) - chance) < 4 * np.sqrt(chance * (1 - chance) / 2000)


def test_labels_and_clusters():
    task = Labels.of(2)
    family = LinearPool(task.points)
    guess = np.random.default_rng(0).standard_normal(10)
    wrong = Disagreement(family, np.arange(500)).paired(guess[None], task.weights[None])[0]
    assert np.isclose(task.errors((task.points @ guess > 0).astype(int))["error"], wrong)
    row = int(np.abs(task.points @ task.weights - 1).argmin())
    chance = 1 / (1 + np.exp(-task.points[row] @ task.weights))
    said = np.mean([task.answer(row, times) for times in range(2000)])
    assert abs(said - chance) < 4 * np.sqrt(chance * (1 - chance) / 2000)

    grouped = Clusters.of(4)
    theirs = clusters(np.random.default_rng([4, 3]), chains=2)
    np.testing.assert_array_equal(theirs.person.truth, grouped.truth)
    assert theirs.problem.distance.item == grouped.item
    labels = np.random.default_rng(1).integers(5, size=150)
    found = grouped.errors(labels)
    assert np.isclose(found["pairs"], ClusterPairs().paired(labels[None], grouped.truth[None])[0])
    assert np.isclose(found["cluster"], ClusterOf(grouped.item).paired(labels[None], grouped.truth[None])[0])
    pairs = [(i, j) for i in range(100) for j in range(i)]
    wrong = [grouped.answer(pair, 0) != (grouped.truth[pair[0]] == grouped.truth[pair[1]]) for pair in pairs]
    assert abs(np.mean(wrong) - 0.05) < 4 * np.sqrt(0.05 * 0.95 / len(pairs))


def test_the_posterior_is_of_the_same_people():
    rows = Posterior.of().rows
    assert rows.shape == (100, 10)
    assert (rows @ Choice.of(POSTERIOR_SEED).taste > 0).mean() > 0.7


class Stubborn:
    """Asks one pair for ever."""

    def ask(self):
        return (4, 2)

    def tell(self, question, best):
        self.best = best

    def estimate(self):
        return self.best


def test_a_run_asks_again_and_keeps_the_errors():
    task = Choice.of(0)
    found = run_learner(task, Stubborn(), questions=20)
    expected = [
        rounded(task.errors(task.answer((2, 4), look - 1))["regret"]) for look in MEASURED_ANSWERS if look <= 20
    ]
    assert found["errors"]["regret"] == expected
    assert "belief" not in found["errors"]
    assert found["cpu_ms"] >= 0


@pytest.mark.parametrize("learner", [BestItemLearner, Langevin])
def test_learners_with_a_posterior(learner):
    found = run_learner(Choice.of(0), learner(Choice.of(0)), questions=5)
    assert set(found["errors"]) == {"wrong", "distance", "regret", "belief"}
    assert 0 < found["errors"]["belief"][0] <= 1


def test_the_naive_chain_samples_the_posterior():
    """With one answer in two dimensions the mean is a sum over a grid."""
    task = Choice(0, np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]), np.array([1.0, 0.0]))
    learner = Langevin(task)
    means = []
    for number in range(16):
        learner.rng, learner.rows = np.random.default_rng(number), learner.rows[:0]
        learner.tell((0, 1), 0)
        means.append(learner.draws.mean(axis=0))
    side = np.linspace(-30, 30, 301)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    weight = np.exp(-(grid**2).sum(axis=1) / (2 * SIGMA**2)) / (1 + np.exp(-(grid[:, 0] - grid[:, 1])))
    exact = weight @ grid / weight.sum()
    error = np.std(means, axis=0, ddof=1) / np.sqrt(len(means))
    assert (np.abs(np.mean(means, axis=0) - exact) < 4 * error).all()


def lines(**peers):
    """Made-up runs: by peer, the errors (R, looks) of its people."""
    names = {name.replace("_", " "): np.asarray(errors) for name, errors in peers.items()}
    return [
        {"peer": name, "seed": seed, "cpu_ms": 5.0, "at": "today", "with": "made up"}
        | {"errors": dict.fromkeys(("wrong", "distance", "regret", "belief"), curve.tolist())}
        for name, errors in names.items()
        for seed, curve in enumerate(errors)
    ]


def test_differences_are_paired_and_simultaneous():
    rng = np.random.default_rng(5)
    people = rng.standard_normal((400, 1))  # what a person adds to everybody's error goes out by pairing
    ours = people + 0.1 * rng.standard_normal((400, len(MEASURED_ANSWERS)))
    theirs = people[:300] + 0.1 * rng.standard_normal((300, len(MEASURED_ANSWERS)))
    theirs[:, MEASURED_ANSWERS.index(50)] -= 0.1
    found = summary.difference(lines(askwise=ours, other=theirs), "other", "askwise", "wrong")
    assert found.people == 300
    assert found.better == [50]
    assert found.worse == []
    gaps = summary.at_checkpoints(theirs) - summary.at_checkpoints(ours[:300])
    np.testing.assert_allclose(found.mean, gaps.mean(axis=0))
    reach = (found.high - found.mean) / (gaps.std(axis=0, ddof=1) / np.sqrt(300))
    exact = norm.ppf((1 + 0.95 ** (1 / 5)) / 2)  # of the largest of five independent ones
    np.testing.assert_allclose(reach, exact, rtol=0.05)


def test_intervals_hold_together_as_often_as_they_say():
    rng = np.random.default_rng(6)
    held = 0
    for _ in range(200):
        low, high = summary.simultaneous_interval(rng.standard_normal((60, 5)) @ np.tril(np.ones((5, 5))) * 0.1)
        held += bool((low <= 0).all() and (high >= 0).all())
    assert abs(held / 200 - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 200)
    assert summary.simultaneous_interval(np.ones((3, 2)))[0].tolist() == [1.0, 1.0]


def test_questions_needed():
    falling = np.linspace(0.95, 0.0, len(MEASURED_ANSWERS))[None]  # 0.05 every five questions
    found = lines(askwise=falling)
    assert summary.questions_needed(found, "askwise", "wrong", 0.9) == pytest.approx(10)
    assert summary.questions_needed(found, "askwise", "wrong", 0.875) == pytest.approx(12.5)
    assert summary.questions_needed(found, "askwise", "wrong", 0.97) == 5.0
    assert summary.questions_needed(found, "askwise", "wrong", -0.1) is None
    assert [line["seed"] for line in summary.common(lines(a=falling, b=[falling[0]] * 2), "a", "b")] == [0, 0]


def test_effective_draws():
    """Independent draws count fully; of a chain with autocorrelation phi, (1 - phi) / (1 + phi) for its mean."""
    rng, phi, runs, count = np.random.default_rng(7), 0.5, 200, 600
    independent = 3 + 2 * rng.standard_normal((runs, count, 10))
    chain = np.empty((runs, count, 10))
    chain[:, 0] = rng.standard_normal((runs, 10))
    for step in range(1, count):
        chain[:, step] = phi * chain[:, step - 1] + np.sqrt(1 - phi**2) * rng.standard_normal((runs, 10))
    made = [{"peer": "true", "seed": 0, "mean": [3.0] * 10, "variance": [4.0] * 10, "cpu_ms": 1.0}]
    for peer, values in (("free", independent), ("chain", 3 + 2 * chain)):
        made += [{"peer": peer, "seed": seed, **sampler_record(values[seed], 0.01)} for seed in range(runs)]
    slack = 4 * np.sqrt(2 / (10 * runs))  # of a mean of so many squares
    free, bound = (summary.draws(made, peer, "true") for peer in ("free", "chain"))
    assert free.mean == pytest.approx(count, rel=slack)
    assert free.variance == pytest.approx(count, rel=slack)
    assert bound.mean == pytest.approx(count * (1 - phi) / (1 + phi), rel=slack)
    assert bound.variance == pytest.approx(count * (1 - phi**2) / (1 + phi**2), rel=slack)
    assert free.off < 4.5 * free.noise
    assert free.noise == pytest.approx(1 / np.sqrt(runs * count), rel=slack)
    assert free.per_second == pytest.approx(100 * min(free.mean, free.variance))


def test_the_page_says_who_is_better():
    rng = np.random.default_rng(8)
    ours = 0.5 + 0.1 * rng.standard_normal((50, len(MEASURED_ANSWERS)))
    made = lines(askwise=ours, choix=ours[:20] - 0.3, askwise_qbc=ours + 0.3, naive_NumPy=ours)
    timed = [
        {"peer": peer, "seed": seed, "cpu_ms": ms + seed, "at": "one day, one machine", "with": "made up"}
        for peer, ms in (("askwise", 5.0), ("naive NumPy", 11.0))
        for seed in range(3)
    ]
    said = page.text(made, {"askwise": 100, "COBRAS": 24}, timed, "| the table of kinds |")
    assert "| choix after 10, 25, 50, 75, 100; fewer than 100 people: " in said
    assert "| naive NumPy: at least 4 times our CPU a question | 2.0 | **missed** |" in said
    assert "| naive NumPy | 3 | 12.0 | 11.0 | 13.0 | 2 |" in said
    assert "`python -m benchmarks.peers.run --cpu`, one day, one machine: " in said
    assert "## People of many kinds\n\nThe people above have linear tastes." in said
    assert "\n\n| the table of kinds |\n" in said
    assert "worse after 10, 25, 50, 75, 100 |" in said
    assert "| askwise | 50 | 100 | made up | today |" in said
    assert "| COBRAS | 0 | 24 | not run |  |" in said
    untimed = page.text(made, {})
    assert "CPU of a question" not in untimed
    assert "5.0" not in untimed  # the CPU of runs on several days and machines
    few = page.text(lines(askwise=ours, choix=ours[:6] - 0.3 * rng.random((6, 1))), {})
    assert few.count("| too few people |") == 2


def test_runs_that_are_there_are_not_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "RESULTS", tmp_path / "results.jsonl")
    peer = run.Peer("choix", "learn", "bradley_terry", 5)
    assert run.missing(peer, 100) == [0, 1, 2, 3, 4]
    run.RESULTS.write_text(
        json.dumps({"peer": "choix", "seed": 1}) + "\n" + json.dumps({"peer": "x", "seed": 0}) + "\n"
    )
    assert run.missing(peer, 100) == [0, 2, 3, 4]
    assert run.missing(peer, 2) == [0]


def test_every_peer_is_listed_once_and_on_the_page():
    names = [peer.name for peer in run.PEERS]
    assert len(set(names)) == len(names)
    shown = {*page.CHOICE, *page.LABELS, *page.CLUSTERS, *page.SAMPLERS, page.REFERENCE}
    assert shown == set(names)
    assert {peer.name for peer in run.PEERS if peer.module == "ours"} == set(RUNS)
    assert all((run.HERE / f"{peer.environment}.txt").exists() for peer in run.PEERS if peer.environment)


def test_times_are_of_one_run_of_all(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "TIMES", tmp_path / "times.jsonl")
    made = {"errors": {}, "cpu_ms": 4.0, "with": "made up"}
    monkeypatch.setattr(
        run, "runs", lambda peer, seeds: ({"peer": peer.name, "seed": seed, **made} for seed in seeds[: 2 * peer.seeds])
    )
    peers = [run.Peer("choix", "learn", "bradley_terry"), run.Peer("nutpie", "sampler", "nuts_nutpie")]
    run.time_peers(peers)
    kept = run.lines(run.TIMES)
    assert [line["peer"] for line in kept].count("choix") == run.TIMED_PEOPLE
    assert [line["peer"] for line in kept].count("nutpie") == run.TIMED_SAMPLES
    assert len({line["at"] for line in kept}) == 1
    with pytest.raises(SystemExit, match="COBRAS did not run"):
        run.time_peers([*peers, run.Peer("COBRAS", "old", "cobras", 1)])
    assert run.lines(run.TIMES) == kept


def test_the_stored_times_are_of_one_machine_and_of_all_peers():
    kept = run.lines(run.TIMES)
    assert len({line["at"] for line in kept}) == 1
    assert {line["peer"] for line in kept} == {peer.name for peer in run.PEERS} - {page.REFERENCE}
