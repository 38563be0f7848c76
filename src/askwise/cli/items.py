"""askwise items: which items a study is about, and changes of them while people answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from askwise.cli.common import AsJson, File, one_line
from askwise.errors import SettingError


def items(
    file: File,
    add: Annotated[
        Path | None, typer.Option(metavar="TABLE", help="Add the rows of a table with the same columns.")
    ] = None,
    retire: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="No longer ask about this item; may be repeated.")
    ] = None,
    show: Annotated[bool, typer.Option("--list", help="Print the names of all items [default].")] = False,
    encoding: Annotated[str, typer.Option(help="Encoding of a text file.")] = "utf-8",
    as_json: AsJson = False,
) -> None:
    """Add items, retire others, or list them. Answers stay."""
    from askwise.data.files import read
    from askwise.data.media import MEDIA_KINDS
    from askwise.storage.address import Address
    from askwise.storage.item_changes import change_items, listed_items
    from askwise.storage.store import Store

    show = show or (add is None and not retire)
    store = Store.at(Address.of(file))
    if add is not None or retire:
        known = store.record().recipe["options"]
        columns = {kind: known.get(kind) for kind in MEDIA_KINDS}
        found = None if add is None else read(add, encoding=encoding, **columns)
        if found is not None and not found.columns:
            raise SettingError(f"{add} is a pool of rows on disk; add the rows of a table")
        rows, media = (None, {}) if found is None else (found.columns, found.media)
        change_items(store, rows, retire or None, pictures=media)
    active, retired = listed_items(store)
    store.close()
    if as_json:
        typer.echo(json.dumps({"items": active, "retired": retired}))
        return
    if show:
        for name in active:
            typer.echo(one_line(name))
        for name in retired:
            typer.echo(f"{one_line(name)} (retired)")
        return
    gone = f", and {len(retired)} that retired" if retired else ""
    typer.echo(f"The study now has {len(active)} items{gone}. All answers stay.")
