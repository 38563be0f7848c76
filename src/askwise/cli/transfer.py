"""askwise export, import and copy: what leaves a study, and what becomes one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from askwise.cli.common import File, one_line, open_study, shell_address, write_page
from askwise.errors import DataError, SettingError

if TYPE_CHECKING:
    from askwise.session import Session

CONTENTS = ("answers", "battles", "preferences", "draws", "predictions", "estimate", "everything")


def export(
    file: File,
    out: Annotated[Path | None, typer.Argument(help="The same as --output.")] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="A .csv, .tsv, .xlsx, .jsonl, .parquet, .nc (ArviZ) or .json (to import) file."
        ),
    ] = None,
    what: Annotated[
        str,
        typer.Option(
            help="answers, battles (of an arena), preferences (for training), draws (of the posterior), predictions "
            "(of a classifier), estimate (of a matrix) or everything (all that the study holds; .json)."
        ),
    ] = "answers",
    count: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many draws.")] = 1000,
) -> None:
    """Export answers, votes, draws, predictions, a completed matrix, or all that the study holds."""
    from askwise.exchange.answers import answers_table, study_answers_table
    from askwise.exchange.arviz import to_netcdf
    from askwise.exchange.classifiers import predictions_table
    from askwise.exchange.draws import draws_table
    from askwise.exchange.files import write_table
    from askwise.exchange.matrices import estimate_table
    from askwise.exchange.studies import write_json
    from askwise.exchange.votes import write_votes
    from askwise.storage.journal import journal_of
    from askwise.storage.participants import people

    if (out is None) == (output is None):
        raise SettingError("give one file to write, for example --output answers.csv")
    out = out or output
    assert out is not None
    if what not in CONTENTS:
        raise SettingError(f"--what is {', '.join(CONTENTS[:-1])} or {CONTENTS[-1]}, not {what!r}")
    if what == "everything":
        _export_everything(file, out)
        return
    session = open_study(file)
    if out.suffix.lower() == ".nc":
        to_netcdf(session, out, count)
    elif out.suffix.lower() == ".json":
        _require_all_answers(file, session)
        write_json(session, out)
    elif what == "answers":
        store, study = journal_of(session).store, journal_of(session).record.study
        write_table(study_answers_table(store, study) if people(store, study) else answers_table(session), out)
    elif what in ("battles", "preferences"):
        write_votes(session, out, "arena" if what == "battles" else "trl")
    elif what == "draws":
        write_table(draws_table(session, count), out)
    elif what == "predictions":
        write_table(predictions_table(session), out)
    else:
        write_table(estimate_table(session), out)
    typer.echo(f"Wrote {one_line(str(out))}")


def _export_everything(file: str, out: Path) -> None:
    """Writes what the study holds about everybody, as the API's data.json has it."""
    from askwise.storage.address import Address
    from askwise.storage.personal_data import study_data
    from askwise.storage.store import Store

    if out.suffix.lower() != ".json":
        raise SettingError(f"everything is written as .json, not {out.suffix or 'without an ending'}; write all.json")
    store = Store.at(Address.of(file))
    text = json.dumps(study_data(store, store.record()), indent=1, ensure_ascii=False)
    store.close()
    write_page(text, out, private=True)
    typer.echo(f"Wrote {one_line(str(out))}")


def _require_all_answers(file: str, session: Session) -> None:
    """Refuses the study's own log for the whole study where people have logs of their own, which it lacks."""
    from askwise.storage.address import Address
    from askwise.storage.journal import journal_of
    from askwise.storage.participants import people

    store, study = journal_of(session).store, journal_of(session).record.study
    if any(one.log != study for one in people(store, study)):
        raise SettingError(
            "people answer in logs of their own, which this file would not have; write them with: "
            f"askwise export {shell_address(Address.of(file))} -o all.json --what everything"
        )


def import_study(
    source: Annotated[Path, typer.Argument(metavar="JSON", help="A file from askwise export FILE -o study.json.")],
    output: Annotated[str | None, typer.Option("--output", "-o", help="The new study [JSON.askwise].")] = None,
) -> None:
    """Make a study from an exported .json file."""
    from askwise.exchange.studies import read_json
    from askwise.storage.address import SUFFIX, Address
    from askwise.storage.store import Store

    if not source.is_file():
        raise DataError(f"there is no file {source}; expected what askwise export wrote as .json")
    recipe, log = read_json(source)
    address = Address.of(output or f"{source.stem}{SUFFIX}")
    Store.create(address, recipe, {}, log)
    typer.echo(f"Made {one_line(str(address))}")


def copy(
    file: File,
    target: Annotated[str, typer.Argument(help="A new file, or postgresql://host/database#name.")],
) -> None:
    """Copy a study between files and databases."""
    from askwise.exchange.studies import copy_study
    from askwise.storage.address import Address

    copy_study(file, target)
    typer.echo(f"Copied to {one_line(str(Address.of(target)))}")
