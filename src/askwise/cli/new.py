"""askwise new: from a table to a study."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from askwise.cli import to_cli_names
from askwise.cli.common import AsJson, one_line, shell_address
from askwise.errors import SettingError


def new(
    goal: str,
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="A table (CSV, TSV, Excel, JSON, JSONL, Parquet), a list of lines (.txt) or a folder of pictures.",
        ),
    ],
    output: Annotated[str | None, typer.Option("--output", "-o", help="The new study [DATA.askwise].")] = None,
    store: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A database instead of a file: postgresql://host/database.")
    ] = None,
    encoding: Annotated[str, typer.Option(help="Encoding of text files.")] = "utf-8",
    no_header: Annotated[bool, typer.Option("--no-header", help="The first line of the table is a row.")] = False,
    instructions: Annotated[Path | None, typer.Option(help="A text file for people who answer in the browser.")] = None,
    pooled: Annotated[bool, typer.Option("--pooled", help="People share one result [each gets their own].")] = False,
    as_json: AsJson = False,
    **options: Any,
) -> None:
    """Make a study from a table or a folder of pictures.

    For example: askwise new best-item cars.csv
    """
    from askwise.cli.options import typed_options
    from askwise.data.files import read
    from askwise.goals import goal_class, goal_of
    from askwise.storage.address import SUFFIX, Address
    from askwise.storage.create import new_session, write_study

    goal_class(goal, typed=True)  # a goal that does not exist is refused before a large table is read
    chosen = {kind: options[kind] for kind in ("audio", "video")}
    found = read(data, encoding=encoding, image=options.pop("image"), header=not no_header, **chosen)
    given = typed_options(options)
    if instructions is not None:
        given["instructions"] = read_instructions(instructions, encoding)
    if not as_json and sys.stdin.isatty():
        given = _prompt_for_required(goal, given)
    session = new_session(goal, found, given)
    wanted = output if output is not None else f"{data.stem if data.suffix else data.name}{SUFFIX}"
    address = Address.of(wanted) if store is None else Address.of(store).named(Path(wanted).stem)
    assert session.recipe is not None
    built = goal_of(session)
    sentences, summary = built.sentences(session), built.summary(session).as_dict()  # before anything is written
    write_study(address, session.recipe, found.media, "pooled" if pooled else "own")
    if as_json:
        typer.echo(json.dumps({"study": str(address), **summary}))
        return
    typer.echo("\n".join(map(one_line, [*sentences, *map(to_cli_names, found.remarks)])))
    typer.echo(f"\nMade {one_line(str(address))}. Now answer: askwise ask {one_line(shell_address(address))}")


def _prompt_for_required(goal: str, given: dict[str, Any]) -> dict[str, Any]:
    """Asks the person at the terminal for the options that have no default."""
    from askwise.goals import goal_class
    from askwise.goals.base.options import declared, is_required

    kind = goal_class(goal)
    for name, option in declared(kind).items():
        if is_required(kind, name) and name not in given:
            given[name] = typer.prompt(option.label or option.help, type=str if option.typed is list else option.typed)
    return given


def read_instructions(path: Path, encoding: str = "utf-8") -> str:
    """The text that people read before the first question."""
    from askwise.data.media import short_path

    try:
        if not path.is_file():  # a pipe would be waited for
            raise SettingError(f"there is no file {path} with instructions; give a text file")
        return path.read_text(encoding=encoding)
    except OSError as error:
        told = f"the instructions in {short_path(path)} cannot be read: {error.strerror}"
        raise SettingError(f"{told}; give a text file") from None
    except (LookupError, UnicodeError):
        raise SettingError(f"the instructions in {path} are not {encoding} text; save them as UTF-8") from None
