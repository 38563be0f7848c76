"""Takes the pictures of the terminal, from real sessions: python docs/terminal.py [name ...] (two minutes)

Each picture is SVG. `study` is an animation from a table to a certificate. It plays once; for people who prefer reduced
motion, and wherever nothing moves, it is the last screen.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

import pexpect
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import SVG_EXPORT_THEME
from rich.text import Text

import askwise

IMAGES = Path(__file__).parent / "images"
COLUMNS, ROWS = 92, 26  # characters of the terminal
CONSOLE = Console(width=COLUMNS, force_terminal=True, color_system="truecolor")
CELL, LINE, PAD = 8.4, 19, 14  # pixels: a character, a line, the border
SETTLED = "any other key to end"
WAIT = 180  # seconds for one answer, on a busy machine
FONT = "14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
STYLE = f"text{{font:{FONT};fill:#e6e6e6;white-space:pre}}"
JUDGE = """
import json, sys
for question in map(json.loads, sys.stdin):
    best = max(question["options"], key=lambda option: len(option["body"]))
    print(json.dumps({"question": question["id"], "response": question["responses"][
        question["options"].index(best)], "cost": 0.002}), flush=True)
"""


@dataclass
class Frame:
    """A screen and how long it stays."""

    lines: list[Text]
    seconds: float = 1.0


@dataclass
class Terminal:
    """A terminal in a folder of its own, and what it has shown."""

    folder: Path
    text: str = ""
    frames: list[Frame] = field(default_factory=list)

    def snap(self, seconds: float = 1.0) -> None:
        """Takes a frame of the screen as it is."""
        lines = [Text.from_ansi(line) for line in self.text.split("\n")]
        wrapped = [part for line in lines for part in (line.divide(range(COLUMNS, len(line), COLUMNS)) or [line])]
        while wrapped and not wrapped[-1].plain.strip():
            wrapped.pop()
        self.frames.append(Frame(wrapped[-ROWS:], seconds))

    def run(self, command: str) -> pexpect.spawn:
        """Types a command, which starts."""
        for end in range(len(command) // 3, len(command), len(command) // 3 + 1):
            self._typed(command[:end])
        self.text += f"\x1b[1;32m$\x1b[0m {command}\n"
        self.snap(0.6)
        real = re.sub(r"^askwise", f"{sys.executable} -c 'from askwise.cli import main; main()'", command)
        path = f"{Path(sys.executable).parent}:/usr/bin:/bin"  # where `python` is
        environment = {"PATH": path, "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
        environment |= {"PYTHONPATH": ":".join(sys.path[1:]), "HOME": str(self.folder), "COLUMNS": str(COLUMNS)}
        return pexpect.spawn(
            "/bin/bash", ["-c", real], cwd=self.folder, dimensions=(ROWS, COLUMNS), env=environment, timeout=WAIT,
            encoding="utf-8",
        )  # fmt: skip

    def _typed(self, part: str) -> None:
        before = self.text
        self.text += f"\x1b[1;32m$\x1b[0m {part}▌"
        self.snap(0.25)
        self.text = before

    def finish(self, command: str, seconds: float = 1.5) -> None:
        """Runs a command to its end."""
        process = self.run(command)
        process.expect(pexpect.EOF)
        self.text += printed(process.before) + "\n"
        self.snap(seconds)

    def ask(self, command: str, choose: Callable[[list[str]], int], most: int, seconds: Callable[[int], float]) -> None:
        """Answers the questions of `askwise ask` by the numbers that `choose` gives, until it is settled."""
        process = self.run(command)
        for number in range(1, most + 1):
            settled = process.expect([r"undecided [\d.]+[^\n]*\n", SETTLED]) == 1
            self.text += printed(process.before + process.after)
            self.snap(seconds(number))
            if settled or number == most:
                break
            shown = re.findall(r"^\s+([1-9]) \S*\s+(.+?)\s*$", plain(self.text.split("\n\n")[-1]), flags=re.MULTILINE)
            process.send(str(choose([name for _, name in shown]) + 1))
        process.send("q")
        process.expect(pexpect.EOF)
        self.text += "\n\n"


def printed(text: str) -> str:
    """What stays on the screen: a line that returns to its start is written over."""
    kept = (line.rstrip("\r").rsplit("\r", 1)[-1] for line in text.split("\n"))
    return "\n".join(re.sub(r"\x1b\[(\?25[hl]|2K|K)", "", line) for line in kept)


def plain(text: str) -> str:
    return Text.from_ansi(text).plain


def line_svg(line: Text, row: int) -> str:
    """One line: a text with a span for each style, stretched to the cells of the terminal."""
    spans, place = [], 0
    for segment in line.render(CONSOLE):
        style = segment.style or Style()
        text = segment.text.rstrip("\n")
        if text.strip():
            look = f' fill="{style.color.get_truecolor(SVG_EXPORT_THEME).hex}"' if style.color else ""
            look += ' font-weight="bold"' if style.bold else ""
            look += ' fill-opacity=".7"' if style.dim else ""
            x, width = PAD + place * CELL, len(text) * CELL
            spans.append(f'<tspan x="{x:.1f}" textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs"{look}>'
                         f"{escape(text)}</tspan>")  # fmt: skip
        place += len(text)
    return f'<text y="{PAD + 30 + row * LINE}">{"".join(spans)}</text>' if spans else ""


def svg(frames: list[Frame], title: str, description: str) -> str:
    """One screen, or several that follow each other."""
    rows = max(len(frame.lines) for frame in frames)
    width, height = 2 * PAD + COLUMNS * CELL, 2 * PAD + 24 + rows * LINE
    total = sum(frame.seconds for frame in frames)
    groups, rules, start = [], [], 0.0
    for number, frame in enumerate(frames):
        body = "".join(line_svg(line, row) for row, line in enumerate(frame.lines))
        last = number == len(frames) - 1
        groups.append(f'<g id="f{number}" class="{"last" if last else "frame"}">{body}</g>')
        begin, end = 100 * start / total, 100 * (start + frame.seconds) / total
        if len(frames) > 1:
            shown = f"0%{{visibility:hidden}}{begin:.3f}%{{visibility:visible}}"
            shown += "100%{visibility:visible}" if last else f"{end:.3f}%,100%{{visibility:hidden}}"
            rules.append(f"@keyframes k{number}{{{shown}}}#f{number}{{animation:k{number} {total:.1f}s step-end both}}")
        start += frame.seconds
    moving = f"@media (prefers-reduced-motion:no-preference){{{''.join(rules)}}}" if rules else ""
    dots = "".join(f'<circle cx="{18 + 18 * place}" cy="15" r="5" fill="#555"/>' for place in range(3))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" aria-labelledby="title description">'
        f'<title id="title">{escape(title)}</title>'
        f'<desc id="description">{escape(description)}</desc>'
        f"<style>{STYLE}.frame{{visibility:hidden}}{moving}</style>"
        f'<rect width="100%" height="100%" rx="8" fill="#1d1f24"/>{dots}{"".join(groups)}</svg>\n'
    )


def car_taste() -> Callable[[list[str]], int]:
    """Somebody who wants a strong car that is not too dear."""
    worth = {car["name"]: car["horsepower"] / 40 - car["price"] / 9000 for car in askwise.example("cars")}
    return lambda names: max(range(len(names)), key=lambda place: worth[names[place]])


def study(shell: Terminal) -> tuple[list[Frame], str]:
    shell.finish("askwise example cars > cars.csv", 0.8)
    shell.finish(f"head -4 cars.csv | cut -c 1-{COLUMNS - 4}", 2.0)
    shell.finish("askwise new best-item cars.csv --features price,horsepower,mpg_city,passengers", 3.0)
    shell.ask("askwise ask cars.askwise", car_taste(), 80, lambda number: 2.2 if number < 4 else 0.6)
    shell.finish("askwise status cars.askwise --details", 6.0)
    return shell.frames, "A study from table to certificate"


def ask(shell: Terminal) -> tuple[list[Frame], str]:
    shell.finish("askwise example cars > cars.csv")
    shell.finish("askwise new best-item cars.csv --features price,horsepower,mpg_city,passengers")
    shell.text = ""
    shell.ask("askwise ask cars.askwise", car_taste(), 2, lambda _: 1.0)
    return shell.frames[-1:], "A question about two cars"


def label(shell: Terminal) -> tuple[list[Frame], str]:
    kinds = {row["message"]: place // 12 for place, row in enumerate(askwise.example("messages"))}
    shell.finish("askwise example messages > messages.csv")
    options = "--name-column message --embed message --labels delivery,payment,product"
    shell.finish(f"askwise new classifier messages.csv {options}")
    shell.text = ""

    def choose(_: list[str]) -> int:
        return next(kind for message, kind in kinds.items() if message in plain(shell.text).split("\n\n")[-1])

    shell.ask("askwise ask messages.askwise", choose, 5, lambda _: 1.0)
    return shell.frames[-1:], "Which label fits this message?"


def evaluation(shell: Terminal) -> tuple[list[Frame], str]:
    (shell.folder / "judge.py").write_text(JUDGE)
    shell.finish("askwise example replies > replies.csv")
    shell.finish('askwise eval replies.csv --judge "python judge.py" --jobs 1')
    return shell.frames[-1:], "The end of an evaluation of three systems"


def robot(shell: Terminal) -> tuple[list[Frame], str]:
    page = (Path(__file__).parent / "robot.md").read_text(encoding="utf-8")
    program = re.search(r"^```python\n(import json.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    assert program is not None
    (shell.folder / "robot.py").write_text(program[1])
    shell.finish("askwise example screen > screen.csv")
    shell.finish("askwise new best-column screen.csv --entry-range 5")
    shell.finish('askwise answer screen.askwise --with "python robot.py" --who robot --budget 40')
    return shell.frames[-1:], "A program answers for a robot"


PICTURES = {"study": study, "terminal-ask": ask, "terminal-label": label, "terminal-eval": evaluation,
            "terminal-robot": robot}  # fmt: skip


if __name__ == "__main__":
    for wanted in sys.argv[1:] or PICTURES:
        folder = Path(tempfile.mkdtemp())
        frames, title = PICTURES[wanted](Terminal(folder))
        shutil.rmtree(folder)
        words = " ".join(" ".join(line.plain for line in frames[-1].lines).split())
        told = f"The last screen: {words}"
        (IMAGES / f"{wanted}.svg").write_text(svg(frames, title, told), encoding="utf-8")
        if len(frames) > 1:  # for people who prefer reduced motion
            (IMAGES / f"{wanted}-still.svg").write_text(svg(frames[-1:], title, told), encoding="utf-8")
        print(wanted, len(frames), "screens", flush=True)
