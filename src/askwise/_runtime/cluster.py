"""A dask cluster as an executor of the standard library."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from askwise.errors import SettingError


@contextmanager
def on_cluster(address: str) -> Iterator[Executor]:
    """The workers of the Dask scheduler at this address. If a worker dies, another one does its work again."""
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise SettingError(
            "a cluster needs dask.distributed; install it with: pip install 'askwise[cluster]'"
        ) from None
    try:
        client = Client(  # type: ignore[no-untyped-call]
            address, timeout="10s", set_as_default=False
        )
    except (OSError, ValueError) as refused:
        raise SettingError(
            f"no dask scheduler answers at {address!r} ({refused}); start one, or leave out the address"
        ) from None
    with client:
        yield client.get_executor(pure=False)  # type: ignore[no-untyped-call]
