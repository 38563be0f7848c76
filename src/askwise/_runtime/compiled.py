"""Compiled Python functions, by numba. It takes half a second to load, so it is imported where it is needed."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, TypeVar, cast

import numba
from numba.core.caching import FunctionCache
from numba.core.types import unliteral

Function = TypeVar("Function", bound=Callable[..., Any])
_notices: list[str] = []  # what was said about the cache


class SafeCache(FunctionCache):
    """Compiled code on disk; if it cannot be read or written, every process compiles its own.

    An index that failed is deleted. A damaged one is written again; one that lists code that was not written would
    bring back older code of the same name.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception as error:  # a damaged file may raise anything
            self._give_up(error)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except Exception as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        with suppress(OSError):
            os.unlink(self._cache_file._index_path)
        _say_once(f"{self.cache_path}: {type(error).__name__}: {' '.join(str(error).split())}")


def _say_once(why: str) -> None:
    """One sentence a process, not one a function."""
    if not _notices:
        _notices.append(why)
        logging.getLogger("askwise").warning(
            "compiled code cannot be read or kept on disk (%s); compiling it again takes some seconds", why
        )


def machine_code(**options: Any) -> Callable[[Function], Function]:
    """A decorator for functions that numba compiles at their first call, with these `options`, and keeps on disk.

    >>> @machine_code()
    ... def twice(number):
    ...     return 2 * number
    >>> twice(21)
    42
    """

    def decorate(function: Function) -> Function:
        compiled = numba.njit(**options)(function)
        _forget_constants(compiled)
        try:
            compiled._cache = SafeCache(function)  # type: ignore[no-untyped-call]
        except RuntimeError:  # numba found no folder to keep it in
            _say_once("no folder can be written to; set NUMBA_CACHE_DIR to one")
        return cast(Function, compiled)

    return decorate


def _forget_constants(compiled: Any) -> None:
    """Lets calls with a constant, such as `f(x, 1)`, use the code for any number: numba would compile each anew."""
    template_for = compiled.get_call_template
    any_value: Any = unliteral  # has no types

    def template(args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        return template_for(tuple(map(any_value, args)), {name: any_value(kind) for name, kind in kws.items()})

    compiled.get_call_template = template


def portions(count: int, work: int, most: int) -> Iterator[slice]:
    """Slices of the numbers below `count`, of about `most` work each, if one number takes `work`; one number at least.

    Compiled code hears no signal. So long work is called in portions, and Ctrl-C is heard between them.

    >>> list(portions(5, 30, 60))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    size = max(1, most // max(work, 1))
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))
