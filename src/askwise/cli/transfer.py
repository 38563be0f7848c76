"""askwise export, import and copy: what leaves a study, and comes into one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from askwise.cli.common import File, opened
from askwise.errors import SettingError


def export(
    file: File,
    out: Annotated[Path, typer.Argument(help="By its ending: .csv, .tsv, .jsonl, .parquet, .nc (ArviZ) or .json.")],
    what: Annotated[str, typer.Option(help="answers, draws of the posterior, or predictions.")] = "answers",
    count: Annotated[int, typer.Option(min=1, help="Draws.")] = 1000,
) -> None:
    """Writes answers, posterior draws or predictions as a table, or the whole study as .json."""
    from askwise.study import exchange
    from askwise.study.files import write

    session = opened(file)
    if out.suffix.lower() == ".nc":
        exchange.to_netcdf(session, out, count)
    elif out.suffix.lower() == ".json":
        exchange.write_log(session, out)
    elif what == "answers":
        write(exchange.answers_table(session), out)
    elif what == "draws":
        write(exchange.draws_table(session, count), out)
    elif what == "predictions":
        write(exchange.predictions_table(session), out)
    else:
        raise SettingError(f"--what is answers, draws or predictions, not {what!r}")
    typer.echo(f"Wrote {out}")


def import_study(
    source: Annotated[Path, typer.Argument(metavar="JSON", help="What askwise export FILE study.json wrote.")],
    output: Annotated[str | None, typer.Option("--output", "-o", help="The study to make [JSON.askwise].")] = None,
) -> None:
    """Makes a study of one that was exported as .json."""
    from askwise.study.address import SUFFIX, Address
    from askwise.study.exchange import read_log
    from askwise.study.store import Store

    recipe, log = read_log(source)
    address = Address.of(output or f"{source.stem}{SUFFIX}")
    Store.create(address, recipe, {}, log)
    typer.echo(f"Made {address}")


def copy(
    file: File,
    target: Annotated[str, typer.Argument(help="Another file, or postgresql://host/database#name.")],
) -> None:
    """Copies a study, with all its answers and pictures, between files and databases."""
    from askwise.study.address import Address
    from askwise.study.exchange import copy as copied

    copied(file, target)
    typer.echo(f"Copied to {Address.of(target)}")
