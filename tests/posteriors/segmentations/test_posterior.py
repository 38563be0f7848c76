"""The posterior of segmentations against the enumeration of all of them: evidence, marginals, draws, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from askwise.errors import AnswerError, ContradictionError, SettingError
from askwise.posteriors.segmentations.posterior import SegmentationPosterior
from askwise.structures.intervals import Segmentations, all_clusterings
from askwise.testing import check_posterior
from askwise.types import Answer
from tests.helpers import generator

VALUES = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0, 3.0, 7.0]  # 8 different ones
FAMILY = Segmentations(VALUES)
ALL = all_clusterings(FAMILY.edges[1:-1], most=8, known=(0.0, 0.0))  # (128, 7)
CUTS = (ALL < 1).sum(axis=1)
PAIRS = FAMILY.draw_atoms(99, generator(0))


def random_answers(count, seed):
    rng = generator(seed)
    asked = PAIRS[rng.integers(len(PAIRS), size=count)]
    return [Answer(tuple(pair), int(rng.integers(2))) for pair in asked]


def enumerated(posterior, answers, strengths):
    """(P, E, 128): the prior times the likelihood of every segmentation."""
    predicted = FAMILY.predict(ALL, np.array([answer.atom for answer in answers], dtype=int).reshape(-1, 2))
    wrong = predicted != np.array([answer.response for answer in answers])
    weights = np.empty((*posterior.log_prior.shape, len(ALL)))
    for place, p in enumerate(posterior.chances):
        for level, noise in enumerate(posterior.noise):
            odds = (noise / (1 - noise)) ** np.asarray(strengths)
            likelihood = np.where(wrong, odds, 1.0) / (1 + odds)
            weights[place, level] = p**CUTS * (1 - p) ** (7 - CUTS) * likelihood.prod(axis=1)
    return weights


@pytest.mark.parametrize("noise", [None, 0.05, 0.4])
@pytest.mark.parametrize("count", [0, 1, 6, 25])
def test_evidence_and_marginals_are_those_of_the_enumeration(noise, count):
    answers = random_answers(count, seed=count)
    prior = SegmentationPosterior.prior(FAMILY, noise)
    posterior = prior.update_all(answers, generator(1))
    exact = enumerated(posterior, answers, np.ones(count))
    assert np.allclose(posterior.log_evidence, np.log(exact.sum(axis=2)), atol=1e-12)
    joint = np.exp(posterior.log_prior)[:, :, None] * exact
    assert posterior.diagnostics()["log_evidence"] == pytest.approx(np.log(joint.sum()))
    together = FAMILY.predict(ALL, PAIRS).T @ joint.sum(axis=(0, 1)) / joint.sum()
    assert posterior.together(PAIRS) == pytest.approx(together, abs=1e-12)
    expected_noise = joint.sum(axis=(0, 2)) @ posterior.noise / joint.sum()
    assert posterior.diagnostics()["noise"] == pytest.approx(expected_noise)
    usual = 0.05 if noise is None else noise
    assert usual + posterior.lapse * (0.5 - usual) == pytest.approx(max(expected_noise, usual))


def test_answers_one_by_one_and_all_at_once_say_the_same():
    answers = random_answers(9, seed=3)
    posterior = prior = SegmentationPosterior.prior(FAMILY)
    for answer in answers:
        posterior = posterior.update(answer, generator(2))
    assert (posterior.log_evidence == prior.update_all(answers, generator(2)).log_evidence).all()
    check_posterior(prior, answers)


def test_answers_are_trusted_by_their_strengths():
    answers, strengths = random_answers(12, seed=4), generator(4).random(12)
    posterior = SegmentationPosterior.prior(FAMILY).update_all(answers, generator(3))
    exact = enumerated(posterior, answers, strengths)
    found = posterior.reweighed(answers, strengths, generator(3)).log_evidence
    assert np.allclose(found, np.log(exact.sum(axis=2)), atol=1e-12)


@pytest.mark.parametrize("noise", [None, 0.0])
@pytest.mark.parametrize("count", [0, 1, 5])
def test_draws_are_as_frequent_as_they_are_likely(noise, count):
    truth = ALL[77]
    pairs = PAIRS[generator(count).integers(len(PAIRS), size=count)]
    answers = [Answer(tuple(pair), int(FAMILY.predict(truth[None], pair[None])[0, 0])) for pair in pairs]
    answers += random_answers(0 if noise == 0 else count, seed=6)
    posterior = SegmentationPosterior.prior(FAMILY, noise).update_all(answers, generator(4))
    joint = enumerated(posterior, answers, np.ones(len(answers))) * np.exp(posterior.log_prior)[:, :, None]
    exact = joint.sum(axis=(0, 1)) / joint.sum()
    draws = 20_000
    sample = posterior.sample(draws, generator(5))
    assert not sample.exact
    assert sample.chains is None
    key = 2 ** np.arange(8)
    known = dict(zip((FAMILY.labels(ALL) != np.roll(FAMILY.labels(ALL), 1, axis=1)) @ key, range(128), strict=True))
    labels = FAMILY.labels(sample.structures)
    seen = np.bincount([known[row] for row in (labels != np.roll(labels, 1, axis=1)) @ key], minlength=128) / draws
    error = np.sqrt(exact * (1 - exact) / draws)
    assert (np.abs(seen - exact) <= 4.5 * error + 5 / draws).all()  # a rare one may come up now and then
    if noise == 0:
        assert (seen[exact == 0] == 0).all()
    half = FAMILY.predict(sample.structures, PAIRS)
    first, second = half[: draws // 2].mean(axis=0), half[draws // 2 :].mean(axis=0)
    assert (np.abs(first - second) <= 4.5 * np.sqrt(2 * 0.25 / (draws // 2))).all()


def test_values_that_no_answer_is_about_cost_nothing_and_are_drawn_from_the_prior():
    family = Segmentations(np.arange(3000))
    posterior = SegmentationPosterior.prior(family, 0.05).update(Answer((1000, 1400), 0), generator(0))
    sample = posterior.sample(4000, generator(1))
    asked = np.array([[1000, 1400], [100, 101], [1000, 1001], [1399, 1400], [2998, 2999], [900, 1200]])
    exact, seen = posterior.together(asked), family.predict(sample.structures, asked).mean(axis=0)
    assert (np.abs(seen - exact) <= 4.5 * np.sqrt(exact * (1 - exact) / 4000)).all()
    assert exact[2] == pytest.approx(exact[3])
    assert exact[1] > exact[2]  # a cut is likelier where it is known that there is one


def test_a_thousand_contradicting_answers_leave_numbers():
    posterior = SegmentationPosterior.prior(FAMILY).update_all(random_answers(1000, seed=7), generator(0))
    assert np.isfinite(posterior.log_evidence).all()
    assert posterior.diagnostics()["noise"] > 0.25
    assert posterior.sample(10, generator(1)).structures.shape[0] == 10


def test_without_noise_a_contradiction_is_refused():
    posterior = SegmentationPosterior.prior(FAMILY, 0.0).update(Answer((1, 5), 1), generator(0))  # 1 and 9
    assert posterior.together([[0, 2]]) == pytest.approx([1.0])
    with pytest.raises(ContradictionError, match=r"^this answer contradicts earlier ones: [^\n]+$"):
        posterior.update(Answer((0, 2), 0), generator(0))


def agree(answers):
    """Whether some segmentation agrees with all answers."""
    predicted = FAMILY.predict(ALL, np.array([answer.atom for answer in answers], dtype=int).reshape(-1, 2))
    return bool((predicted == np.array([answer.response for answer in answers])).all(axis=1).any())


@pytest.mark.parametrize("seed", range(8))
def test_contradictions_against_all_segmentations(seed):
    """Refused exactly if nothing agrees; without any one of the answers named, something does."""
    posterior, told, refused = SegmentationPosterior.prior(FAMILY, 0.0), [], 0
    for answer in random_answers(25, seed):
        if agree([*told, answer]):
            posterior, told = posterior.update(answer, generator(0)), [*told, answer]
            continue
        refused += 1
        with pytest.raises(ContradictionError) as error:
            posterior.check_answer(answer)
        named = [told[place] for place in error.value.others]
        assert not agree([*named, answer])
        assert all(agree([*named[:place], *named[place + 1 :], answer]) for place in range(len(named)))
    assert refused > 3


@pytest.mark.parametrize("answer", [Answer((0, 0), 1), Answer((0, 11), 1), Answer((1, 3), 0), Answer((0, 1), 2)])
def test_bad_answers_get_one_sentence(answer):
    with pytest.raises(AnswerError, match=r"^[^\n]{20,}$"):
        SegmentationPosterior.prior(FAMILY).update(answer, generator(0))


@pytest.mark.parametrize("noise", [-0.1, 0.5, "much"])
def test_bad_noise_is_refused(noise):
    with pytest.raises(SettingError, match=r"^noise is [^\n]+; expected a number of at least 0 and below 0.5$"):
        SegmentationPosterior.prior(FAMILY, noise)
