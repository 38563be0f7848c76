"""The directive `example`: runs a script of examples/ in its short form and shows its chart, its output and its code.

All scripts start when the first one is needed, two at a time. Only what changed runs again.
"""

from __future__ import annotations

import re
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from subprocess import PIPE
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import askwise

DOCS = Path(__file__).parent
EXAMPLES = DOCS.parent / "examples"
CHARTS = DOCS / "images" / "gallery"  # written when the docs are built; git ignores it
ASKS = "best_car"  # a person, in the terminal
MAX_SECONDS = 300


def scripts() -> list[str]:
    """The names of the examples."""
    return sorted(path.stem for path in EXAMPLES.glob("*.py"))


def run(name: str) -> str:
    """Runs an example in its short form, and returns what it prints."""
    CHARTS.mkdir(parents=True, exist_ok=True)
    print(
        f"Running examples/{name}.py\n", end="", flush=True
    )  # also in a quiet build: with a cold cache it takes a while
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), "--quick", "--chart", str(CHARTS / f"{name}.svg")]
    script = subprocess.Popen(command, text=True, stdin=PIPE, stdout=PIPE, stderr=PIPE)
    printed = answered(script) if name == ASKS else ""
    output, errors = script.communicate(timeout=MAX_SECONDS)
    if script.returncode:
        raise RuntimeError(f"examples/{name}.py failed:\n{errors[-2000:]}")
    return printed + output


def answered(script: subprocess.Popen[str]) -> str:
    """Answers in place of a person who wants a strong car that is not too dear; what was printed and typed."""
    worth = {car["name"]: car["horsepower"] / 40 - car["price"] / 9000 for car in askwise.example("cars")}
    printed = ""
    assert script.stdin is not None
    assert script.stdout is not None
    while letter := script.stdout.read(1):
        printed += letter
        if question := re.search(r"prefer: (.+) or (.+)\? \[left/right\] $", printed):
            said = "left" if worth[question[1]] > worth[question[2]] else "right"
            script.stdin.write(f"{said}\n")
            script.stdin.flush()
            printed += f"{said}\n"
    return printed


@cache
def started() -> dict[str, Future[str]]:
    pool = ThreadPoolExecutor(2)
    return {name: pool.submit(run, name) for name in scripts()}


class Example(SphinxDirective):
    """`{example} digits` shows examples/digits.py."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        path = EXAMPLES / f"{name}.py"
        self.env.note_dependency(str(path))
        printed, code = started()[name].result(), path.read_text(encoding="utf-8")
        alt = f"The chart that examples/{name}.py draws: {code.strip().splitlines()[0].strip(chr(34))}"
        return [
            nodes.image(uri=f"/images/gallery/{name}.svg", alt=alt, candidates={"*": f"images/gallery/{name}.svg"}),
            nodes.literal_block(printed, printed, language="text"),
            *folded(f"The code: examples/{name}.py", nodes.literal_block(code, code, language="python")),
        ]


def folded(summary: str, content: nodes.Node) -> list[nodes.Node]:
    """Content that opens at a click."""
    begin = f"<details><summary>{summary}</summary>"
    return [nodes.raw("", begin, format="html"), content, nodes.raw("", "</details>", format="html")]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("example", Example)
    return {"parallel_read_safe": False}
