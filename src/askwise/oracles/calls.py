"""One call of an oracle from an event loop: an async function there, a plain one in a thread."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from askwise.errors import OracleError
from askwise.oracles.protocol import Oracle
from askwise.types import Question


async def call(oracle: Oracle, question: Question) -> Any:
    """What the oracle says. A plain function runs in a thread that nobody waits for when the program ends.

    >>> asyncio.run(call(lambda question: "left", Question("q1", "pair", (), ("left", "right"), "Which?")))
    'left'
    """
    if _is_async(oracle):
        said: Any = oracle(question)
    else:
        events = asyncio.get_running_loop()
        outcome: asyncio.Future[Any] = events.create_future()
        target = _report_to(events, outcome, oracle, question)
        threading.Thread(target=target, name=f"askwise-oracle-{question.id}", daemon=True).start()
        said = await outcome
    return await said if inspect.isawaitable(said) else said


def _is_async(oracle: Oracle) -> bool:
    inside = getattr(oracle, "__call__", None)  # noqa: B004  of an object, it may be async
    return inspect.iscoroutinefunction(oracle) or inspect.iscoroutinefunction(inside)


def _report_to(
    events: asyncio.AbstractEventLoop, outcome: asyncio.Future[Any], oracle: Oracle, question: Question
) -> Callable[[], None]:
    """A function that calls the oracle and hands what came of it to the event loop, if that still waits for it."""

    def put(said: Any, error: Exception | None) -> None:
        if outcome.done():
            return
        if error is None:
            outcome.set_result(said)
        else:
            outcome.set_exception(error)

    def call() -> None:
        said: Any = None
        error: Exception | None = None
        try:
            said = oracle(question)
        except StopIteration as ended:  # which no future can hold
            error = OracleError(f"it ended early ({ended!r})")
        except Exception as failure:
            error = failure
        except BaseException as failure:  # the oracle wanted to end the program
            error = OracleError(f"it raised {failure!r}")
        with suppress(RuntimeError):  # the event loop has ended
            events.call_soon_threadsafe(put, said, error)

    return call
