"""askwise serve: people answer in the browser, and the owner watches."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from askwise.cli.common import one_line
from askwise.errors import SettingError

LOAD_SECONDS = 5.0  # enough to load compiled code, if there is any


def serve(
    target: Annotated[str, typer.Argument(metavar="STUDY", help="A study, a folder of studies, or a database.")],
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 accepts other machines.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes any free one.")] = 8000,
    workers: Annotated[int | None, typer.Option(min=1, max=1024, help="Worker processes [one per core].")] = None,
    token: Annotated[str | None, typer.Option(help="The owner's token [a new one each time].")] = None,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="Trust what a proxy on this machine says about visitors.")
    ] = False,
) -> None:
    """Serve studies in the browser."""
    import socket

    from askwise._runtime.processes import spawn
    from askwise.storage.address import Address

    with _web_extra():
        from askwise.web.learner.learner import Learner
        from askwise.web.learner.workers import warm
        from askwise.web.studies import ServedStudies
    studies = ServedStudies(target, Learner(1))  # refuses what is not a study before a server starts
    goals = {record.recipe["goal"]: record.recipe for record in map(studies.record, studies.names())}
    studies.close()
    # compiles before anybody connects, in a process that gives its memory back
    compiling = spawn.Process(target=warm, args=(list(goals.values()),), daemon=True)
    compiling.start()
    with _web_extra():
        import uvicorn

        from askwise.web.app import create_app
        from askwise.web.timeouts import config
    if not host:  # an empty address would accept every machine
        raise SettingError("an empty --host is no address; 127.0.0.1 is this machine, 0.0.0.0 accepts others")
    app = create_app(target, token, workers)
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(2048)  # requests that arrive before the server is ready wait
    except (OSError, UnicodeError) as refused:
        listener.close()
        why = getattr(refused, "strerror", None) or "it is not an address"
        raise SettingError(f"cannot listen on {host}:{port}: {why}; choose another --port or --host") from None
    compiling.join(LOAD_SECONDS)
    if compiling.is_alive():
        typer.echo("One moment. After an installation, askwise is compiled once.")
    compiling.join()
    where = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"
    typer.echo(f"Serving {one_line(str(Address.of(target)))}. The owner's page: {where}/login?token={app.state.token}")
    # uvicorn stops and raises the signal again; an exit, unlike a death, lets go of what the workers shared
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    uvicorn.Server(config(app, behind_proxy)).run(sockets=[listener])


@contextmanager
def _web_extra() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as missing:
        raise SettingError(f"serving needs {missing.name}; install it with: pip install 'askwise[web]'") from None
