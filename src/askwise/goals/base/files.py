"""From a table in a file to a session."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from askwise.data.embeddings import with_embedded_pictures
from askwise.data.files import TABLE_SUFFIXES, LoadedTable, read
from askwise.data.media import MEDIA_KINDS, PICTURE_SUFFIXES
from askwise.data.names import guess_image
from askwise.data.tables import Columns
from askwise.errors import DataError
from askwise.goals.base.goal import Goal
from askwise.goals.base.options import declared
from askwise.goals.base.texts import to_cli_name
from askwise.options import columns as column_names
from askwise.session import Session

POOL_SUFFIX = ".parquet"


def session_of_file(goal: type[Goal], path: str | Path, options: Mapping[str, Any]) -> Session:
    """The session about a table in a file or a folder, with the pictures, sounds and films that it names.

    For a goal that takes pools, a Parquet file is a pool, whatever its size, and so is a folder without pictures and
    other tables.

    >>> import tempfile
    >>> from askwise.goals.best_item import BestItemGoal
    >>> path = Path(tempfile.mkdtemp()) / "drinks.csv"
    >>> _ = path.write_text("name,price\\ntea,2\\nmilk,1\\n")
    >>> session_of_file(BestItemGoal, path, {"seed": 1})
    <Session: best_item, 0 answers, 0 open>
    """
    if not str(path).strip() or path == Path():
        raise DataError("the path of the table is empty; give a file such as cars.csv, or a folder of pictures")
    if goal.takes_pools and _is_pool(Path(path)):
        return goal(**options).session(path)
    named = {kind: options[kind] for kind in MEDIA_KINDS if isinstance(options.get(kind), str)}
    return session_of_table(goal, read(path, **named), options)


def _is_pool(path: Path) -> bool:
    if not path.is_dir():
        return path.suffix.lower() == POOL_SUFFIX
    others = {*TABLE_SUFFIXES, *PICTURE_SUFFIXES} - {POOL_SUFFIX}
    return not any(file.suffix.lower() in others for file in path.iterdir())


def session_of_table(goal: type[Goal], data: LoadedTable, options: Mapping[str, Any]) -> Session:
    """The session about a table that was read, or about a pool that stays on disk.

    >>> from askwise.goals.best_item import BestItemGoal
    >>> session_of_table(BestItemGoal, LoadedTable({"name": ["tea", "milk"]}, Path("drinks.csv")), {})
    <Session: best_item, 0 answers, 0 open>
    """
    from askwise.goals.base.registry import goals

    if not data.columns:
        if not goal.takes_pools:
            able = ", ".join(to_cli_name(name) for name, each in goals().items() if each.takes_pools)
            raise DataError(f"{data.source.name} is a pool of rows on disk, which is for {able}; give a table")
        return goal(**options).session(data.source)
    image = {"image": data.image} if data.image and "image" in declared(goal) else {}
    chosen = {**image, **options}
    session = goal(**chosen).session(_with_pictures(data, chosen))
    session.media = data.media
    return session


def _with_pictures(data: LoadedTable, options: Mapping[str, Any]) -> Columns:
    """The table with the vectors of its pictures, if they are to be embedded: their files are at hand here alone."""
    pictures, embedded = options.get("image") or guess_image(data.columns), options.get("embed")
    if not embedded or pictures not in column_names("embed", embedded) or pictures not in data.columns:
        return data.columns
    return with_embedded_pictures(data.columns, pictures, data.media, options.get("embed_model"))
