"""Where a study is: a file, or a PostgreSQL database and a name in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from askwise.errors import StudyError

SUFFIX = ".askwise"
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
    def of(text: str | Path) -> Address:
        given = str(text)
        if not given.strip():
            raise StudyError("an empty name is no study; give a file such as cars.askwise")
        if not given.startswith(SERVERS):
            if "://" in given:
                raise StudyError(
                    f"{given.split('://')[0]}:// is not a store; expected a file or postgresql://host/database"
                )
            return Address(given, Path(given).stem)
        where, _, name = given.partition("#")
        return Address("postgresql://" + where.split("://", 1)[1], unquote(name) or None)

    @property
    def is_file(self) -> bool:
        return not self.where.startswith(SERVERS)

    def named(self, name: str) -> Address:
        return Address(self.where, name)

    def exists(self) -> bool:
        """Whether there is a study at this address."""
        if self.is_file:
            return Path(self.where).exists()
        from askwise.study.store import Store

        return self.name in Store.at(self).names()

    def __str__(self) -> str:
        if self.is_file:
            return self.where
        from sqlalchemy import make_url

        shown = make_url(self.where).render_as_string(hide_password=True)
        return f"{shown}#{self.name}" if self.name else shown
