"""The nouns that every other module uses: samples, questions, answers, and the names of array axes.

Axis letters, used at every signature: ``S`` structures, ``A`` atoms, ``Y`` responses, ``K`` pairs or classes.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from askwise import display

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.integer[Any]]
Bools = NDArray[np.bool_]
Structure = Any  # one thing that can be true, as its family writes it
Structures = Any  # an array with S rows, or a struct of arrays with a length and index-array access
Atom = Any  # one thing that can be asked, as its family writes it: a number, two places
Atoms = Any  # an array with A rows
Response = int | float | str  # what a family calls one answer: -1, +1, a label, a number
Responses = float | NDArray[Any]  # as a loss takes them: one, or an array that broadcasts with the predictions
Number = int | float | Decimal | np.number[Any] | np.bool_
# what may be told: a response, a number of another library, or the best and the worst of several items
GivenResponse = Response | Number | Sequence[Response] | Mapping[str, Response]


class _CapabilityType(type(Protocol)):  # type: ignore[misc]
    """Checks members by name: Python's own check of a protocol takes ten times as long, and it is made every round."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return all(hasattr(instance, member) for member in _members(cls))


class Capability(Protocol, metaclass=_CapabilityType):
    """An optional ability of a family, a distance, a posterior or a loss: a protocol to be asked for with isinstance.

    >>> from askwise.structures import HasCosts
    >>> from askwise.structures.matrices import Matrices
    >>> isinstance(Matrices((2, 2)), HasCosts), isinstance("a text", HasCosts)
    (True, False)
    """


def annotated_names(kind: type) -> list[str]:
    """The names that a class itself annotates, in their order.

    >>> annotated_names(Scored)
    ['gain', 'info']
    """
    if sys.version_info >= (3, 14):  # the class has them as a function
        from annotationlib import Format, get_annotations

        return list(get_annotations(kind, format=Format.FORWARDREF))
    return list(vars(kind).get("__annotations__", {}))


@cache
def _members(capability: type) -> frozenset[str]:
    """The public members of a protocol and of those that it extends."""
    named = (name for kind in capability.__mro__[:-3] for name in {*vars(kind), *annotated_names(kind)})
    return frozenset(name for name in named if not name.startswith("_"))


class Sample(NamedTuple):
    """Structures that stand for a posterior: draws, or all of them with exact weights.

    >>> sample = Sample(np.eye(2), np.array([0.5, 0.5]), exact=True)
    >>> len(sample.structures), float(sample.weights.sum())
    (2, 1.0)
    """

    structures: Structures  # S of them
    weights: Floats  # (S,), sums to one
    exact: bool  # True: these weights are the whole posterior; False: draws
    chains: Ints | None = None  # (S,): the chain each draw came from; None: independent of each other and of all others


class Scored(NamedTuple):
    """How much each candidate question is worth, and details of how that was computed.

    >>> Scored(np.array([0.2, 0.5])).gain.argmax()
    np.int64(1)
    """

    gain: Floats  # (A,), at least 0; the largest is asked
    info: Mapping[str, Any] = {}  # details by name, for those who look closer


@dataclass(frozen=True)
class Option:
    """One thing a question shows: an item, a record, a point.

    >>> option = Option("tea", image="tea.png", fields={"price (€)": "2.50"}, row=0)
    >>> option.name, option.fields["price (€)"]
    ('tea', '2.50')
    """

    name: str  # as people read it
    image: str | None = None  # the file of its picture
    fields: Mapping[str, str] = field(default_factory=dict, hash=False)  # column -> its value as people read it
    body: str | None = None  # a long text
    row: int | None = None  # its place in the table, from 0; None: it is no row
    audio: str | None = None  # the file of its sound
    video: str | None = None  # the file of its film
    body_format: str = "markdown"  # how the body is written: markdown, text or code


@dataclass(frozen=True)
class Prompt:
    """How a family asks a person about one atom: what is shown, and what each reply means.

    >>> prompt = Prompt("label", (Option("x"),), ("yes", "no"), {"yes": 1, "no": -1}, "Is x good?")
    >>> prompt.codes["yes"]
    1
    """

    kind: str  # what sort of question it is: "pair", "label", "same", "number",
    options: tuple[Option, ...]  # what is shown
    responses: tuple[Response, ...]  # what may be answered
    codes: Mapping[Response, Response]  # what may be answered, and other names for it -> the family's response
    text: str  # the question in words


@dataclass(frozen=True)
class Question:
    """One question for a person, a crowd or a lab.

    >>> question = Question("q1", "pair", (Option("tea"), Option("coffee")), ("left", "right"),
    ...                     "Which is better, tea or coffee?")
    >>> print(question)
    Which is better, tea or coffee? [left/right]
    """

    id: str  # q1, q2, ... in the order of a session
    kind: str  # pair, label, same, triple, set, best-worst or number
    options: tuple[Option, ...]  # in the order shown, which is random
    responses: tuple[Response, ...]  # what may be answered
    text: str  # what people read
    atom: Atom = field(default=None, compare=False)  # the family's own name for it, for programs that answer
    gain: float = field(default=0.0, compare=False)  # what the strategy gives it
    info: Mapping[str, Any] = field(default_factory=dict, compare=False)  # what the strategy says about it
    answer_names: Mapping[str, str] = field(default_factory=dict, compare=False)  # response -> what people read for it
    who: str | None = None  # whom it asks; None: anybody

    @property
    def names(self) -> list[str]:
        """The names of the options, in the order shown."""
        return [option.name for option in self.options]

    @property
    def choices(self) -> str:
        """What may be answered, in short: all responses, or the first of many."""
        shown = [str(response) for response in self.responses]
        return "/".join(shown if self.kind != "best-worst" else [shown[0], "..."])

    def __str__(self) -> str:
        asked = "" if self.who is None else f"{self.who}: "
        return f"{asked}{named_text(self.text, self.names)} [{self.choices}]"

    def _repr_html_(self) -> str:
        return str(display.call("question_html", self))


def named_text(text: str, names: Sequence[str]) -> str:
    """The text of a question, followed by the names that it is about unless it has one of them.

    >>> named_text("Which would you send?", ["reply 3", "reply 8"])
    'Which would you send? (reply 3, reply 8)'
    """
    return text if any(name in text for name in names) else f"{text} ({', '.join(names)})"


class Answer(NamedTuple):
    """One answer: the atom asked, the response in the family's own terms, and who gave it.

    >>> Answer((0, 3), 1, who="Ann").response
    1
    """

    atom: Atom  # what was asked: the family's own name for it
    response: Response  # what was answered
    who: str | None = None  # who answered; None: nobody in particular
    left: int = 0  # of a pair: 1 if its first item stood left, -1 if its second did; 0: not known
