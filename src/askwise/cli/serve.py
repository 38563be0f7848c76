"""askwise serve: in the browser, people answer and the owner watches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from askwise.cli.common import visible
from askwise.errors import SettingError

LOADED = 5.0  # seconds in which compiled code is loaded, where there is any


def serve(
    target: Annotated[str, typer.Argument(metavar="STUDY", help="A study, a folder of studies, or a database.")],
    host: Annotated[str, typer.Option(help="Where to listen; 0.0.0.0 lets other machines in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any that is free.")] = 8000,
    workers: Annotated[int | None, typer.Option(min=1, max=1024, help="Processes that learn [one a core].")] = None,
    token: Annotated[str | None, typer.Option(help="The owner's token [a new one each time].")] = None,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="Believe what a proxy on this machine says about the visitor.")
    ] = False,
) -> None:
    """Serves studies in the browser; the address with the owner's token is printed at the start."""
    import socket

    from askwise.processes import spawn
    from askwise.study.address import Address

    with _web_extra():
        from askwise.server.hub import Hub
        from askwise.server.learner import Learner
        from askwise.server.workers import warm
    hub = Hub(target, Learner(1))  # refuses what is no study before a server starts
    goals = {record.recipe["goal"]: record.recipe for record in map(hub.record, hub.names())}
    hub.close()
    # before anybody is let in, and in a process whose memory is given back
    compiling = spawn.Process(target=warm, args=(list(goals.values()),), daemon=True)
    compiling.start()
    with _web_extra():
        import uvicorn

        from askwise.server.app import create_app
        from askwise.server.listening import config
    if not host:  # which would mean every machine
        raise SettingError("an empty --host is no address; 127.0.0.1 is this machine, 0.0.0.0 lets others in")
    app = create_app(target, token, workers)
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(2048)  # requests that arrive before the server is ready wait
    except (OSError, UnicodeError) as refused:
        listener.close()
        why = getattr(refused, "strerror", None) or "it is no address"
        raise SettingError(f"cannot listen on {host}:{port}: {why}; choose another --port or --host") from None
    compiling.join(LOADED)
    if compiling.is_alive():
        typer.echo("One moment: the learner gets ready; the first time after an installation it is compiled.")
    compiling.join()
    where = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"
    typer.echo(f"Serving {visible(str(Address.of(target)))}. The owner's page: {where}/login?token={app.state.token}")
    uvicorn.Server(config(app, behind_proxy)).run(sockets=[listener])


@contextmanager
def _web_extra() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as missing:
        raise SettingError(f"serving needs {missing.name}; install it with: pip install 'askwise[web]'") from None
