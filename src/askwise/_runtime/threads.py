"""One BLAS thread while a question is computed: the same bits at every load, and no contention for cores.

Memory is kept between questions, too. On another kind of processor the last bits may differ; `processor` names it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, wraps
from threading import Lock
from typing import Any, ParamSpec, TypeVar, cast
from zlib import crc32

import numpy as np
from threadpoolctl import ThreadpoolController

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Method = TypeVar("Method", bound=Callable[..., Any])


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    import scipy.linalg  # noqa: F401  SciPy brings a BLAS of its own, which must be loaded to be capped

    _keep_memory()
    return ThreadpoolController()


def _keep_memory() -> None:
    """Frees a large block that was never touched, after which the C library keeps freed memory for the next question
    instead of returning it each time: page faults were half of a 34 ms question."""
    np.empty(31 * 2**17)


class _Limit:
    """The limit of BLAS threads, shared by all threads: the first that computes sets it, the last lifts it."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.inside = 0
        self.cap: Any = None

    @contextmanager
    def held(self) -> Iterator[None]:
        with self.lock:
            if not self.inside:
                self.cap = _controller().limit(limits=1, user_api="blas")
            self.inside += 1
        try:
            yield
        finally:
            with self.lock:
                self.inside -= 1
                if not self.inside:
                    self.cap.restore_original_limits()


_limit = _Limit()


def one_thread(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Runs the function with one BLAS thread: more than the free cores made a 20 ms question take 188 ms.

    >>> one_thread(abs)(-2)
    2
    """

    @wraps(function)
    def capped(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        with _limit.held():
            return function(*args, **kwargs)

    return capped


def one_at_a_time(method: Method) -> Method:
    """A method that threads enter one at a time, by the `lock` of its object, with one BLAS thread."""
    capped = one_thread(method)

    @wraps(method)
    def locked(self: Any, *args: Any, **kwargs: Any) -> Any:
        with self.lock:
            return capped(self, *args, **kwargs)

    return cast(Method, locked)


def processor() -> str:
    """The kind of processor, as numba's compiler and NumPy's BLAS see it.

    >>> len(processor().split())
    3
    """
    from llvmlite import binding  # type: ignore[import-untyped]  # a part of numba that loads in a moment

    name = os.environ.get("NUMBA_CPU_NAME") or binding.get_host_cpu_name()
    features = os.environ.get("NUMBA_CPU_FEATURES") or binding.get_host_cpu_features().flatten()
    loaded = [library for library in ThreadpoolController().info() if "numpy" in library["filepath"]]
    kernels = {str(library.get("architecture", library["internal_api"])) for library in loaded}
    return f"{name} {crc32(features.encode()):08x} {'+'.join(sorted(kernels)) or 'unknown'}"
