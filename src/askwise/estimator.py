"""A linear classifier for scikit-learn whose probabilities are averages over the posterior. Importing it needs
scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from askwise.encode import Column, encode, encode_like
from askwise.errors import DataError
from askwise.losses import logistic
from askwise.posteriors.evidence import Evidence
from askwise.posteriors.logconcave import LogConcave
from askwise.posteriors.reference import Reference
from askwise.posteriors.softmax import SoftmaxPosterior
from askwise.structures.linear import LinearPool
from askwise.structures.multiclass import SoftmaxPool
from askwise.threads import one_thread
from askwise.types import Answer, Floats, Ints, Response

BLOCK = 1 << 22  # scores handled at a time, so that memory stays small


class AskwiseClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Logistic regression, or softmax for more than two classes, averaged over its posterior.

    `prior_scale` is the scale of the weights of standardised features, learned unless it is given; so many `draws` of
    the posterior stand behind each probability.

    >>> model = AskwiseClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"])
    >>> model.predict([[0.0], [5.0]]).tolist()
    ['no', 'yes']
    """

    def __init__(self, prior_scale: float | None = None, draws: int = 1000, random_state: Any = 0):
        self.prior_scale = prior_scale
        self.draws = draws
        self.random_state = random_state

    @one_thread
    def fit(self, X: Any, y: Any) -> AskwiseClassifier:
        """Learns from rows of numbers X (N, D) and their labels y (N,)."""
        X, y = validate_data(self, X, y, dtype=float)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise DataError(f"a classifier needs at least two classes, got one class, {self.classes_[0]}")
        self.encoding_: Sequence[Column] | None = None
        moved = X - X[0]  # a constant column is then exactly zero
        self.center_ = X[0] + moved.mean(axis=0)
        spread = moved.std(axis=0)
        self.scale_ = np.where(spread > 0, spread * np.sqrt((spread > 0).sum()), np.inf)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        learn = _two_labels if len(self.classes_) == 2 else _many_labels
        structures = learn(self._points(X), codes, self.prior_scale, self.draws, rng)
        self.draws_ = _by_class(structures, len(self.classes_))
        return self

    @one_thread
    def predict_proba(self, X: Any) -> Floats:
        """(N, K): how probable each of `classes_` is for each row."""
        check_is_fitted(self)
        points = self._points(X)
        draws, classes, size = self.draws_.shape
        chances = np.empty((len(points), classes))
        step = max(1, BLOCK // (draws * classes))
        for start in range(0, len(points), step):
            rows = points[start : start + step]
            scores = (self.draws_.reshape(-1, size) @ rows.T).reshape(draws, classes, len(rows))
            scores = np.exp(scores - scores.max(axis=1, keepdims=True))
            chances[start : start + step] = (scores / scores.sum(axis=1, keepdims=True)).mean(axis=0).T
        return chances

    def predict(self, X: Any) -> NDArray[Any]:
        """(N,): the most probable label of each row."""
        likeliest = self.predict_proba(X).argmax(axis=1)
        return self.classes_[likeliest]

    def _points(self, X: Any) -> Floats:
        """(N, D + 1): features of mean squared length 1 in the data of `fit`, and a one."""
        if self.encoding_ is None:
            features = (validate_data(self, X, reset=False, dtype=float) - self.center_) / self.scale_
        else:
            bare = isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == self.n_features_in_
            features = encode_like(dict(zip(self.feature_names_in_, X.T, strict=True)) if bare else X, self.encoding_)
        return np.column_stack([features, np.ones(len(features))])


def of_study(recipe: Mapping[str, Any], structures: Floats) -> AskwiseClassifier:
    """A fitted classifier from draws of a classifier study's posterior, for tables like the study's own."""
    options = recipe["options"]
    labels: list[Response] = options["labels"]
    made = AskwiseClassifier(options["prior_scale"], len(structures), options["seed"])
    kept = {option: options[option] for option in ("name", "image", "features", "missing")}
    made.encoding_ = encode(recipe["data"], **kept).encoding
    made.feature_names_in_ = np.array([column.name for column in made.encoding_], dtype=object)
    made.n_features_in_ = len(made.encoding_)
    order = sorted(range(len(labels)), key=lambda place: (isinstance(labels[place], str), labels[place]))
    mixed = len({isinstance(label, str) for label in labels}) > 1
    made.classes_ = np.array([labels[place] for place in order], dtype=object if mixed else None)
    made.draws_ = _by_class(structures, len(labels))[:, order]
    return made


def _by_class(structures: Floats, classes: int) -> Floats:
    """(S, K, P): the weights of each class; of two classes the first has none."""
    if classes == 2:
        return np.stack([np.zeros_like(structures), structures], axis=1)
    return structures.reshape(len(structures), classes, -1)


def _two_labels(points: Floats, codes: Ints, scale: float | None, draws: int, rng: Generator) -> Floats:
    prior = LogConcave.prior(LinearPool(points), logistic, 1.0, scale)
    return told_at_once(prior, points, 2.0 * codes - 1.0, rng).sample(draws, rng).structures


def _many_labels(points: Floats, codes: Ints, scale: float | None, draws: int, rng: Generator) -> Floats:
    prior = SoftmaxPosterior.prior(SoftmaxPool(points, labels=range(int(codes.max()) + 1)), scale)
    told = [Answer(place, int(code)) for place, code in enumerate(codes)]
    return prior.update_all(told, rng).sample(draws, rng).structures


def told_at_once(prior: LogConcave, points: Floats, responses: Floats, rng: Generator) -> LogConcave:
    """The posterior of at least two answers, as if told one by one: all but the last are put in, and the references are
    fitted when the last one comes."""
    merged, times = np.unique(np.column_stack([points, responses])[:-1], axis=0, return_counts=True)
    _, lengths, axes = np.linalg.svd(merged[:, :-1], full_matrices=False)
    basis = axes[lengths > 1e-10 * lengths.max()].T
    evidence = Evidence(prior.evidence.loss, basis, merged[:, :-1] @ basis, merged[:, -1], prior.beta * times)
    scales, rank = prior.grid, evidence.rank
    unit = np.broadcast_to(np.eye(rank), (len(scales), rank, rank))
    start = Reference(
        scales,
        np.zeros((len(scales), rank)),
        unit / scales[:, None, None] ** 2,
        unit * scales[:, None, None],
        np.zeros(len(scales)),
    )
    last = len(points) - 1
    almost = replace(prior, evidence=evidence, reference=start, answers=last)
    return almost.update(Answer(last, float(responses[-1])), rng)
