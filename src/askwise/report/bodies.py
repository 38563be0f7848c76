"""Long texts as HTML that a page can show whoever wrote them: Markdown, plain text or code.

markdown-it-py reads Markdown without raw HTML, on the server, so that no script of a page parses what a stranger wrote.
What it found is then written by a list of elements: one that is not listed becomes text, attributes are made anew, and
pictures become their descriptions. So nothing runs, and nothing is fetched from elsewhere.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from askwise.types import Option

ELEMENTS = {
    *("blockquote", "br", "code", "em", "hr", "li", "ol", "p", "pre", "s", "strong", "ul"),
    *("h2", "h3", "h4", "h5", "h6", "table", "tbody", "td", "th", "thead", "tr"),
}
LINK = re.compile(r"(https?://|mailto:)", re.IGNORECASE)
MAX_CACHED_BODIES = 500
SHORT_LETTERS = 600  # of a body in a list


@lru_cache(maxsize=MAX_CACHED_BODIES)
def body_html(body: str, written: str = "markdown") -> str:
    """A long text as HTML. `written` is markdown, text or code.

    Markdown keeps its line breaks, so that letters and poems read well. Indented lines are no code.

    >>> body_html("Dear *Ann*,\\nsee <b>below</b>.")
    '<p>Dear <em>Ann</em>,<br>see &lt;b&gt;below&lt;/b&gt;.</p>'
    >>> body_html("![a cat](https://example.org/cat.png) [now](javascript:run())")
    '<p>a cat [now](javascript:run())</p>'
    """
    if written == "code":
        return f"<pre><code>{escape(body)}</code></pre>"
    if written == "text":
        return f'<div class="plain">{escape(body)}</div>'
    return "".join(map(_written, parse_markdown(body))).strip()


def option_values(option: Option) -> dict[str, Any]:
    """An option as plain values for a page, with its long text also as HTML.

    >>> option_values(Option("tea", body="*hot*"))["body_html"]
    '<p><em>hot</em></p>'
    """
    return {
        "name": option.name,
        "image": option.image,
        "row": option.row,
        "fields": dict(option.fields),
        "body": option.body,
        "body_html": None if option.body is None else body_html(option.body, option.body_format),
        "audio": option.audio,
        "video": option.video,
    }


def short_body(body: str, letters: int = SHORT_LETTERS) -> str:
    """The beginning of a long text, cut between words.

    >>> short_body("one two three", 9)
    'one two …'
    """
    if len(body) <= letters:
        return body
    return f"{body[:letters].rsplit(maxsplit=1)[0]} …"


def parse_markdown(text: str) -> list[Token]:
    """The tokens of Markdown without raw HTML, indented code and underlined headings.

    >>> [token.type for token in parse_markdown("<b>")]
    ['paragraph_open', 'inline', 'paragraph_close']
    """
    return _parser().parse(text)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    parser.disable(["code", "lheading", "html_block", "html_inline"])
    parser.validateLink = lambda url: LINK.match(url) is not None  # type: ignore[method-assign]
    return parser


def _written(token: Token) -> str:
    """A token of Markdown as HTML: by the list, or as text."""
    if token.type == "inline":
        return "".join(map(_written, token.children or ()))
    if token.type == "image":
        return "".join(map(_written, token.children or ()))  # its description
    if token.type in ("fence", "code_block"):
        return f"<pre><code>{_highlighted(token.content, token.info)}</code></pre>"
    if token.type == "code_inline":
        return f"<code>{escape(token.content)}</code>"
    if token.type == "hardbreak" or token.type == "softbreak":
        return "<br>"
    if token.hidden:  # the paragraph of a short list
        return ""
    tag = f"h{min(int(token.tag[1]) + 1, 6)}" if re.fullmatch("h[1-6]", token.tag) else token.tag  # h1 is the page's
    if tag == "a":
        return _link(token)
    if tag not in ELEMENTS:
        return escape(token.content)
    return f"</{tag}>" if token.nesting < 0 else f"<{tag}{_attributes(token)}>"


def _link(token: Token) -> str:
    if token.nesting < 0:
        return "</a>"
    address = escape(str(token.attrGet("href") or ""), quote=True)
    return f'<a href="{address}" target="_blank" rel="noopener noreferrer nofollow">'


def _attributes(token: Token) -> str:
    """Where a list begins to count, and the cells of a column that stand to the right."""
    start: Any = token.attrGet("start")
    if token.tag == "ol" and isinstance(start, int):
        return f' start="{start}"'
    return ' class="right"' if token.attrGet("style") == "text-align:right" else ""


def _highlighted(code: str, language: str) -> str:
    """Code with its words in classes, if its language is named and known."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language.split(maxsplit=1)[0], stripnl=False) if language.strip() else None
    except ClassNotFound:
        lexer = None
    return escape(code) if lexer is None else str(highlight(code, lexer, HtmlFormatter(nowrap=True)))
