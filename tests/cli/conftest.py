"""Running the command inside the test."""

from __future__ import annotations

import io
import sys

import pytest

from askwise.cli import main


@pytest.fixture
def askwise_command(tmp_path, monkeypatch, capsys):
    """Runs a command in a folder of its own: (exit code, standard output, standard error)."""
    monkeypatch.chdir(tmp_path)

    def run_it(*arguments, told=""):
        monkeypatch.setattr(sys, "argv", ["askwise", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.StringIO(told))
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return ended.value.code, said.out, said.err

    return run_it
