"""Draws the two pictures of CONTRIBUTING, as plain SVG: python docs/architecture.py

The layers come from the import contract in pyproject.toml, so that the picture cannot disagree with what is checked.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
STYLE = """<style>
text { font: 14px system-ui, sans-serif; fill: #1f2933 }
.name { font-weight: 600 } .small { font-size: 12px; fill: #52606d }
rect { stroke: #9aa5b1 } .paper { fill: #ffffff; stroke: none }
path { stroke: #52606d; stroke-width: 1.6; fill: none } marker path { fill: #52606d; stroke: none }
.ground { fill: #f5f7fa } .mathematics { fill: #e6f6ff } .session { fill: #e3f9e5 }
.study { fill: #fff3c4 } .interface { fill: #ffe3ec }
@media (prefers-color-scheme: dark) {
text { fill: #f5f7fa } .small { fill: #cbd2d9 } .paper { fill: #12181f }
path { stroke: #cbd2d9 } marker path { fill: #cbd2d9 }
.ground { fill: #1f2933 } .mathematics { fill: #0b3a53 } .session { fill: #124020 }
.study { fill: #4d3a00 } .interface { fill: #4f1230 }
}
</style>
<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
<path d="M0 0 8 4 0 8z"/></marker>"""
LAYERS = {  # what each layer holds, and the group it is drawn in
    "cli": ("the command", "interface"),
    "notebook": ("cards in a notebook", "interface"),
    "web": ("the web app", "interface"),
    "experiments": ("the paper's figures", "interface"),
    "report": ("a page and charts for every goal", "study"),
    "evaluate": ("systems compared by judges and a person", "study"),
    "simulate": ("simulated people, plans and forecasts", "study"),
    "exchange": ("answers, draws and models in and out", "study"),
    "oracles": ("programs and models that answer", "study"),
    "storage": ("studies in SQLite or PostgreSQL", "study"),
    "testing": ("checks for other people's families, distances, posteriors and strategies", "session"),
    "goals": ("one file a goal: everything a goal is", "session"),
    "session": ("ask and tell; the event log", "session"),
    "stopping": ("when to stop, what may be claimed", "session"),
    "strategies": ("which question", "session"),
    "posteriors": ("what we believe after the answers", "mathematics"),
    "problem": ("family + distance + loss", "mathematics"),
    "distances": ("what we care about", "mathematics"),
    "structures": ("what can be true", "mathematics"),
    "losses": ("how answers are noisy", "mathematics"),
    "_runtime": ("threads, random streams", "ground"),
    "data": ("tables in", "ground"),
    "options": ("checks of options", "ground"),
    "theory": ("the paper's bounds", "ground"),
    "types": ("the nouns", "ground"),
    "display": ("what higher layers show", "ground"),
    "errors": ("the exception tree", "ground"),
}
STEPS = [  # where an answer goes, what happens there, the file, and the group it is drawn in
    (
        "Browser",
        "sends the answer with a key,",
        "and again until it is acknowledged",
        "web/static/outbox.js",
        "interface",
    ),
    ("Route", "authenticates the participant,", "validates the request", "web/routes/participant.py", "interface"),
    (
        "Log service",
        "catches up with the store, checks",
        "permissions, matches the answer",
        "web/log_service.py",
        "study",
    ),
    ("Store", "appends the event in a transaction;", "from here on the answer is durable", "storage/store.py", "study"),
    (
        "Learner",
        "a worker process folds the event and",
        "computes the next states",
        "web/learner/learner.py",
        "session",
    ),
]
WIDTH, ROW, GAP = 860, 34, 6


def layers() -> str:
    """Every layer may import those below it, and none above."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    rows = [line.split(" | ") for line in contract[0]["layers"]]
    drawn = []
    for place, names in enumerate(rows):
        width = (WIDTH - 20 - GAP * (len(names) - 1)) / len(names)
        for column, name in enumerate(names):
            text, group = LAYERS[name]
            drawn.append(_box(10 + column * (width + GAP), 10 + place * (ROW + GAP), width, ROW, group))
            drawn.append(_text(24 + column * (width + GAP), 32 + place * (ROW + GAP), name, "name"))
            drawn.append(_text(140 + column * (width + GAP), 32 + place * (ROW + GAP), text, "small"))
    return _picture(20 + len(rows) * (ROW + GAP), "Layers of askwise; each imports only from those below", drawn)


def answer() -> str:
    """The way of one answer, from the browser to the next question."""
    left, right, height, step = 180, 690, 64, 92
    middle = [14 + place * step + height // 2 for place in range(len(STEPS))]
    drawn = []
    for place, (name, first, second, file, group) in enumerate(STEPS):
        top = 14 + place * step
        drawn.append(_box(left, top, right - left, height, group))
        drawn.append(_text(left + 14, top + 26, name, "name"))
        drawn.append(_text(left + 14, top + 48, file, "small"))
        drawn.append(_text(left + 220, top + 26, first))
        drawn.append(_text(left + 220, top + 48, second))
        if place + 1 < len(STEPS):
            drawn.append(_arrow(f"M{(left + right) // 2} {top + height + 3}V{top + step - 3}"))
    drawn.append(_arrow(f"M{left} {middle[3]}H40V{middle[0]}H{left - 3}"))
    drawn.append(_arrow(f"M{right} {middle[4]}H820V{middle[2]}H{right + 3}"))
    for line, text in enumerate(("acknowledged, and", "the next question", "goes out")):
        drawn.append(_text(50, middle[1] + 16 * line, text, "small"))
    for line, text in enumerate(("the next question", "for each possible", "answer")):
        drawn.append(_text(706, middle[3] + 16 * line, text, "small"))
    return _picture(14 + len(STEPS) * step, "The way of an answer from the browser to the next question", drawn)


def _arrow(path: str) -> str:
    return f'<path d="{path}" marker-end="url(#tip)"/>'


def _box(x: float, y: float, width: float, height: float, group: str) -> str:
    return f'<rect class="{group}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="5"/>'


def _text(x: float, y: float, text: str, kind: str = "plain") -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{escape(text)}</text>'


def _picture(height: int, title: str, drawn: list[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{title}">'
    paper = f'<rect class="paper" width="{WIDTH}" height="{height}"/>'
    return "\n".join([head, STYLE, paper, *drawn, "</svg>", ""])


if __name__ == "__main__":
    for name, picture in (("layers", layers()), ("answer", answer())):
        (IMAGES / f"{name}.svg").write_text(picture, encoding="utf-8")
