"""Posterior draws as named variables, such as the weight of each feature."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from numpy.typing import NDArray


class Variable(NamedTuple):
    """S draws of one quantity, and what its further axes are called."""

    values: NDArray[Any]  # (S, ...)
    axes: Mapping[str, Sequence[str]] = {}  # the name of each further axis -> the names along it

    def columns(self, name: str) -> Iterator[tuple[str, list[Any]]]:
        """The variable as columns of a table, such as weight[price].

        >>> import numpy as np
        >>> dict(Variable(np.array([[1, 2], [3, 4]]), {"item": ["tea", "milk"]}).columns("utility"))
        {'utility[tea]': [1, 3], 'utility[milk]': [2, 4]}
        """
        flat = self.values.reshape(len(self.values), -1).T.tolist()
        for names, values in zip(product(*self.axes.values()), flat, strict=True):
            yield f"{name}[{' x '.join(names)}]" if names else name, values
