"""The options of commands in which a program or a model answers, and what they mean."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from askwise.errors import DataError

FAILED_EXIT_CODE = 3  # the program or the model could not go on
OPTIONS: dict[str, tuple[Any, Any]] = {  # the type and the default
    "timeout": (Annotated[float, typer.Option(help="Seconds without a reply after which a call has failed.")], 60.0),
    "base_url": (
        Annotated[
            str | None, typer.Option(metavar="URL", help="The address of the endpoint [https://api.openai.com/v1].")
        ],
        None,
    ),
    "rubric": (Annotated[Path | None, typer.Option(help="A text file: what the model shall judge, and how.")], None),
    "swap": (
        Annotated[bool, typer.Option("--swap", help="Ask the model in both orders; a tie or a skip if they differ.")],
        False,
    ),
    "temperature": (
        Annotated[float | None, typer.Option(help="Of the model, from 0 to 2 [the endpoint's own].")],
        None,
    ),
    "requests_per_minute": (Annotated[float | None, typer.Option(help="To the endpoint, at most.")], None),
    "price_in": (Annotated[float | None, typer.Option(help="Of a million tokens of questions.")], None),
    "price_out": (Annotated[float | None, typer.Option(help="Of a million tokens of replies.")], None),
    "key_env": (
        Annotated[
            str | None, typer.Option(metavar="NAME", help="The environment variable with the key [OPENAI_API_KEY].")
        ],
        None,
    ),
}


def takes_oracle_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options of an oracle. It gets them together, as `settings`."""

    @wraps(command)
    def run(**given: Any) -> None:
        from askwise.oracles.registry import OracleSettings

        chosen = {name: given.pop(name) for name in OPTIONS}
        rubric = "" if chosen["rubric"] is None else _read_rubric(chosen["rubric"])
        command(**given, settings=OracleSettings(**{**chosen, "rubric": rubric}))

    types = get_type_hints(command, localns={"OracleSettings": Any}, include_extras=True)  # it is not imported yet
    own = [each.replace(annotation=types[name]) for name, each in signature(command).parameters.items()]
    added = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in OPTIONS.items()
    ]
    shown = [each for each in (*own, *added) if each.name != "settings"]
    run.__signature__ = Signature(shown)  # type: ignore[attr-defined]  # typer reads these two
    run.__annotations__ = {each.name: each.annotation for each in shown}
    return run


def _read_rubric(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise DataError(f"the rubric {str(path)[:100]} cannot be read ({reason}); give a text file") from None
