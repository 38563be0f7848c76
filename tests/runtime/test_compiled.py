"""Compiled code ends, can be interrupted, and works without a cache on disk."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import askwise
from askwise._runtime.compiled import machine_code
from askwise._runtime.notice import TEXT

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


TWICE = """
import sys
from errno import ENOSPC
import numba.core.caching as caching
if "full" in sys.argv:
    def full(self, path):
        raise OSError(ENOSPC, "No space left on device")
    caching.IndexDataCacheFile._open_for_write = full
from askwise.structures.triplets import fill_children, fill_preorder
import numpy as np
parent, left, right, order, stack = np.array([[3, 3, 4, 4, -1], *[[0] * 5] * 4], dtype=np.int32)
root = fill_children(parent, left, right)
print(root, fill_preorder(root, left, right, order, stack), order.tolist())
"""


def run(folder, *words, **places):
    """A process that compiles two functions with its cache in a folder: what it printed, and what it said."""
    places |= {"NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", TWICE, *words], env={**os.environ, **places}, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "4 5 [4, 2, 3, 0, 1]\n"
    return done.stderr.replace(f"{TEXT}\n", "")  # which a busy machine may say


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A cache as a first run leaves it."""
    folder = tmp_path_factory.mktemp("kept")
    assert run(folder) == ""
    assert len(list(folder.rglob("*.nbi"))) == 2
    return folder


def damaged(kept, folder, ending, damage):
    for path in kept.rglob("*"):
        if path.is_file():
            copy = folder / path.relative_to(kept)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
            if path.suffix == ending:
                damage(copy)
    return folder


def as_folder(path):
    """What can be neither read nor replaced, also by an administrator."""
    path.unlink()
    path.mkdir()


DAMAGES = {
    "nonsense in the index": (".nbi", lambda path: path.write_bytes(b"\x00nonsense" * 9)),
    "an index cut short": (".nbi", lambda path: path.write_bytes(path.read_bytes()[:40])),
    "data cut short": (".nbc", lambda path: path.write_bytes(path.read_bytes()[:100])),
    "an index that cannot be read": (".nbi", as_folder),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_cache_is_done_without_and_said_once(kept, tmp_path, name):
    said = run(damaged(kept, tmp_path, *DAMAGES[name]))
    assert said.count("\n") == said.count("compiled code cannot be read or kept on disk") == 1
    assert "Traceback" not in said
    if DAMAGES[name][1] is not as_folder:  # what can be replaced is whole again
        assert run(tmp_path) == ""


def test_a_full_disk_is_said_once(tmp_path):
    said = run(tmp_path, "full")
    assert said.count("\n") == 1
    assert "No space left on device" in said


def test_a_cache_without_a_folder_is_said_once(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    said = run(tmp_path / "file" / "cache", NUMBA_CACHE_LOCATOR_CLASSES="UserProvidedCacheLocator")
    assert said.count("\n") == 1
    assert "no folder can be written to; set NUMBA_CACHE_DIR to one" in said


LENGTHY = {  # one step of each takes minutes or hours, and compiles the same as the small one before it
    "matrices": """
from askwise.posteriors.matrices.posterior import MatrixPosterior
from askwise.structures.matrices import Matrices
def work(size):
    MatrixPosterior.prior(Matrices((size, size)), known=[(i, j, i - j) for i in range(size) for j in range(size)])
small, large = 4, 300
""",
    "clusterings": """
from askwise.posteriors.clusterings.posterior import ClusteringPosterior
from askwise.structures.clusterings import Clusterings
def work(size):
    ClusteringPosterior.prior(Clusterings(100), beta=2.0, chains=size)
small, large = 4, 30_000
""",
    "hierarchies": """
import numpy as np
from askwise.posteriors.hierarchies.posterior import HierarchyPosterior
from askwise.structures.hierarchies import Hierarchies
def work(size):
    posterior = HierarchyPosterior.prior(Hierarchies(100), beta=2.0, chains=size)
    print("made", flush=True)
    posterior.advanced(10_000, np.random.default_rng(0))
small, large = 4, 20_000
""",
}
LONG = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
work(small)
print("ready", flush=True)
work(large)
"""


@pytest.mark.parametrize("which", LENGTHY)
def test_ctrl_c_ends_a_long_computation(which):
    """Machine code hears no signal, so that it must be called in portions."""
    code = LENGTHY[which] + LONG
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        lines = iter(process.stdout.readline, "")
        assert "ready\n" in lines
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        try:
            _, said = process.communicate(timeout=60)
        finally:
            process.kill()
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert process.returncode != 0


def test_calls_with_constants_use_the_same_code():
    @machine_code()
    def plus(x, more):
        return x + more

    @machine_code()
    def twice(x):
        return plus(x, 1) + plus(x, 2)

    assert twice(3) == 9
    assert len(plus.askwise_parts.found) == 1


def test_a_function_that_only_compiled_code_calls_is_a_part_of_its_caller():
    @machine_code()
    def half(x):
        return x / 2

    @machine_code()
    def quarter(x):
        return half(half(x))

    assert quarter(8.0) == 2.0
    assert half.signatures == []  # no code of its own
    assert half(4.0) == 2.0  # but Python may call it
    assert len(half.signatures) == 1


def test_a_part_raises_what_it_would_raise_elsewhere():
    @machine_code()
    def checked(x):
        if x < 0:
            raise ValueError("below zero")
        return x

    @machine_code()
    def twice(x):
        return 2 * checked(x)

    assert twice(2) == 4
    with pytest.raises(ValueError, match="below zero"):
        twice(-1)
