"""Files that come with a table in the form: several of them, or zip archives. Nothing is written to disk under a name
that somebody sent, and only what the table names is unpacked."""

from __future__ import annotations

import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath, PureWindowsPath
from typing import BinaryIO, NamedTuple

from askwise.data.media import short_path
from askwise.errors import DataError

MAX_UPLOADED_MB = 250  # of all files that a table names, unpacked
MAX_ZIP_ENTRIES = 10_000
IGNORED = ("__MACOSX", ".DS_Store", "Thumbs.db")  # what other programs put into archives


class UploadedFile(NamedTuple):
    """One file: its size as the browser or the archive says, and the function that reads it."""

    size: int
    read: Callable[[], bytes]


class UploadedFiles:
    """Uploaded files by the names that a table may have for them: their path in an archive or, where only one file is
    called so, their last part.

    >>> import io
    >>> files = UploadedFiles([("tea.png", io.BytesIO(b"..."))])
    >>> files.size("tea.png"), files.size("milk.png")
    (3, None)
    """

    place = "among the uploaded files"
    max_mb = MAX_UPLOADED_MB

    def __init__(self, files: Sequence[tuple[str, BinaryIO]]):
        self.files: dict[str, UploadedFile] = {}
        for name, file in files:
            zipped = zipfile.is_zipfile(file)
            found = _unzipped(name, file) if zipped else {PurePosixPath(_plain(name)).name: _uploaded(file)}
            for each, content in found.items():
                if each in self.files:
                    raise DataError(f"two uploaded files are called {short_path(each)}; rename one of them")
                self.files[each] = content
        last_parts = Counter(PurePosixPath(name).name for name in self.files)
        short = ((PurePosixPath(name).name, file) for name, file in self.files.items())
        self._known = {name: file for name, file in short if last_parts[name] == 1} | self.files

    def find(self, name: str) -> UploadedFile | None:
        """The file that a table means by a name: the same path, or else the only file whose path ends so."""
        plain = _plain(name)
        return self._known.get(plain) or self._known.get(PurePosixPath(plain).name)

    def size(self, name: str) -> int | None:
        found = self.find(name)
        return None if found is None else found.size

    def read(self, name: str) -> bytes:
        found = self.find(name)
        assert found is not None
        return found.read()


def _plain(name: str) -> str:
    return name.replace("\\", "/").removeprefix("./")


def _uploaded(file: BinaryIO) -> UploadedFile:
    size = file.seek(0, 2)

    def read() -> bytes:
        file.seek(0)
        return file.read()

    return UploadedFile(size, read)


def _unzipped(name: str, file: BinaryIO) -> dict[str, UploadedFile]:
    """The files of an archive. They are unpacked when they are read, and no further than they say."""
    try:
        archive = zipfile.ZipFile(file)
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError):
        raise DataError(f"{short_path(name)} is damaged; make the zip archive again") from None
    if len(entries) > MAX_ZIP_ENTRIES:
        problem = f"{short_path(name)} holds {len(entries):,} files; a zip archive may hold {MAX_ZIP_ENTRIES:,}"
        raise DataError(f"{problem}: leave out those that the table does not name")
    found = {}
    for entry in entries:
        path = PurePosixPath(_plain(entry.filename))
        if set(path.parts) & set(IGNORED):
            continue
        if path.is_absolute() or ".." in path.parts or PureWindowsPath(entry.filename).drive:
            problem = f"{short_path(name)} holds {short_path(entry.filename)!r}, which leads out of the archive"
            raise DataError(f"{problem}; make the zip archive of a folder again")
        if entry.flag_bits & 0x1:
            raise DataError(f"{short_path(name)} is locked by a password; make a zip archive without one")
        found[str(path)] = UploadedFile(entry.file_size, _reader(archive, entry, name))
    return found


def _reader(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str) -> Callable[[], bytes]:
    def read() -> bytes:
        try:
            with archive.open(entry) as file:
                return file.read(entry.file_size)
        except (zipfile.BadZipFile, EOFError, OSError, RuntimeError, NotImplementedError, zlib.error):
            told = f"{short_path(entry.filename)} in {short_path(name)} cannot be unpacked"
            raise DataError(f"{told}; make the zip archive again") from None

    return read
