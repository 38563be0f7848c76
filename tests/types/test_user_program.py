"""`py.typed` is true: mypy and pyright accept what people write, and find what is wrong in it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).with_name("user_program.py")
PYRIGHT = ROOT / "node_modules" / "pyright" / "index.js"


@pytest.fixture
def folder(tmp_path, installed):
    """A folder of a user's own with the program, in which askwise is an installed package."""
    shutil.copy(PROGRAM, tmp_path / "program.py")
    return tmp_path


def test_mypy(folder, installed, pytestconfig):
    kept = pytestconfig.cache.mkdir(
        "mypy"
    )  # what mypy knows of numpy and others, from one run of the tests to the next
    arguments = ["--strict", "--config-file=", "--python-executable", str(installed), "--cache-dir", str(kept)]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", *arguments, "program.py"], cwd=folder, capture_output=True, text=True
    )
    assert run.stdout == "Success: no issues found in 1 source file\n", run.stdout + run.stderr


def test_pyright(folder, installed):
    if shutil.which("node") is None or not PYRIGHT.is_file():
        pytest.skip("NOT RUN: pyright is not installed; install node and npm, then: make setup")
    settings = {
        "include": ["program.py"],
        "typeCheckingMode": "standard",
        "reportUnnecessaryTypeIgnoreComment": "error",
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = ["node", str(PYRIGHT), "--pythonpath", str(installed), "--outputjson"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    found = json.loads(run.stdout)["generalDiagnostics"]
    told = [f"{each['range']['start']['line'] + 1}: {each['message']}" for each in found if each["severity"] == "error"]
    assert told == [], run.stderr
