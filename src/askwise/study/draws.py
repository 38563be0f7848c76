"""Posterior draws as named variables: the weights, utilities, clusters, trees or entries that people know by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askwise.encode import encode
from askwise.errors import SettingError
from askwise.session import Session
from askwise.streams import stream
from askwise.structures.choice import Choice
from askwise.structures.clusterings import Clusterings, compact
from askwise.structures.hierarchies import Hierarchies, newick
from askwise.structures.linear import LinearPool
from askwise.structures.matrices import Matrices, matrices_of
from askwise.structures.multiclass import SoftmaxPool
from askwise.structures.pooled import LinearPooled
from askwise.threads import one_thread

DRAWS = 1000


class Variable(NamedTuple):
    """S draws of one quantity, and what its further axes are called."""

    values: NDArray[Any]  # (S, ...)
    axes: Mapping[str, Sequence[str]] = {}  # the name of each further axis -> the names along it

    def columns(self, name: str) -> Iterator[tuple[str, list[Any]]]:
        """Itself as columns of a table, such as weight[price].

        >>> dict(Variable(np.array([[1, 2], [3, 4]]), {"item": ["tea", "milk"]}).columns("utility"))
        {'utility[tea]': [1, 3], 'utility[milk]': [2, 4]}
        """
        flat = self.values.reshape(len(self.values), -1).T.tolist()
        for names, values in zip(product(*self.axes.values()), flat, strict=True):
            yield f"{name}[{' x '.join(names)}]" if names else name, values


@one_thread
def drawn(session: Session, count: int) -> Any:
    """So many structures from the posterior, the same every time."""
    if count < 1:
        raise SettingError(f"draws must be at least 1, got {count}")
    rng = stream(session.aim.seed, session.turn.beliefs.turn, "export")
    return session.posterior.sample(count, rng).structures


def variables(session: Session, count: int = DRAWS) -> dict[str, Variable]:
    """The draws by name.

    Choices have a `utility` of every item and, where items have features, a `weight` of every feature; classifiers have
    weights; clusterings a `cluster` of every item; hierarchies a `tree`; matrices an `entry` for each row and column,
    and the `noise` of an answer, a standard deviation.
    """
    family = session.problem.family
    structures = drawn(session, count)
    match family:
        case Choice():
            utility = Variable(family.utilities(structures), {"item": family.names})
            features = _features(session, family.dimension)
            weights = Variable(structures[:, : len(features)], {"feature": features})
            return {"utility": utility, "weight": weights} if features else {"utility": utility}
        case LinearPool() | LinearPooled():
            return {"weight": Variable(structures, {"feature": _features(session, family.dimension)})}
        case SoftmaxPool():
            labels = [str(label) for label in family.labels]
            features = _features(session, family.dimension // len(labels))
            values = np.reshape(structures, (count, len(labels), len(features)))
            return {"weight": Variable(values, {"label": labels, "feature": features})}
        case Clusterings():
            return {"cluster": Variable(compact(structures), {"item": family.names})}
        case Hierarchies():
            return {"tree": Variable(np.array([newick(tree, family.names) for tree in structures]))}
        case Matrices():
            axes = {"row": family.row_names, "column": family.column_names}
            noise = Variable(structures["precision"] ** -0.5)
            return {"entry": Variable(matrices_of(structures), axes), "noise": noise}
    raise SettingError(f"draws of {type(family).__name__} have no names; take them from session.sample")


def _features(session: Session, count: int) -> list[str]:
    """What the weights belong to; numbered if the session was built by hand. Items may have none."""
    if session.recipe is None:
        return [f"feature {place + 1}" for place in range(count)]
    options = session.recipe["options"]
    kept = {option: options[option] for option in ("name", "image", "features", "missing")}
    columns = encode(session.recipe["data"], **kept).columns
    return [*columns, "intercept"] if session.recipe["goal"] == "classifier" else [*columns]
