"""askwise serve: people answer in the browser, and the owner watches."""

from __future__ import annotations

import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from askwise.cli.common import one_line
from askwise.errors import SettingError, StudyError

if TYPE_CHECKING:
    from askwise.session.config import Recipe
    from askwise.web.studies import ServedStudies

LOAD_SECONDS = 5.0  # enough to load compiled code, if there is any


def serve(
    target: Annotated[str, typer.Argument(metavar="STUDY", help="A study, a folder of studies, or a database.")],
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 accepts other machines.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes any free one.")] = 8000,
    workers: Annotated[int | None, typer.Option(min=1, max=1024, help="Worker processes [one per core].")] = None,
    token: Annotated[str | None, typer.Option(help="The owner's token [a new one each time].")] = None,
    token_file: Annotated[
        Path | None, typer.Option(help="File with the owner's token; a new file gets a new token.")
    ] = None,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="Trust what a proxy on this machine says about visitors.")
    ] = False,
    trusted_proxies: Annotated[
        str | None, typer.Option(metavar="ADDRESSES", help="Trust what these proxies say: 10.0.0.7,192.168.1.0/24.")
    ] = None,
    root_path: Annotated[str, typer.Option(help="Prefix under which a proxy serves it, such as /askwise.")] = "",
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Dask scheduler whose workers compute, tcp://host:8786.")
    ] = None,
    log_format: Annotated[str, typer.Option(help="Lines of the log: text or json.")] = "text",
    log_requests: Annotated[bool, typer.Option("--log-requests", help="Log each request, without secrets.")] = False,
) -> None:
    """Serve studies in the browser."""
    from askwise.storage.address import Address

    # uvicorn stops and raises the signal again; an exit, unlike a death, lets go of what the workers shared. From the
    # start on: the first process of a container ignores a signal that it does not handle
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    if target.endswith("/") and not Path(target).exists():
        raise StudyError(f"there is no folder {target}; make it with: mkdir {target}")
    if log_format not in ("text", "json"):
        raise SettingError(f"--log-format is {log_format!r}; expected text or json")
    with _compiling(target, log_format):
        with _web_extra():
            from askwise.web.app import create_app
            from askwise.web.learner.cluster import require_cluster
            from askwise.web.logs import json_line, set_up_logs
            from askwise.web.timeouts import GracefulServer, checked_proxies, config
            from askwise.web.token_file import token_from
        if token is not None and token_file is not None:
            raise SettingError("--token and --token-file are two ways to give one token; leave out one of them")
        proxies = None if trusted_proxies is None else checked_proxies(trusted_proxies)
        if cluster is not None:
            require_cluster(cluster)
        set_up_logs("json" if log_format == "json" else "text", log_requests)
        app = create_app(target, token if token_file is None else token_from(token_file), workers, root_path, cluster)
        listener = _listener(host, port)
    here = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # an address that a browser can open
    where = f"http://{f'[{here}]' if ':' in here else here}:{listener.getsockname()[1]}{app.state.root_path}"
    served = f"Serving {one_line(str(Address.of(target)))}."
    if log_format == "json":  # logs are kept and collected, so no token is in them
        typer.echo(json_line(served, owner_page=f"{where}/login", token=_where_the_token_is(token, token_file)))
    else:
        secret = app.state.token if token_file is None else f"$(cat {one_line(str(token_file))})"
        typer.echo(f"{served} The owner's page: {where}/login?token={secret}")
    GracefulServer(config(app, behind_proxy, proxies)).run(sockets=[listener])


def _where_the_token_is(token: str | None, token_file: Path | None) -> str:
    """Where to find the owner's token, for a log that does not tell it.

    >>> _where_the_token_is(None, Path("token"))
    'in the file token'
    """
    if token_file is not None:
        return f"in the file {one_line(str(token_file))}"
    if token is not None:
        return "the one given with --token"
    return "a new one that is not told; start with --token-file FILE to have it in a file"


@contextmanager
def _compiling(target: str, log_format: str) -> Iterator[None]:
    """Compiles what the studies need beside the block, in a process that gives its memory back. Waits for it if nobody
    was served before: people who go on have fallback questions meanwhile. Refuses what is not a study."""
    from askwise._runtime.processes import spawn

    with _web_extra():
        from askwise.web.learner.learner import Learner
        from askwise.web.learner.workers import warm
        from askwise.web.logs import json_line
        from askwise.web.stored_fallback import was_served
        from askwise.web.studies import ServedStudies
    studies = ServedStudies(target, Learner(0))
    goals = dict(studies_by_goal(studies))
    served_before = all(was_served(store) for store in studies.open_stores())
    studies.close()
    compiling = spawn.Process(target=warm, args=(list(goals.values()),), daemon=True)
    if served_before:
        yield
        compiling.start()
        return
    compiling.start()
    yield
    compiling.join(LOAD_SECONDS)
    if compiling.is_alive():
        moment = "One moment. After an installation, askwise is compiled once."
        typer.echo(json_line(moment) if log_format == "json" else moment)
    compiling.join()


def _listener(host: str, port: int) -> socket.socket:
    """A socket where requests wait until the server is ready."""
    if not host:  # an empty address would accept every machine
        raise SettingError("an empty --host is no address; 127.0.0.1 is this machine, 0.0.0.0 accepts others")
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(2048)
    except (OSError, UnicodeError) as refused:
        listener.close()
        why = getattr(refused, "strerror", None) or "it is not an address"
        raise SettingError(f"cannot listen on {host}:{port}: {why}; choose another --port or --host") from None
    return listener


@contextmanager
def serving(target: str) -> Iterator[str]:
    """Serves a study on this machine until the block ends. Gives the address of the server."""
    with _web_extra():
        import uvicorn

        from askwise.web.app import create_app
        from askwise.web.timeouts import config
    listener = _listener("127.0.0.1", 0)
    server = uvicorn.Server(config(create_app(target, workers=1)))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="askwise-serve", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def studies_by_goal(studies: ServedStudies) -> Iterator[tuple[str, Recipe]]:
    """A study of each goal. Of several studies, one that is damaged is named and does not stop the others."""
    for name in studies.names():
        try:
            recipe = studies.record(name).recipe
        except StudyError as damaged:
            if studies.folder is None:
                raise
            typer.echo(f"Not served: {one_line(str(damaged))}", err=True)
        else:
            yield recipe["goal"], recipe


@contextmanager
def _web_extra() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as missing:
        raise SettingError(f"serving needs {missing.name}; install it with: pip install 'askwise[web]'") from None
