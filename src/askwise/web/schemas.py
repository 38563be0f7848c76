"""What comes in and goes out as JSON. One place, so that the API's documentation writes itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictInt,
)
from typing_extensions import TypedDict

from askwise.data.contexts import ContextPresentation
from askwise.goals.base.texts import shorten
from askwise.report.bodies import option_values
from askwise.session.config import Present
from askwise.session.events import UNSTORABLE, Event, is_fallback
from askwise.storage.participants import STATES
from askwise.types import Option, named_text
from askwise.web.log_service import LogService
from askwise.web.sentences import question_text
from askwise.web.texts import ENGLISH, Catalogue, catalogue

ENGLISH_TEXTS = catalogue(ENGLISH)

MAX_BEGINNING = 60  # letters of a text in a list of answers


def storable(text: str) -> str:
    """The text, if every database can keep it.

    >>> storable("a\\x00b")
    Traceback (most recent call last):
    ValueError: a text may not contain the character NUL or half of a surrogate pair
    """
    if UNSTORABLE.search(text):
        raise ValueError("a text may not contain the character NUL or half of a surrogate pair")
    return text


Text = Annotated[str, AfterValidator(storable), Field(json_schema_extra={"pattern": r"^[^\x00]*$"})]
NameOrNumber = Text | StrictInt  # true is not 1


class BestAndWorst(TypedDict):
    """The best and the worst of the options, each by its name or by its number in the order shown, from 1."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]
    best: NameOrNumber
    worst: NameOrNumber


RESPONSES = 'a text, a number, or the best and the worst such as {"best": "tea", "worst": 3} or ["tea", "gin"]'
# labels may be any of the first four; a label 3 is not the number 3.0
AnyResponse = (
    Text | bool | int | float | BestAndWorst | Annotated[list[NameOrNumber], Field(min_length=2, max_length=2)]
)


class AnswerRequest(BaseModel):
    """An answer. The same key sent twice is one answer."""

    question: Text = Field(max_length=40)
    response: AnyResponse = Field(
        description="One of the question's responses, or a number. To a question for the best and the worst, also an "
        "object with both or a list of both",
        examples=["left", 3.7, {"best": "tea", "worst": 3}, ["tea", "gin"]],
    )
    key: Text = Field(min_length=8, max_length=80)
    seconds: float | None = Field(None, ge=0, le=86400, strict=True)


class SkipRequest(BaseModel):
    """Can't tell."""

    question: Text = Field(max_length=40)
    reason: Text | None = Field(None, max_length=200)
    key: Text = Field(min_length=8, max_length=80)
    seconds: float | None = Field(None, ge=0, le=86400, strict=True)


class UndoRequest(BaseModel):
    """The last answer, or that to the question named, is taken back."""

    question: Text | None = Field(None, max_length=40)
    key: Text = Field(min_length=8, max_length=80)


class ShownOption(BaseModel):
    name: str
    image: str | None
    row: int | None = Field(None, description="Its place in the table, from 0")
    fields: Mapping[str, str] = Field({}, description="Columns of the table and what they hold, as people read it")
    body: str | None = Field(None, description="A long text, as the table has it")
    body_html: str | None = Field(None, description="The same as HTML without scripts and remote content")
    audio: str | None = None
    video: str | None = None


class ShownQuestion(BaseModel):
    """A question."""

    id: str
    kind: str
    text: str
    options: list[ShownOption]
    responses: list[str | bool | int | float]
    fallback: bool = Field(False, description="Whether it was asked because the learner was behind")
    answer_names: dict[str, str] = Field({}, description="What people read for a response, where it is named")
    who: str | None = Field(None, description="Whom it asks, in a group that decides together")


class PeopleBefore(BaseModel):
    """How many questions those who answered before save the next person, by simulated people."""

    people_before: int
    people: int
    likely: int
    low: int
    high: int
    text: str


class QuestionsToCome(BaseModel):
    """How many questions are to come."""

    likely: int | None
    low: int | None
    high: int | None
    text: str


