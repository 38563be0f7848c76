"""Curves over the number of answers, as inline SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from askwise.report.svg import drawing, number, ticks

TALL = 190  # pixels of the plot


@dataclass(frozen=True)
class Line:
    """One curve, in pieces where it is interrupted: each piece is a list of (x, y)."""

    name: str
    pieces: Sequence[Sequence[tuple[float, float]]]


def curves(
    lines: Sequence[Line],
    label: str,
    axis: str,
    level: tuple[float, str] | None = None,
    marks: Sequence[tuple[float, str]] = (),
) -> str:
    """Lines over a common x, from y = 0 up; a dotted `level` to get below; `marks` where something changed.

    >>> curves([Line("undecided", [[(0, 0.5), (4, 0.1)]])], "how it went", "answers").count("<polyline")
    1
    """
    points = [point for line in lines for piece in line.pieces for point in piece]
    right = max(1.0, max(x for x, _ in points))
    heights = ticks(0.0, max([y for _, y in points] + ([level[0]] if level else [])) or 1.0)
    top = 22 * (len(lines) + (level is not None)) + 14
    bottom = top + TALL

    def across(x: float) -> float:
        return 12 + 86 * x / right

    def down(y: float) -> float:
        return bottom - TALL * y / heights[-1]

    parts = [
        f'<line class="grid" x1="12%" x2="98%" y1="{down(y):.1f}" y2="{down(y):.1f}"/>'
        f'<text class="small" x="11%" y="{down(y) + 4:.1f}" text-anchor="end">{number(y)}</text>'
        for y in heights
    ]
    for x in ticks(0.0, right, 5):
        if x <= right and x == int(x):
            parts.append(
                f'<text class="small" x="{across(x):.2f}%" y="{bottom + 18}" text-anchor="middle">{number(x)}</text>'
            )
    parts.append(f'<text class="small" x="55%" y="{bottom + 36}" text-anchor="middle">{escape(axis)}</text>')
    if level is not None:
        y = down(level[0])
        parts.append(f'<line class="level" x1="12%" x2="98%" y1="{y:.1f}" y2="{y:.1f}"/>')
    for x, text in marks:
        side, shift = ("end", -0.8) if x > right / 2 else ("start", 0.8)
        parts.append(
            f'<line class="mark" x1="{across(x):.2f}%" x2="{across(x):.2f}%" y1="{top}" y2="{bottom}"/>'
            f'<text class="small" x="{across(x) + shift:.2f}%" y="{top + 12}" text-anchor="{side}">'
            f"{escape(text)}</text>"
        )
    for place, line in enumerate(lines):
        parts += _curve(line, place, right, heights[-1], top)
    parts += _legend([line.name for line in lines], level[1] if level else None)
    return drawing(label, int(bottom) + 44, "".join(parts))


def _curve(line: Line, place: int, right: float, highest: float, top: int) -> Iterator[str]:
    """The pieces in a frame of their own that stretches with the page, and a dot at the end, which must not."""
    for piece in line.pieces:
        path = " ".join(f"{1000 * x / right:.1f},{1000 - 1000 * y / highest:.1f}" for x, y in piece)
        yield (
            f'<svg class="frame" x="12%" y="{top}" width="86%" height="{TALL}" viewBox="0 0 1000 1000" '
            f'preserveAspectRatio="none"><polyline class="curve c{place}" points="{path}"/></svg>'
        )
    x, y = line.pieces[-1][-1]
    across, down = 12 + 86 * x / right, top + TALL - TALL * y / highest
    yield f'<circle class="end c{place}" cx="{across:.2f}%" cy="{down:.1f}" r="4.5"/>'


def _legend(names: Sequence[str], level: str | None) -> Iterator[str]:
    kinds = [(name, f"curve c{place}") for place, name in enumerate(names)]
    for row, (name, kind) in enumerate(kinds if level is None else [*kinds, (level, "level")]):
        y = 22 * row + 14
        yield f'<line class="{kind}" x1="4" x2="34" y1="{y - 4}" y2="{y - 4}"/>'
        yield f'<text x="42" y="{y}">{escape(name)}</text>'
