"""What an oracle is: a function from a question to a response, with or without a name and a price."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from askwise.errors import AnswerError
from askwise.types import Capability, GivenResponse, Question


@dataclass(frozen=True)
class Reply:
    """A response with what it cost and a note, both kept with the answer. A response of None skips the question.

    >>> Reply("left", cost=0.002, note="shorter").response
    'left'
    """

    response: GivenResponse | None
    cost: float | None = None  # in any unit: seconds, euros, tokens
    note: str | None = None


class RefusedReply(AnswerError):
    """A reply that cannot be read. The question is put again at once, with the reason.

    - `cost`: what the reply cost.
    """

    def __init__(self, message: str, cost: float = 0.0):
        super().__init__(message)
        self.cost = cost


Said = GivenResponse | Reply | None
Oracle = Callable[[Question], Said | Awaitable[Said]]


class HasName(Capability):
    """An oracle with a name, under which its answers are recorded."""

    name: str


class HasCost(Capability):
    """An oracle whose calls all cost the same, unless a reply says otherwise."""

    cost: float


class CanClose(Capability):
    """An oracle that holds a process or connections, to be closed at the end."""

    def close(self) -> None: ...
