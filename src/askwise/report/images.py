"""Images of a study as data URLs, so that a page needs nothing else."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable

from askwise.data.media import media_type
from askwise.session import Session
from askwise.storage.journal import StudyJournal

ImageUrls = Callable[[str | None], str | None]  # the name of an image -> its data URL, or None


def data_url(content: bytes) -> str | None:
    """An image as a data URL. In an <img>, an SVG can neither run a script nor fetch anything.

    >>> data_url(b"GIF89a")
    'data:image/gif;base64,R0lGODlh'
    """
    kind = media_type(content)
    return None if kind is None else f"data:{kind};base64,{b64encode(content).decode()}"


def image_urls(session: Session) -> ImageUrls:
    """Finds the images of the session's study; a session without a study has none.

    >>> from askwise.goals import best_item
    >>> image_urls(best_item(["tea", "coffee"], seed=1))("tea.png") is None
    True
    """
    journal = session.journal
    known: dict[str, str | None] = {}

    def look_up(name: str | None) -> str | None:
        if name is None or not isinstance(journal, StudyJournal):
            return None
        if name not in known:
            content = journal.store.image(journal.record.study, name)
            known[name] = None if content is None else data_url(content)
        return known[name]

    return look_up
