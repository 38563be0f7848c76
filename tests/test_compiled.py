"""Compiled code ends, can be interrupted, and works without a cache on disk."""

from __future__ import annotations

import ast
from pathlib import Path

import askwise

SOURCES = sorted(Path(askwise.__file__).parent.rglob("*.py"))


def compilers(tree):
    """The names that a module decorates functions with to compile them."""
    makers = {"machine_code", "njit", "jit"}
    made = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and named(node.value.func) in makers
        for target in node.targets
    }
    return makers | made | {"compiled", "inlined"}


def named(node):
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)


def compiled_functions(tree):
    known = compilers(tree)
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            decorators = [one.func if isinstance(one, ast.Call) else one for one in function.decorator_list]
            if any(named(decorator) in known for decorator in decorators):
                yield function


def endless(function):
    """The lines of a compiled function whose loops have no count of their own."""
    return [node.lineno for node in ast.walk(function) if isinstance(node, ast.While)]


def test_every_loop_in_compiled_code_has_a_count():
    """Where a number is not a number no condition ever holds, and machine code hears no signal: only counts end."""
    found = {
        f"{path.name}:{function.name}": endless(function)
        for path in SOURCES
        for function in compiled_functions(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert len(found) > 40  # the scan sees them
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_the_scan_sees_a_loop_without_a_count():
    text = "quick = machine_code()\n\n@quick\ndef f(x):\n    while x > 0:\n        x /= 2\n"
    [function] = compiled_functions(ast.parse(text))
    assert endless(function) == [5]
