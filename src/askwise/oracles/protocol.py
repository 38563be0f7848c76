"""What an oracle is: a function from a question to a response, with or without a name and a price."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from askwise.errors import AnswerError
from askwise.types import Capability, GivenResponse, Question


@dataclass(frozen=True)
class Reply:
    """A response with what it cost and a note, both kept with the answer. A response of None skips the question.

    >>> Reply("left", cost=0.002, note="shorter").response
    'left'
    """

    response: GivenResponse | None  # one of the responses of the question, or None
    cost: float | None = None  # in any unit: seconds, euros, tokens
    note: str | None = None  # a remark for the record, such as why


class RefusedReply(AnswerError):
    """A reply that cannot be read. The question is put again at once, with the reason.

    - `cost`: what the reply cost.
    """

    def __init__(self, message: str, cost: float = 0.0):
        super().__init__(message)
        self.cost = cost


Said = GivenResponse | Reply | None


class Oracle(Protocol):
    """A function of a question, plain or async, or an object that can be called like one."""

    def __call__(self, question: Question, /) -> Said | Awaitable[Said]: ...


@runtime_checkable
class HasName(Capability, Protocol):
    """An oracle with a name, under which its answers are recorded."""

    name: str


@runtime_checkable
class HasCost(Capability, Protocol):
    """An oracle whose calls all cost the same, unless a reply says otherwise."""

    cost: float


@runtime_checkable
class CanClose(Capability, Protocol):
    """An oracle that holds a process or connections, to be closed at the end."""

    def close(self) -> None: ...
