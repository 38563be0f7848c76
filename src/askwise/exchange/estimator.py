"""A scikit-learn classifier whose probabilities are averages over the posterior. Importing it needs scikit-learn."""

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

from askwise._runtime.threads import one_thread
from askwise.data.encoding import SHOWN_REASONS, Column, encode, encode_like
from askwise.errors import DataError, SettingError
from askwise.exchange.draws import MAX_BLOCK_SCORES
from askwise.goals import classifier
from askwise.goals.base.labels import check_labels
from askwise.goals.base.shapes import (
    FEW_LANDMARKS,
    check_shape,
    is_straight,
    label_landmarks,
    landmark_label_prior,
    landmark_map,
    softmax_prior,
)
from askwise.losses import logistic
from askwise.oracles import Oracle, OracleRun, answer
from askwise.posteriors.scores.evidence import Evidence
from askwise.posteriors.scores.logconcave import LogConcave
from askwise.posteriors.scores.reference import Reference
from askwise.posteriors.scores.shaped_softmax import ShapedSoftmax
from askwise.posteriors.scores.softmax import SoftmaxPosterior
from askwise.structures.linear import LinearPool
from askwise.structures.multiclass import SoftmaxPool
from askwise.types import Answer, Floats, Ints, Response

MAX_FITTED_LANDMARKS = 300
DRAWS_PER_CHAIN = 4  # of the softmax posterior: most of the time goes until chains have settled
SURE = 1e12  # times the weights of a draw: where no answer is wrong, each draw is sure of its labels
MAX_FEATURE = 1e100  # in size; beyond, squares and scores would not be finite
SWEEPS_BETWEEN_DRAWS = 2  # of one chain: averages need no independent draws


class AskwiseClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Logistic regression, or softmax for more than two classes, averaged over its posterior.

    - `shape`: "linear", "smooth", or "learned" from the labels.
    - `prior_scale`: scale of the weights of standardised features; None to learn it.
    - `draws`: how many draws of the posterior each probability averages.
    - `random_state`: as everywhere in scikit-learn.

    >>> model = AskwiseClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"])
    >>> model.predict([[0.0], [5.0]]).tolist()
    ['no', 'yes']

    Without labels it asks an oracle about the rows that matter:

    >>> sizes = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]
    >>> large = lambda question: "large" if sizes[question.options[0].row][0] > 3 else "small"
    >>> model = AskwiseClassifier().fit(sizes, oracle=large, labels=["small", "large"], budget=4)
    >>> model.predict([[0.0], [7.0]]).tolist(), model.run_.answers
    (['small', 'large'], 4)
    """

    run_: OracleRun  # what the oracle did, if one was asked

    def __init__(
        self, prior_scale: float | None = None, draws: int = 1000, random_state: Any = 0, shape: Any = "learned"
    ):
        self.prior_scale = prior_scale
        self.shape = shape
        self.draws = draws
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        oracle: Oracle | None = None,
        labels: Sequence[Response] | None = None,
        budget: Any = None,
    ) -> AskwiseClassifier:
        """Learns from numbers X (N, D) and labels y (N,), or by asking about rows of X.

        - `oracle`: a function of a question, as `askwise.answer` takes it; `question.options[0].row` is the row of X.
          It is asked one question at a time until the labels of all rows are settled. `run_` says what it did.
        - `labels`: what the oracle may say, two or more.
        - `budget`: how many answers it may give, or what they may cost.
        """
        if oracle is None:
            if labels is not None or budget is not None:
                raise SettingError("labels and budget are for an oracle; give one, or leave them out")
            if hasattr(self, "run_"):
                del self.run_
            X, y = validate_data(self, X, y, dtype=float)
            check_classification_targets(y)
            self.classes_, codes = np.unique(y, return_inverse=True)
            if len(self.classes_) < 2:
                raise DataError(f"a classifier needs at least two classes, got one class, {self.classes_[0]}")
            seed = check_random_state(self.random_state).randint(2**31 - 1)
            return self._learn(X, np.arange(len(X)), codes, seed)
        if y is not None:
            raise SettingError("y holds the labels already; give y or an oracle, not both")
        X, known = validate_data(self, X, dtype=float), sorted_labels(labels)
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        options = {"shape": self.shape, "prior_scale": self.prior_scale, "seed": seed}
        session = classifier(X, known, **options)
        self.run_ = answer(session, oracle, jobs=1, budget=budget, progress=False)
        told = [event for event in session.event_log.closed() if event["event"] == "tell"]
        if not told:
            raise DataError("the oracle gave no answer, so nothing was learned; give one that does")
        rows = [session.event_log.ask_events[event["question"]]["options"][0]["row"] for event in told]
        self.classes_ = np.array(known)
        return self._learn(X, np.array(rows), np.array([known.index(event["response"]) for event in told]), seed)

    @one_thread
    def _learn(self, X: Floats, rows: Ints, codes: Ints, seed: int) -> AskwiseClassifier:
        """Learns that these rows of X, numbers that were checked, have the classes of these codes."""
        self.encoding_: Sequence[Column] | None = None
        self.exponents_ = np.frexp(np.abs(X).max(axis=0))[1]  # numbers from -1 to 1 have squares
        scaled = np.ldexp(X, -self.exponents_)
        moved = scaled - scaled[0]  # a constant column is then exactly zero
        self.center_ = scaled[0] + moved.mean(axis=0)
        spread = moved.std(axis=0)
        self.scale_ = np.where(spread > 0, spread * np.sqrt((spread > 0).sum()), np.inf)
        rng, self.map_ = np.random.default_rng(seed), None
        many, features = len(self.classes_) > 2, self._standardised(X)
        if is_straight(check_shape("shape", self.shape)) or not moved.any():
            points, size = self._mapped(features)[rows], len(self.classes_)
            structures = (
                _draw_softmax(points, codes, size, self.prior_scale, self.draws, rng)
                if many
                else _draw_binary(points, codes, self.prior_scale, self.draws, rng)
            )
        else:
            limit = FEW_LANDMARKS if many else MAX_FITTED_LANDMARKS
            self.map_ = landmark_map(self.shape, features, seed, limit)
            said = codes if many else 2 * codes - 1
            answers = [Answer(int(row), int(code)) for row, code in zip(rows, said, strict=True)]
            structures = _draw_shaped(self, self._mapped(features), answers, rng)
        self.draws_ = _by_class(structures, len(self.classes_))
        return self

    @one_thread
    def predict_proba(self, X: Any) -> Floats:
        """(N, K): the probability of each of `classes_` for each row of X."""
        check_is_fitted(self)
        points = self._points(X)
        draws, classes, size = self.draws_.shape
        probabilities = np.empty((len(points), classes))
        step = max(1, MAX_BLOCK_SCORES // (draws * classes))
        for start in range(0, len(points), step):
            rows = points[start : start + step]
            scores = (self.draws_.reshape(-1, size) @ rows.T).reshape(draws, classes, len(rows))
            scores = np.exp(scores - scores.max(axis=1, keepdims=True))
            probabilities[start : start + step] = (scores / scores.sum(axis=1, keepdims=True)).mean(axis=0).T
        return probabilities

    def predict(self, X: Any) -> NDArray[Any]:
        """(N,): the most probable label of each row of X."""
        best = self.predict_proba(X).argmax(axis=1)  # which checks first that it is fitted
        return self.classes_[best]

    def _points(self, X: Any) -> Floats:
        """(N, D): features and a one; where the shape is learned, kernels with landmarks as well."""
        return self._mapped(self._features(X))

    def _mapped(self, features: Floats) -> Floats:
        """The same, of features (N, P)."""
        return (
            np.column_stack([features, np.ones(len(features))]) if self.map_ is None else self.map_.features(features)
        )

    def _features(self, X: Any) -> Floats:
        """(N, P): features of mean squared length 1 in the data of `fit`."""
        if self.encoding_ is None:
            return self._standardised(validate_data(self, X, reset=False, dtype=float))
        bare = isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == self.n_features_in_
        return encode_like(dict(zip(self.feature_names_in_, X.T, strict=True)) if bare else X, self.encoding_)

    def _standardised(self, X: Floats) -> Floats:
        """The same, of numbers that were checked."""
        with np.errstate(over="ignore"):
            features = (np.ldexp(X, -self.exponents_) - self.center_) / self.scale_
        return np.clip(features, -MAX_FEATURE, MAX_FEATURE)


def sorted_labels(labels: Any) -> list[Response]:
    """The labels that an oracle may say, in the order of `classes_`."""
    if labels is None:
        raise SettingError("an oracle needs labels to choose from; give them, such as labels=['no', 'yes']")
    known = check_labels("labels", labels)
    if len({isinstance(label, str) for label in known}) > 1:
        raise SettingError(f"labels is {known}; expected only texts or only numbers")
    return sorted(known)


def fitted_from_study(
    recipe: Mapping[str, Any], structures: Floats, answers: Sequence[Answer], rng: Generator
) -> AskwiseClassifier:
    """A classifier that was fitted by a study, for tables like the study's own.

    - `recipe`: of the study.
    - `structures`: (S, D), draws of its posterior.
    - `answers`: of the study. Where draws are scores of its rows, rows never seen need kernels with landmarks.
    - `rng`: for the draws that then take the place of `structures`.
    """
    options = recipe["options"]
    labels: list[Response] = options["labels"]
    shape = options.get("shape", "linear")
    if options.get("noise") is not None:
        shape, structures = "linear", SURE * structures
    model = AskwiseClassifier(options["prior_scale"], len(structures), options["seed"], shape)
    kept = {option: options.get(option) for option in SHOWN_REASONS} | {"missing": options["missing"]}
    kept["readings"] = options.get("readings") or {}
    model.encoding_ = encode(recipe["data"], features=options["features"], **kept).encoding
    model.feature_names_in_ = np.array([column.name for column in model.encoding_], dtype=object)
    model.n_features_in_ = len(model.encoding_)
    order = sorted(range(len(labels)), key=lambda place: (isinstance(labels[place], str), labels[place]))
    mixed = len({isinstance(label, str) for label in labels}) > 1
    model.classes_ = np.array([labels[place] for place in order], dtype=object if mixed else None)
    model.map_ = None
    if not is_straight(shape):
        features, pooled = model._features(recipe["data"]), options.get("pool") is not None
        model.map_ = label_landmarks(shape, features, options["seed"], len(labels), pooled)
        if model.map_ is None:
            model.map_ = landmark_map(shape, features, options["seed"], len(features))
            structures = _draw_shaped(model, model.map_.features(features), answers, rng)
    model.draws_ = _by_class(structures, len(labels))[:, order]
    return model


def _draw_shaped(model: AskwiseClassifier, points: Floats, answers: Sequence[Answer], rng: Generator) -> Floats:
    assert model.map_ is not None
    if len(model.classes_) == 2:
        two = landmark_label_prior(model.shape, model.map_, LinearPool(points), model.prior_scale)
        return two.update_all(answers, rng).sample(model.draws, rng).structures
    family, chains = SoftmaxPool(points, labels=range(len(model.classes_))), -(-model.draws // DRAWS_PER_CHAIN)
    prior = softmax_prior(model.shape, model.map_, family, model.prior_scale, chains)
    return _several_draws(prior.update_all(answers, rng), chains, rng)[: model.draws]


def _several_draws(posterior: SoftmaxPosterior | ShapedSoftmax, chains: int, rng: Generator) -> Floats:
    """DRAWS_PER_CHAIN draws of each chain."""
    structures = [posterior.sample(chains, rng).structures]
    for _ in range(DRAWS_PER_CHAIN - 1):
        posterior = posterior.continued(SWEEPS_BETWEEN_DRAWS, rng)
        structures.append(posterior.sample(chains, rng).structures)
    return np.concatenate(structures)


def _by_class(structures: Floats, classes: int) -> Floats:
    """(S, K, P): the weights of each class; of two classes the first has none."""
    if classes == 2:
        return np.stack([np.zeros_like(structures), structures], axis=1)
    return structures.reshape(len(structures), classes, -1)


def _draw_binary(points: Floats, codes: Ints, scale: float | None, draws: int, rng: Generator) -> Floats:
    prior = LogConcave.prior(LinearPool(points), logistic, 1.0, scale)
    if len(points) == 1:
        return prior.update(Answer(0, 2.0 * float(codes[0]) - 1.0), rng).sample(draws, rng).structures
    return update_at_once(prior, points, 2.0 * codes - 1.0, rng).sample(draws, rng).structures


def _draw_softmax(points: Floats, codes: Ints, classes: int, scale: float | None, draws: int, rng: Generator) -> Floats:
    chains = -(-draws // DRAWS_PER_CHAIN)
    prior = SoftmaxPosterior.prior(SoftmaxPool(points, labels=range(classes)), scale, chains)
    posterior = prior.update_all([Answer(place, int(code)) for place, code in enumerate(codes)], rng)
    return _several_draws(posterior, chains, rng)[:draws]


def update_at_once(prior: LogConcave, points: Floats, responses: Floats, rng: Generator) -> LogConcave:
    """The posterior of at least two answers, the same as if they came one by one, but faster.

    All but the last answer become evidence directly; the update with the last one fits the references.
    """
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
