"""Checkpoints of earlier versions, in which parts of a posterior had other names."""

from __future__ import annotations

import io
import json
from hashlib import sha256

import numpy as np
import pytest

from askwise.losses import logistic
from askwise.posteriors.scores.kernels import factor, label_shapes
from askwise.posteriors.scores.logconcave import LogConcave
from askwise.posteriors.scores.shaped_softmax import ShapedSoftmax
from askwise.posteriors.scores.softmax import SoftmaxPosterior
from askwise.session.beliefs import Beliefs
from askwise.storage.checkpoints import RENAMED, dump_posteriors, load_posteriors
from askwise.structures.linear import LinearPool
from askwise.structures.multiclass import SoftmaxPool, SoftmaxRows
from askwise.types import Answer

POINTS = np.random.default_rng(901).standard_normal((5, 3))
PRIORS = {
    "two labels": LogConcave.prior(LinearPool(POINTS), logistic),
    "three labels": SoftmaxPosterior.prior(SoftmaxPool(POINTS), chains=20),
}


def renamed(node):
    old = {new: name for name, new in RENAMED.items()}
    if not isinstance(node, dict):
        return node
    parts = {old.get(name, name): renamed(part) for name, part in node.get("parts", {}).items()}
    return {"parts": parts} if parts else node


def written_earlier(content):
    with np.load(io.BytesIO(content[32:])) as arrays:
        held = dict(arrays)
    trail = [[answers, renamed(node), trusted] for answers, node, trusted in json.loads(str(held.pop("trail")))]
    text = json.dumps(trail)
    assert any(f'"{name}"' in text for name in RENAMED)
    earlier = io.BytesIO()
    np.savez(earlier, trail=np.array(text), **held)
    return sha256(earlier.getvalue()).digest() + earlier.getvalue()


def test_a_posterior_of_several_shapes_comes_back_bit_by_bit():
    shapes, weights = label_shapes("learned")
    factors = [factor(shape, POINTS, intercept=True) for shape in shapes]
    prior = ShapedSoftmax.prior(SoftmaxRows(5, labels="abc"), shapes, factors, weights, chains=20)
    beliefs = Beliefs(prior, seed=1).tell("q1", Answer(0, 1)).tell("q2", Answer(3, 2))
    content = dump_posteriors(beliefs, prior)
    assert content is not None
    (*_, kept) = load_posteriors(content, prior)
    both = (kept.posterior, beliefs.posterior)
    drawn = [posterior.sample(20, np.random.default_rng(2)).structures for posterior in both]
    assert np.array_equal(*drawn)
    after = [posterior.update(Answer(1, 0), np.random.default_rng(3)).weights for posterior in both]
    assert np.array_equal(*after)


@pytest.mark.parametrize("name", PRIORS)
def test_parts_that_had_another_name_are_found(name):
    prior = PRIORS[name]
    beliefs = Beliefs(prior, seed=1).tell("q1", Answer(0, 1)).tell("q2", Answer(3, 1))
    (*_, kept) = load_posteriors(written_earlier(dump_posteriors(beliefs, prior)), prior)
    drawn = [
        posterior.sample(30, np.random.default_rng(2)).structures for posterior in (kept.posterior, beliefs.posterior)
    ]
    assert np.array_equal(*drawn)
