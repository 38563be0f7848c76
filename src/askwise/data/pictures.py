"""Pictures that a table names, read from a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from askwise.data.tables import rows_named
from askwise.errors import DataError

PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".avif")
MAX_PICTURE_MB, MAX_PICTURES_MB = 20, 500  # of one picture, and of all together
MAX_SHOWN_LETTERS = 100  # of a path or a value in a sentence


def short_path(path: str | Path) -> str:
    """A path for a sentence: the end of a very long one.

    >>> short_path("cars.csv")
    'cars.csv'
    """
    return str(path) if len(str(path)) <= MAX_SHOWN_LETTERS else f"...{str(path)[-MAX_SHOWN_LETTERS:]}"


def read_pictures(folder: Path, names: list[Any], column: str) -> dict[str, bytes]:
    """The pictures in `folder` that a `column` of `names` names; web addresses stay as they are.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "tea.png").write_bytes(b"...")
    >>> read_pictures(folder, ["tea.png", "https://example.org/milk.png"], "image")
    {'tea.png': b'...'}
    """
    local = list(dict.fromkeys(str(name) for name in names if name is not None and "://" not in str(name)))
    missing = {name for name in local if not _is_file(folder / name)}
    absent = [i for i, name in enumerate(names) if str(name) in missing]
    if absent:
        first = short_path(str(names[absent[0]]))
        problem = f"column {column!r} names pictures that are not in {folder}: {first!r} in {rows_named(absent)}"
        raise DataError(f"{problem}; put them there, or choose another column with image=")
    total = 0
    for name in local:
        size = (folder / name).stat().st_size
        total += size
        if size > MAX_PICTURE_MB * 2**20 or total > MAX_PICTURES_MB * 2**20:
            problem = f"pictures may have {MAX_PICTURE_MB} MB each and {MAX_PICTURES_MB} together"
            raise DataError(f"{problem}; {name} is too much: make them smaller")
    return {name: (folder / name).read_bytes() for name in local}


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a text too long for a name
        return False
