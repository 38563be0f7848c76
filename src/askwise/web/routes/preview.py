"""A preview for the owner: the way of a participant from the consent to the end. Nothing is recorded.

What was answered in it is remembered by this server until the preview is opened again. Its questions are those that the
study would ask first.
"""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from askwise.data.media import media_type
from askwise.goals import goal_class
from askwise.session.events import Event
from askwise.storage.checks import is_check, known_question
from askwise.storage.consent import return_address
from askwise.storage.crowd import CrowdSettings, now, settings_from
from askwise.storage.participants import study_settings
from askwise.web.error_pages import page_language, templates
from askwise.web.learner.learner import compute_state
from askwise.web.request_language import choose_language
from askwise.web.routes.door import consent_page, notice
from askwise.web.routes.owner import Named, OwnedStudy
from askwise.web.schemas import (
    AnswerRequest,
    OwnAnswer,
    ParticipantState,
    SkipRequest,
    UndoRequest,
    asked_text,
    shown_question,
)
from askwise.web.security import owner
from askwise.web.sentences import instructed_check, shown_first
from askwise.web.texts import Catalogue

MAX_QUESTIONS = 3  # of a preview
SAMPLE = {"PROLIFIC_PID": "SAMPLE", "STUDY_ID": "SAMPLE", "SESSION_ID": "SAMPLE", "workerId": "SAMPLE"}
PAGES = {  # by the stage in the address: what the owner reads
    "consent": "Consent",
    "questions": "Questions and the end",
    "declined": "Does not accept",
    "declined-late": "Does not accept a changed text",
    "screened": "Screened out or excluded",
    "full": "No place left",
    "early": "Too early",
    "late": "Too late",
}
NOTICES = {  # by stage: the title, the sentence, and the setting that says where people go
    "declined": ("declined.title", "declined.sentence", "return_declined"),
    "declined-late": ("declined.title", "declined.answered", "return_declined"),
    "screened": ("over.title", "over.screened", "return_screened"),
    "full": ("door.title", "door.full", "return_full"),
    "early": ("door.early_title", "door.early", None),
    "late": ("door.title", "door.late", "return_full"),
}
router = APIRouter(dependencies=[Depends(owner)])
api = APIRouter(prefix="/api/v1/studies/{study}/preview", tags=["crowd"])


async def _settings(study: OwnedStudy) -> CrowdSettings:
    decided = await asyncio.to_thread(study_settings, study.store, study.record.study)
    return settings_from(decided.crowd)


def _page(study: OwnedStudy) -> str:
    return f"{study.studies.root_path}/s/{quote(study.name, safe='')}/preview"


@router.get("/s/{study}/preview", include_in_schema=False)
async def preview(request: Request, study: Named, stage: str = "consent") -> HTMLResponse:
    """The pages that a participant would see."""
    settings = await _settings(study)
    texts = choose_language(request, None, settings.language)
    pages = {name: said for name, said in PAGES.items() if name != "consent" or settings.consent is not None}
    if stage in NOTICES:
        title, sentence, setting = NOTICES[stage]
        has_way = setting is not None and getattr(settings, setting) is not None
        back = f"{_page(study)}/return?stage={stage}" if has_way else None
        opens = (settings.opens or now()) if stage == "early" else None
        return notice(request, texts, title, sentence, back, opens=opens, preview_pages=pages)
    if stage == "consent" and settings.consent is not None:
        return consent_page(request, settings, texts, f"{_page(study)}/consent", preview=True, preview_pages=pages)
    study.studies.previews[study.name] = []
    base = f"/api/v1/studies/{quote(study.name, safe='')}/preview"
    shown = {"study": study.name, "base": base, "preview": True, "preview_pages": pages, "texts": texts.page}
    shown |= page_language(texts)
    return templates.TemplateResponse(request, "answer.html", shown)


@router.get("/s/{study}/preview/consent", include_in_schema=False)
async def decide(study: Named, choice: str = "", lang: str = "") -> Response:
    """Goes on, or not."""
    stage = "questions" if choice == "accept" else "declined"
    return RedirectResponse(f"{_page(study)}?stage={stage}&lang={quote(lang, safe='')}", 303)


@router.get("/s/{study}/preview/return", include_in_schema=False)
async def go_back(request: Request, study: Named, stage: str = "") -> HTMLResponse:
    """Where people would go; the owner stays here, since a panel may count the visit."""
    settings = await _settings(study)
    setting = NOTICES[stage][2] if stage in NOTICES else "return_done"
    code = settings.code or "SAMPLE" if setting == "return_done" else ""
    address = return_address(getattr(settings, setting or "return_done"), SAMPLE, code)
    shown = {"title": "Here people go back", "sentence": f"They go to {address}"}
    return templates.TemplateResponse(request, "message.html", shown)


