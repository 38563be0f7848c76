"""More than two labels of learned shape against draws of the prior, weighed by the exact likelihood."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp

from askwise.errors import AnswerError, SettingError
from askwise.losses import softmax
from askwise.posteriors.scores import shaped_softmax
from askwise.posteriors.scores.kernels import LINEAR, Shape, factor
from askwise.posteriors.scores.landmarks import LandmarkMap
from askwise.posteriors.scores.shaped import LAPSE_WEIGHTS, LAPSES
from askwise.posteriors.scores.shaped_softmax import ShapedSoftmax
from askwise.structures.multiclass import SoftmaxPool, SoftmaxRows
from askwise.testing import check_family, check_posterior
from askwise.types import Answer
from tests.helpers import generator

SHAPES = (LINEAR, Shape("smooth", linear=0.3, smooth=0.7, length=0.6))
PRIOR = np.array([0.4, 0.6])
DRAWS = 200_000
ROWS = np.array([[-1.5], [-0.8], [-0.1], [0.6], [1.3]])
BENT = [Answer(0, 0), Answer(2, 1), Answer(4, 0), Answer(1, 0), Answer(3, 1)]  # the middle has another label
CONTRADICTED = [*5 * [Answer(0, 0)], Answer(0, 1), *3 * [Answer(4, 2)]]  # an accident is likely
STRAIGHT = [Answer(0, 0), Answer(2, 1), Answer(4, 2), Answer(1, 0), Answer(4, 2)]


def prior_of(kind, chains=600, weights=PRIOR):
    """About the rows themselves, or about weights of landmark features."""
    if kind == "rows":
        factors = [factor(shape, ROWS, intercept=True) for shape in SHAPES]
        return ShapedSoftmax.prior(SoftmaxRows(5, labels="abc"), SHAPES, factors, weights, chains=chains)
    known = LandmarkMap.of(ROWS, [0.6], generator(120))
    family = SoftmaxPool(known.features(ROWS), labels="abc")
    return ShapedSoftmax.prior(family, SHAPES, [known.factor(shape) for shape in SHAPES], weights, chains=chains)


def told(prior, answers, rng, how="one by one"):
    if how == "at once":
        return prior.update_all(answers, rng)
    for answer in answers:
        prior = prior.update(answer, rng)
    return prior


def weighed_prior(prior, answers, rng):
    """Shapes, lapses, scores of the rows and weights of draws of the prior: by the definition alone."""
    shapes = rng.choice(len(PRIOR), DRAWS, p=PRIOR)
    grid = prior.members[0].grid
    scales = rng.choice(grid, DRAWS, p=np.exp(prior.members[0].log_prior))
    scores = np.empty((DRAWS, 5, 3))
    for place, member in enumerate(prior.members):
        mine = shapes == place
        rows = member.family.features(np.arange(5))
        scores[mine] = rows @ rng.standard_normal((mine.sum(), rows.shape[1], 3))
    scores *= scales[:, None, None]
    asked, said = (np.array(part) for part in zip(*((a.atom, a.response) for a in answers), strict=True))
    lapses = rng.choice(LAPSES, DRAWS, p=LAPSE_WEIGHTS)
    chance = np.exp(-softmax.value(scores[:, asked], said))
    logs = np.log((1 - lapses[:, None]) * chance + lapses[:, None] / 3).sum(axis=1)
    return shapes, lapses, scores, np.exp(logs - logsumexp(logs))


def chances(scores):
    """(..., N, K): the probability of each label, which large scores do not blow up."""
    odds = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return odds / odds.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize(
    ("kind", "answers", "how"),
    [
        ("rows", BENT, "one by one"),
        ("rows", BENT, "at once"),
        ("landmarks", STRAIGHT, "one by one"),
        ("rows", CONTRADICTED, "one by one"),
    ],
)
def test_shapes_and_chances_against_the_prior_weighed(kind, answers, how):
    rng, runs = generator(121, len(kind), len(how)), 5
    prior = prior_of(kind)
    shapes, lapses, scores, weights = weighed_prior(prior, answers, rng)
    assert 1 / (weights @ weights) > 1500
    drawn, found, accidents = [], [], []
    for run in range(runs):
        stream = generator(122, run)
        posterior = told(prior, answers, stream, how)
        found.append(posterior.weights)
        accidents.append(posterior.diagnostics()["lapses"])
        drawn.append(chances(prior.family.predict(posterior.sample(600, stream).structures, np.arange(5))))
    expected = np.bincount(shapes, weights)
    assert np.abs(np.mean(found, axis=0) - expected).sum() / 2 < 0.03
    mean = weights @ lapses
    error = np.sqrt(weights @ (lapses - mean) ** 2 * (weights @ weights) + np.var(accidents, ddof=1) / runs)
    assert abs(np.mean(accidents) - mean) < 4 * error
    ours, theirs = np.array(drawn), chances(scores)
    mean = np.einsum("s,snk->nk", weights, theirs)
    spread = np.einsum("s,snk->nk", weights, (theirs - mean) ** 2)
    # chains are resampled, so their means vary more than those of independent draws: take it from the runs
    error = np.sqrt(ours.mean(axis=1).var(axis=0, ddof=1) / runs + spread / (600 * runs) + spread * (weights @ weights))
    assert (np.abs(ours.mean(axis=(0, 1)) - mean) < 4 * error).all()


def test_answers_tell_the_shape():
    posteriors = [told(prior_of("rows", 200), 2 * answers, generator(123)) for answers in (BENT, STRAIGHT)]
    assert posteriors[0].diagnostics()["bent"] > 0.6 > posteriors[1].diagnostics()["bent"]
    assert posteriors[0].shape_sentence is not None


def test_a_shape_that_was_left_out_comes_back(monkeypatch):
    """It is light before any answer; then the same bent answers come again and again."""
    monkeypatch.setattr(shaped_softmax, "EAGER_ANSWERS", 2)
    monkeypatch.setattr(shaped_softmax, "MIN_CHAINS", 20)
    rng = generator(124)
    posterior = told(prior_of("rows", 200, np.array([0.99, 0.01])), BENT[:4], rng)
    assert posterior.weights[1] < 0.1
    assert posterior.missed.tolist() == [0, 2]
    posterior = told(posterior, 6 * BENT, rng)
    assert posterior.weights[1] > 0.5
    assert len(posterior.members[1].places) >= 0.9 * posterior.weights[1] * 200
    sample = posterior.sample(200, rng)
    assert len(np.unique(sample.chains)) == 200  # no chain is drawn from twice


def test_trusting_answers_again_changes_nothing():
    rng = generator(125)
    posterior = told(prior_of("rows"), BENT, rng)
    half = posterior.reweighed(BENT, np.full(5, 0.5), rng)
    whole = half.reweighed(BENT, np.ones(5), rng)
    assert np.abs(half.weights - PRIOR).sum() < np.abs(posterior.weights - PRIOR).sum()
    assert whole.weights == pytest.approx(posterior.weights, abs=0.05)
    evidence = [part.members[0].log_evidence for part in (half, posterior, whole)]
    assert evidence[0] > evidence[1] == pytest.approx(evidence[2], abs=0.3)


def test_checks():
    prior = prior_of("rows", 40)
    check_family(prior.family, generator(126).standard_normal((5, 15)))
    check_posterior(prior, [Answer(0, 1), Answer(3, 2), Answer(3, 0)])
    with pytest.raises(AnswerError, match="0 to 2, got 3"):
        prior.update(Answer(0, 3), generator(127))
    with pytest.raises(SettingError, match="chains"):
        prior_of("rows", 0)
