"""The page in a real browser: no message on the console, no request, no sideways scrolling on a phone."""

from __future__ import annotations

import re
import shutil
import subprocess
from html import escape

import pytest

import askwise
from askwise.report.page import page
from tests.report.studies import MADE, answered, go_on

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium, which is not installed")
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-component-update",
    "--disable-background-networking", "--disable-sync", "--hide-scrollbars", "--enable-logging=stderr", "--v=0",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)  # fmt: skip
WIDTH = 360
# in the network log: what the browser asks on its own account, updates and the like, is of no origin
BY_THE_PAGE = re.compile(r'"initiator":"(?!not an origin")[^"]*".*"url":"((?:https?|wss?|ftp):[^"]+)"')
MEASURE = """<!doctype html><iframe width="{width}" height="800" style="border: 0" srcdoc="{page}"></iframe>
<script>onload = () => {{
  const seen = frames[0].document.documentElement;
  document.body.dataset.wide = seen.scrollWidth;
}}</script>"""


def visit(tmp_path, text, *flags):
    """The page as the browser has it, what it said, and the addresses it asked for."""
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    log = tmp_path / "net.json"
    run = subprocess.run(
        [CHROMIUM, *QUIET, f"--user-data-dir={tmp_path / 'profile'}", f"--log-net-log={log}", *flags, "--dump-dom",
         (tmp_path / "page.html").as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    asked = BY_THE_PAGE.findall(log.read_text(encoding="utf-8"))
    said = [line for line in run.stderr.splitlines() if "CONSOLE" in line]
    return run.stdout, said, asked


@pytest.mark.parametrize("goal", ["best_item", "cluster_of", "hierarchy"])
def test_quiet_and_alone(goal, tmp_path):
    shown, said, asked = visit(tmp_path, page(answered(goal)))
    assert 'class="answer"' in shown
    assert not said
    assert not asked


def test_the_check_sees_what_it_should(tmp_path):
    loud = page(answered("best_item")).replace("</main>", '<img src="http://127.0.0.1:47123/x.png"></main>')
    _, said, _ = visit(tmp_path, loud)
    assert any("Content Security Policy" in line for line in said)
    _, _, asked = visit(tmp_path, re.sub(r"<meta http-equiv[^>]+>", "", loud))
    assert set(asked) == {"http://127.0.0.1:47123/x.png"}


@pytest.mark.parametrize("name", ["item {}", "the item number {}", "an item with a rather long name, number {}"])
def test_names_are_whole_and_lines_stay_clear_of_numbers(tmp_path, name):
    """On a phone: no name is cut, none lies on another row, and no line runs into the number beside it."""
    text = page(go_on(askwise.ranking([name.format(i) for i in range(12)], seed=1, draws=50), 3))
    measured = """onload = () => {{
      const seen = frames[0].document, box = (node) => node.getBoundingClientRect();
      const rows = [...seen.querySelectorAll("#ranks .row")], names = rows.map((row) => row.querySelector(".name"));
      const cut = names.filter((name) => name.scrollWidth > name.clientWidth || box(name).bottom
        > box(name.parentElement).bottom + 1).length;
      const hit = rows.filter((row) =>
        box(row.querySelector(".span")).right > box(row.querySelector("text")).left).length;
      const ends = rows.map((row) => box(row.querySelector("text")).bottom), above = box(names[0]).bottom < ends[0] - 5;
      const lies = names.filter((name, place) => place && box(name).top < ends[place - 1] - 5).length;
      const inside = ends[11] < box(seen.querySelector("#ranks .below")).top + 5;
      document.body.dataset.wide = `${{cut}} ${{hit}} ${{lies}} ${{inside}} ${{above}}`; }}"""
    script = re.sub(r"onload = .*?\n\}\}", lambda _: measured, MEASURE, flags=re.DOTALL)
    shown, _, _ = visit(tmp_path, script.format(width=WIDTH, page=escape(text)))
    assert re.search(r'data-wide="(.*?)"', shown)[1] == f"0 0 0 true {'false' if len(name) < 10 else 'true'}"


def test_words_of_the_settings_are_not_broken_on_a_phone(tmp_path):
    measured = """onload = () => {{
      const cells = [...frames[0].document.querySelectorAll("#settings td:first-child")];
      const tall = cells.filter((cell) => {{
        const all = frames[0].document.createRange();
        all.selectNodeContents(cell);
        return all.getClientRects().length > 1;
      }});
      document.body.dataset.wide = tall.map((cell) => cell.textContent).join(); }}"""
    script = re.sub(r"onload = .*?\n\}\}", lambda _: measured, MEASURE, flags=re.DOTALL)
    shown, _, _ = visit(tmp_path, script.format(width=WIDTH, page=escape(page(answered("best_item")))))
    assert re.search(r'data-wide="(.*?)"', shown)[1] == ""


@pytest.mark.parametrize("goal", MADE)
def test_fits_a_phone(goal, tmp_path):
    text = page(answered(goal)).replace("<details>", "<details open>")
    shown, _, _ = visit(tmp_path, MEASURE.format(width=WIDTH, page=escape(text)))
    assert int(re.search(r'data-wide="(\d+)"', shown)[1]) == WIDTH
