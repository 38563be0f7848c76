"""askwise goal: another goal on the same answers."""

from __future__ import annotations

import json
from typing import Any

import typer

from askwise.cli.common import (
    AsJson,
    File,
    close_study,
    count_answers,
    describe_estimate,
    one_line,
    open_study,
    shell_address,
    stop_sentence,
)


def goal(
    file: File,
    goal: str,
    as_json: AsJson = False,
    **options: Any,
) -> None:
    """Change the goal and keep the answers."""
    from askwise.cli.options import typed_options
    from askwise.goals import change_goal
    from askwise.storage.address import Address

    session = open_study(file)
    change_goal(session, goal, **typed_options(options))
    close_study(session)
    if as_json:
        found = {"goal": goal, "answers": len(session.answers), "done": session.done, "reason": session.reason}
        typer.echo(json.dumps({**found, "estimate": session.estimate().value}))
        return
    again = one_line(shell_address(Address.of(file)))
    guess = one_line(describe_estimate(session.estimate().value))
    typer.echo(f"Best guess after {count_answers(session)}: {guess}")
    typer.echo(stop_sentence(session) if session.done else f"Not settled yet. Continue with: askwise ask {again}")
