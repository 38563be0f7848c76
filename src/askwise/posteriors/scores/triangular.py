"""The inverse of a triangular matrix, by halves: LAPACK's takes twice as long from a hundred rows on."""

from __future__ import annotations

import numpy as np
from scipy.linalg import blas, lapack

from askwise.types import Floats

MAX_WHOLE_ROWS = 40  # up to which LAPACK is as fast


def lower_inverse(lower: Floats) -> Floats:
    """(R, R) -> (R, R), of a lower triangular matrix with zeros above its diagonal.

    >>> lower_inverse(np.array([[2.0, 0.0], [4.0, 1.0]])).tolist()
    [[0.5, 0.0], [-2.0, 1.0]]
    """
    size, half = len(lower), len(lower) // 2
    if size <= MAX_WHOLE_ROWS:
        return np.asarray(lapack.dtrtri(lower, lower=1)[0])
    found = np.zeros((size, size), order="F")
    first, last = lower_inverse(lower[:half, :half]), lower_inverse(lower[half:, half:])
    found[:half, :half], found[half:, half:] = first, last
    below = blas.dtrmm(-1.0, last, lower[half:, :half], lower=1)
    found[half:, :half] = blas.dtrmm(1.0, first, below, side=1, lower=1, overwrite_b=1)
    return found