async def _questions(study: OwnedStudy, settings: CrowdSettings, texts: Catalogue) -> list[Event]:
    """The first questions of the study, which are not asked, and a check if people meet checks."""
    service = await study.studies.service(study.name)
    found = await study.studies.learner.run(compute_state, service.states.job, service.log.pooled, True)
    known = [event for event in (found.question, *found.fallback) if event is not None]
    wording = (await study.respondent()).wording
    found = [wording.apply({**event, "question": f"q{place + 1}"}) for place, event in enumerate(known[:MAX_QUESTIONS])]
    check = settings.checks[0] if settings.checks else instructed_check(texts, "preview", 0)
    return [*found, known_question("check-0", check)] if settings.check_every else found


async def _state(request: Request, study: OwnedStudy) -> ParticipantState:
    settings = await _settings(study)
    texts = choose_language(request, None, settings.language)
    questions, told = await _questions(study, settings, texts), study.studies.previews.setdefault(study.name, [])
    service = await study.studies.service(study.name)
    event = questions[len(told)] if len(told) < len(questions) else None
    present = await study.studies.presentation(study.name, service.recipe, service.event_log)
    goal = goal_class(service.event_log.pursued(service.recipe)["goal"])
    done = event is None
    return ParticipantState(
        study=study.name,
        title=study.name,
        goal=goal.goal_name,
        instructions=shown_first((await study.respondent()).wording.instructions, settings, texts),
        state="open",
        question=await asyncio.to_thread(shown_question, event, present, texts),
        done=texts.text("done.enough") if done else None,
        done_kind="quota" if done else None,
        answers=sum(not is_check(id) for id, _ in told),
        quota=sum(not is_check(each["question"]) for each in questions),
        diameter=None,
        start=None,
        forecast=None,
        certainty=None,
        shared=False,
        behind=False,
        held=False,
        catching_up=False,
        why=False,
        preload=[],
        refused=None,
        opens=None,
        leaves=False,
        thanks=settings.thanks if done else None,
        code=(settings.code or "SAMPLE") if done else None,
        returns=done and settings.return_done is not None,
    )


@api.get("")
async def current(request: Request, study: Named) -> ParticipantState:
    """The question of a preview."""
    return await _state(request, study)


@api.post("/answers")
async def tell(request: Request, study: Named, told: AnswerRequest) -> ParticipantState:
    """Goes on to the next question; nothing is recorded."""
    return await _next(request, study, told.question, told.response)


@api.post("/skips")
async def skip(request: Request, study: Named, skipped: SkipRequest) -> ParticipantState:
    """Goes on to the next question; nothing is recorded."""
    return await _next(request, study, skipped.question, None)


async def _next(request: Request, study: OwnedStudy, question: str, response: Any) -> ParticipantState:
    settings = await _settings(study)
    texts = choose_language(request, None, settings.language)
    told, questions = study.studies.previews.setdefault(study.name, []), await _questions(study, settings, texts)
    if [question] == [each["question"] for each in questions[len(told) : len(told) + 1]]:
        told.append((question, response))
    return await _state(request, study)


@api.post("/undo")
async def undo(request: Request, study: Named, undone: UndoRequest) -> ParticipantState:
    """Goes back by one question."""
    told = study.studies.previews.setdefault(study.name, [])
    if told:
        told.pop()
    return await _state(request, study)


@api.get("/answers")
async def mine(request: Request, study: Named) -> list[OwnAnswer]:
    """What was answered in this preview."""
    settings = await _settings(study)
    texts = choose_language(request, None, settings.language)
    questions = {event["question"]: event for event in await _questions(study, settings, texts)}
    told = study.studies.previews.get(study.name, [])
    return [
        OwnAnswer(
            question=id,
            kind=questions[id]["kind"],
            text=asked_text(questions[id], texts),
            options=questions[id]["options"],
            answer_names=questions[id].get("answer_names", {}),
            response=response,
            skipped=response is None,
            time="",
        )
        for id, response in reversed(told)
        if id in questions and not is_check(id)
    ]


@api.get("/{kind}/{name:path}", include_in_schema=False)
async def media(study: Named, kind: str, name: str) -> Response:
    """A picture, a sound or a film of the study."""
    content = await asyncio.to_thread(study.store.image, study.record.study, name)
    if content is None or kind not in ("image", "audio", "video"):
        raise HTTPException(404, "there is no such file")
    found = media_type(content) if kind == "image" else media_type(content, kind)
    return Response(content, media_type=found or "application/octet-stream")


router.include_router(api)
