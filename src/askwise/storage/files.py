"""Study files: where a new one may be, and how a finished one gets its name."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from askwise.errors import StudyError
from askwise.storage.connection import writable

MAX_NAME_BYTES = 240  # of a file; the files beside it have longer names


def put_in_place(partial: Path, path: Path) -> None:
    """Gives a finished file its name, and fails if somebody took the name meanwhile."""
    try:
        os.link(partial, path)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS):
            raise
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))  # this file system has no links: an empty file holds the name
        os.replace(partial, path)


def require_free_path(path: Path) -> None:
    """Refuses a path where no new study can be."""
    if len(os.fsencode(path.name)) > MAX_NAME_BYTES:
        raise StudyError(f"the name {path.name[:40]}... is too long for a file; choose a shorter one with -o")
    if os.path.lexists(path):
        raise StudyError(f"{path} exists already; choose another name with -o, or delete it first")
    if not os.path.isdir(path.absolute().parent):
        raise StudyError(f"there is no folder {path.parent}; make it first, or choose another one")
    if not writable(path):
        raise StudyError(f"the folder {path.absolute().parent} cannot be written; choose another one")
