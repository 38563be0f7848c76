"""How far people are trusted, against the exact joint posterior of partitions and strengths."""

from __future__ import annotations

import numpy as np
import pytest

import askwise
from askwise import storage
from askwise.losses import logistic
from askwise.posteriors.clusterings.posterior import ClusteringPosterior
from askwise.posteriors.hierarchies.posterior import HierarchyPosterior
from askwise.posteriors.matrices.posterior import MatrixPosterior
from askwise.posteriors.scores.logconcave import LogConcave
from askwise.session.beliefs import Beliefs
from askwise.session.reliability import GRID
from askwise.structures.clusterings import Clusterings
from askwise.structures.hierarchies import Hierarchies, random_trees
from askwise.structures.matrices import Matrices
from askwise.types import Answer
from tests.helpers import generator
from tests.posteriors.six_items import PARTITIONS, POINTS, SCALES, exact, worst_error

BETA = 3.0
TRUTH = np.array([0, 0, 1, 1, 2, 2])
WRONG = {"ann": 0.05, "bob": 0.05, "cy": 0.05, "dan": 0.5}


def crowd(rng, count):
    """Answers of four people, one of whom guesses."""
    answers = []
    for turn in range(count):
        who = list(WRONG)[turn % len(WRONG)]
        i, j = rng.choice(6, 2, replace=False).tolist()
        said = int(TRUTH[i] == TRUTH[j]) ^ int(rng.random() < WRONG[who])
        answers.append(Answer((i, j), said, who))
    return answers


def told(answers, seed=0):
    prior = ClusteringPosterior.prior(Clusterings(6), BETA, features=POINTS, chains=100, scales=SCALES)
    beliefs = Beliefs(prior, seed)
    for number, answer in enumerate(answers):
        beliefs = beliefs.tell(f"q{number}", answer)
    return beliefs


def exact_strengths(answers):
    """(P, G): the posterior of each person's strength, all partitions and all strengths of the others summed out."""
    together = PARTITIONS[:, [a.atom[0] for a in answers]] == PARTITIONS[:, [a.atom[1] for a in answers]]
    wrong = together != (np.array([a.response for a in answers]) == 1)
    logs = []
    for who in WRONG:
        mine = np.array([a.who == who for a in answers])
        cost = GRID * BETA
        logs.append(-wrong[:, mine].sum(axis=1)[:, None] * cost - mine.sum() * np.log1p(np.exp(-cost)) + np.log(GRID))
    likelihoods = np.exp(np.array(logs) - np.max(logs, axis=(1, 2), keepdims=True))  # (P, H, G)
    prior = exact(POINTS, [], BETA)
    found = []
    for person in range(len(logs)):
        others = np.prod([likelihoods[k].sum(axis=1) for k in range(len(logs)) if k != person], axis=0)
        found.append((prior * others) @ likelihoods[person])
    return np.array(found) / np.sum(found, axis=1, keepdims=True)


@pytest.mark.parametrize("seed", range(2))
def test_strengths_are_those_of_the_exact_posterior(seed):
    answers = crowd(generator(800 + seed), 60)
    found = told(answers, seed).reliability
    marginal = exact_strengths(answers)
    mean = marginal @ GRID
    spread = np.sqrt(marginal @ GRID**2 - mean**2)
    for person, who in enumerate(WRONG):
        assert abs(found[who] - GRID[marginal[person].argmax()]) < spread[person]
    assert found["dan"] < 0.5 * min(found[who] for who in ("ann", "bob", "cy"))


def test_the_chains_follow_the_strengths():
    """With strengths given, the posterior is the exact one of answers that cost so much each."""
    answers = crowd(generator(810), 24)
    strengths = np.array([{"ann": 1.0, "bob": 0.7, "cy": 0.4, "dan": 0.1}[answer.who] for answer in answers])
    posterior, rng = (
        ClusteringPosterior.prior(Clusterings(6), BETA, features=POINTS, chains=1000, scales=SCALES),
        generator(811),
    )
    for answer in answers:
        posterior = posterior.update(answer, rng)
    for _ in range(5):
        posterior = posterior.reweighed(answers, strengths, rng)
    together = PARTITIONS[:, [a.atom[0] for a in answers]] == PARTITIONS[:, [a.atom[1] for a in answers]]
    wrong = together != (np.array([a.response for a in answers]) == 1)
    weights = exact(POINTS, [], BETA) * np.exp(-BETA * wrong @ strengths)
    assert worst_error(posterior.labels, weights / weights.sum()) < 4.5


