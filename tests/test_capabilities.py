"""Optional abilities (of families, distances, ...): declared, documented, and found in one way."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from askwise import distances, losses, posteriors, strategies, structures
from askwise.distances import forms

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "askwise"
MAIN = {"Distance", "Drawn", "Family", "Form", "Loss", "Posterior", "Strategy"}
DECLARED = {
    kind.__name__: kind
    for module in (structures, distances, posteriors, losses, strategies)
    for kind in module.CAPABILITIES
}


def protocols(module):
    found = vars(module).values()
    return {kind.__name__ for kind in found if inspect.isclass(kind) and getattr(kind, "_is_protocol", False)}


def members(kind):
    return sorted(name for name in {*vars(kind), *inspect.get_annotations(kind)} if not name.startswith("_"))


def test_every_protocol_is_a_main_one_or_a_capability():
    found = set().union(*map(protocols, (structures, distances, forms, posteriors, losses, strategies)))
    assert found - {"Capability", "Protocol"} == MAIN | set(DECLARED)


@pytest.mark.parametrize("name", sorted(DECLARED))
def test_every_capability_is_documented(name):
    page = (ROOT / "docs" / "own.md").read_text(encoding="utf-8")
    row = next((line for line in page.splitlines() if line.startswith(f"| `{name}`")), None)
    assert row, f"docs/own.md has no row for {name}"
    assert all(f"`{member}" in row for member in members(DECLARED[name]))
    assert DECLARED[name].__doc__


@pytest.mark.parametrize("package", ["strategies", "stopping", "posteriors", "structures", "distances"])
def test_nothing_is_probed_by_name(package):
    for path in (SOURCE / package).rglob("*.py"):
        names = {node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)}
        assert not names & {"getattr", "hasattr"}, path


@pytest.mark.parametrize("package", ["strategies", "stopping", "session"])
def test_generic_code_imports_no_concrete_family_or_posterior(package):
    concrete = ("askwise.structures.", "askwise.posteriors.")
    for path in (SOURCE / package).rglob("*.py"):
        imports = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
        names = {node.module for node in imports if node.module and node.module.startswith(concrete)}
        assert names <= {"askwise.posteriors.chains"}, path
