"""Compiled Python functions, by numba. It takes half a second to load, so it is imported where it is needed.

Numba compiles a function that compiled code calls on its own first, with an interface to Python, and then once more as
a part of each caller. Here such functions are only parts: they are optimised once, with their caller, and have no
interface to Python unless Python calls them. That takes half of the time.
"""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import wraps
from typing import Any, TypeVar, cast

import numba
from numba.core import compiler
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.types import unliteral
from numba.core.typing.templates import make_concrete_template

from askwise._runtime.notice import notice

Function = TypeVar("Function", bound=Callable[..., Any])
_notices: list[str] = []  # what was said about the cache
_folders: set[str] = set()  # in which code is kept


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


def machine_code(*, vectors: bool = False, **options: Any) -> Callable[[Function], Function]:
    """A decorator for functions that numba compiles at their first call, with these `options`, and keeps on disk.

    With `vectors`, each function is also optimised before it becomes a part of its callers. That takes longer, but in a
    large whole, the compiler gives up on vector instructions for some loops.

    >>> @machine_code()
    ... def twice(number):
    ...     return 2 * number
    >>> twice(21)
    42
    """

    def decorate(function: Function) -> Function:
        compiled = numba.njit(**{**options, "no_cfunc_wrapper": True})(function)  # nobody calls it from C
        compiled.askwise_parts = PartOverloads(compiled, VectorPartLibrary if vectors else PartLibrary)
        try:
            compiled._cache = SafeCache(function)  # type: ignore[no-untyped-call]
            _folders.add(compiled._cache.cache_path)
        except RuntimeError:  # numba found no folder to keep it in
            _say_once("no folder can be written to; set NUMBA_CACHE_DIR to one")
        return cast(Function, compiled)

    return decorate


class PartLibrary(JITCodeLibrary):
    """The code of a function for its callers, which link it, optimise it and translate it into machine code."""

    def finalize(self) -> None:
        self._finalized = True

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout


class VectorPartLibrary(PartLibrary):
    """Code that is optimised alone, and once more in its callers."""

    def finalize(self) -> None:
        self._optimize_final_module()  # type: ignore[no-untyped-call]
        super().finalize()

    def _optimize_functions(self, module: Any) -> None:
        JITCodeLibrary._optimize_functions(self, module)  # type: ignore[no-untyped-call]


def without_collector(compile: Callable[..., Any]) -> Callable[..., Any]:
    """Lets Python's garbage collector pause meanwhile: it takes a seventh of the time, and finds little."""

    @wraps(compile)
    def paused(*args: Any) -> Any:
        was_on = gc.isenabled()
        gc.disable()
        try:
            return compile(*args)
        finally:
            if was_on:
                gc.enable()

    return paused


class PartFlags(compiler.Flags):
    """The same options, compared faster: numba compares them for every operation that it types."""

    _hash = hash(compiler.Flags())  # type: ignore[no-untyped-call]

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PartFlags) and self._values == other._values:
            return True
        return bool(super().__eq__(other))  # type: ignore[no-untyped-call]


class PartOverloads:
    """What a compiled function is to other compiled functions, by the types of its arguments.

    Calls with a constant, such as `f(x, 1)`, use the code for any number: numba would compile each anew.
    """

    def __init__(self, function: Any, library: type[PartLibrary]):
        self.function = function
        self.library = library
        function._compiler._customize_flags = PartFlags
        function._compiler.compile = without_collector(function._compiler.compile)
        self.found: dict[tuple[Any, ...], tuple[object, Any]] = {}  # a key for each, and its signature
        function.get_call_template = self.call_template
        function.get_overload = self.key

    def call_template(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        """The function's type, as numba asks for it where compiled code calls the function."""
        any_value: Any = unliteral  # has no types
        plain = {name: any_value(kind) for name, kind in kws.items()}
        signature, folded = self.function._compiler.fold_argument_types(tuple(map(any_value, args)), plain)
        if folded not in self.found:
            self.found[folded] = self._compile(folded)
            notice.on_part()
        name = self.function.py_func.__name__
        template: Any = make_concrete_template  # has no types
        return template(name, key=name, signatures=[self.found[folded][1]]), signature, folded, {}

    def key(self, args: tuple[Any, ...]) -> object:
        """What numba finds the code by."""
        return self.found[tuple(args)][0]

    def _compile(self, args: tuple[Any, ...]) -> tuple[object, Any]:
        function = self.function
        flags: Any = PartFlags()  # type: ignore[no-untyped-call]
        function.targetdescr.options.parse_as_flags(flags, function.targetoptions)
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        library: Any = self.library(function.targetctx.codegen(), function.py_func.__qualname__)
        result = compiler.compile_internal(  # type: ignore[no-untyped-call]
            function.typingctx, function.targetctx, library, function.py_func, args, None, flags, {}
        )
        key = object()
        function.targetctx.insert_user_function(key, result.fndesc, [library, *library._linking_libraries])
        return key, result.signature


def compiled_here() -> list[str]:
    """The functions that this process has compiled, rather than loaded from disk.

    >>> @machine_code()
    ... def thrice(number):
    ...     return 3 * number
    >>> thrice(7), compiled_here()[-1]
    (21, 'thrice')
    """
    return list(notice.compiled)


def cache_folders() -> set[str]:
    """Where the code of the functions that were imported so far is kept; empty if no folder can be written to."""
    return set(_folders)


def portions(count: int, work: int, most: int) -> Iterator[slice]:
    """Slices of the numbers below `count`, of about `most` work each, if one number takes `work`; one number at least.

    Compiled code hears no signal. So long work is called in portions, and Ctrl-C is heard between them.

    >>> list(portions(5, 30, 60))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    size = max(1, most // max(work, 1))
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))
