"""Pictures, sounds and films that a table names: found in a folder or among uploaded files, and checked by content."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from askwise.data.tables import Columns, rows_named
from askwise.errors import DataError

MEDIA_KINDS = ("image", "audio", "video")  # options that name a column of files
PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".avif")
MAX_MEDIA_MB = {"image": 20, "audio": 100, "video": 100}  # of one file
MAX_TOTAL_MB = 500  # of all files of a study
NOUNS = {"image": "pictures", "audio": "sounds", "video": "films"}
FORMATS = {
    "image": "PNG, JPEG, GIF, WebP, AVIF, BMP or SVG",
    "audio": "MP3, WAV, Ogg, FLAC, AAC, M4A or WebM",
    "video": "MP4, WebM, Ogg or QuickTime",
}
IMAGE_STARTS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"BM": "image/bmp",
}
CONTAINERS = {b"OggS": "ogg", b"\x1aE\xdf\xa3": "webm"}  # of sounds and of films
AUDIO_STARTS = {b"ID3": "audio/mpeg", b"fLaC": "audio/flac", b"ADIF": "audio/aac"}
MAX_SHOWN_LETTERS = 100  # of a path or a value in a sentence


class MediaSource(Protocol):
    """Where files are: a folder, or what somebody uploaded."""

    place: str  # for sentences: "in drinks/"
    max_mb: int  # of all files of a study

    def size(self, name: str) -> int | None: ...  # bytes; None if there is no such file
    def read(self, name: str) -> bytes: ...


class Folder:
    """The files in a folder.

    >>> Folder(Path("drinks")).size("tea.png") is None
    True
    """

    def __init__(self, path: Path):
        self.path = path
        self.max_mb = MAX_TOTAL_MB
        self.place = f"in {path}"

    def size(self, name: str) -> int | None:
        try:
            return (self.path / name).stat().st_size if (self.path / name).is_file() else None
        except (OSError, ValueError):  # a text too long for a name, or with characters that no file has
            return None

    def read(self, name: str) -> bytes:
        return (self.path / name).read_bytes()


def short_path(path: str | Path) -> str:
    """A path for a sentence: the end of a very long one.

    >>> short_path("cars.csv")
    'cars.csv'
    """
    return str(path) if len(str(path)) <= MAX_SHOWN_LETTERS else f"...{str(path)[-MAX_SHOWN_LETTERS:]}"


def media_type(content: bytes, kind: str = "image") -> str | None:
    """The media type of bytes that shall be an image, a sound or a film, whatever their name says; None if they are
    not.

    >>> media_type(b"GIF89a..."), media_type(b"<html><script>"), media_type(b"OggS...", "audio")
    ('image/gif', None, 'audio/ogg')
    """
    return _image_type(content) if kind == "image" else _playable_type(content, kind)


def read_media(source: MediaSource, columns: Columns, chosen: Mapping[str, str | None]) -> dict[str, bytes]:
    """The files that columns of a table name. `chosen` has a column for a kind of `MEDIA_KINDS`, or None.

    Web addresses of pictures stay as they are; sounds and films are always files.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "tea.gif").write_bytes(b"GIF89a...")
    >>> table = {"image": ["tea.gif", "https://example.org/milk.png"]}
    >>> read_media(Folder(folder), table, {"image": "image"})
    {'tea.gif': b'GIF89a...'}
    """
    found: dict[str, bytes] = {}
    total = 0
    for kind, column in chosen.items():
        if column is None:
            continue
        for name in _names(source, columns[column], column, kind):
            size = source.size(name) or 0
            total += size
            if size > MAX_MEDIA_MB[kind] * 2**20 or total > source.max_mb * 2**20:
                problem = f"{NOUNS[kind]} may have {MAX_MEDIA_MB[kind]} MB each and {source.max_mb} MB together"
                raise DataError(f"{problem}; {short_path(name)} is too much: make them smaller")
            found[name] = source.read(name)
            if media_type(found[name], kind) is None:
                problem = f"{short_path(name)} in column {column!r} is none of the {NOUNS[kind]} that browsers show"
                raise DataError(f"{problem}; expected {FORMATS[kind]}")
    return found


def _names(source: MediaSource, values: list[Any], column: str, kind: str) -> list[str]:
    """The files that a column names, each once; refused if one is not there."""
    remote = [i for i, value in enumerate(values) if value is not None and "://" in str(value)]
    if remote and kind != "image":
        problem = f"column {column!r} names a web address in {rows_named(remote[:1])}"
        raise DataError(f"{problem}; expected a file: save it beside the table, so that people play it from here")
    local = list(dict.fromkeys(str(name) for i, name in enumerate(values) if name is not None and i not in set(remote)))
    missing = {name for name in local if source.size(name) is None}
    absent = [i for i, name in enumerate(values) if str(name) in missing]
    if absent:
        first = short_path(str(values[absent[0]]))
        problem = (
            f"column {column!r} names {NOUNS[kind]} that are not {source.place}: {first!r} in {rows_named(absent)}"
        )
        raise DataError(f"{problem}; put them there, or choose another column with {kind}=")
    return local


def _image_type(content: bytes) -> str | None:
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    if content[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    for start, kind in IMAGE_STARTS.items():
        if content.startswith(start):
            return kind
    opening = content[:4000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    written = opening.startswith((b"<svg", b"<?xml", b"<!--", b"<!doctype svg"))
    return "image/svg+xml" if written and b"<svg" in opening else None


def _playable_type(content: bytes, kind: str) -> str | None:
    for start, container in CONTAINERS.items():
        if content.startswith(start):
            return f"{kind}/{container}"
    if content[4:8] == b"ftyp" and content[8:12] not in (b"avif", b"avis", b"heic", b"mif1"):
        return "video/quicktime" if content[8:12] == b"qt  " and kind == "video" else f"{kind}/mp4"
    if kind == "video":
        return None
    if content[:4] == b"RIFF" and content[8:12] == b"WAVE":
        return "audio/wav"
    for start, found in AUDIO_STARTS.items():
        if content.startswith(start):
            return found
    if len(content) > 1 and content[0] == 0xFF and content[1] & 0xE0 == 0xE0:  # a frame of MPEG audio
        return "audio/aac" if content[1] & 0x06 == 0 else "audio/mpeg"
    return None
