"""askwise owners: who else may see or change studies."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from askwise.cli.common import AsJson, one_line
from askwise.errors import SettingError


def owners(
    target: Annotated[str, typer.Argument(metavar="STUDY", help="What is served: a study, a folder or a database.")],
    add: Annotated[str | None, typer.Option(metavar="NAME", help="Make a token for somebody, printed once.")] = None,
    role: Annotated[str, typer.Option(help="viewer (looks) or owner (may change everything).")] = "viewer",
    revoke: Annotated[str | None, typer.Option(metavar="NAME", help="Take somebody's token away.")] = None,
    as_json: AsJson = False,
) -> None:
    """List who has a token for a server of these studies, make one, or take one away."""
    from askwise.storage.owners import OwnerTokens

    if add is not None and revoke is not None:
        raise SettingError("choose one of --add and --revoke")
    tokens = OwnerTokens(target)
    try:
        if add is not None:
            token = tokens.add(add, role)
            typer.echo(json.dumps({"name": add.strip(), "role": role, "token": token}) if as_json else token)
            return
        if revoke is not None:
            tokens.revoke(revoke)
        listed = tokens.listed()
    finally:
        tokens.close()
    if as_json:
        typer.echo(json.dumps([vars(one) for one in listed]))
        return
    for one in listed:
        typer.echo(f"{one_line(one.name)}  {one.role}  since {one.created}")
    if not listed:
        typer.echo("Nobody but whoever has the token of the server.")
