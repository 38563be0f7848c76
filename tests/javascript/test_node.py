"""Runs the unit tests of the pages' JavaScript with node's own test runner."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="NOT RUN: unit tests of the JavaScript (node not found)")
@pytest.mark.parametrize("file", sorted(file.name for file in HERE.glob("*.test.js")))
def test_javascript(file):
    run = subprocess.run([NODE, "--test", file], cwd=HERE, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
