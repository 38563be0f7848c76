"""`askwise warm` compiles what every goal needs; after it, no first use compiles anything."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from askwise.simulate.first_use import example_studies, study_groups

COMMAND = "from askwise.cli import main; main()"
USE = """
import json, sys
from askwise._runtime.compiled import compiled_here
from askwise.simulate.first_use import example_studies, use
found = {}
for name in example_studies():
    before = len(compiled_here())
    session = use(name, answers=5)
    session.prepare()
    found[name] = compiled_here()[before:]
print(json.dumps(found))
"""


def run(folder, code, *words):
    places = {**os.environ, "NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code, *words], env=places, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def warmed(tmp_path_factory):
    """A folder with all compiled code, and what the command that filled it printed."""
    folder = tmp_path_factory.mktemp("compiled")
    return folder, run(folder, COMMAND, "warm").stdout


def test_the_command_says_what_it_does_and_where_the_code_is(warmed):
    folder, said = warmed
    lines = said.splitlines()
    assert lines[0] == "Uses a small study of each goal, which compiles what is not compiled yet."
    assert [line[:5] for line in lines[1:-1]][-1] == "100 %"
    assert all(any(name in line for line in lines) for name in example_studies())
    assert lines[-1].startswith("Compiled ")
    assert f"The code is kept in {folder}" in lines[-1]


def test_after_it_no_first_use_compiles(warmed):
    found = json.loads(run(warmed[0], USE).stdout)
    assert set(found) == set(example_studies())
    assert {name: functions for name, functions in found.items() if functions} == {}


def test_a_second_time_nothing_is_compiled(warmed):
    said = run(warmed[0], COMMAND, "warm").stdout
    assert said.splitlines()[-1].startswith("Nothing had to be compiled.")
    assert said.count("all there") == len(study_groups())


def test_without_a_folder_the_command_says_so(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    places = {"NUMBA_CACHE_DIR": str(tmp_path / "file"), "NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator"}
    places |= {**os.environ, **places, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "warm"], env=places, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 2
    assert "set NUMBA_CACHE_DIR to a folder that can be written to" in done.stderr
    assert "Traceback" not in done.stderr
