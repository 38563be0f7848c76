"""Images, sounds and films as data URLs, so that a page needs nothing else."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable

from askwise.data.media import media_type
from askwise.session import Session
from askwise.storage.journal import StudyJournal

ImageUrls = Callable[[str | None], str | None]  # the name of an image -> its data URL, or None


def data_url(content: bytes, kind: str = "image") -> str | None:
    """A file as a data URL. In an <img>, an SVG can neither run a script nor fetch anything.

    >>> data_url(b"GIF89a")
    'data:image/gif;base64,R0lGODlh'
    """
    found = media_type(content, kind)
    return None if found is None else f"data:{found};base64,{b64encode(content).decode()}"


def image_urls(session: Session) -> ImageUrls:
    """Finds the images of the session's study, or those that came with its table.

    >>> from askwise.goals import best_item
    >>> image_urls(best_item(["tea", "coffee"], seed=1))("tea.png") is None
    True
    """
    known: dict[str, str | None] = {}

    def look_up(name: str | None) -> str | None:
        if name is not None and name not in known:
            content = media_file(session, name)
            known[name] = None if content is None else data_url(content)
        return None if name is None else known[name]

    return look_up


def media_file(session: Session, name: str) -> bytes | None:
    """A picture, a sound or a film of the session; None if it is neither in its study nor came with its table.

    >>> from askwise.goals import best_item
    >>> media_file(best_item(["tea", "coffee"], seed=1), "tea.png") is None
    True
    """
    journal = session.journal
    if isinstance(journal, StudyJournal):
        return journal.store.image(journal.record.study, name)
    return session.media.get(name)
