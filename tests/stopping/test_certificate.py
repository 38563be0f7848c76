"""Estimates and certificates against enumeration, the bound against many simulated samples, the fit when it is true."""

from __future__ import annotations

from itertools import product
from math import inf

import numpy as np
import pytest

from askwise.distances import TableDistance
from askwise.distances.labels import Disagreement
from askwise.goals import clusters
from askwise.losses import zero_one
from askwise.posteriors.enumerated import Enumerated
from askwise.problem import Problem
from askwise.stopping import certificate
from askwise.stopping.certificate import (
    HELD_OUT_DRAWS,
    MIN_FIT,
    Certificate,
    Estimate,
    certify,
    estimate,
    held_out_check,
    predictive_check,
    upper_bound,
)
from askwise.structures.clusterings import Clusterings
from askwise.structures.finite import Finite
from askwise.structures.linear import LinearPool
from askwise.types import Answer, Sample
from tests.helpers import SampledPosterior, exact_sample, generator, label_problem, score_problem


def test_estimate_is_the_closest_on_average():
    for trial in range(10):
        problem, prior = label_problem(generator(210, trial))
        means = [sum(w * d for w, d in zip(prior.weights, row, strict=True)) for row in problem.distance.table]
        structure, mean = estimate(problem, exact_sample(prior))
        assert structure == int(np.argmin(means))
        assert mean == pytest.approx(min(means))


def test_the_mean_of_weights_is_the_estimate_where_it_is_closer():
    """In ten dimensions no one of 600 draws is as close to the others as their mean."""
    rng = generator(217)
    points, draws = rng.standard_normal((300, 10)), 2 + rng.standard_normal((600, 10))
    problem = Problem(LinearPool(points), Disagreement(LinearPool(points), np.arange(300)))
    structure, mean = estimate(problem, Sample(draws, np.full(600, 1 / 600), exact=False))
    labels = points @ draws.T > 0
    apart = (labels[:, :, None] != labels[:, None, :]).mean(axis=0).mean(axis=0)
    assert mean == pytest.approx(float((labels != (points @ structure > 0)[:, None]).mean()))
    assert mean < apart.min()
    np.testing.assert_allclose(structure, draws.mean(axis=0))
    counted, _ = estimate(problem, Sample(draws[:5], np.full(5, 1 / 5), exact=True))
    assert counted.tolist() in draws[:5].tolist()  # of a finite family, one of its own


def test_certificate_of_exact_weights():
    problem, prior = label_problem(generator(211), beta=2.0)
    found = Estimate(4, 4, 0.1)
    certificate = certify(problem, prior, found, [], generator(212))
    mean = prior.weights @ problem.distance.table[4]
    assert certificate.expected_distance == certificate.upper_bound == pytest.approx(mean)
    assert certificate.confidence == 1.0
    assert certificate.probability_exact == pytest.approx(prior.weights[4])
    assert f"is {mean:.3f} from the truth" in str(certificate)
    assert "simulation confidence" not in str(certificate)
    assert "every structure was counted" in certificate.assumptions


def test_certificate_from_draws_is_within_its_standard_error_and_bound():
    problem, prior = label_problem(generator(213), beta=2.0)
    exact = prior.weights @ problem.distance.table[4]
    spread = np.sqrt(prior.weights @ (problem.distance.table[4] - exact) ** 2)
    certificate = certify(problem, SampledPosterior(prior.weights), Estimate(4, 4, 0.0), [], generator(214))
    assert abs(certificate.expected_distance - exact) < 4 * spread / np.sqrt(4000)
    assert certificate.expected_distance < certificate.upper_bound < certificate.expected_distance + 0.05
    assert "simulation confidence 95 %" in str(certificate)


@pytest.mark.parametrize("chance", [0.005, 0.1, 0.5])
@pytest.mark.parametrize("count", [20, 400])
def test_upper_bound_holds_at_its_rate(chance, count):
    values = (generator(215).random((2000, count)) < chance).astype(float)
    missed = sum(upper_bound(row, 0.05) < chance for row in values)
    assert missed <= 0.05 * 2000 + 3 * np.sqrt(2000 * 0.05 * 0.95)


def test_upper_bound_tightens():
    values = (generator(216).random(40_000) < 0.1).astype(float)
    bounds = [upper_bound(values[:n], 0.05) - values[:n].mean() for n in (100, 1000, 40_000)]
    assert bounds[0] > bounds[1] > bounds[2]
    assert bounds[2] < 0.006
    assert upper_bound(np.ones(50), 0.05) == 1.0


