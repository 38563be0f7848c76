"""The files around the code agree with each other: pyproject, workflows, hooks, citation, licence."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
YAML = sorted([*ROOT.glob("*.yaml"), *ROOT.glob("*.cff"), *(ROOT / ".github").rglob("*.yml")])
HOOKS = ROOT / ".pre-commit-config.yaml"
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def load(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", [*YAML, HOOKS], ids=lambda path: path.name)
def test_every_yaml_file_can_be_read(path):
    assert load(path)


def test_the_workflow_tries_every_python_of_the_classifiers():
    jobs = load(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]
    steps = [step for step in jobs["checks"]["steps"] if "python-version" in step.get("with", {})]
    tried = {steps[0]["with"]["python-version"], *jobs["tests"]["strategy"]["matrix"]["python"]}
    named = {each.rpartition(" ")[2] for each in PYPROJECT["project"]["classifiers"] if re.search(r":: 3\.\d+$", each)}
    assert tried == named
    assert PYPROJECT["project"]["requires-python"] == f">={min(named)}"


def test_the_workflow_runs_what_the_repository_has():
    jobs = load(ROOT / ".github" / "workflows" / "ci.yml")["jobs"].values()
    commands = [step["run"] for job in jobs for step in job["steps"] if "run" in step]
    assert ".ci/run" in commands
    for command in set(commands) - {".ci/run"}:
        assert re.search(rf"^{command.removeprefix('make ')}:", MAKEFILE, flags=re.MULTILINE), command


def test_the_hooks_are_valid_and_use_the_same_ruff():
    subprocess.run([sys.executable, "-m", "pre_commit", "validate-config", HOOKS], check=True, capture_output=True)
    revisions = {hook["repo"].rpartition("/")[2]: hook.get("rev") for hook in load(HOOKS)["repos"]}
    ruff = next(each for each in PYPROJECT["dependency-groups"]["lint"] if each.startswith("ruff=="))
    assert revisions["ruff-pre-commit"] == f"v{ruff.removeprefix('ruff==')}"


def test_all_has_every_extra():
    extras = PYPROJECT["project"]["optional-dependencies"]
    (everything,) = extras["all"]
    assert set(re.findall(r"\w+", everything)) - {"askwise"} == set(extras) - {"all"}


def test_the_citation_agrees_with_the_package():
    cited = load(ROOT / "CITATION.cff")
    assert cited["cff-version"] == "1.2.0"
    assert cited["title"] == PYPROJECT["project"]["name"]
    assert cited["license"] == PYPROJECT["project"]["license"]
    assert cited["authors"] == PYPROJECT["project"]["authors"]
    assert cited["keywords"] == PYPROJECT["project"]["keywords"]


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "SECURITY.md", ".github/PULL_REQUEST_TEMPLATE.md"])
def test_targets_and_pages_that_are_named_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"`make ([a-z-]+)", text):
        assert re.search(rf"^{target}:", MAKEFILE, flags=re.MULTILINE), target
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        assert (ROOT / page).parent.joinpath(link).exists(), link
