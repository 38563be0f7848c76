"""askwise crowd and invite: the door of a study, and links for several people."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer

from askwise.cli.common import AsJson, File, one_line
from askwise.errors import SettingError


def crowd(
    file: File,
    settings: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME=VALUE]...", help="Settings to change; an empty value: as usual; @FILE: a text."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show or change who may join by the open link of a study, and what they meet."""
    from askwise.storage.address import Address
    from askwise.storage.crowd import CrowdSettings
    from askwise.storage.finishing import joined_people
    from askwise.storage.joining import change_crowd, crowd_settings
    from askwise.storage.store import Store

    store = Store.at(Address.of(file))
    record = store.record()
    changes = dict(_change(text) for text in settings or ())
    if changes:
        change_crowd(store, record.study, changes)
    found, counts = crowd_settings(store, record.study), joined_people(store, record)
    store.close()
    if as_json:
        typer.echo(
            json.dumps({"settings": found.as_dict(), "people": counts, "consent_version": found.consent_version})
        )
        return
    for each in fields(CrowdSettings):
        typer.echo(f"{each.name} = {_shown(getattr(found, each.name))}    # {each.metadata['help']}")
    joined = ", ".join(f"{count} {status}" for status, count in counts.items()) or "nobody"
    typer.echo(f"Joined so far: {joined}.")
    typer.echo(f"The link, once askwise serve runs: /s/{one_line(record.name)}/join?PROLIFIC_PID=...")


def invite(
    file: File,
    names: Annotated[list[str] | None, typer.Argument(help="Names or addresses.")] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="LIST",
            help="A .txt file with one on each line, or a table with headings: its first column.",
        ),
    ] = None,
    quota: Annotated[int | None, typer.Option(min=1, help="Answers of each person at most.")] = None,
    address: Annotated[str, typer.Option(help="The address of your server.")] = "http://127.0.0.1:8000",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the links as .csv or .xlsx.")] = None,
) -> None:
    """Invite people by name, and print or write their links. The same name keeps its link."""
    from urllib.parse import quote

    from askwise.exchange.files import write_table
    from askwise.storage.address import Address
    from askwise.storage.participants import invite_all, token_of
    from askwise.storage.store import Store

    wanted = [*(names or ()), *(_listed(source) if source is not None else ())]
    if not wanted:
        raise SettingError("give names, or a file of them with --from")
    store = Store.at(Address.of(file))
    record = store.record()
    made = invite_all(store, record, wanted, quota)
    start = f"{address.rstrip('/')}/s/{quote(record.name, safe='')}/p/"
    links = [start + token_of(store, record.study, one.participant) for one in made]
    store.close()
    if output is not None:
        write_table({"name": [one.name for one in made], "link": links}, output)
        typer.echo(f"Wrote {len(made)} link{'s' * (len(made) != 1)} to {one_line(str(output))}")
        return
    for one, link in zip(made, links, strict=True):
        typer.echo(f"{one_line(one.name)}\t{link}")


def _change(text: str) -> tuple[str, Any]:
    """A setting as it is typed: NAME=VALUE, or NAME=@FILE for what the file holds.

    >>> _change("people=200")
    ('people', '200')
    """
    name, found, value = text.partition("=")
    if not found:
        raise SettingError(f"{text!r} is no setting; write NAME=VALUE, such as people=200")
    if value.startswith("@"):
        try:
            value = Path(value[1:]).read_text(encoding="utf-8")
        except (OSError, UnicodeError) as error:
            raise SettingError(f"{value[1:]} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return name.strip().replace("-", "_"), value


def _shown(value: Any) -> str:
    """A setting as one types it."""
    if value is None or value == ():
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return f"{len(value)} questions"
    text = one_line(str(value))
    return text if len(text) <= 60 else f"{text[:57]}..."


def _listed(source: Path) -> list[str]:
    """The names in a file: its lines, or the first column of a table."""
    from askwise.data.files import TABLE_SUFFIXES, read_file

    if source.suffix.lower() in TABLE_SUFFIXES and source.suffix.lower() != ".txt":
        heading, first = next(iter(read_file(source).columns.items()), ("", []))
        typer.echo(f"The first line, {heading!r}, was taken for the name of a column, not of a person.", err=True)
        return [str(name) for name in first if name is not None]
    try:
        return source.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError) as error:
        raise SettingError(f"{source} cannot be read: {getattr(error, 'strerror', None) or error}") from None
