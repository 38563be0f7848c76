"""One BLAS thread while a question is found: the same bits on every machine load, and no fight over the cores."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    import scipy.linalg  # noqa: F401  SciPy brings a BLAS of its own, which must be loaded to be capped

    return ThreadpoolController()


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
