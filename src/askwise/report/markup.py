"""Small pieces of HTML. Whatever comes from data is escaped here or by who calls; nothing else makes tags of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

LONG = 80  # letters of a guess before it is cut


@dataclass(frozen=True)
class Section:
    """A part of the page under a heading of its own, with one sentence that says what it shows."""

    id: str
    title: str
    lead: str  # HTML
    body: str  # HTML

    def __str__(self) -> str:
        return (
            f'<section id="{self.id}"><h2>{escape(self.title)}</h2><p class="lead">{self.lead}</p>{self.body}</section>'
        )


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """A table of texts; columns in `numbers` are set flush right. On a phone each row becomes a block with headings.

    >>> table(["item"], [["<b>"]])
    '<table><thead><tr><th>item</th></tr></thead><tbody><tr><td data-of="item">&lt;b&gt;</td></tr></tbody></table>'
    """
    side = dict.fromkeys(numbers, ' class="number"')
    head = "".join(f"<th{side.get(i, '')}>{escape(text)}</th>" for i, text in enumerate(headings))
    body = "".join(
        "<tr>"
        + "".join(
            f'<td{side.get(i, "")} data-of="{escape(headings[i])}">{escape(cell)}</td>' for i, cell in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    few = ' class="narrow"' if len(headings) == 2 and numbers else ""
    return f"<table{few}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def fold(summary: str, body: str) -> str:
    """Something that opens with a click.

    >>> fold("More", "<p>text</p>")
    '<details><summary>More</summary><p>text</p></details>'
    """
    return f"<details><summary>{escape(summary)}</summary>{body}</details>"


def tiles(cells: Iterable[tuple[str, str | None, str]]) -> str:
    """Items side by side: (name, address of a picture, note).

    >>> tiles([("tea", None, "90 %")])
    '<ul class="tiles"><li><b>tea</b> <small>90 %</small></li></ul>'
    """
    return f'<ul class="tiles">{"".join(f"<li>{_tile(*cell)}</li>" for cell in cells)}</ul>'


def picture(name: str, address: str | None, kind: str = "") -> str:
    """A picture, or nothing where there is none.

    >>> picture("tea", "data:image/gif;base64,R0lGODlh")
    '<img src="data:image/gif;base64,R0lGODlh" alt="tea">'
    """
    if address is None:
        return ""
    sized = f' class="{kind}"' if kind else ""
    return f'<img{sized} src="{address}" alt="{escape(name)}">'


def pairs(rows: Iterable[tuple[str, str]], kind: str = "facts") -> str:
    """Names and values.

    >>> pairs([("seed", "8")])
    '<dl class="facts"><div><dt>seed</dt><dd>8</dd></div></dl>'
    """
    inside = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in rows)
    return f'<dl class="{kind}">{inside}</dl>'


def plural(count: int, what: str) -> str:
    """So many of something.

    >>> plural(1, "answer"), plural(2, "answer")
    ('1 answer', '2 answers')
    """
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def shortened(text: str) -> str:
    """A text cut to what fits a line.

    >>> len(shortened("x" * 200))
    80
    """
    return text if len(text) <= LONG else f"{text[: LONG - 1]}…"


def _tile(name: str, address: str | None, note: str) -> str:
    said = f" <small>{escape(note)}</small>" if note else ""
    return f"{picture(name, address)}<b>{escape(name)}</b>{said}"
