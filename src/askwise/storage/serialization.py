"""Recipes and events as a database stores them, and the digests that chain the events of a log."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from askwise.session.events import Event


def pack_recipe(recipe: Mapping[str, Any]) -> bytes:
    """A recipe as bytes. Equal recipes give equal bytes in one installation."""
    return zlib.compress(json.dumps(recipe, allow_nan=False, default=_plain_number).encode())


def unpack_recipe(packed: bytes) -> Any:
    """The recipe that `pack_recipe` gave as bytes.

    >>> unpack_recipe(pack_recipe({"goal": "ranking"}))
    {'goal': 'ranking'}
    """
    return json.loads(zlib.decompress(packed))


def chain_digest(digest: str, body: str) -> str:
    """The digest of a log after one more event."""
    return sha256(f"{digest}\n{body}".encode()).hexdigest()


def event_rows(study: int, position: int, digest: str, events: Iterable[Event]) -> list[dict[str, Any]]:
    """The rows of events from that position on; `digest` is that of the log before them.

    >>> [row] = event_rows(1, 0, "", [{"event": "skip", "question": "q1", "time": "2026-11-17T05:00:00"}])
    >>> row["event"], row["position"], row["digest"] == chain_digest("", row["body"])
    ('skip', 0, True)
    """
    rows = []
    for place, event in enumerate(events, position):
        body = json.dumps(event, allow_nan=False, default=_plain_number)
        digest = chain_digest(digest, body)
        row = {
            "study": study,
            "position": place,
            **{column: event.get(column) for column in ("event", "question", "who", "seconds", "key")},
            "response": str(event["response"]) if "response" in event else None,
            "time": event.get("time", ""),  # the first versions wrote none
            "body": body,
            "digest": digest,
        }
        rows.append(row)
    return rows


def _plain_number(number: Any) -> Any:
    """NumPy's numbers as Python's."""
    return number.item()
