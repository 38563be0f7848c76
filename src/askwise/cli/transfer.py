"""askwise export, import and copy: what leaves a study, and comes into one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from askwise.cli.common import File, opened, visible
from askwise.errors import DataError, SettingError

WHAT = ("answers", "draws", "predictions")


def export(
    file: File,
    out: Annotated[Path | None, typer.Argument(help="The same as --output.")] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="By its ending: .csv, .tsv, .jsonl, .parquet, .nc (ArviZ) or .json."),
    ] = None,
    what: Annotated[str, typer.Option(help="answers, draws of the posterior, or predictions.")] = "answers",
    count: Annotated[int, typer.Option(min=1, max=1_000_000, help="Draws.")] = 1000,
) -> None:
    """Writes answers, posterior draws or predictions as a table, or the whole study as .json."""
    from askwise.study import exchange
    from askwise.study.files import write

    if (out is None) == (output is None):
        raise SettingError("give one file to write, for example --output answers.csv")
    out = out or output
    assert out is not None
    if what not in WHAT:
        raise SettingError(f"--what is {', '.join(WHAT[:-1])} or {WHAT[-1]}, not {what!r}")
    session = opened(file)
    if out.suffix.lower() == ".nc":
        exchange.to_netcdf(session, out, count)
    elif out.suffix.lower() == ".json":
        exchange.write_log(session, out)
    elif what == "answers":
        write(exchange.answers_table(session), out)
    elif what == "draws":
        write(exchange.draws_table(session, count), out)
    else:
        write(exchange.predictions_table(session), out)
    typer.echo(f"Wrote {visible(str(out))}")


def import_study(
    source: Annotated[Path, typer.Argument(metavar="JSON", help="What askwise export FILE -o study.json wrote.")],
    output: Annotated[str | None, typer.Option("--output", "-o", help="The study to make [JSON.askwise].")] = None,
) -> None:
    """Makes a study of one that was exported as .json."""
    from askwise.study.address import SUFFIX, Address
    from askwise.study.exchange import read_log
    from askwise.study.store import Store

    if not source.is_file():
        raise DataError(f"there is no file {source}; expected what askwise export wrote as .json")
    recipe, log = read_log(source)
    address = Address.of(output or f"{source.stem}{SUFFIX}")
    Store.create(address, recipe, {}, log)
    typer.echo(f"Made {visible(str(address))}")


def copy(
    file: File,
    target: Annotated[str, typer.Argument(help="Another file, or postgresql://host/database#name.")],
) -> None:
    """Copies a study, with all its answers and pictures, between files and databases."""
    from askwise.study.address import Address
    from askwise.study.exchange import copy as copied

    copied(file, target)
    typer.echo(f"Copied to {visible(str(Address.of(target)))}")
