"""Everything with a name has a heading in the docs; every page can be reached; the examples stay short."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from pathlib import Path
from types import ModuleType

import pytest

import askwise
import askwise.distances
import askwise.losses
import askwise.posteriors
import askwise.structures
from askwise.cli.app import app, whole_command
from askwise.goals import GOALS
from askwise.simulate.tasks import TASKS
from askwise.strategies import strategies

DOCS = Path(__file__).parent.parent / "docs"
PAGES = {page.stem: page.read_text(encoding="utf-8") for page in sorted(DOCS.glob("*.md"))}


def without_fences(text: str) -> str:
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)


def headings(page: str) -> set[str]:
    return {found.strip("` ") for found in re.findall(r"^#+ (.+)$", without_fences(PAGES[page]), flags=re.MULTILINE)}


def classes(package: ModuleType, *methods: str) -> list[str]:
    """The classes of a package that have these methods, but for protocols and abstract bases."""
    modules = [package, *(importlib.import_module(found.name) for found in submodules(package))]
    found = {
        name
        for module in modules
        for name, kind in inspect.getmembers(module, inspect.isclass)
        if kind.__module__ == module.__name__
        and all(callable(getattr(kind, method, None)) for method in methods)
        and not getattr(kind, "_is_protocol", False)
        and not inspect.isabstract(kind)
    }
    return sorted(found)


def submodules(package: ModuleType) -> list[pkgutil.ModuleInfo]:
    return list(pkgutil.walk_packages(package.__path__, f"{package.__name__}."))


LOSSES = sorted(name for name in askwise.__all__ if name in vars(askwise.losses) and name.islower())
FAMILIES = classes(askwise.structures, "draw_atoms", "predict", "decide", "responses")
DISTANCES = classes(askwise.distances, "paired", "pairwise")
POSTERIORS = classes(askwise.posteriors, "sample", "update", "diagnostics")
COMMANDS = sorted(str(command.name) for command in app.registered_commands)


def test_what_is_registered_is_found() -> None:
    assert {"Choice", "Finite", "IntervalClusterings", "LinearPool", "LinearSphere"} <= set(FAMILIES)
    assert {"Angle", "BestItem", "Custom", "Disagreement", "TableDistance", "TopK"} <= set(DISTANCES)
    assert {"Enumerated", "LogConcave"} <= set(POSTERIORS)
    assert {"davidson", "logistic", "ordered_logit", "softmax", "squared", "zero_one"} <= set(LOSSES)
    assert {"demo", "simulate"} <= set(COMMANDS)


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("strategies", sorted(strategies())),
        ("goals", sorted(GOALS)),
        ("families", FAMILIES),
        ("distances", DISTANCES),
        ("losses", LOSSES),
        ("samplers", POSTERIORS),
        ("cli", COMMANDS),
    ],
)
def test_every_name_has_a_heading(page: str, names: list[str]) -> None:
    assert names
    missing = set(names) - headings(page)
    assert not missing, f"docs/{page}.md has no heading for {', '.join(sorted(missing))}"


@pytest.mark.parametrize(
    ("page", "package", "methods"),
    [
        ("families", askwise.structures, ("draw_atoms", "predict")),
        ("distances", askwise.distances, ("paired", "pairwise")),
        ("samplers", askwise.posteriors, ("sample", "update")),
    ],
)
def test_no_heading_is_left_over(page: str, package: ModuleType, methods: tuple[str, ...]) -> None:
    named = {found.strip("`") for found in re.findall(r"^## (`.+`)$", PAGES[page], flags=re.MULTILINE)}
    assert named <= set(classes(package, *methods))


def test_every_option_of_a_command_is_described() -> None:
    flags = {flag for name in COMMANDS for option in whole_command(name).params for flag in option.opts if "-" in flag}
    assert {"--json", "--learn-scale", "--seed"} <= flags
    missing = {flag for flag in flags if f"`{flag}`" not in PAGES["cli"]}
    assert not missing, f"docs/cli.md does not describe {', '.join(sorted(missing))}"
    assert all(f"| `{task}` |" in PAGES["cli"] for task in TASKS)


def test_every_page_is_in_a_toctree() -> None:
    listed: set[str] = set()
    for text in PAGES.values():
        for tree in re.findall(r"^```\{toctree\}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL):
            listed |= {line.strip() for line in tree.splitlines() if line.strip() and not line.startswith(":")}
    assert listed == set(PAGES) - {"index"} | {f"notebooks/{goal}" for goal in GOALS}


def test_every_public_name_is_in_the_reference() -> None:
    text = PAGES["reference"]
    covered = set(re.findall(r"auto(?:class|function):: askwise\.(\w+)$", text, flags=re.MULTILINE))
    whole = {"askwise.errors", "askwise.goals", "askwise.stopping", "askwise.losses", "askwise.strategies"}
    assert all(f"automodule:: {module}\n" in text for module in whole)
    for module in whole:
        covered |= set(vars(importlib.import_module(module)))
    missing = set(askwise.__all__) - covered
    assert not missing, f"docs/reference.md lacks {', '.join(sorted(missing))}"


def resolves(name: str) -> bool:
    """Whether a dotted name is a module, or is found in one."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[length:]:
            found = getattr(found, attribute, None)
        return found is not None
    return False


@pytest.mark.parametrize("page", sorted(set(PAGES) - {"changelog"}))
def test_names_on_a_page_exist(page: str) -> None:
    unknown = {name for name in re.findall(r"`(askwise(?:\.\w+)+)", PAGES[page]) if not resolves(name)}
    assert not unknown, f"docs/{page}.md names {', '.join(sorted(unknown))}, which does not exist"


def test_the_examples_of_one_s_own_are_short() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", PAGES["own"], flags=re.MULTILINE | re.DOTALL)
    written = {}
    for block in blocks:
        begin = re.search(r"^>>> (?:class|def) (\w+)", block, flags=re.MULTILINE)
        if begin:
            written[begin[1]] = block[begin.start() :].strip().splitlines()
    assert list(written) == ["Threshold", "SameClass", "least_confident"]
    for name, lines in written.items():
        assert len(lines) < 30, f"{name} in docs/own.md takes {len(lines)} lines; keep it under 30"


def test_pictures_are_there() -> None:
    for name, text in PAGES.items():
        for target in re.findall(r"\]\((images/[^)]+)\)", text):
            assert (DOCS / target).exists(), f"docs/{name}.md shows {target}, which is missing"
