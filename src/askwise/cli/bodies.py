"""Long texts in a terminal: wrapped, cut where they are long, and whole in a pager."""

from __future__ import annotations

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.segment import SegmentLines
from rich.text import Text

from askwise.cli.common import CONTROL_CHARACTERS, escape_markup
from askwise.types import Option, Question

MAX_LINES = 12  # of a long text that is not read in full
INDENT = 4
CONTROLS = {code: letter for code, letter in CONTROL_CHARACTERS.items() if code not in map(ord, "\n\t")}


def show_bodies(console: Console, question: Question) -> bool:
    """Prints the long texts of a question and what its sounds and films are called. On a terminal, texts are cut to a
    dozen lines; True if one was."""
    cut = False
    for option in question.options:
        for file in filter(None, (option.audio, option.video)):
            console.print(f"    [dim]{escape_markup(option.name)}: {escape_markup(file)}[/]", soft_wrap=True)
        if option.body is None:
            continue
        console.print(f"  [bold]{escape_markup(option.name)}[/]", soft_wrap=True)
        lines = console.render_lines(Padding(_view(option), (0, 0, 0, INDENT)), pad=False)
        longer = console.is_terminal and len(lines) > MAX_LINES
        console.print(SegmentLines(lines[:MAX_LINES] if longer else lines, new_lines=True), end="")
        cut = cut or longer
    return cut


def read_bodies(console: Console, question: Question) -> None:
    """The long texts in full: in a pager on a terminal, else printed."""
    views = [(option.name, _view(option)) for option in question.options if option.body is not None]
    whole: list[RenderableType] = [part for name, view in views for part in (Text(name, "bold"), view, Text())]
    if not console.is_terminal:
        console.print(*whole, sep="\n")
        return
    with console.pager():
        console.print(*whole, sep="\n")


def _view(option: Option) -> RenderableType:
    """A long text without control characters that a terminal would obey."""
    body = (option.body or "").replace("\r\n", "\n").translate(CONTROLS)
    if option.body_format == "code":
        from rich.syntax import Syntax

        return Syntax(body, "text", word_wrap=True, background_color="default")
    if option.body_format == "text":
        return Text(body)
    from rich.markdown import Markdown

    from askwise.report.bodies import parse_markdown

    view = Markdown("", hyperlinks=False)
    view.parsed = parse_markdown(body)
    for token in view.parsed:
        for child in token.children or ():
            child.type = "hardbreak" if child.type == "softbreak" else child.type
    return view
