"""The chance of each answer given the others, against posteriors without that answer."""

from __future__ import annotations

import re
from math import erfc, inf, sqrt

import numpy as np
import pytest

import askwise
from askwise.distances import TableDistance
from askwise.distances.columns import BestColumn
from askwise.losses import davidson, squared, zero_one
from askwise.problem import Problem
from askwise.report.surprises import odd_answers, surprises
from askwise.report.usage import answer_rows
from askwise.structures.finite import Finite
from askwise.structures.matrices import Matrices, gaussian, pack
from askwise.types import Answer, Sample
from tests.helpers import SampledPosterior, exact_sample, generator, label_problem, score_problem


def told(rng, problem, count=8):
    responses = list(problem.family.responses(np.zeros((1, 1))))
    return [Answer(int(rng.integers(6)), responses[int(rng.integers(len(responses)))]) for _ in range(count)]


def posterior_of(prior, answers):
    for answer in answers:
        prior = prior.update(answer, None)
    return prior


def left_out(problem, prior, answers, place):
    """The chance of one answer under the posterior of all the others."""
    without = posterior_of(prior, answers[:place] + answers[place + 1 :])
    answer = answers[place]
    predictions = problem.family.predict(without.structures, np.array([answer.atom]))
    responses = list(problem.family.responses(predictions))
    return float(without.weights @ problem.chances(predictions)[responses.index(answer.response), :, 0])


PROBLEMS = {
    "labels": lambda rng: label_problem(rng, labels=3, beta=1.3),
    "scores": lambda rng: score_problem(rng),
    "ties": lambda rng: score_problem(rng, loss=davidson(), responses=(1, -1, 0)),
    "not normalised": lambda rng: score_problem(rng, beta=0.7),
    "squared": lambda rng: score_problem(rng, beta=0.4, loss=squared, responses=(-1, 0, 1)),
}


@pytest.mark.parametrize("kind", PROBLEMS)
def test_exact_for_a_whole_posterior(kind):
    rng = generator(910)
    problem, prior = PROBLEMS[kind](rng)
    answers = told(rng, problem)
    found = surprises(problem, exact_sample(posterior_of(prior, answers)), answers)
    assert sorted(surprise.place for surprise in found) == list(range(len(answers)))
    chances = [surprise.chance for surprise in found]
    assert chances == sorted(chances)
    for surprise in found:
        assert surprise.chance == pytest.approx(left_out(problem, prior, answers, surprise.place), rel=1e-9)
        assert surprise.off is None
        assert not surprise.rough


def test_close_for_draws():
    rng = generator(911)
    problem, prior = label_problem(rng, labels=2, beta=1.5)
    answers = told(rng, problem)
    exact = posterior_of(prior, answers)
    runs = np.empty((20, len(answers)))
    for run in runs:
        for surprise in surprises(problem, SampledPosterior(exact.weights).sample(4000, rng), answers):
            run[surprise.place] = surprise.chance
    truth = [left_out(problem, prior, answers, place) for place in range(len(answers))]
    spread = runs.std(axis=0, ddof=1) / sqrt(20) + 1e-12  # an atom that all structures answer alike has none
    error = (runs.mean(axis=0) - truth) / spread
    assert np.abs(error).max() < 4.5  # a ratio of means: its bias is far below its error at 4,000 draws


def test_without_noise_nothing_disagrees():
    problem, prior = label_problem(generator(912), labels=2, beta=inf)
    truth = problem.family.predict(np.array([3]), np.arange(6))[0]
    answers = [Answer(atom, int(truth[atom])) for atom in range(4)]
    assert {s.chance for s in surprises(problem, exact_sample(posterior_of(prior, answers)), answers)} == {1.0}


def test_few_draws_are_called_rough():
    family = Finite([[0], [1]])
    problem = Problem(family, TableDistance(1.0 - np.eye(2)), zero_one, beta=12.0)
    draws = np.repeat([0, 1], [3999, 1])
    sample = Sample(draws, np.full(4000, 1 / 4000), exact=False)
    assert [s.rough for s in surprises(problem, sample, [Answer(0, 0)])] == [True]  # one draw has all the weight
    exact = Sample(np.arange(2), np.array([0.5, 0.5]), exact=True)
    assert [s.rough for s in surprises(problem, exact, [Answer(0, 0)])] == [False]


def test_numbers_by_the_residual_from_the_others():
    rng = generator(914)
    matrices, precision = rng.standard_normal((50, 2, 3)), rng.uniform(0.5, 4.0, 50)
    structures = pack(matrices, precision)
    problem = Problem(Matrices((2, 3)), BestColumn("mean"), gaussian)
    answers = [Answer((0, 1), 2.5), Answer((1, 2), -0.1), Answer((0, 1), 0.3)]

    def weights(told):
        density = [
            np.prod([np.sqrt(p) * np.exp(-p * (m[answer.atom] - answer.response) ** 2 / 2) for answer in told])
            for m, p in zip(matrices, precision, strict=True)
        ]
        return np.array(density) / sum(density)

    found = surprises(problem, Sample(structures, weights(answers), exact=True), answers)
    assert found[0].place == 0
    for surprise in found:
        answer = answers[surprise.place]
        others = weights([other for other in answers if other is not answer])
        entries = [matrix[answer.atom] for matrix in matrices]
        mean = sum(w * entry for w, entry in zip(others, entries, strict=True))
        spread = sum(w * ((entry - mean) ** 2 + 1 / p) for w, entry, p in zip(others, entries, precision, strict=True))
        assert surprise.off == pytest.approx((answer.response - mean) / sqrt(spread))
        assert surprise.chance == pytest.approx(erfc(abs(surprise.off) / sqrt(2)))


def test_no_answers():
    problem, prior = label_problem(generator(915))
    assert surprises(problem, exact_sample(prior), []) == []


def letters(rng_seed, slip):
    """Somebody likes letters by the alphabet; `slip` is the answer they give wrong."""
    session = askwise.ranking(list("abcdefgh"), draws=200, seed=rng_seed, epsilon=0.001, repeat=True)
    for turn in range(40):
        one, two = (option.name for option in session.ask().options)
        session.tell("left" if (one < two) != (turn == slip) else "right")
    return session


def test_consistent_answers_are_not_accused():
    session = letters(3, slip=None)
    assert any(one.rough for one in surprises(session.problem, session.sample, session.answers))
    assert odd_answers(session, session.sample, answer_rows(session)) == ([], False)


def test_a_slip_is_found_among_rough_estimates():
    session = letters(3, slip=39)
    odd, _ = odd_answers(session, session.sample, answer_rows(session))
    assert len(odd) <= 2
    assert odd[0].surprise.place == 39
    assert odd[0].surprise.chance < 0.1
    assert re.fullmatch(r"about \d %|under 1 %", odd[0].fit)
