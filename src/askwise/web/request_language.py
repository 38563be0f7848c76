"""In which language somebody reads: by their link, their study or their browser, in this order."""

from __future__ import annotations

import re

from fastapi import Request

from askwise.web.texts import ENGLISH, Catalogue, catalogue, choose

TEXTS = "askwise_texts"  # of a request: the catalogue of its participant
HEADER = "X-Language"  # with which a page says in which language it is shown
FOR_PARTICIPANTS = re.compile(r"(/api/v1)?/s/[^/]+/(p/|join|preview)")


def choose_language(request: Request, of_person: str | None, of_study: str | None) -> Catalogue:
    """The language of a participant's request, which errors of this request then have, too."""
    wanted = request.query_params.get("lang"), request.headers.get(HEADER), of_person, of_study
    found = choose(wanted, request.headers.get("accept-language", ""))
    request.scope[TEXTS] = found
    return found


def request_texts(request: Request) -> Catalogue:
    """The texts for whoever sent a request: owners and programs read English."""
    known = request.scope.get(TEXTS)
    if isinstance(known, Catalogue):
        return known
    if not FOR_PARTICIPANTS.match(request.scope["path"]):
        return catalogue(ENGLISH)
    return choose_language(request, None, None)