def test_fit_of_answers_from_the_model_is_not_small_and_of_lies_is():
    problem, _ = score_problem(generator(217), atoms=40)
    truth, rng = 3, generator(218)
    said = np.where(rng.random(40) < 1 / (1 + np.exp(-problem.family.table[truth])), 1, -1)
    sample = Sample(np.array([truth]), np.ones(1), exact=True)
    honest = [Answer(a, int(y)) for a, y in enumerate(said)]
    liar = [Answer(a, int(-np.sign(problem.family.table[truth, a]))) for a in range(40)]
    assert predictive_check(problem, sample, honest, rng) in (0.0, 1.0)  # one structure: one replication

    many = Sample(np.full(2000, truth), np.full(2000, 1 / 2000), exact=False)
    assert predictive_check(problem, many, honest, rng) > 0.01
    assert predictive_check(problem, many, liar, rng) < 0.01
    certificate = certify(
        problem, Enumerated.prior(problem.family, np.full(2000, truth), problem.loss), Estimate(3, 3, 0.0), liar, rng
    )
    assert certificate.warning.startswith("the answers do not fit the model")
    assert certificate.warning in str(certificate)


def test_fit_is_uniform_when_the_model_is_true():
    """Under a known structure the p value of its own answers has mean 1/2, a little above with ties."""
    problem, _ = score_problem(generator(219), atoms=30)
    chances = problem.chances(problem.family.table)[1, 0]  # of the response +1
    sample = Sample(np.zeros(300, dtype=int), np.full(300, 1 / 300), exact=False)
    found = []
    for i in range(300):
        rng = generator(220, i)
        answers = [Answer(a, 1 if rng.random() < p else -1) for a, p in enumerate(chances)]
        found.append(predictive_check(problem, sample, answers, rng))
    assert abs(np.mean(found) - 0.5) < 4 * np.sqrt(1 / 12 / 300) + 0.01
    assert np.mean(np.array(found) < 0.05) < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 300)


def test_no_answers_or_no_noise_fit():
    problem, prior = label_problem(generator(221))
    assert predictive_check(problem, exact_sample(prior), [], None) == 1.0
    assert predictive_check(problem, exact_sample(prior), [Answer(0, 1)], None) == 1.0


def test_sentence():
    base = {"expected_distance": 0.01, "upper_bound": 0.02, "confidence": 0.95}
    base |= {"probability_exact": 0.5, "fit": 0.4, "answers": 7}
    certificate = Certificate(Estimate("tea", None, 0.0), **base, assumptions=(), phrase="{what} loses {loss:.2f}")
    assert str(certificate) == (
        "On average over what is still plausible after 7 answers, tea loses 0.01 "
        "(at most 0.020, simulation confidence 95 %). It is exactly right with probability 50 %."
    )
    assert certificate.warning is None
    for value in ("x" * 61, ["tea", "milk"]):
        other = Certificate(Estimate(value, None, 0.0), **base, assumptions=(), phrase="{what} loses {loss:.2f}")
        assert "the estimate loses" in str(other)


@pytest.mark.parametrize(
    ("chance", "said"),
    [
        (0.0, None),
        (0.0004, "less than 1 %"),
        (0.0099, "less than 1 %"),
        (0.014, "1 %"),
        (0.5, "50 %"),
        (0.99, "99 %"),
        (0.9951, "more than 99 %"),
        (0.99999, "more than 99 %"),
    ],
)
@pytest.mark.parametrize("confidence", [0.95, 1.0])
def test_a_probability_is_never_rounded_to_none_or_all(chance, said, confidence):
    base = {"expected_distance": 0.01, "upper_bound": 0.02, "fit": 0.4, "answers": 7, "assumptions": ()}
    certificate = Certificate(
        Estimate("tea", None, 0.0), **base, confidence=confidence, probability_exact=chance, phrase="{what} is off"
    )
    if said is None:
        assert "exactly right" not in str(certificate)
    else:
        assert f" It is exactly right with probability {said}." in str(certificate)


def test_only_what_was_counted_is_certain():
    """4,000 draws that all agree are no proof; every structure counted is."""
    base = {"expected_distance": 0.0, "upper_bound": 0.0, "fit": 0.4, "answers": 7, "assumptions": ()}
    for confidence, said in ((0.95, "more than 99 %"), (1.0, "100 %")):
        certificate = Certificate(
            Estimate("tea", None, 0.0), **base, confidence=confidence, probability_exact=1.0, phrase="{what} is off"
        )
        assert f"exactly right with probability {said}." in str(certificate)


