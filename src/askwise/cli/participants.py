"""askwise people and delete: who answered and how carefully, whom to leave out, and what is erased."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from askwise.cli.common import AsJson, File, one_line, write_page
from askwise.errors import SettingError

if TYPE_CHECKING:
    from askwise.storage.store import Record, Store


def people(
    file: File,
    person: Annotated[
        str | None, typer.Argument(metavar="[PERSON]", help="An id, or a name that only one has.")
    ] = None,
    exclude: Annotated[bool, typer.Option("--exclude", help="Leave the person's answers out.")] = False,
    include: Annotated[bool, typer.Option("--include", help="Count them again.")] = False,
    erase: Annotated[bool, typer.Option("--erase", help="Erase the person's answers and name, for good.")] = False,
    reason: Annotated[str, typer.Option(help="Why somebody is excluded; it is noted.")] = "",
    actions: Annotated[bool, typer.Option("--actions", help="Say what was done about people, when and why.")] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write everybody to a table, or what is held about one person as .json."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List people and how carefully they answered; exclude, include, export or erase one of them."""
    from askwise.exchange.files import write_table
    from askwise.exchange.people import people_table
    from askwise.storage.address import Address
    from askwise.storage.erasure import erase_participant
    from askwise.storage.exclusion import exclude as set_excluded
    from askwise.storage.participants import participant_named
    from askwise.storage.personal_data import person_data
    from askwise.storage.store import Store

    if actions and (exclude or include or erase or output is not None):
        raise SettingError("--actions lists what was done; leave out --exclude, --include, --erase and --output")
    if exclude + include + erase > 1:
        raise SettingError("choose one of --exclude, --include and --erase")
    if person is None and (exclude or include or erase):
        raise SettingError("say who: askwise people FILE PERSON --exclude")
    store = Store.at(Address.of(file))
    record = store.record()
    if actions:
        _list_actions(store, record, person, as_json)
        store.close()
        return
    if person is not None:
        who = participant_named(store, record.study, person).participant
        if output is not None or not (exclude or include or erase):
            text = json.dumps(person_data(store, record, who), indent=1, ensure_ascii=False)
            write_page(text, output, private=True) if output is not None else typer.echo(text)
        if exclude or include:
            set_excluded(store, record, who, exclude, reason)
            typer.echo(f"{one_line(who)} {'does not count any more' if exclude else 'counts again'}.")
        if erase:
            erase_participant(store, record, who)
            typer.echo(f"The answers of {one_line(who)} are erased.")
        store.close()
        return
    table = people_table(store, record)
    store.close()
    if output is not None:
        write_table(table, output)
        typer.echo(f"Wrote {one_line(str(output))}")
        return
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    if as_json:
        typer.echo(json.dumps(rows))
        return
    for row in rows:
        flags = f"  ({row['flags']})" if row["flags"] else ""
        status = row["status"] or row["done"] or "answering"
        typer.echo(
            f"{one_line(row['participant'])}  {one_line(row['name'])}  {row['answers']} answers  {status}{flags}"
        )
    if not rows:
        typer.echo("Nobody was invited yet.")


def _list_actions(store: Store, study: Record, person: str | None, as_json: bool) -> None:
    """Prints what was noted about everybody, or about one person, the first first."""
    from askwise.storage.actions import actions_of
    from askwise.storage.participants import participant_named
    from askwise.storage.participants import people as people_of

    names = {one.participant: one.name for one in people_of(store, study.study)}
    wanted = None if person is None else participant_named(store, study.study, person).participant
    found = [one for one in actions_of(store, study.study) if wanted in (None, one.participant)]
    if as_json:
        typer.echo(json.dumps([asdict(one) for one in found]))
        return
    for one in found:
        detail = ", ".join(f"{name}: {_listing(value)}" for name, value in one.detail.items() if value is not None)
        who = f"  {names.get(one.participant, one.participant)}" if one.participant else ""
        typer.echo(one_line(f"{one.time[:19]}Z{who}  {one.kind}{f'  ({detail})' if detail else ''}"))
    if not found:
        typer.echo("Nothing was noted.")


def _listing(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def delete(
    file: File,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a study with all its answers, for good."""
    from askwise.storage.address import Address
    from askwise.storage.erasure import delete_study
    from askwise.storage.store import Store

    address = Address.of(file)
    store = Store.at(address)
    record = store.record()
    if not yes:
        typer.echo(f"This deletes {one_line(str(address))} with all its answers. It cannot be taken back.")
        if typer.prompt("Type the name of the study", default="", show_default=False).strip() != record.name:
            raise SettingError("that is not its name; nothing was deleted")
    delete_study(store, record)
    store.close()
    typer.echo(f"Deleted {one_line(str(address))}")
