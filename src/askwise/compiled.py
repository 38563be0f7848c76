"""Machine code of Python functions, by numba, which takes half a second to load: imported only by what comes late."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def machine_code(**options: Any) -> Callable[[Function], Function]:
    """A decorator for functions that are compiled when first called, with numba's options, and kept on disk for the
    next time; where nothing can be written, every process compiles its own.

    >>> @machine_code()
    ... def twice(number):
    ...     return 2 * number
    >>> twice(21)
    42
    """

    def decorate(function: Function) -> Function:
        try:
            return cast(Function, numba.njit(cache=True, **options)(function))
        except RuntimeError:  # numba found no folder to keep it in
            return cast(Function, numba.njit(**options)(function))

    return decorate
