"""The public names: complete, sorted, documented with examples that run, and quick to import."""

from __future__ import annotations

import doctest
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import askwise
from askwise import goals

ROOT = Path(__file__).parents[1]
NAMES = [name for name in askwise.__all__ if not inspect.ismodule(getattr(askwise, name))]
CALLABLE = [name for name in NAMES if callable(getattr(askwise, name))]
ERRORS = [
    name
    for name in CALLABLE
    if inspect.isclass(getattr(askwise, name)) and issubclass(getattr(askwise, name), Exception)
]


def test_all_is_sorted_and_complete():
    public = {n for n, value in vars(askwise).items() if not n.startswith("_") and not inspect.ismodule(value)}
    assert askwise.__all__ == sorted(askwise.__all__)
    later = {
        "Reply",
        "answer",
        "change_goal",
        "embed",
        "example",
        "from_json",
        "learn_population",
        "open",
        "save",
        "to_sklearn",
        *goals.GOALS,
    }  # imported when first asked for
    assert set(NAMES) == (public - {"Any", "TYPE_CHECKING"}) | later
    assert not hasattr(askwise, "best_guess")


def test_names_an_example_uses_are_public():
    readme = ROOT / "README.md"
    text = askwise.__doc__ + (readme.read_text() if readme.exists() else "")
    for name in re.findall(r"\baskwise\.([a-z_]+)\(", text):
        assert hasattr(askwise, name), name


@pytest.mark.parametrize("name", CALLABLE)
def test_documented_with_an_example_that_runs(name):
    thing = getattr(askwise, name)
    assert thing.__doc__
    assert thing.__doc__.strip()
    assert not thing.__doc__.startswith(f"{name}("), "written for the class by Python, not by hand"
    if name in ERRORS:
        return
    module = sys.modules[thing.__module__]
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    tests = [t for t in doctest.DocTestFinder(recurse=False).find(thing, name, module) if t.examples]
    assert tests, f"{name} has no example (>>>)"
    runner = doctest.DocTestRunner(verbose=False, optionflags=flags)
    for test in tests:
        test.globs.update(vars(module))
        assert runner.run(test).failed == 0


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(CALLABLE)))
def test_values_are_instances_of_documented_classes(name):
    assert ">>>" in (type(getattr(askwise, name)).__doc__ or "")


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_one_tree(name):
    assert issubclass(getattr(askwise, name), askwise.AskwiseError)
    assert name in sys.modules["askwise.errors"].__doc__


def python(code: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "OPENBLAS_NUM_THREADS": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # installed packages have bytecode, and so has ours
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return run.stdout


@pytest.fixture(scope="module")
def loaded():
    return python("import sys, askwise; print(*sys.modules)").split()


@pytest.mark.parametrize(
    "heavy",
    [
        "scipy",
        "numba",
        "narwhals",
        "pandas",
        "pyarrow",
        "matplotlib",
        "sklearn",
        "sqlalchemy",
        "typer",
        "rich",
        "pydantic",
        "pygments",
        "markdown_it",
        "jinja2",
        "xarray",
    ],
)
def test_import_is_light(heavy, loaded):
    assert "askwise" in loaded
    assert heavy not in loaded


def test_a_command_loads_only_what_it_needs():
    """The list of commands and the version wait for no goal."""
    loaded = python("import sys, askwise.cli.app; print(*sys.modules)").split()
    assert "typer" in loaded
    assert not {"askwise.goals", "scipy", "numba", "sqlalchemy", "markdown_it", "pygments"}.intersection(loaded)


def test_import_takes_about_as_long_again_as_numpy():
    code = """
from time import process_time
start = process_time()
import numpy.random
between = process_time()
import askwise
print(between - start, process_time() - between)"""
    numpy_alone, ours = zip(*(map(float, python(code).split()) for _ in range(3)), strict=True)
    assert min(ours) < 1.5 * min(numpy_alone)
