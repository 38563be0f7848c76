"""From a table to a new study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from askwise.data.files import LoadedTable
from askwise.errors import DataError, SettingError
from askwise.goals import goal_class
from askwise.goals.base.files import session_of_table
from askwise.goals.base.goal import row_count
from askwise.goals.base.options import declared, is_required
from askwise.goals.base.texts import to_cli_name
from askwise.session import Session
from askwise.session.config import Recipe
from askwise.storage.address import Address
from askwise.storage.participants import set_mode
from askwise.storage.store import Store


def new_session(goal: str, data: LoadedTable, options: Mapping[str, Any]) -> Session:
    """The session of a new study. Options that the goal does not have are refused by name.

    >>> from pathlib import Path
    >>> new_session("top-k", LoadedTable({"name": ["tea", "milk", "water"]}, Path("drinks.csv")), {"k": 2})
    <Session: top_k, 0 answers, 0 open>
    """
    kind = goal_class(goal, typed=True)
    known, typed = declared(kind), to_cli_name(kind.goal_name)
    for name in options:
        if name not in known or name in ("pool", "readings"):  # which are for saved sessions alone
            raise SettingError(f"{typed} has no option --{to_cli_name(name)}; see askwise new --help")
    for name, option in known.items():
        if is_required(kind, name) and name not in options:
            flag = to_cli_name(name)
            raise SettingError(f"{typed} needs --{flag}; say which, for example --{flag} {option.example}")
    rows = row_count(data.columns) if data.columns else 0  # of a pool, which stays on disk
    if rows > kind.max_rows:
        raise DataError(
            f"{data.source.name} has {rows:,} rows; {typed} takes up to {kind.max_rows:,}: give a part of them"
        )
    return session_of_table(kind, data, options)


def write_study(address: Address, recipe: Recipe, media: Mapping[str, bytes], mode: str = "own") -> None:
    """Writes a new study with its pictures, sounds and films, and whether people share one result."""
    Store.create(address, recipe, media)
    if mode != "own":
        store = Store.at(address)
        set_mode(store, store.record().study, mode)
        store.close()
