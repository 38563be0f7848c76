"""The example notebooks: one for each goal, as they were written, and running."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from askwise.goals.base.registry import built_in

nbformat = pytest.importorskip("nbformat", reason="NOT RUN: nbformat is not installed")
pytest.importorskip("nbclient", reason="NOT RUN: nbclient is not installed")
ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "notebooks"


def sources(found):
    return [(cell["cell_type"], cell["id"], cell["source"]) for cell in found.cells]


def test_every_goal_has_a_notebook_that_runs():
    written = runpy.run_path(str(ROOT / "docs" / "goal_notebooks.py"))
    assert set(written["EXAMPLES"]) == set(built_in()) == {path.stem for path in FOLDER.glob("*.ipynb")}
    stored = {goal: nbformat.read(FOLDER / f"{goal}.ipynb", as_version=4) for goal in written["EXAMPLES"]}
    for goal, found in stored.items():
        nbformat.validate(found)
        assert sources(found) == sources(written["notebook"](goal)), "run python docs/goal_notebooks.py"
        assert all(cell["outputs"] for cell in found.cells if cell["source"] == "session")
    for goal, found in zip(stored, written["run_all"](map(written["notebook"], stored)), strict=True):  # or it raises
        shown = [cell["outputs"] for cell in (*stored[goal].cells, *found.cells) if cell["source"] == "session"]
        assert all("text/html" in outputs[0]["data"] for outputs in shown)
