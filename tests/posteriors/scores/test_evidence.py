"""Answers merged in the coordinates of their span: at once as one by one, and nothing said is lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askwise.errors import AnswerError
from askwise.losses import logistic
from askwise.posteriors.scores.evidence import Evidence
from askwise.posteriors.scores.logconcave import LogConcave
from askwise.structures.linear import LinearPool
from askwise.types import Answer
from tests.helpers import generator


@settings(max_examples=300)
@given(seed=st.integers(0, 10**6), dimension=st.integers(1, 6), count=st.integers(1, 30), different=st.integers(1, 12))
def test_at_once_is_one_by_one_and_both_say_what_was_said(seed, dimension, count, different):
    rng = generator(460, seed)
    table = rng.integers(-1, 2, (different, dimension)).astype(float)  # zeros, repetitions, dependent rows
    features, responses = table[rng.integers(different, size=count)], rng.choice([-1.0, 1.0], count)
    strengths = rng.uniform(0.5, 2.0, count)
    at_once = Evidence.empty(logistic, dimension).add(features, responses, strengths)
    evidence = Evidence.empty(logistic, dimension)
    for row, response, strength in zip(features, responses, strengths, strict=True):
        evidence = evidence.add(row[None], np.array([response]), np.array([strength]))
    for part in ("basis", "rows", "responses", "strengths"):
        np.testing.assert_allclose(getattr(at_once, part), getattr(evidence, part), atol=1e-12)
    assert at_once.rank == np.linalg.matrix_rank(features)
    np.testing.assert_allclose(at_once.basis.T @ at_once.basis, np.eye(at_once.rank), atol=1e-12)
    said = {(*row, response) for row, response in zip(features.tolist(), responses, strict=True) if any(row)}
    assert len(at_once.rows) == len(said)
    weights = rng.standard_normal((5, dimension))
    margins = weights @ features.T * responses
    plain = (np.logaddexp(0, -margins) - np.log(2) * ~features.any(axis=1)) @ strengths
    np.testing.assert_allclose(at_once.potential(weights @ at_once.basis), plain, rtol=1e-5, atol=1e-5)


def test_thousands_at_once_are_merged_with_those_known():
    rng = generator(461)
    features, ones = rng.standard_normal((20_000, 3)), np.ones(20_000)
    evidence = Evidence.empty(logistic, 3).add(features[:15_000], ones[:15_000], ones[:15_000])
    assert evidence.add(features[10_000:], ones[10_000:], ones[10_000:]).strengths.sum() == 25_000
    assert len(evidence.rows) == 15_000


@pytest.mark.parametrize("response", ["much", float("nan")])
def test_a_response_that_is_no_number_is_refused(response):
    family = LinearPool(np.eye(2))
    with pytest.raises(AnswerError, match="number"):
        LogConcave.prior(family, logistic).update_all([Answer(0, 1), Answer(1, response)], generator(462))