class ParticipantState(BaseModel):
    """Where one person is."""

    study: str
    title: str
    goal: str
    instructions: str | None
    state: str
    question: ShownQuestion | None
    done: str | None
    done_kind: Literal["settled", "budget", "exhausted", "quota"] | None = Field(
        description="Why it is time to stop: settled, or the answers, the questions or the quota ran out"
    )
    answers: int
    quota: int | None
    diameter: float | None
    start: float | None
    forecast: QuestionsToCome | None
    estimate: Any = None
    result: list[str] | None = None  # the estimate as lines to read
    ordered: bool = False  # whether the order of the lines matters
    certainty: str | None = Field(description="How sure the result is, in a plain sentence; at the end only")
    shared: bool = Field(description="Whether the answers of everybody make one result")
    behind: bool
    held: bool = Field(description="Whether somebody else is answering all that is left")
    catching_up: bool = Field(description="Whether the learner has not taken in the last answer yet")
    why: bool
    preload: list[str]
    refused: str | None = Field(None, description="Why no answers are taken now, in the language of this person")
    opens: str | None = Field(None, description="When the study opens, if it has not opened yet")
    leaves: bool = Field(False, description="Whether another page is shown in place of the questions")
    thanks: str | None = Field(None, description="What the owner says at the end; at the end only")
    code: str | None = Field(None, description="The completion code; at the end only")
    returns: bool = Field(False, description="Whether people go back to where they came from; at the end only")


class OwnAnswer(BaseModel):
    """One of a person's own answers."""

    question: str
    kind: str
    text: str
    options: list[ShownOption]
    answer_names: dict[str, str]
    response: str | bool | int | float | None
    skipped: bool
    time: str


class StudyItems(BaseModel):
    """The items of a study as they are now, by name."""

    items: list[str]
    retired: list[str]
    columns: list[str] = Field(description="Of the table; new rows have exactly these")
    can_retire: bool


class InvitationRequest(BaseModel):
    name: Text = Field("", max_length=200)
    quota: int | None = Field(None, ge=1, le=100_000)


class StateRequest(BaseModel):
    state: Text = Field(max_length=20, json_schema_extra={"enum": list(STATES)})


def shown_question(
    event: Event | None, present: Present | None = None, texts: Catalogue = ENGLISH_TEXTS
) -> ShownQuestion | None:
    """The question of an ask event, with what `present` adds to its options; None for none. It is made in a thread: a
    row of a pool is read from disk, and a long text takes a moment to become HTML."""
    if event is None:
        return None
    stored = [Option(**option) for option in event["options"]]
    found = stored if present is None else present(stored, event["kind"], event["atom"])
    options = [ShownOption(**option_values(each)) for each in found]
    head = {"id": event["question"], "kind": event["kind"], "text": question_text(event, texts)}
    more = {"fallback": is_fallback(event), "answer_names": event.get("answer_names", {}), "who": event.get("who")}
    return ShownQuestion(**head, options=options, responses=event["responses"], **more)


def asked_text(event: Event, texts: Catalogue = ENGLISH_TEXTS) -> str:
    """The text of a question with the names that it was about, for a list of questions."""
    return named_text(question_text(event, texts), [option["name"] for option in event["options"]])


def described(*kinds: str) -> dict[str, Any]:
    """How the API's documentation names the files of a reply; what is of no such kind is only ever downloaded.

    >>> list(described("image/*")["content"])
    ['image/*', 'application/octet-stream']
    """
    whole = {"schema": {"type": "string", "format": "binary"}}
    return {"content": dict.fromkeys((*kinds, "application/octet-stream"), whole)}


def own_answer(
    closing: Event, asked: Event, present: Present | None = None, texts: Catalogue = ENGLISH_TEXTS
) -> OwnAnswer:
    """An answer or a skip. Where names are hidden, an option is called as `present` says, with how its text began."""
    options, text = asked["options"], asked_text(asked, texts)
    if isinstance(present, ContextPresentation):
        seen = present([Option(**option) for option in options], asked["kind"], asked["atom"])
        names = [f"{each.name}: {shorten(' '.join((each.body or '').split()), MAX_BEGINNING)}" for each in seen]
        options, text = [{**option, "name": name} for option, name in zip(options, names, strict=True)], asked["text"]
    return OwnAnswer(
        question=asked["question"],
        kind=asked["kind"],
        text=text,
        options=options,
        answer_names=asked.get("answer_names", {}),
        response=closing.get("response"),
        skipped=closing["event"] == "skip",
        time=closing["time"],
    )


def next_images(service: LogService) -> list[str]:
    """The images of the questions that may come next, for a page to load early."""
    computed = service.states
    states = [] if computed.latest is None else [computed.latest, *computed.ahead.values()]
    shown = [option["image"] for state in states if state.question for option in state.question["options"]]
    return list(dict.fromkeys(image for image in shown if image))
