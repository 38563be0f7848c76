"""Oracles by name: `openai:MODEL`, `command:PROGRAM`, and the prefixes that plug-ins register."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from askwise._runtime import plugins
from askwise.errors import SettingError
from askwise.options import function, text
from askwise.oracles.protocol import Oracle

GROUP = "askwise.oracles"


@dataclass(frozen=True)
class OracleSettings:
    """What may be set for an oracle that is made by name. Each takes what it needs.

    >>> OracleSettings(timeout=10).timeout
    10
    """

    timeout: float = 60.0  # seconds without a reply
    base_url: str | None = None  # of an endpoint
    rubric: str = ""  # what is to be judged, and how
    swap: bool = False  # ask about the options in both orders
    temperature: float | None = None  # None: as the endpoint likes
    requests_per_minute: float | None = None  # at most; None: no limit
    price_in: float | None = None  # of a million tokens
    price_out: float | None = None  # of a million tokens that the model writes
    key_env: str | None = None  # the environment variable that holds the key; None: OPENAI_API_KEY, if there is one


MakeOracle = Callable[[str, OracleSettings], Oracle]  # what stands behind the prefix, and the settings


def built_in_oracles() -> Mapping[str, MakeOracle]:
    """The prefixes of this package.

    >>> sorted(built_in_oracles())
    ['command', 'openai']
    """
    return {"command": _command, "openai": _openai}


def oracle_named(name: str, settings: OracleSettings | None = None) -> Oracle:
    """The oracle of that name; a name without a known prefix is a command.

    :param name: `openai:MODEL`, a command such as "python judge.py", or what a plug-in registers.
    :param settings: What else it needs to know.

    >>> oracle_named("command:python3 judge.py", OracleSettings(timeout=5)).words
    ['python3', 'judge.py']
    """
    settings = OracleSettings() if settings is None else settings
    prefix, colon, rest = text("name", name).partition(":")
    known = built_in_oracles()
    if colon and prefix in known:
        return known[prefix](rest, settings)
    if colon and prefix in plugins.registered(GROUP):
        made: Any = function(prefix, plugins.load(GROUP, prefix))(rest, settings)
        if not callable(made):
            raise SettingError(f"the plug-in {plugins.provider(GROUP, prefix)} made no oracle for {name!r}; update it")
        return made
    return _command(name, settings)


def _command(command: str, settings: OracleSettings) -> Oracle:
    from askwise.oracles.command import CommandOracle

    return CommandOracle(command, settings.timeout)


def _openai(model: str, settings: OracleSettings) -> Oracle:
    from askwise.oracles.chat import ChatOracle

    return ChatOracle(model, settings)
