"""Behind a proxy that serves the app under a prefix, such as https://lab.example/askwise/."""

from __future__ import annotations

import re

from starlette.types import ASGIApp, Receive, Scope, Send

from askwise.errors import SettingError

PREFIX = re.compile(r"(/[\w.~-]+)+")


def checked_prefix(text: str) -> str:
    """The prefix as it stands before every address; empty for none.

    >>> checked_prefix("askwise/"), checked_prefix("/")
    ('/askwise', '')
    """
    found = f"/{text.strip('/')}" if text.strip("/") else ""
    if found and not PREFIX.fullmatch(found):
        raise SettingError(f"a root path is such as /askwise, with letters, digits, dots and hyphens, not {text!r}")
    return found


class Prefix:
    """Takes the prefix off, whether or not the proxy did so before. Pages, links and cookies have it."""

    def __init__(self, app: ASGIApp, root_path: str):
        self.app = app
        self.root_path = root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and f"{scope['path']}/".startswith(f"{self.root_path}/"):
            scope = {**scope, "path": scope["path"].removeprefix(self.root_path) or "/"}
        await self.app(scope, receive, send)