def test_names_what_it_assumes():
    family = Finite([[0, 1], [1, 1]])
    problem = Problem(family, label_problem(generator(222))[0].distance, zero_one, inf)
    prior = Enumerated.prior(family, np.arange(2), zero_one, inf)
    assert certify(problem, prior, Estimate(0, 0, 0.0), [], None).assumptions == (
        "the truth is one of the structures of Finite",
        "no answer is wrong",
        "every structure was counted",
    )


def test_names_the_model_in_the_words_of_its_family():
    assert clusters(["ant", "bee", "cow"], draws=8).certificate().assumptions[0] == Clusterings.model_sentence


@pytest.mark.parametrize("strength", [1.0, 0.3])
def test_held_out_answers_against_enumeration(strength):
    """Each answer predicted by the posterior of all others, and all sets of answers counted. Answers of somebody who is
    trusted in part count, and are predicted, to the power of a strength."""
    rng = generator(218)
    scores = 2 * rng.standard_normal((5, 6))
    family = Finite(scores, responses=[-1, 1])
    problem = Problem(family, TableDistance(1.0 - np.eye(5)))
    answers = [Answer(atom, int(rng.choice([-1, 1]))) for atom in range(6)]
    strengths = np.where(np.arange(6) % 2, strength, 1.0)
    said = (
        np.stack([1 / (1 + np.exp(-answer.response * scores[:, answer.atom])) for answer in answers])
        ** strengths[:, None]
    )
    predicted = []  # chance of the response 1
    for left_out in range(6):
        others = np.delete(said, left_out, axis=0).prod(axis=0)
        predicted.append(float(others @ (1 / (1 + np.exp(-strengths[left_out] * scores[:, left_out]))) / others.sum()))
    chances = np.array([1 - np.array(predicted), predicted])
    totals = {signs: float(chances[list(signs), np.arange(6)].prod()) for signs in product((0, 1), repeat=6)}
    came = totals[tuple(int(answer.response == 1) for answer in answers)]
    exact = sum(total for total in totals.values() if total <= came * (1 + 1e-9))
    sample = Sample(np.arange(5), said.prod(axis=0) / said.prod(axis=0).sum(), exact=True)
    found = held_out_check(problem, sample, answers, rng, strengths=strengths)
    assert found == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / HELD_OUT_DRAWS) + 1e-9)


def test_many_answers_are_checked_in_blocks_as_few_are_at_once(monkeypatch):
    rng = generator(222)
    problem = Problem(Finite(2 * rng.standard_normal((40, 6)), responses=[-1, 1]), TableDistance(1.0 - np.eye(40)))
    sample = Sample(np.arange(40), np.full(40, 1 / 40), exact=False)
    answers = [Answer(int(rng.integers(6)), int(rng.choice([-1, 1])), "Ann") for _ in range(7)]
    more = {"shifts": rng.standard_normal((40, 7)), "strengths": rng.random(7), "lapse": 0.1}
    found = []
    for most in (certificate.MAX_BLOCK_CHANCES, 2 * 40 * 3):
        monkeypatch.setattr(certificate, "MAX_BLOCK_CHANCES", most)
        repeated = [predictive_check(problem, sample, answers, rng, **more) for _ in range(100)]
        found.append((held_out_check(problem, sample, answers, generator(223), **more), np.mean(repeated)))
    assert found[0][0] == found[1][0]
    assert found[0][1] == pytest.approx(found[1][1], abs=4 * np.std(repeated) / np.sqrt(50))


def test_answers_of_somebody_who_is_hardly_trusted_are_no_alarm():
    problem = Problem(Finite([[3.0], [-3.0]], responses=[-1, 1]), TableDistance(1.0 - np.eye(2)))
    sure, answers = Sample(np.zeros(50, dtype=int), np.full(50, 0.02), exact=True), 5 * [Answer(0, 1), Answer(0, -1)]
    for check in (predictive_check, held_out_check):
        assert check(problem, sure, answers, generator(221)) < MIN_FIT
        assert check(problem, sure, answers, generator(221), strengths=np.full(10, 0.05)) > 0.1


def test_one_answer_against_the_odds_among_many_is_no_alarm():
    """One of 20 answers that had a chance of .002 each: about one set of answers in 25 has such a one."""
    problem = Problem(Finite([[6.2], [-6.2]], responses=[-1, 1]), TableDistance(1.0 - np.eye(2)))
    sure = Sample(np.array([0]), np.ones(1), exact=True)
    answers = 19 * [Answer(0, 1)] + [Answer(0, -1)]
    assert 0.02 < held_out_check(problem, sure, answers, generator(219)) < 0.06
    assert held_out_check(problem, sure, answers + 2 * [Answer(0, -1)], generator(219)) < MIN_FIT
