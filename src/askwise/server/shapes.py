"""What comes in and goes out as JSON. One place, so that the API's documentation writes itself."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field

from askwise.conversation import Event
from askwise.server.learner import View
from askwise.simulate.plan import Forecast


def storable(text: str) -> str:
    """The text, if every database can keep it.

    >>> storable("a\\x00b")
    Traceback (most recent call last):
    ValueError: a text may not contain the character NUL or half of a surrogate pair
    """
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("a text may not contain the character NUL or half of a surrogate pair")
    return text


Text = Annotated[str, AfterValidator(storable)]
Said = Text | bool | int | float  # labels may be any of them; a label 3 is not the number 3.0


class Told(BaseModel):
    """An answer. The same key sent twice is one answer."""

    question: Text = Field(max_length=40)
    response: Said = Field(description="One of the question's responses, or a number")
    key: Text = Field(min_length=8, max_length=80)
    seconds: float | None = Field(None, ge=0, le=86400)


class Skipped(BaseModel):
    """Can't tell."""

    question: Text = Field(max_length=40)
    reason: Text | None = Field(None, max_length=200)
    key: Text = Field(min_length=8, max_length=80)
    seconds: float | None = Field(None, ge=0, le=86400)


class Undone(BaseModel):
    """The last answer, or that to the question named, is taken back."""

    question: Text | None = Field(None, max_length=40)
    key: Text = Field(min_length=8, max_length=80)


class Choice(BaseModel):
    name: str
    image: str | None


class Asked(BaseModel):
    """A question."""

    id: str
    kind: str
    text: str
    options: list[Choice]
    responses: list[Said]


class Coming(BaseModel):
    """How many questions are to come."""

    likely: int | None
    low: int
    high: int | None
    text: str


class State(BaseModel):
    """Where one person is."""

    study: str
    title: str
    goal: str
    instructions: str | None
    state: str
    question: Asked | None
    done: str | None
    answers: int
    quota: int | None
    diameter: float | None
    start: float | None
    forecast: Coming | None
    estimate: Any = None
    certificate: str | None
    behind: bool
    why: bool
    preload: list[str]


class Mine(BaseModel):
    """One of a person's own answers."""

    question: str
    kind: str
    text: str
    options: list[Choice]
    response: Said | None
    skipped: bool
    time: str


class Invited(BaseModel):
    name: Text = Field("", max_length=200)
    quota: int | None = Field(None, ge=1, le=100_000)


class NewState(BaseModel):
    state: Text = Field(max_length=20)


def asked(event: Event) -> Asked:
    return Asked(
        id=event["question"],
        kind=event["kind"],
        text=event["text"],
        options=[Choice(**option) for option in event["options"]],
        responses=event["responses"],
    )


def first_diameter(log: list[Event]) -> float | None:
    """How undecided it was at the first question that the rule chose; None if there was none yet.

    >>> log = [{"event": "ask", "info": {"reserve": True}}, {"event": "ask", "info": {"diameter": 0.5}}]
    >>> first_diameter(log), first_diameter(log[:1])
    (0.5, None)
    """
    asked = (event["info"] for event in log if event["event"] == "ask")
    return next((info["diameter"] for info in asked if "diameter" in info), None)


def pictures(view: View | None) -> list[str]:
    """Of the questions that may come next."""
    after = [] if view is None else [view.now, *view.ahead.values()]
    shown = [option["image"] for standing in after if standing.event for option in standing.event["options"]]
    return list(dict.fromkeys(image for image in shown if image))


def coming(forecast: Forecast | None) -> Coming | None:
    if forecast is None:
        return None
    return Coming(likely=forecast.likely, low=forecast.low, high=forecast.high, text=str(forecast))
