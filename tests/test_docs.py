"""Everything with a name has a heading in the docs; every page can be reached; links lead somewhere."""

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
from docs import links
from docs.llms import llms_text, toctrees
from docs.parameters import parameter_lines, parameters, shown_on, with_parameters

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


PUBLIC = [name for name in askwise.__all__ if not inspect.ismodule(getattr(askwise, name))]


def test_every_public_name_has_an_anchor_in_the_reference() -> None:
    text = PAGES["reference"]
    found = re.findall(r"^\.\. auto(?:function|class|exception):: askwise\.(\w+)$", text, flags=re.MULTILINE)
    found += re.findall(r"^\.\. py:data:: (\w+)\n   :module: askwise$", text, flags=re.MULTILINE)
    assert sorted(found) == sorted(PUBLIC)


REFERENCE = shown_on(PAGES["reference"])


def test_the_reference_shows_what_its_directives_name() -> None:
    assert {f"askwise.{name}" for name in PUBLIC if callable(getattr(askwise, name))} <= set(REFERENCE)
    assert {"askwise.Session.ask", "askwise.theory.star_bound", "askwise.distances.items.TopK.top"} <= set(REFERENCE)
    assert "askwise.posteriors.scores.mala.run" not in REFERENCE


@pytest.mark.parametrize("name", REFERENCE)
def test_every_parameter_has_a_line(name: str) -> None:
    missing = set(parameters(REFERENCE[name])) - set(parameter_lines(REFERENCE[name]))
    assert not missing, f"the docstring of {name} has no line for {', '.join(sorted(missing))}"


def test_lines_are_inherited_from_the_method_that_is_overridden_and_from_its_protocol() -> None:
    from askwise.distances import TableDistance
    from askwise.strategies.baselines import bald

    assert set(parameter_lines(TableDistance.paired)) == {"left", "right"}
    assert parameter_lines(bald)["rng"] == parameter_lines(askwise.strategies.Strategy.__call__)["rng"]
    assert not parameter_lines(lambda left, right: None)


def test_the_reference_shows_the_comments_beside_fields() -> None:
    assert with_parameters(askwise.Reply, ["A reply."])[3] == ":param cost: In any unit: seconds, euros, tokens."
    lines = [":param per_row: Many.", ":param per_column: Many."]
    assert with_parameters(askwise.Plate, lines) == lines


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


HOW_TO = toctrees()["How to"]


def test_there_is_a_how_to_for_each_job() -> None:
    assert HOW_TO == ["choose", "rank", "texts", "records", "lab", "evaluate", "crowds", "groups", "robot"]
    listed = re.findall(r"\]\((\w+)\.md\) \|$", PAGES["index"], flags=re.MULTILINE)
    assert sorted(listed) == sorted(HOW_TO)


@pytest.mark.parametrize("page", HOW_TO)
def test_every_how_to_has_a_picture_with_words(page: str) -> None:
    pictures = re.findall(r"!\[([^]]+)\]\((images/[^)]+)\)", PAGES[page])
    assert pictures
    assert all(len(words.split()) > 5 for words, _ in pictures)


@pytest.mark.parametrize("page", ["install", "quickstart", *HOW_TO])
def test_a_page_to_get_something_done_has_no_history_of_benchmarks(page: str) -> None:
    assert not re.findall(r"by hand|python -m benchmarks|\b20\d\d-\d\d-\d\d\)", without_fences(PAGES[page]).lower())


@pytest.mark.parametrize("page", links.pages(), ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    assert links.broken(page) == []


def test_broken_links_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# One\n\n## Two `words`\n\n[a](#two-words) [b](#three) [c](no.md) `[d](no.md)` [e](https://x.example)\n"
    )
    assert links.broken(page) == ["#three", "no.md"]


def test_external_links_are_https() -> None:
    assert len(links.external()) > 10
    assert all(target.startswith("https://") for target in links.external())


def test_every_example_is_in_the_gallery() -> None:
    shown = re.findall(r"^```\{example\} (\w+)$", PAGES["gallery"], flags=re.MULTILINE)
    assert sorted(shown) == sorted(path.stem for path in (DOCS.parent / "examples").glob("*.py"))
    makefile = (DOCS.parent / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(rf"for script in .*\b{name}\b", makefile) for name in shown if name != "best_car")  # it asks


def test_llms_txt_lists_every_page_with_a_sentence() -> None:
    lines = [line for line in llms_text().splitlines() if line.startswith("- ")]
    listed = [re.search(r"\]\(_sources/(\w+)\.md\.txt\): \S", line) for line in lines]
    assert sorted(found[1] for found in listed if found) == sorted(set(PAGES) - {"index"})


def test_the_animation_stops_for_people_who_prefer_it() -> None:
    moving = (DOCS / "images" / "study.svg").read_text(encoding="utf-8")
    still = (DOCS / "images" / "study-still.svg").read_text(encoding="utf-8")
    assert "@media (prefers-reduced-motion:no-preference){@keyframes" in moving
    assert "@keyframes" not in still
    for text in (moving, still):
        assert ">A study from table to certificate</title>" in text
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    for text in (PAGES["index"], readme):
        assert re.search(r'<source media="\(prefers-reduced-motion: reduce\)" srcset="\S+study-still\.svg">', text)


@pytest.mark.parametrize("name", ["study", "terminal-ask", "terminal-label", "terminal-eval", "terminal-robot"])
def test_pictures_of_the_terminal_show_no_place_of_the_machine(name: str) -> None:
    assert not re.search(
        r"/(home|root|tmp|usr|work|opt)/", (DOCS / "images" / f"{name}.svg").read_text(encoding="utf-8")
    )
