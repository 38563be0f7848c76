"""Charts as inline SVG, drawn by hand: no library, no script.

Widths are percentages and heights pixels, so that a chart fills a wide page and a phone alike while its letters keep
their size. Colours come from the classes of page.css, which knows dark screens and paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

ROW = 26  # pixels a row of bars or intervals takes
NAMED, PLOT, RIGHT = 34.0, 36.0, 80.0  # per cent: where names end, where the plot begins and ends
FULL = 86.0  # where the longest bar ends; only a percentage stands beside it
LETTER = 7.8  # pixels, about
PHONE = 300.0  # pixels a chart is wide there


@dataclass(frozen=True)
class Interval:
    """One row of an interval chart: where it lies, and what is written beside it."""

    name: str
    low: float
    middle: float
    high: float
    text: str


@dataclass(frozen=True)
class Branch:
    """A fork of a tree: where it stands (0 the root, 1 the leaves; rows from the top), its two children and a note."""

    x: float
    row: float
    children: tuple[tuple[float, float], tuple[float, float]]  # (x, row) of each
    note: str
    strong: bool


def bars(rows: Sequence[tuple[str, float]], label: str) -> str:
    """Probabilities as horizontal bars, a row each.

    >>> bars([("tea", 0.75), ("milk", 0.25)], "chance of being the best").count('class="bar"')
    2
    """
    parts = []
    for number, (name, share) in enumerate(rows):
        top = number * ROW
        wide = (FULL - PLOT) * min(1.0, max(0.0, share))
        parts.append(
            f"<g><title>{escape(name)}: {percent(share)}</title>{_name(name, top)}"
            f'<rect class="track" x="{PLOT}%" y="{top + 6}" width="{FULL - PLOT}%" height="14" rx="3"/>'
            f'<rect class="bar" x="{PLOT}%" y="{top + 6}" width="{wide:.2f}%" height="14" rx="3"/>'
            f'<text x="100%" y="{top + 18}" text-anchor="end">{percent(share)}</text></g>'
        )
    said = ", ".join(f"{name} {percent(share)}" for name, share in rows[:3])
    return drawing(f"{label}: {said}", ROW * len(rows), "".join(parts))


def intervals(rows: Sequence[Interval], label: str, axis: str) -> str:
    """A line from low to high and a dot in the middle, a row each, above one axis.

    >>> "median rank" in intervals([Interval("tea", 1, 1, 2, "1 (1 to 2)")], "ranks", "median rank")
    True
    """
    low, high = min(row.low for row in rows), max(row.high for row in rows)
    marks = ticks(low, high)
    start, end = min(low, marks[0]), max(high, marks[-1])

    def place(value: float) -> float:
        return PLOT + (RIGHT - PLOT) * (value - start) / ((end - start) or 1.0)

    bottom = ROW * len(rows)
    parts = [
        f'<line class="grid" x1="{place(mark):.2f}%" x2="{place(mark):.2f}%" y1="0" y2="{bottom}"/>'
        f'<text class="small" x="{place(mark):.2f}%" y="{bottom + 16}" text-anchor="middle">{number(mark)}</text>'
        for mark in marks
    ]
    for count, row in enumerate(rows):
        y = count * ROW + 13
        parts.append(
            f"<g><title>{escape(row.name)}: {escape(row.text)}</title>{_name(row.name, count * ROW)}"
            f'<line class="span" x1="{place(row.low):.2f}%" x2="{place(row.high):.2f}%" y1="{y}" y2="{y}"/>'
            f'<circle class="dot" cx="{place(row.middle):.2f}%" cy="{y}" r="5"/>'
            f'<text x="100%" y="{y + 5}" text-anchor="end">{escape(row.text)}</text></g>'
        )
    middle = (PLOT + RIGHT) / 2
    parts.append(f'<text class="small" x="{middle}%" y="{bottom + 33}" text-anchor="middle">{escape(axis)}</text>')
    said = ", ".join(f"{row.name} {row.text}" for row in rows[:3])
    return drawing(f"{label}: {said}", bottom + 40, "".join(parts))


def tree(names: Sequence[str], branches: Sequence[Branch], label: str) -> str:
    """A tree lying on its side, the root at the left; `names` are the leaves from the top.

    >>> fork = Branch(0.0, 0.5, ((1.0, 0.0), (1.0, 1.0)), "", True)
    >>> tree(["cat", "dog"], [fork], "a tree").count("<text")
    2
    """
    longest = LETTER * max(map(len, names)) / PHONE
    leaves = 100 * (1 - min(0.5, longest)) - 4  # names too long for half a phone are cut

    def across(x: float) -> str:
        return f"{2 + (leaves - 2) * x:.2f}%"

    def down(row: float) -> float:
        return row * 24 + 14

    parts = []
    for branch in branches:
        kind = "branch" if branch.strong else "branch weak"
        x, ends = across(branch.x), [down(row) for _, row in branch.children]
        parts.append(f'<line class="{kind}" x1="{x}" x2="{x}" y1="{min(ends):.1f}" y2="{max(ends):.1f}"/>')
        for child, y in zip(branch.children, ends, strict=True):
            parts.append(f'<line class="{kind}" x1="{x}" x2="{across(child[0])}" y1="{y:.1f}" y2="{y:.1f}"/>')
    for branch in branches:
        if branch.note:
            y = down(branch.row)
            parts.append(
                f'<circle class="fork" cx="{across(branch.x)}" cy="{y:.1f}" r="3.5"/>'
                f'<text class="tiny halo" x="{across(branch.x)}" dx="6" y="{y + 4:.1f}">{escape(branch.note)}</text>'
            )
    for row, name in enumerate(names):
        where = f'x="{leaves + 1.5:.2f}%" y="{down(row) - 13:.0f}" width="{98.5 - leaves:.2f}%" height="24"'
        parts.append(f'<svg {where}><title>{escape(name)}</title><text x="0" y="18">{escape(name)}</text></svg>')
    return drawing(label, int(down(len(names) - 1)) + 16, "".join(parts))


def ticks(low: float, high: float, about: int = 4) -> list[float]:
    """Round numbers from at most `low` to at least `high`.

    >>> ticks(0.0, 0.47)
    [0.0, 0.2, 0.4, 0.6]
    """
    rough = (high - low) / about or 1.0
    scale = 10.0 ** floor(log10(rough))
    step = scale * next(round_ for round_ in (1, 2, 5, 10) if round_ * scale >= rough * 0.999)
    return [round(count * step, 12) for count in range(floor(low / step + 1e-9), ceil(high / step - 1e-9) + 1)]


def percent(share: float) -> str:
    """A probability for people: never 0 % or 100 % unless it is.

    >>> percent(0.123), percent(0.999), percent(1.0), percent(0.0001)
    ('12 %', '> 99 %', '100 %', '< 1 %')
    """
    if 0 < share < 0.01:
        return "< 1 %"
    if 0.99 < share < 1:
        return "> 99 %"
    return f"{100 * share:.0f} %"


def number(value: float) -> str:
    """A number in few digits.

    >>> number(0.30000000000000004), number(12.0), number(-1.256)
    ('0.3', '12', '−1.26')
    """
    return f"{value:.3g}".replace("-", "−")  # noqa: RUF001  a true minus


def rounded(value: float, spread: float) -> str:
    """A number with as many decimals as matter where values spread so far.

    >>> rounded(0.08684, 3.0), rounded(-12.4, 250.0)
    ('0.09', '−12')
    """
    decimals = max(0, 2 - floor(log10(spread))) if spread > 0 else 2
    return f"{value:.{min(decimals, 12)}f}".replace("-", "−")  # noqa: RUF001  a true minus


def _name(name: str, top: int) -> str:
    """A name, cut where the plot begins; hovering shows it whole."""
    return f'<svg x="0" y="{top}" width="{NAMED}%" height="{ROW}"><text x="0" y="18">{escape(name)}</text></svg>'


def drawing(label: str, height: int, inside: str) -> str:
    """A chart of that height with what is inside it, and what to say to those who cannot see it.

    >>> drawing("a line", 10, "")
    '<svg class="chart" role="img" aria-label="a line" width="100%" height="10"></svg>'
    """
    return f'<svg class="chart" role="img" aria-label="{escape(label)}" width="100%" height="{height}">{inside}</svg>'
