"""Long texts become HTML of listed elements only, whatever they hold."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import askwise
from askwise.report.bodies import ELEMENTS, body_html, short_body
from askwise.report.page import page

ATTRIBUTES = {"a": {"href", "target", "rel"}, "ol": {"start"}, "td": {"class"}, "th": {"class"}, "span": {"class"},
              "div": {"class"}}  # fmt: skip
ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '<a href="javascript:alert(1)">x</a>',
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](java\nscript:alert(1))",
    "[x](vbscript:x)",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](//example.org/x)",
    "[x](/api/v1/studies)",
    "[x](file:///etc/passwd)",
    "<javascript:alert(1)>",
    '[x](https://example.org/"onmouseover="alert(1))',
    "[x](https://example.org 'a\" onclick=\"alert(1)')",
    "![x](https://example.org/pixel.png)",
    "![x](data:image/svg+xml,<svg onload=alert(1)>)",
    '![" onerror="alert(1)](x)',
    "![x][a]\n\n[a]: https://example.org/pixel.png",
    "[x][a]\n\n[a]: javascript:alert(1)",
    "<iframe src=https://example.org></iframe>",
    "<style>body{display:none}</style>",
    "<!-- <script>alert(1)</script> -->",
    "<svg><script>alert(1)</script></svg>",
    '```"><script>alert(1)</script>\nx\n```',
    "```python\n</code></pre><script>alert(1)</script>\n```",
    "`<script>alert(1)</script>`",
    "| <script> | a |\n|---|--:|\n| <img onerror=x> | 1 |",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    '1. <object data="x">\n\n> <embed src=x>',
    "<form action=https://example.org><input></form>",
    "<link rel=stylesheet href=https://example.org>",
    '<math><mtext></p><img src=x onerror="alert(1)">',
]


class Elements(HTMLParser):
    """What a browser would make of a text."""

    def __init__(self, html):
        super().__init__()
        self.found, self.open, self.text = [], [], ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        if tag not in ("br", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        raise AssertionError(data)


def check(html):
    parsed = Elements(html)
    assert not parsed.open
    for tag, attributes in parsed.found:
        assert tag in ELEMENTS | {"a", "span", "div"}
        assert attributes.keys() <= ATTRIBUTES.get(tag, set())
        if tag == "a":
            assert attributes["href"].lower().startswith(("http://", "https://", "mailto:"))
    return parsed


@pytest.mark.parametrize("written", ["markdown", "text", "code"])
@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_runs_and_nothing_is_fetched(attack, written):
    check(body_html(attack, written))


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="<>&\"'`*_[]()!#|-: \n\\ahjsref=/.1~x", max_size=120), st.sampled_from(ATTACKS))
def test_no_mixture_gets_through(noise, attack):
    for text in (noise, noise + attack, attack + noise):
        check(body_html(text))


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("a **b** `c<d`", "<p>a <strong>b</strong> <code>c&lt;d</code></p>"),
        ("roses\nviolets", "<p>roses<br>violets</p>"),
        ("# One\n###### Six", "<h2>One</h2><h6>Six</h6>"),
        ("Regards,\n---\nAnn", "<p>Regards,</p><hr><p>Ann</p>"),
        ("    indented", "<p>indented</p>"),
        ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
        (
            "| a |\n|--:|\n| 1 |",
            '<table><thead><tr><th class="right">a</th></tr></thead><tbody><tr><td class="right">1</td>'
            "</tr></tbody></table>",
        ),
        ("![a *b*](https://example.org/x.png)", "<p>a <em>b</em></p>"),
        (
            "```py\ndef f(): pass\n```",
            '<pre><code><span class="k">def</span><span class="w"> </span><span class="nf">f'
            '</span><span class="p">():</span> <span class="k">pass</span>\n</code></pre>',
        ),
        ("```nolanguage\na<b\n```", "<pre><code>a&lt;b\n</code></pre>"),
        (
            "<https://example.org/?a=1&b=2>",
            '<p><a href="https://example.org/?a=1&amp;b=2" target="_blank" '
            'rel="noopener noreferrer nofollow">https://example.org/?a=1&amp;b=2</a></p>',
        ),
    ],
)
def test_markdown(markdown, html):
    assert body_html(markdown) == html


@pytest.mark.parametrize("written", ["text", "code"])
def test_plain_text_and_code_stay_as_they_are(written):
    text = "  if a < b:\n\n    # no *heading*\n"
    assert check(body_html(text, written)).text == text


def test_a_short_body_ends_between_words():
    assert short_body("word " * 400).endswith("word …")
    assert len(short_body("x" * 5000)) <= 602


def test_a_report_shows_the_beginning_of_what_was_found():
    texts = ["**first** <script>alert(1)</script> " + "word " * 1000, "**second** " + "word " * 1000]
    session = askwise.best_item({"name": ["a", "b"], "text": texts}, body="text", seed=1, draws=40)
    html = page(session)
    assert "<strong>first</strong> &lt;script&gt;" in html or "<strong>second</strong>" in html
    assert "word …</p>" in html
    assert "<script>" not in html
    few = askwise.top_k({"name": ["a", "b", "c"], "text": ["*one*", "*two*", "*three*"]}, 2, body="text", draws=40)
    assert page(few).count("<p><em>") == 2
