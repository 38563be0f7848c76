"""One BLAS thread while a question is found: the same bits at every load of the machine, and no fight over the cores.

Memory is kept between questions, too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

import numpy as np
from threadpoolctl import ThreadpoolController

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    import scipy.linalg  # noqa: F401  SciPy brings a BLAS of its own, which must be loaded to be capped

    _keep_memory()
    return ThreadpoolController()


def _keep_memory() -> None:
    """Frees a large block that was never touched, after which the C library keeps freed memory for the next question
    instead of returning it each time: page faults were half of a 34 ms question."""
    np.empty(31 * 2**17)


def one_thread(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Runs the function with one BLAS thread: more than the free cores made a 20 ms question take 188 ms.

    >>> one_thread(abs)(-2)
    2
    """

    @wraps(function)
    def capped(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        with _controller().limit(limits=1, user_api="blas"):
            return function(*args, **kwargs)

    return capped
