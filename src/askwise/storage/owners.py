"""Who may see and change studies: tokens with a role, which can be revoked. Only their hashes are stored.

The tokens of a study file or of a database are in it; those of a folder are in a small file there, which only its
owner can read.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import delete, exc, insert, select

from askwise.errors import SettingError
from askwise.options import refusal
from askwise.session.events import UNSTORABLE
from askwise.storage.address import Address
from askwise.storage.connection import connect
from askwise.storage.schema import owner_tokens
from askwise.storage.store import Store

FILE = ".askwise-owners"  # in a folder of studies
ROLES = ("owner", "viewer")
MAX_NAME_LETTERS = 60
Role = Literal["owner", "viewer"]


@dataclass(frozen=True)
class OwnerToken:
    """Somebody who may see studies (viewer), or change them, too (owner)."""

    name: str
    role: Role
    created: str


class OwnerTokens:
    """The tokens for a study, a folder of studies or a database.

    >>> import tempfile
    >>> tokens = OwnerTokens(tempfile.mkdtemp())
    >>> token = tokens.add("Ann", "viewer")
    >>> tokens.roles()[token_hash(token)], [one.name for one in tokens.listed()]
    ('viewer', ['Ann'])
    >>> tokens.revoke("Ann")
    >>> tokens.roles()
    {}
    """

    def __init__(self, target: str):
        self.folder = Path(target) if Path(target).is_dir() else None
        self._file = None if self.folder is None else self.folder / FILE
        self._address = Address.of(target if self._file is None else self._file)
        self._store: Store | None = None

    def add(self, name: str, role: str) -> str:
        """A new token, which is shown this once."""
        named = name.strip()
        if not 1 <= len(named) <= MAX_NAME_LETTERS or UNSTORABLE.search(named):
            raise refusal("name", name, f"a text of 1 to {MAX_NAME_LETTERS} letters")
        if role not in ROLES:
            raise refusal("role", role, " or ".join(ROLES))
        token, now = secrets.token_urlsafe(24), datetime.now(UTC).isoformat(timespec="seconds")
        row = {"name": named, "role": role, "hash": token_hash(token), "created": now}
        try:
            with self._opened(create=True).begin() as connection:
                connection.execute(insert(owner_tokens).values(**row))
        except exc.IntegrityError:
            raise SettingError(f"{named!r} has a token already; revoke it first, or choose another name") from None
        return token

    def revoke(self, name: str) -> None:
        """Takes a token away; whoever uses it is out at once."""
        known = [one.name for one in self.listed()]
        if name not in known:
            raise SettingError(f"nobody called {name!r} has a token; there: {', '.join(known) or 'nobody'}")
        with self._opened().begin() as connection:
            connection.execute(delete(owner_tokens).where(owner_tokens.c.name == name))

    def listed(self) -> list[OwnerToken]:
        """Everybody who has a token, first come first."""
        return [OwnerToken(row.name, row.role, row.created) for row in self._rows()]

    def roles(self) -> Mapping[str, Role]:
        """By the hash of a token: what its owner may do."""
        return {row.hash: row.role for row in self._rows()}

    def name_of(self, token: str) -> str | None:
        """Who was given a token; None: nobody."""
        given = token_hash(token)
        return next((row.name for row in self._rows() if row.hash == given), None)

    def _rows(self) -> list[Any]:
        if self._file is not None and not self._file.exists():
            return []
        return self._opened().read(select(owner_tokens).order_by(owner_tokens.c.created, owner_tokens.c.name))

    def _opened(self, create: bool = False) -> Store:
        if self._store is None:
            if self._file is None:
                self._store = Store.at(self._address)
            else:
                if create and not self._file.exists():
                    os.close(os.open(self._file, os.O_CREAT | os.O_EXCL, 0o600))
                self._store = Store(self._address, connect(self._address))
                with self._store.begin() as connection:
                    owner_tokens.create(connection, checkfirst=True)
        return self._store

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None


def token_hash(token: str) -> str:
    """What is stored of a token. It has 192 random bits, so the hash needs no salt.

    >>> token_hash("a")[:8]
    'ca978112'
    """
    return sha256(token.encode()).hexdigest()
