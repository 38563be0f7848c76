"""What the owner sends and gets about a crowd."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, StrictBool

from askwise.web.schemas import Text

Moment = Text


class CheckRequest(BaseModel):
    """A question whose answer is known."""

    model_config = ConfigDict(extra="forbid")
    text: Text = Field(min_length=1, max_length=1000)
    options: list[Text] = Field(min_length=2, max_length=6)
    answer: Text


class CrowdRequest(BaseModel):
    """What the owner decides about a crowd. What is left out stays as it is; null brings back what is usual."""

    model_config = ConfigDict(extra="forbid")
    open: StrictBool | None = Field(None, description="Whether people may join by the open link")
    people: int | None = Field(None, ge=1, le=1_000_000, description="People at most")
    people_per_hour: int | None = Field(None, ge=1, le=1_000_000, description="People at most in any hour")
    hold_minutes: int | None = Field(
        None, ge=1, le=1_000_000, description="Minutes that a place is kept for somebody who has not answered"
    )
    answers: int | None = Field(None, ge=1, le=1_000_000, description="Answers of each person at most")
    opens: Moment | None = Field(None, description="A time such as 2026-12-01T09:00+01:00; without a zone, UTC")
    closes: Moment | None = Field(None, description="The same; no answers are taken after it")
    close_when_settled: StrictBool | None = Field(
        None, description="Whether nobody joins once a shared study is settled"
    )
    language: Text | None = Field(None, description="Such as de; null: that of the browser")
    consent: Text | None = Field(None, max_length=20_000, description="What people must accept first")
    retention: Text | None = Field(None, max_length=20_000, description="What happens to the answers later")
    thanks: Text | None = Field(None, max_length=20_000, description="What people read at the end")
    code: Text | None = Field(None, max_length=60, description="The completion code; null: one for each person")
    return_done: Text | None = Field(None, max_length=2000, description="Where people go at the end; with placeholders")
    return_declined: Text | None = Field(None, max_length=2000)
    return_screened: Text | None = Field(None, max_length=2000)
    return_full: Text | None = Field(None, max_length=2000)
    why: StrictBool | None = Field(None, description="Whether people who joined may ask why")
    results: StrictBool | None = Field(None, description="Whether they see the result at the end")
    checks: list[CheckRequest] | None = Field(None, max_length=50, description="Questions with known answers")
    check_every: int | None = Field(None, ge=1, le=1_000_000, description="Answers between two of them")
    repeat_every: int | None = Field(None, ge=1, le=1_000_000, description="Answers between two repeated questions")
    max_failed: int | None = Field(None, ge=1, le=1_000_000, description="Failed checks that screen somebody out")
    fast_seconds: float | None = Field(None, ge=0, le=3600, strict=True, description="A median below it is flagged")
    straight_share: float | None = Field(
        None, ge=0, le=1, strict=True, description="A share of one place above it is flagged"
    )


class CrowdOverview(BaseModel):
    """The door of a study."""

    link: str = Field(description="The open link; panels add their parameters")
    settings: dict[str, Any]
    consent_version: str | None
    people: dict[str, int] = Field(description="How many joined, by what became of them")
    languages: list[str]


class InvitationsRequest(BaseModel):
    """Several people to invite at once."""

    names: list[Text] = Field(min_length=1, max_length=5000, description="Names or addresses; empty ones are left out")
    quota: int | None = Field(None, ge=1, le=100_000)
