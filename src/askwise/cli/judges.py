"""The options of commands in which a program or a model answers, and what they mean."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from askwise.errors import DataError

if TYPE_CHECKING:
    from askwise.oracles.registry import OracleSettings

FAILED_EXIT_CODE = 3  # the program or the model could not go on

Timeout = Annotated[float, typer.Option(help="Seconds without a reply after which a call has failed.")]
BaseUrl = Annotated[
    str | None, typer.Option(metavar="URL", help="The address of the endpoint [https://api.openai.com/v1].")
]
Rubric = Annotated[Path | None, typer.Option(help="A text file: what the model shall judge, and how.")]
Swap = Annotated[bool, typer.Option("--swap", help="Ask the model in both orders; a tie or a skip if they differ.")]
Temperature = Annotated[float | None, typer.Option(help="Of the model, from 0 to 2 [the endpoint's own].")]
RequestsPerMinute = Annotated[float | None, typer.Option(help="To the endpoint, at most.")]
PriceIn = Annotated[float | None, typer.Option(help="Of a million tokens of questions.")]
PriceOut = Annotated[float | None, typer.Option(help="Of a million tokens of replies.")]
KeyEnv = Annotated[
    str | None, typer.Option(metavar="NAME", help="The environment variable with the key [OPENAI_API_KEY].")
]


def oracle_settings(rubric: Path | None, **settings: Any) -> OracleSettings:
    """The settings of an oracle, with the rubric read."""
    from askwise.oracles.registry import OracleSettings

    return OracleSettings(rubric="" if rubric is None else _read_rubric(rubric), **settings)


def _read_rubric(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise DataError(f"the rubric {str(path)[:100]} cannot be read ({reason}); give a text file") from None
