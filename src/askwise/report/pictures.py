"""Pictures of a study as data: addresses, so that the page needs nothing else."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable

from askwise.session import Session
from askwise.study.journal import StudyJournal

MEDIA = {  # by how the bytes begin
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"BM": "image/bmp",
}
Pictures = Callable[[str | None], str | None]  # the name of a picture -> its data: address, or None


def medium(content: bytes) -> str | None:
    """What kind of picture the bytes are, whatever their name says; None if they are none.

    >>> medium(b"GIF89a..."), medium(b"<html><script>")
    ('image/gif', None)
    """
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    if content[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    for start, kind in MEDIA.items():
        if content.startswith(start):
            return kind
    opening = content[:4000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    written = opening.startswith((b"<svg", b"<?xml", b"<!--", b"<!doctype svg"))
    return "image/svg+xml" if written and b"<svg" in opening else None


def embedded(content: bytes) -> str | None:
    """The bytes of a picture as an address; shown by <img>, an SVG can neither run a script nor fetch anything.

    >>> embedded(b"GIF89a")
    'data:image/gif;base64,R0lGODlh'
    """
    kind = medium(content)
    return None if kind is None else f"data:{kind};base64,{b64encode(content).decode()}"


def pictures_of(session: Session) -> Pictures:
    """Looks up pictures in the session's study; a session without one has none.

    >>> from askwise.goals import best_item
    >>> pictures_of(best_item(["tea", "coffee"], seed=1))("tea.png") is None
    True
    """
    journal = session.journal
    known: dict[str, str | None] = {}

    def look_up(name: str | None) -> str | None:
        if name is None or not isinstance(journal, StudyJournal):
            return None
        if name not in known:
            content = journal.store.image(journal.record.study, name)
            known[name] = None if content is None else embedded(content)
        return known[name]

    return look_up
