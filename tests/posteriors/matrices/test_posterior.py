"""The sampler of matrices against exact answers, against its own prior, and against a fresh long run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import gamma, kstest, norm

from askwise.errors import AnswerError, DataError, SettingError
from askwise.posteriors.matrices.model import FactorModel, center_and_scale, gamma_priors
from askwise.posteriors.matrices.posterior import THINNING_SWEEPS, MatrixPosterior
from askwise.simulate.tasks import columns
from askwise.structures.matrices import Matrices
from askwise.testing import check_posterior
from askwise.types import Answer
from tests.helpers import chi_square, generator

NOTHING = np.zeros((0, 0))
FIXED = 1e9  # a Gamma of this shape is a point


def plain_model(rows, columns, prior):
    return FactorModel(prior, np.zeros((rows, 0)), NOTHING, np.zeros((columns, 0)), NOTHING)


def entries_of(rng, shape, count):
    return np.stack([rng.integers(shape[0], size=count), rng.integers(shape[1], size=count)], axis=1)


def seen(structure, answered, rng):
    """Answers about a structure with its own noise."""
    true = structure["matrix"][answered[:, 0], answered[:, 1]]
    return true + structure["precision"] ** -0.5 * rng.standard_normal(len(true))


def statistics(structures):
    """What calibration looks at: (S, 4)."""
    matrices = structures["matrix"]
    best = matrices.mean(axis=1)
    return np.stack([matrices[:, 0, 0], matrices[:, -1, -1], best[:, 0] - best[:, 1], structures["precision"]], axis=1)


def calibration(told_prior, true_prior, replicates):
    """p value of the ranks of the truth among draws of the posterior, the least of four statistics."""
    rng, shape, draws = generator(11), (4, 5), 31
    model, truths = plain_model(*shape, told_prior), plain_model(*shape, true_prior)
    ranks = []
    for _ in range(replicates):
        truth = truths.draw(1, 1, rng)
        answered = entries_of(rng, (3, 4), 12)  # the last row and column are never seen
        values = seen(truth.structures()[0], answered, rng)
        chains = model.advanced(model.draw(draws, 1, rng), answered, values, np.ones(len(values)), 60, rng)
        there = statistics(truth.structures())
        ranks.append((statistics(chains.structures()) < there).sum(axis=0))
    counts = np.apply_along_axis(np.bincount, 0, np.array(ranks) // 4, minlength=8)
    return min(chi_square(column, np.ones(8)) for column in counts.T)


def test_simulation_based_calibration():
    prior = gamma_priors(0.0, 1.5, 1)
    assert calibration(prior, prior, 250) > 0.001


def test_calibration_can_fail():
    told = gamma_priors(0.0, 1.5, 1)
    noisier = told.copy()
    noisier[7] *= 4  # twice the noise that the sampler believes in
    assert calibration(told, noisier, 120) < 1e-4


def test_sweeps_keep_the_prior():
    """Truth from the prior, answers from the truth, sweeps from the truth: every part must still be a prior draw."""
    rng, rank, shape = generator(12), 2, (4, 3)
    features = np.array([[1.0, -1.0], [0.5, 0.0], [-1.5, 1.0], [0.0, 0.0]])
    root = np.linalg.cholesky(features.T @ features + np.eye(2))
    prior = np.array([0.5, 0.25, 3.0, 2.0, 4.0, 3.0, 3.0, 1.0])
    model = FactorModel(prior, features, root, np.zeros((shape[1], 0)), NOTHING)
    after = []
    for _ in range(2500):
        start = model.draw(1, rank, rng)
        answered = entries_of(rng, shape, 9)
        values = seen(start.structures()[0], answered, rng)
        moved = model.advanced(start, answered, values, np.ones(len(values)), 2, rng)
        t = moved.tightness[0]
        left = moved.rows[0] - features @ moved.row_slopes[0]
        wide = np.sqrt(t[[0, 2, 3]])
        after.append([moved.level[0], *t, moved.precision[0], *(left[1] * wide), *(moved.row_slopes[0, 0] * wide),
                      *(moved.columns[0, 2] * np.sqrt(t[1:]))])  # fmt: skip
    found = np.array(after).T
    scaled = [gamma(shape, scale=1 / rate) for shape, rate in ((3, 2), (3, 2), (4, 3), (4, 3), (3, 1))]
    exact = [norm(0.5, 2.0), *scaled, *[norm()] * 9]
    p = [kstest(values, law.cdf).pvalue for values, law in zip(found, exact, strict=True)]
    assert min(p) > 0.001 / len(p) * 5


@pytest.mark.parametrize("trust", [np.ones(5), np.array([1.0, 0.1, 0.5, 0.02, 1.0])])
def test_offsets_with_known_sizes_have_a_closed_form(trust):
    """Rank 0 and fixed precisions: the entries are jointly Gaussian, also where answers are trusted less."""
    rng, shape, chains = generator(13), (3, 4), 4000
    row, column, level, noise = 1.0, 2.0, 3.0, 0.5  # standard deviations
    prior = np.array([0.3, level**-2, FIXED, FIXED * row**2, FIXED, FIXED, FIXED, FIXED * noise**2])
    model = plain_model(*shape, prior)
    start = model.draw(chains, 0, rng)
    answered = np.array([[0, 0], [0, 1], [1, 1], [2, 3], [2, 3]])
    values = np.array([1.0, -2.0, 0.5, 4.0, 3.0])
    drawn = model.advanced(start, answered, values, trust, 40, rng).structures()["matrix"].reshape(chains, -1)
    # both kinds of offset share one Gamma, so the columns are as spread as the rows
    column = row
    places = np.stack(np.divmod(np.arange(12), 4), axis=1)
    same = (places[:, None] == places).astype(float)
    cover = level**2 + row**2 * same[..., 0] + column**2 * same[..., 1]
    at = answered @ [4, 1]
    gain = cover[:, at] @ np.linalg.inv(cover[np.ix_(at, at)] + noise**2 * np.diag(1 / trust))
    mean = 0.3 + gain @ (values - 0.3)
    left = cover - gain @ cover[at]
    error = (drawn.mean(axis=0) - mean) / np.sqrt(np.diagonal(left) / chains)
    assert np.abs(error).max() < 4
    assert np.abs(np.cov(drawn.T) - left).max() < 4 * np.diagonal(left).max() * np.sqrt(2 / chains)


def test_rows_given_columns_are_a_regression():
    """Every chain with its own columns, precisions and level has its own Gaussian."""
    from askwise.posteriors.matrices.gibbs import _sweep_side, make_side
    from askwise.posteriors.matrices.precisions import sweep_scratch

    rng, chains, times = generator(14), 3, 4000
    theirs, mine, means = (rng.standard_normal((size, 3, chains)) for size in (5, 2, 2))
    answered, told = np.array([[0, 0], [1, 1], [0, 3], [0, 4]]), (rng.standard_normal(4), np.ones(4))
    values = told[0]
    level, precision, tight = rng.standard_normal(chains), rng.uniform(1, 9, chains), rng.uniform(0.5, 9, (4, chains))
    row = make_side(mine, np.zeros((0, 3, chains)), np.zeros((2, 0)), NOTHING, answered, *told)
    row.means[:] = means
    column = make_side(theirs, np.zeros((0, 3, chains)), np.zeros((5, 0)), NOTHING, answered[:, ::-1], *told)
    drawn, scratch = np.empty((times, 3, chains)), sweep_scratch(row, column)
    for k in range(times):
        _sweep_side(row, column, level, precision, tight, 0, scratch, rng)
        drawn[k] = mine[0]
    for c in range(chains):
        design = np.column_stack([np.ones(3), theirs[[0, 3, 4], 1:, c]])
        ridge = np.diag(tight[[0, 2, 3], c])
        cover = np.linalg.inv(ridge + precision[c] * design.T @ design)
        target = values[[0, 2, 3]] - level[c] - theirs[[0, 3, 4], 0, c]
        exact = cover @ (ridge @ means[0, :, c] + precision[c] * design.T @ target)
        error = (drawn[..., c].mean(axis=0) - exact) / np.sqrt(np.diagonal(cover) / times)
        assert np.abs(error).max() < 4
        assert np.allclose(np.cov(drawn[..., c].T), cover, atol=5 * cover.max() * np.sqrt(2 / times))


@pytest.mark.parametrize("surprise", [0.0, 6.0])
def test_draws_do_not_lag(surprise):
    """Chains warmed up answer by answer agree with chains run afresh for long, also after an odd answer."""
    rng, shape, chains = generator(15), (5, 6), 300
    truth = rng.standard_normal((5, 1)) + rng.standard_normal(6)
    family = Matrices(shape)
    posterior = MatrixPosterior.prior(family, 1, chains, center=0.0, scale=1.5)
    answers = [Answer((i, j), truth[i, j] + 0.2 * rng.standard_normal()) for i, j in entries_of(rng, shape, 20)]
    answers.append(Answer((0, 0), truth[0, 0] + surprise))
    for answer in answers:
        posterior = posterior.update(answer, rng)
    fresh = replace(posterior, chains=posterior.model.draw(chains, 1, rng))
    long = posterior.model.advanced(
        fresh.chains, posterior.answered, posterior.values, posterior.trust, 1500, rng
    ).structures()
    warm = posterior.chains.structures()

    def summaries(structures):
        matrices = structures["matrix"].reshape(chains, -1)
        return np.column_stack([matrices, np.log(structures["precision"])])

    first, second = summaries(warm), summaries(long)
    error = (first.mean(axis=0) - second.mean(axis=0)) / np.sqrt((first.var(axis=0) + second.var(axis=0)) / chains)
    assert np.abs(error).max() < 4.5
    ratio = np.log(np.std(first[:, :-1], axis=0) / np.std(second[:, :-1], axis=0))
    assert np.abs(ratio).mean() < 0.25


@pytest.mark.parametrize("answers", [30, 120])
def test_draws_of_one_chain_are_hardly_alike(answers):
    """What a certificate adds up, the distance to an estimate, THINNING_SWEEPS sweeps apart in the same chain."""
    rng, chains, batches = generator(18), 64, 60
    task = columns(rng, rows=20, columns=30, targets=5, chains=chains)
    posterior, distance = task.prior, task.problem.distance
    for row, column in entries_of(rng, (20, 30), answers - 30):
        posterior = posterior.update(Answer((row, column), task.person.respond((row, column), rng)), rng)
    chosen = posterior.sample(chains, rng).structures[:1]

    def correlation(sweeps):
        state, losses = posterior.chains, []
        for _ in range(batches):
            state = posterior.model.advanced(state, posterior.answered, posterior.values, posterior.trust, sweeps, rng)
            losses.append(distance.paired(np.repeat(chosen, chains), state.structures()))
        off = np.array(losses) - np.mean(losses)
        return (off[1:] * off[:-1]).mean() / (off**2).mean()

    error = 1 / np.sqrt(chains * batches)
    apart = correlation(THINNING_SWEEPS)
    assert apart < 0.1 + 2 * error
    assert correlation(1) > apart + 2 * error


def test_more_draws_than_chains_are_fresh_and_mixed():
    rng = generator(19)
    posterior = MatrixPosterior.prior(Matrices((3, 4)), 1, 8, known=[(0, 0, 1.0), (1, 2, -1.0)])
    here = posterior.chains.structures()["precision"]
    assert np.array_equal(posterior.sample(8, rng).structures["precision"], here)
    assert set(posterior.sample(5, rng).structures["precision"]) < set(here)
    drawn = posterior.sample(20, generator(20)).structures["precision"]
    assert not set(drawn) & set(here)
    state, batches = posterior.chains, generator(20)
    in_turn = []
    for _ in range(3):
        state = posterior.model.advanced(
            state, posterior.answered, posterior.values, posterior.trust, THINNING_SWEEPS, batches
        )
        in_turn.extend(state.precision)
    assert set(drawn) < set(in_turn)
    assert drawn.tolist() != in_turn[:20]


def test_features_help_where_nothing_was_asked():
    rng = generator(16)
    features = rng.standard_normal((30, 1))
    truth = 2 * features[:, 0]
    known = [(int(i), int(j), float(truth[j] + 0.1 * rng.standard_normal())) for i in range(3) for j in range(20)]
    family = Matrices((3, 30))
    errors = []
    for given in (None, features):
        draws = MatrixPosterior.prior(family, 1, 64, column_features=given, known=known).sample(64, rng).structures
        errors.append(np.sqrt(((draws["matrix"].mean(axis=0)[:, 20:] - truth[20:]) ** 2).mean()))
    assert errors[1] < 0.3 * errors[0]


def test_the_shipped_check():
    answers = [Answer((0, 1), 2.0), Answer((1, 1), -1.0), Answer((0, 1), 2.2)]
    check_posterior(MatrixPosterior.prior(Matrices((2, 3)), 1, 20), answers)
    check_posterior(MatrixPosterior.prior(Matrices((2, 3)), 0, 70, row_features=[[1.0], [2.0]]), answers)


def test_the_first_answers_set_the_scale():
    rng = generator(17)
    posterior = MatrixPosterior.prior(Matrices((5, 5)), 1, 50)
    for number in range(12):
        posterior = posterior.update(Answer((number % 5, number // 3), 1e4 + 100 * rng.standard_normal()), rng)
    draws = posterior.sample(50, rng).structures["matrix"]
    assert abs(draws.mean() - 1e4) < 200
    assert draws.std() < 500
    assert posterior.diagnostics()["answers"] == 12
    assert center_and_scale([5.0, 5.0]) == (5.0, 2.5)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"rank": -1}, SettingError, "rank is -1; expected a whole number from 0 to 100"),
        ({"rank": 1.5}, SettingError, "rank is 1.5; expected a whole number"),
        ({"chains": 1}, SettingError, "chains is 1; expected a whole number of at least 2"),
        ({"scale": 0.0}, SettingError, "scale is 0.0; expected a number from"),
        ({"center": float("nan")}, SettingError, "center is nan; expected a number from"),
        ({"row_features": [[1.0]]}, DataError, "row features must be finite numbers, 2 rows"),
        ({"column_features": [["x"]] * 3}, SettingError, "expected a table of numbers, one row for each column"),
        ({"known": [(0, 9, 1.0)]}, AnswerError, "no entry"),
        ({"known": [(0, 0, float("nan"))]}, AnswerError, "finite number"),
    ],
)
def test_bad_settings_are_refused_in_one_sentence(options, error, words):
    with pytest.raises(error, match=words) as refused:
        MatrixPosterior.prior(Matrices((2, 3)), **options)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("response", [float("inf"), float("nan"), "five"])
def test_an_answer_is_a_finite_number(response):
    with pytest.raises(AnswerError, match="finite number"):
        MatrixPosterior.prior(Matrices((2, 3)), 0, 2).update(Answer((0, 0), response), generator(0))


def test_answers_together_are_as_answers_one_by_one():
    """The same posterior, by other sweeps: means within four standard errors, spreads alike."""
    rng, chains = generator(31), 1500
    known = [(int(i), int(j), float(i - j)) for i, j in np.ndindex(4, 3) if (i + j) % 2]
    prior = MatrixPosterior.prior(Matrices((4, 5)), rank=1, chains=chains, known=known, center=0.0, scale=2.0)
    answers = [Answer((i, j), float(i - j) + 0.1 * k) for k, (i, j) in enumerate(np.ndindex(4, 5)) if (i + j) % 2 == 0]
    together = prior.update_all(answers, rng)
    one_by_one = prior
    for answer in answers:
        one_by_one = one_by_one.update(answer, rng)
    assert np.array_equal(together.answered, one_by_one.answered)
    assert np.array_equal(together.values, one_by_one.values)
    first, second = (each.sample(chains, rng).structures["matrix"] for each in (together, one_by_one))
    error = np.sqrt((first.var(axis=0) + second.var(axis=0)) / chains)
    assert np.abs(first.mean(axis=0) - second.mean(axis=0)).max() < (4 * error).max()
    assert np.abs(np.log(first.std(axis=0) / second.std(axis=0))).max() < 0.25
    assert prior.update_all([], rng) is prior
