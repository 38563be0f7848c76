"""How well answers are explained by grades that say nothing, against sums over everything that may be true."""

from __future__ import annotations

from itertools import product
from math import log

import numpy as np
import pytest

from askwise.losses import OrderedLogit, davidson, logistic, ordered_logit
from askwise.posteriors.scores import shaped
from askwise.posteriors.scores.grade_evidence import (
    log_chance_of_counts,
    log_odds_of_random_grades,
    side_of,
    with_wide_cuts,
    without_grades,
)
from askwise.posteriors.scores.kernels import INDIVIDUAL
from askwise.posteriors.scores.population import Population
from askwise.posteriors.scores.shaped import ShapedScores
from askwise.structures.choice import ItemScores
from askwise.structures.linear import RowScores
from askwise.types import Answer

GRADES = ["slightly", "clearly", "much"]
NODES = np.linspace(-9.0, 9.0, 8_001)
NODE_WEIGHTS = np.exp(-np.square(NODES) / 2) / np.exp(-np.square(NODES) / 2).sum()
STEADY, MIXED = [3, 3, 2, 3, -1, 2, 3, 3, 1, 2], [1, -3, 3, 1, -2, 3, -1, 2, 1, 3]


def prior_of(kind):
    """Beliefs about two items, or about one row, so that one number decides everything."""
    family = RowScores(1, grades=GRADES) if kind == "labels" else ItemScores(2, ties=kind == "ties", grades=GRADES)
    loss = ordered_logit([1 / 3 if kind == "ties" else 0.0, 1.0, 2.0])
    return ShapedScores.prior(family, loss, [INDIVIDUAL], [np.eye(family.dimension)], np.ones(1))


def log_evidence(prior, answers, losses):
    """The sum over cuts, scales and lapses, with a quadrature over the one score: by the definition alone."""
    spread = np.sqrt(2.0) if isinstance(prior.family, ItemScores) else 1.0
    responses, total = len(prior.family.responses(np.zeros(1))), 0.0
    for (row, loss), (column, scale) in product(enumerate(losses), enumerate(prior.scale_grid)):
        chances = np.exp([-loss.value(spread * scale * NODES, answer.response) for answer in answers])
        for lapse, weight in zip(shaped.LAPSES, shaped.LAPSE_WEIGHTS, strict=True):
            mean = NODE_WEIGHTS @ np.prod((1 - lapse) * chances + lapse / responses, axis=0)
            total += np.exp(prior.log_prior[row, column]) * weight * mean
    return log(total)


def exact_log_odds(prior, answers):
    wide = with_wide_cuts(prior)
    graded = log_evidence(wide, answers, [OrderedLogit(tuple(cuts)) for cuts in wide.cut_grid.cuts])
    sides = [side_of(answer) for answer in answers]
    plain = log_evidence(without_grades(prior), sides, [davidson() if prior.loss.cuts[0] > 0 else logistic])
    counts = np.bincount([abs(answer.response) for answer in answers], minlength=len(GRADES) + 1)[1:]
    return plain + log_chance_of_counts(counts) - graded


def test_chance_of_counts_is_a_mean_over_all_chances():
    places = (np.arange(400) + 0.5) / 400
    first, second = (part.ravel() for part in np.meshgrid(places, places))
    inside = first + second < 1
    chances = np.stack([first, second, 1 - first - second])[:, inside]
    expected = np.prod(chances ** np.array([[4.0], [1.0], [2.0]]), axis=0).mean()
    assert log_chance_of_counts(np.array([4.0, 1.0, 2.0])) == pytest.approx(log(expected), abs=0.01)


@pytest.mark.parametrize(("kind", "levels"), [("pairs", MIXED), ("ties", [*STEADY, 0, 0]), ("labels", STEADY)])
def test_log_odds_against_exact_sums(kind, levels, monkeypatch):
    for limit, value in (("NEGLIGIBLE_SHARE", 1e-4), ("NEIGHBOUR_SHARE", 1e-3), ("NEIGHBOUR_CUT_SHARE", 1e-3)):
        monkeypatch.setattr(shaped, limit, value)  # so that next to nothing is left out
    monkeypatch.setattr(shaped, "PILOT_DRAWS", 100)
    prior, rng, found = prior_of(kind), np.random.default_rng(0), []
    answers = [Answer(0 if kind == "labels" else (0, 1), level) for level in levels]
    sides, graded, plain = (
        [side_of(answer) for answer in answers],
        prior.update_all(answers, rng),
        without_grades(prior),
    )
    for answer in sides:
        plain = plain.update(answer, rng)
    for _ in range(3):
        again = plain.reweighed(sides, np.ones(len(sides)), rng)
        found.append(log_odds_of_random_grades(graded, again, answers, rng))
    error = np.std(found, ddof=1) / np.sqrt(3)
    assert np.mean(found) == pytest.approx(exact_log_odds(prior, answers), abs=4 * error + 0.03)


def test_beliefs_without_grades_are_those_of_plain_pairs():
    """With a population, a fixed scale and a bias to a side: the same prior, and so the same draws."""
    population = Population(20, np.array([1.0, 0.0, -1.0]), np.zeros((3, 1)), 0.5)
    for scale in (None, 2.0):
        graded, plain = (
            ShapedScores.prior(
                ItemScores(3, grades=grades), loss, [INDIVIDUAL], [np.eye(3)], np.ones(1), scale,
                population=population, learns_bias=True,
            )
            for grades, loss in ((GRADES, ordered_logit([0.0, 1.0, 2.0])), ([], logistic))
        )  # fmt: skip
        told = [Answer((0, 1), 3, "Ann", 1), Answer((1, 2), -1, "Ben", -1)]
        made = without_grades(graded.update_all(told, np.random.default_rng(0)))
        assert made.log_prior == pytest.approx(plain.log_prior)
        sides = [side_of(answer) for answer in told]
        drawn = [one.update_all(sides, np.random.default_rng(0)) for one in (made, plain)]
        same = [one.sample(10, np.random.default_rng(0)).structures for one in drawn]
        assert np.array_equal(*same)
        assert made.people_before == plain.people_before == 20
