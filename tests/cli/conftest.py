"""Running the command inside the test, and a table to run it on."""

from __future__ import annotations

import io
import logging
import sys

import pytest

from askwise.cli import main
from tests.cli.tables import ROWS, write_csv


@pytest.fixture
def run_command(tmp_path, monkeypatch, capsys):
    """Runs a command in a folder of its own: (exit code, standard output, standard error)."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, stdin=""):
        monkeypatch.setattr(sys, "argv", ["askwise", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return ended.value.code, printed.out, printed.err

    loggers = [logging.getLogger(name) for name in ("askwise", "uvicorn", "askwise.web.requests")]
    before = [(logger.handlers, logger.propagate, logger.level) for logger in loggers]
    yield run
    for logger, (handlers, propagate, level) in zip(loggers, before, strict=True):  # `serve` sets up the logs
        logger.handlers, logger.propagate = handlers, propagate
        logger.setLevel(level)


@pytest.fixture
def cars(tmp_path):
    """A table of twelve cars."""
    path = tmp_path / "cars.csv"
    write_csv(path, ROWS)
    return path
