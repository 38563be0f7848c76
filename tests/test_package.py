"""The wheel and the source distribution hold everything, and the wheel works where the repository is not."""

from __future__ import annotations

import tomllib
from importlib.metadata import metadata

import yaml
from packaging.requirements import Requirement

import askwise
from release.check_package import contents, lowest_versions, use_package
from tests.package import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_wheel_holds_every_file_of_the_package(package):
    source = ROOT / "src"
    files = {
        str(path.relative_to(source))
        for path in (source / "askwise").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    found = {name for name in contents(package.wheel) if ".dist-info/" not in name}
    assert found == files
    assert "askwise/py.typed" in found


def test_the_source_distribution_makes_the_same_wheel(package):
    assert contents(package.wheel_of_source) == contents(package.wheel)


def test_there_is_one_version(package):
    assert package.wheel.name == f"askwise-{askwise.__version__}-py3-none-any.whl"
    head = contents(package.wheel)[f"askwise-{askwise.__version__}.dist-info/METADATA"].decode()
    assert f"\nVersion: {askwise.__version__}\n" in head
    assert metadata("askwise")["Name"] == "askwise"
    assert "version" not in PYPROJECT["project"]
    recipe = yaml.safe_load((ROOT / "release" / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    assert recipe["context"]["version"] == askwise.__version__


def test_the_conda_recipe_has_the_same_dependencies():
    recipe = yaml.safe_load((ROOT / "release" / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    here = {str(Requirement(line)) for line in PYPROJECT["project"]["dependencies"]}
    _, *there = recipe["requirements"]["run"]  # the first is Python
    assert {str(Requirement(line.replace(" ", ""))) for line in there} == here
    assert PYPROJECT["project"]["requires-python"] == f">={recipe['context']['python_min']}"
    assert PYPROJECT["build-system"]["requires"] == [recipe["requirements"]["host"][1].replace(" ", "")]


def test_every_dependency_has_a_lowest_version(package):
    lowest = lowest_versions(package.wheel)
    assert len(lowest) == len({line.partition("==")[0] for line in lowest}) >= 25
    assert {line for line in lowest if line.startswith("numpy")} == {
        each.replace(">=", "==") for each in PYPROJECT["project"]["dependencies"] if each.startswith("numpy")
    }


def test_a_stranger_can_use_the_wheel(installed, tmp_path):
    said = use_package(installed, tmp_path)
    assert [line.partition(":")[0] for line in said.splitlines()[1:]] == ["Python", "Command", "Web"]