def test_one_person_counts_in_full():
    answers = [answer._replace(who="ann") for answer in crowd(generator(820), 12)]
    assert told(answers).reliability == {}
    nobody = [answer._replace(who=None) for answer in answers]
    assert (told(answers).posterior.labels == told(nobody).posterior.labels).all()


def test_scores_listen_less_to_who_guesses():
    """A guesser's answers move the weights less, and exactly as if each had been given with less strength."""

    class Rows:
        dimension = 2

        def features(self, atoms):
            return np.asarray(atoms, dtype=float)

        def predict(self, structures, atoms):
            return structures @ self.features(atoms).T

        def responses(self, predictions):
            return np.array([-1.0, 1.0])

        def decide(self, predictions):
            return np.sign(predictions)

    rng = generator(830)
    rows = rng.standard_normal((60, 2))
    beliefs = Beliefs(LogConcave.prior(Rows(), logistic, 1.0, 3.0), 0)
    for number, row in enumerate(rows):
        who = "guess" if number % 3 == 2 else "ab"[number % 2]
        right = 1.0 if row[0] > 0 else -1.0
        said = right if who != "guess" else float(rng.choice([-1.0, 1.0]))
        beliefs = beliefs.tell(f"q{number}", Answer(tuple(row), said, who))
    assert beliefs.reliability["guess"] < 0.3
    assert min(beliefs.reliability["a"], beliefs.reliability["b"]) > 0.8
    assert set(np.round(beliefs.posterior.evidence.strengths, 6)) == set(
        np.round(list(beliefs.reliability.values()), 6)
    )


def test_trees_listen_less_to_who_guesses():
    family, rng = Hierarchies(12), generator(850)
    truth = random_trees(1, 12, rng)
    beliefs = Beliefs(HierarchyPosterior.prior(family, 2.5), 0)
    for number, atom in enumerate(rng.permutation(family.draw_atoms(220, rng))[:90]):
        who = "abg"[number % 3]
        right = int(family.answers(truth, atom[None])[0, 0])
        beliefs = beliefs.tell(f"q{number}", Answer(atom, int(rng.integers(3)) if who == "g" else right, who))
    assert beliefs.reliability["g"] < 0.4
    assert min(beliefs.reliability["a"], beliefs.reliability["b"]) > 0.8
    trusted = [beliefs.reliability["abg"[number % 3]] for number in range(90)]
    np.testing.assert_allclose(beliefs.posterior.weight / beliefs.posterior.full, trusted)


def test_a_lab_whose_numbers_are_off_counts_less():
    """Three labs measure entries; one has ten times the noise, so a hundredth of the precision."""
    rng, shape = generator(860), (6, 5)
    truth = rng.standard_normal((6, 1)) + rng.standard_normal(5)
    beliefs = Beliefs(MatrixPosterior.prior(Matrices(shape), rank=1, chains=64, known=[(0, 0, truth[0, 0])]), 0)
    for number in range(75):
        who, (i, j) = "abn"[number % 3], (int(rng.integers(6)), int(rng.integers(5)))
        noise = 0.05 * (10 if who == "n" else 1)
        beliefs = beliefs.tell(f"q{number}", Answer((i, j), truth[i, j] + noise * rng.standard_normal(), who))
    assert beliefs.reliability["n"] < 0.1
    assert max(beliefs.reliability["a"], beliefs.reliability["b"]) > 0.7
    assert beliefs.posterior.trust[0] == 1.0  # known from elsewhere
    assert set(np.round(beliefs.posterior.trust[1:], 6)) == set(np.round(list(beliefs.reliability.values()), 6))
    off = beliefs.posterior.sample(64, rng).structures["matrix"].mean(axis=0) - truth
    assert np.abs(off).mean() < 0.05


def test_a_study_of_several_people_says_whom_it_trusts(tmp_path):
    names = [f"{kind} {number}" for kind in ("cat", "dog", "eel") for number in range(4)]
    askwise.save(askwise.clusters(names, seed=1, draws=64, noise=0.05), tmp_path / "pool.askwise")
    session, rng = storage.open(tmp_path / "pool.askwise"), generator(840)
    for turn in range(48):
        question, who = session.ask(), "abcd"[turn % 4]
        first, second = (option.name[:3] for option in question.options)
        same = rng.random() < 0.5 if who == "d" else first == second
        session.tell("same" if same else "different", who=who)
    assert session.people["d"] < 0.5 < min(session.people[who] for who in "abc")
    storage.close(session)
    again = storage.open(tmp_path / "pool.askwise")
    assert again.people["d"] < 0.5 < min(again.people[who] for who in "abc")
