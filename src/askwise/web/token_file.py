"""The owner's token in a file, so that it stays the same after a restart and on all servers."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from askwise.errors import SettingError

MIN_LETTERS = 16


def token_from(path: Path) -> str:
    """The token in the file. A new file gets a new token, and is readable by its user alone.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "token"
    >>> token_from(path) == token_from(path), oct(path.stat().st_mode)[-3:]
    (True, '600')
    """
    try:
        if not os.path.lexists(path):
            _write_new(path)
        found = path.read_text(encoding="utf-8").strip()
        mode = stat.S_IMODE(path.stat().st_mode)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or "it is not text"
        raise SettingError(f"the token cannot be read from {path}: {why}; give a file of yours") from None
    if mode & 0o077:
        raise SettingError(f"others can read the token in {path}; run: chmod 600 {path}")
    if len(found) < MIN_LETTERS or not found.isascii() or not found.isprintable() or " " in found:
        raise SettingError(f"the token in {path} must have {MIN_LETTERS} letters or digits or more; delete the file")
    return found


def _write_new(path: Path) -> None:
    """Writes a new token, whole or not at all; the token of another server that was faster stays."""
    draft = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
    with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        file.write(secrets.token_urlsafe(24) + "\n")
    try:
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink()
