"""What a classifier's session predicts, as a table or as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from askwise._runtime.streams import stream
from askwise._runtime.threads import one_thread
from askwise.distances import MeasuredOnAtoms
from askwise.errors import SettingError
from askwise.exchange.draws import DEFAULT_DRAWS, MAX_BLOCK_SCORES, draw_structures
from askwise.exchange.files import Table
from askwise.options import refusal
from askwise.session import Session
from askwise.structures import HasLabels, PooledRows

if TYPE_CHECKING:
    from askwise.exchange.estimator import AskwiseClassifier


@one_thread
def predictions_table(session: Session) -> Table:
    """One row for each row of a classifier's table: its name, its most probable label, the probability of each label.

    - `session`: of the goal `classifier`.

    >>> import askwise
    >>> session = askwise.classifier({"name": ["a", "b"], "size": [1.0, 2.0]}, ("small", "large"))
    >>> list(predictions_table(session))
    ['name', 'label', 'probability[small]', 'probability[large]']
    """
    problem, family = session.problem, _classifier_family(session)
    names, labels = family.names, family.labels
    structures = draw_structures(session, DEFAULT_DRAWS)
    step = max(1, MAX_BLOCK_SCORES // (DEFAULT_DRAWS * len(labels)))
    blocks = [
        problem.chances(family.predict(structures, np.arange(start, min(start + step, len(names))))).mean(axis=1)
        for start in range(0, len(names), step)
    ]
    probabilities = np.hstack(blocks)  # (K, N), in the order of the labels
    predicted = [labels[place] for place in probabilities.argmax(axis=0)]
    columns = {f"probability[{label}]": row.tolist() for label, row in zip(labels, probabilities, strict=True)}
    return {"name": list(names), "label": predicted, **columns}


def to_sklearn(session: Session) -> AskwiseClassifier:
    """A fitted scikit-learn classifier with the beliefs of a classifier's session.

    It accepts any table with the columns that were features in the session: a dataframe, a list of dicts, a dict of
    columns, or an array with these columns in the order of `feature_names_in_`. Its own `fit(X, y)` forgets the
    session and learns from numbers and labels.

    :param session: A session of the goal `classifier`.

    >>> import askwise
    >>> session = askwise.classifier({"size": [1.0, 2.0, 3.0, 4.0]}, labels=("small", "large"), seed=1)
    >>> for _ in range(4):
    ...     size = int(session.ask().options[0].name[-1])
    ...     session.tell("large" if size > 2 else "small")
    >>> model = askwise.to_sklearn(session)
    >>> model.predict([{"size": 0.5}, {"size": 9.0}]).tolist()
    ['small', 'large']
    """
    if not isinstance(session, Session):
        raise refusal("session", session, "an askwise.Session")
    _classifier_family(session)
    if session.pursued is None:
        raise SettingError("the session was built by hand or with a function of your own, so its table is not known")
    try:
        from askwise.exchange.estimator import fitted_from_study
    except ModuleNotFoundError:
        raise SettingError("to_sklearn needs scikit-learn; install it with: pip install 'askwise[sklearn]'") from None
    rng = stream(session.config.seed, session.round.beliefs.revision, "estimator")
    drawn = draw_structures(session, DEFAULT_DRAWS)
    return fitted_from_study(session.pursued, drawn, session.answers, rng)


def _classifier_family(session: Session) -> Any:
    family, distance = session.problem.family, session.problem.distance
    if isinstance(family, PooledRows) and isinstance(distance, MeasuredOnAtoms):
        family = distance.family
    if not isinstance(family, HasLabels):
        raise SettingError("only a classifier predicts labels, and this session has another goal")
    return family
