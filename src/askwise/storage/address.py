"""Where a study is: a file, or a PostgreSQL database and a name in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote_plus, unquote

from askwise.errors import StudyError

if TYPE_CHECKING:
    from sqlalchemy import URL

SUFFIX = ".askwise"
MAX_ADDRESS_BYTES = 4000
SERVERS = ("postgresql://", "postgres://")


@dataclass(frozen=True)
class Address:
    """A parsed address. Printed, it shows no password.

    >>> Address.of("cars.askwise").name
    'cars'
    >>> print(Address.of("postgresql://ann:secret@localhost/lab#cars"))
    postgresql://ann:***@localhost/lab#cars
    """

    where: str  # the path of the file, or the address of the database
    name: str | None  # of the study; None: the only one there

    @staticmethod
    def of(text: str | os.PathLike[str]) -> Address:
        if not isinstance(text, str | os.PathLike):
            raise StudyError(f"a study is a file such as cars.askwise, not {text!r}")
        given = os.fsdecode(text)
        if not given.strip() or "\0" in given:
            raise StudyError(f"{given!r} is no file; give one such as cars.askwise")
        try:
            length = len(os.fsencode(given))
        except UnicodeEncodeError:
            raise StudyError(f"{given[:60]!r} is no file, since it holds half of a letter; write it anew") from None
        if length > MAX_ADDRESS_BYTES:
            raise StudyError(f"the path {given[:60]}... is too long; give a shorter one")
        if not given.startswith(SERVERS):
            if "://" in given:
                raise StudyError(
                    f"{given.split('://')[0]}:// is not a store; expected a file or postgresql://host/database"
                )
            return Address(given, os.fsencode(Path(given).stem).decode(errors="replace"))
        where, _, name = given.partition("#")
        found = Address("postgresql://" + where.split("://", 1)[1], unquote(name) or None)
        found.url  # noqa: B018  refuses what is no address
        return found

    @property
    def url(self) -> URL:
        """The address of the database, in its parts."""
        from sqlalchemy import exc, make_url

        try:
            return make_url(self.where)
        except (exc.ArgumentError, ValueError):  # which would quote the password
            raise StudyError(
                "the address of the database is not valid; expected postgresql://user@host:5432/database#name"
            ) from None

    @property
    def is_file(self) -> bool:
        return not self.where.startswith(SERVERS)

    def named(self, name: str) -> Address:
        return Address(self.where, name)

    def exists(self) -> bool:
        """Whether there is a study at this address."""
        if self.is_file:
            return os.path.lexists(self.where)
        from askwise.storage.store import Store

        return self.name in Store.at(self).names()

    def without_password(self, text: str) -> str:
        """What a database or a program says about this address, with its password struck out."""
        if self.is_file:
            return text
        secrets = [self.url.password, *(value for key, value in self.url.query.items() if "password" in key)]
        for secret in secrets:
            for written in (str(secret), quote_plus(str(secret))) if secret else ():
                text = text.replace(written, "***")
        return text

    def __str__(self) -> str:
        if self.is_file:
            return self.where
        hidden = {key: "***" for key in self.url.query if "password" in key}
        shown = self.url.update_query_dict(hidden).render_as_string(hide_password=True).replace("%2A%2A%2A", "***")
        return f"{shown}#{self.name}" if self.name else shown
