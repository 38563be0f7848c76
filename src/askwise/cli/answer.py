"""askwise answer: a program or a model answers."""

from __future__ import annotations

from contextlib import closing, nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from askwise.cli.common import (
    File,
    close_study,
    describe_certainty,
    describe_estimate,
    one_line,
    open_study,
    shell_address,
    stop_sentence,
)
from askwise.cli.judges import FAILED_EXIT_CODE, takes_oracle_options
from askwise.errors import OracleError
from askwise.session import Session

if TYPE_CHECKING:
    from askwise.oracles import OracleRun
    from askwise.oracles.registry import OracleSettings

DEFAULT_JOBS, JOBS_OF_COMMAND = 8, 1  # a program that reads line by line answers one question after the other


@takes_oracle_options
def answer(
    file: File,
    oracle: Annotated[
        str,
        typer.Option(
            "--with", metavar="ORACLE", help='Who answers: a command such as "python judge.py", or openai:MODEL.'
        ),
    ],
    who: Annotated[str | None, typer.Option(help="Stored with each answer [the model, or judge].")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, max=256, help="Questions in flight [8; 1 for a command].")] = None,
    budget: Annotated[int | None, typer.Option(min=1, help="Answers and skips at most, with earlier runs.")] = None,
    max_cost: Annotated[float | None, typer.Option(help="What the answers may cost, with earlier runs.")] = None,
    *,
    settings: OracleSettings,
) -> None:
    """Let a program or a language model answer."""
    from askwise.oracles import answer as run_oracle
    from askwise.oracles.command import CommandOracle
    from askwise.oracles.protocol import CanClose
    from askwise.oracles.registry import oracle_named

    judge = oracle_named(oracle, settings)
    limits = {name: limit for name, limit in (("answers", budget), ("cost", max_cost)) if limit is not None}
    at_once = jobs or (JOBS_OF_COMMAND if isinstance(judge, CommandOracle) else DEFAULT_JOBS)
    session = open_study(file)
    with closing(judge) if isinstance(judge, CanClose) else nullcontext():
        try:
            run = run_oracle(session, judge, who=who, jobs=at_once, budget=limits or None)
        except KeyboardInterrupt as stopped:
            typer.echo(f"\n{stopped}", err=True)
            raise
        except OracleError as failure:
            typer.echo(f"askwise: {one_line(str(failure))}", err=True)
            raise typer.Exit(FAILED_EXIT_CODE) from None
        finally:
            close_study(session)
    _print_result(session, run, file)


def _print_result(session: Session, run: OracleRun, file: str) -> None:
    from askwise.storage.address import Address

    typer.echo(f"{run.counts}.")
    typer.echo(one_line(f"{describe_estimate(session.estimate().value)}{describe_certainty(session.certificate())}"))
    typer.echo(stop_sentence(session) if session.done else f"Not settled yet: {run.reason}.")
    typer.echo(f"The result as a page: askwise report {one_line(shell_address(Address.of(file)))}")
