"""The folder keeps the shape that CONTRIBUTING describes."""

from __future__ import annotations

import ast
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "askwise"
MODULES = sorted(SOURCE.rglob("*.py"))


def test_few_modules_stand_outside_a_package():
    assert len(list(SOURCE.glob("*.py"))) <= 8


@pytest.mark.parametrize("package", [path for path in MODULES if path.name == "__init__.py"], ids=str)
def test_every_package_says_in_three_sentences_what_lives_there(package):
    text = ast.get_docstring(ast.parse(package.read_text(encoding="utf-8")))
    assert len(re.findall(r"[.:]\s|\.$", text.partition(">>>")[0])) >= 3 or package.parent == SOURCE


@pytest.mark.parametrize("name", ["layers", "answer"])
def test_the_pictures_of_the_architecture_are_up_to_date(name):
    drawn = runpy.run_path(str(ROOT / "docs" / "architecture.py"))[name]()
    assert (ROOT / "docs" / "images" / f"{name}.svg").read_text(encoding="utf-8") == drawn


def test_the_way_of_an_answer_names_files_that_exist():
    steps = runpy.run_path(str(ROOT / "docs" / "architecture.py"))["STEPS"]
    assert [file for _, _, _, file, _ in steps if not (SOURCE / file).is_file()] == []


def test_every_class_has_a_name_of_its_own():
    names = [
        node.name for path in MODULES for node in ast.parse(path.read_text()).body if isinstance(node, ast.ClassDef)
    ]
    assert sorted({name for name in names if names.count(name) > 1}) == []
