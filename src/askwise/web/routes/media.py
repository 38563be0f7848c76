"""Sounds and films of a study, in parts: players fetch what they need, and jump to where somebody clicks."""

from __future__ import annotations

import asyncio
import re
from typing import Any, Literal

from fastapi import APIRouter, HTTPException, Request, Response

from askwise.data.media import media_type
from askwise.web.routes.participant import CurrentParticipant
from askwise.web.schemas import described

MAX_PART_BYTES = 2 * 2**20  # of a reply; a player asks for the next part by itself
TYPE_BYTES = 64  # that tell what a file is
RANGE = re.compile(r"bytes=(\d*)-(\d*)")
router = APIRouter(prefix="/api/v1/s/{study}/p/{token}", tags=["answering"])


def requested_part(header: str | None, size: int) -> tuple[int, int] | None:
    """The first and the last byte of the part that is asked for; None for all. A part beyond the end is refused.

    >>> requested_part("bytes=10-", 100), requested_part("bytes=-20", 100), requested_part("bytes=0-1,5-6", 100)
    ((10, 99), (80, 99), None)
    """
    found = RANGE.fullmatch((header or "").replace(" ", ""))
    if found is None or found.groups() == ("", ""):
        return None  # several parts at once, or another unit: all is a valid reply
    first, last = found.groups()
    start = int(first) if first else max(0, size - int(last))
    end = min(int(last), size - 1) if first and last else size - 1
    if not start <= end:
        raise HTTPException(416, "this part lies beyond the end of the file", {"Content-Range": f"bytes */{size}"})
    return start, min(end, start + MAX_PART_BYTES - 1)


PARTS: dict[int | str, dict[str, Any]] = {
    200: described("audio/*", "video/*"),
    206: {"description": "The part of the file that the header `Range` asks for", **described("audio/*", "video/*")},
    416: {"description": "The file has no such part"},
}


@router.get("/{kind}/{name:path}", response_class=Response, responses=PARTS)
async def media(request: Request, context: CurrentParticipant, kind: Literal["audio", "video"], name: str) -> Response:
    """A sound or a film of the study, or a part of it."""
    store, study = context.studies.store(context.study), context.record.study
    size = await asyncio.to_thread(store.media_size, study, name)
    if size is None:
        raise HTTPException(404, "there is no such file")
    part = requested_part(request.headers.get("range"), size)
    start, end = part or (0, size - 1)
    opening = await asyncio.to_thread(store.media_part, study, name, 0, TYPE_BYTES)
    content = await asyncio.to_thread(store.media_part, study, name, start, end - start + 1)
    headers = {"Accept-Ranges": "bytes", "Cache-Control": "private, max-age=86400"}
    if part is not None:
        headers["Content-Range"] = f"bytes {start}-{end}/{size}"
    found = media_type(opening, kind) or "application/octet-stream"  # what cannot be played is only ever downloaded
    return Response(content, 200 if part is None else 206, headers, media_type=found)
