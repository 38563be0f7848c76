"""The pages between a panel and the questions: the open link, the consent, and the way back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Form, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, StrictBool

from askwise.errors import SettingError
from askwise.storage.consent import accept, completion_code, return_address, set_status
from askwise.storage.crowd import CrowdSettings
from askwise.storage.joining import (
    MAX_LETTERS,
    crowd_settings,
    has_answered,
    join,
    link_parameters,
    parameters_of_person,
)
from askwise.storage.permission import NotNow
from askwise.web.error_pages import page_language, templates
from askwise.web.overview import participant_link
from askwise.web.request_language import choose_language
from askwise.web.routes.participant import CurrentParticipant, ParticipantContext
from askwise.web.schemas import Text
from askwise.web.studies import NoSuchStudy, ServedStudies
from askwise.web.texts import Catalogue, Told, languages

router = APIRouter()
LEFT = {  # where people go, by the reason why they cannot answer
    "declined": "return_declined",
    "screened out": "return_screened",
    "excluded": "return_screened",
    "full": "return_full",
}
ROOM = ("full", "late", "closed")  # refusals after which somebody goes back to the panel


class ConsentRequest(BaseModel):
    """Whether somebody takes part, and which version of the text they read."""

    accept: StrictBool
    version: Text = ""


@router.get("/s/{study}/join", include_in_schema=False)
async def join_study(request: Request, study: str) -> Response:
    """The open link: the same id always comes back to the same log."""
    studies: ServedStudies = request.app.state.studies

    wanted = request.query_params.get("lang")
    language = wanted if wanted in languages() else None

    def enter() -> tuple[CrowdSettings, Any, str, dict[str, str]]:
        store, record = studies.store(study), studies.known(study)
        given = link_parameters(dict(request.query_params))
        found = join(store, record, given, language)
        person = found.person
        link = "" if person is None else participant_link(store, study, record.study, person.participant)
        return crowd_settings(store, record.study), found, link, given

    try:
        settings, found, link, given = await asyncio.to_thread(enter)
    except NoSuchStudy:
        raise HTTPException(404, Told("error.link")) from None
    except SettingError:  # of the id in the link
        raise HTTPException(422, Told("door.bad_id", most=MAX_LETTERS)) from None
    texts = choose_language(request, None, settings.language)
    if found.person is not None:
        studies.changed(study)
        return RedirectResponse(f"{studies.root_path}{link}{_in_language(language)}", 303)
    back = return_address(settings.return_full, given, "") if found.refused in ROOM else None
    title = "door.early_title" if found.refused == "early" else "door.title"
    return notice(request, texts, title, f"door.{found.refused}", back, 403, opens=settings.opens)


def notice(
    request: Request,
    texts: Catalogue,
    title: str,
    sentence: str,
    back: str | None = None,
    code: int = 200,
    again: bool = False,
    opens: str | None = None,
    preview_pages: Mapping[str, str] | None = None,
) -> HTMLResponse:
    """A page with one sentence, and perhaps a way back. `opens` is the moment that the sentence may name;
    `preview_pages` are other pages that the owner may look at."""
    shown: dict[str, Any] = {"title": texts.text(title), "sentence": texts.text(sentence), "back": back, "again": again}
    shown |= {"opens": opens, "preview_pages": preview_pages}
    return templates.TemplateResponse(request, "notice.html", {**shown, **page_language(texts)}, code)


async def person_page(request: Request, context: ParticipantContext, token: str) -> HTMLResponse:
    """What a participant sees: the consent, why they cannot take part, or the questions."""
    person, texts, settings = context.person, context.texts, context.crowd
    back = None
    if context.reason in LEFT and getattr(settings, LEFT[context.reason]) is not None:
        back = f"{page_address(context, token)}/return"
    if person.status == "declined" and "again" not in request.query_params:
        who = context.studies.store(context.study), context.record.study, person.participant
        sentence = "declined.answered" if await asyncio.to_thread(has_answered, *who) else "declined.sentence"
        return notice(request, texts, "declined.title", sentence, back, again=True)
    if person.status in ("screened out", "excluded"):
        return notice(request, texts, "over.title", "over.screened", back)
    if person.status == "erased":
        return notice(request, texts, "over.title", "over.erased")
    if context.reason == "full":
        return notice(request, texts, "door.title", "door.full", back)
    if settings.consent_version not in (None, person.consent):
        changed = "changed" in request.query_params
        return consent_page(request, settings, texts, f"{page_address(context, token)}/consent", changed=changed)
    shown = {"study": context.study, "token": token, "texts": texts.page, **page_language(texts)}
    base = f"/api/v1/s/{quote(context.study, safe='')}/p/{quote(token, safe='')}"
    return templates.TemplateResponse(request, "answer.html", {**shown, "base": base})


def consent_page(
    request: Request,
    settings: CrowdSettings,
    texts: Catalogue,
    action: str,
    preview: bool = False,
    changed: bool = False,
    preview_pages: Mapping[str, str] | None = None,
) -> HTMLResponse:
    """What people must accept before the first question. `changed`: the owner replaced what they had just read."""
    shown = {
        "consent": paragraphs(settings.consent),
        "retention": paragraphs(settings.retention),
        "version": settings.consent_version or "",
        "action": action,
        "preview": preview,
        "changed": changed,
        "preview_pages": preview_pages,
    }
    return templates.TemplateResponse(request, "consent.html", {**shown, **page_language(texts)})


def paragraphs(text: str | None) -> list[str]:
    """A text in its paragraphs.

    >>> paragraphs("One.\\n\\nTwo.\\nThree.")
    ['One.', 'Two.', 'Three.']
    """
    return [line.strip() for line in (text or "").splitlines() if line.strip()]


def _in_language(language: str | None) -> str:
    """The query that keeps the language of a link."""
    return f"?lang={quote(language)}" if language else ""


def page_address(context: ParticipantContext, token: str) -> str:
    return f"{context.studies.root_path}/s/{quote(context.study, safe='')}/p/{quote(token, safe='')}"


@router.post("/s/{study}/p/{token}/consent", include_in_schema=False)
async def decide(
    context: CurrentParticipant,
    token: str,
    choice: Annotated[Text, Form(max_length=20)] = "",
    version: Annotated[Text, Form(max_length=40)] = "",
    lang: Annotated[Text, Form(max_length=20)] = "",
) -> Response:
    """Takes the decision of somebody who read the consent."""
    page = f"{page_address(context, token)}{_in_language(lang)}"
    try:
        await _decide(context, ConsentRequest(accept=choice == "accept", version=version))
    except NotNow as refused:
        if refused.reason != "outdated":
            raise
        page += f"{'&' if lang else '?'}changed=yes"
    return RedirectResponse(page, 303)


@router.post("/api/v1/s/{study}/p/{token}/consent", tags=["answering"])
async def consent(context: CurrentParticipant, decided: ConsentRequest) -> dict[str, bool]:
    """Accepts to take part, or declines. Without it, no answers are taken where the study has a consent text."""
    await _decide(context, decided)
    return {"accepted": decided.accept}


async def _decide(context: ParticipantContext, decided: ConsentRequest) -> None:
    who = context.studies.store(context.study), context.record.study, context.person.participant
    if decided.accept:
        await asyncio.to_thread(accept, *who, decided.version)
    else:
        await asyncio.to_thread(set_status, *who, "declined", {"version": decided.version})
    context.studies.changed(context.study)


@router.get("/s/{study}/p/{token}/return", include_in_schema=False)
async def go_back(context: CurrentParticipant, token: str) -> Response:
    """Back to where somebody came from, once they are done or do not take part."""
    settings, person = context.crowd, context.person
    store, study = context.studies.store(context.study), context.record.study
    if context.reason in LEFT:
        address = getattr(settings, LEFT[context.reason])
        code = ""
    else:
        state = await context.state(await context.service.show(context.respondent))
        address = settings.return_done if state.done is not None else None
        code = await asyncio.to_thread(completion_code, store, study, person.participant, settings)
    given = await asyncio.to_thread(parameters_of_person, store, study, person.participant)
    return RedirectResponse(return_address(address, given, code) or page_address(context, token), 303)
