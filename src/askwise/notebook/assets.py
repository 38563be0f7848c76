"""The script and the styles of the widget, made of those of the answering page.

A notebook loads one script, so the modules of the page become functions in it, each with its own names. The widget is
as wide as its cell and as high as it needs: where the page asks how large the screen is, the widget asks how wide it
is itself. It stands in a shadow tree, so that neither its ids nor its styles meet those of the notebook.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from askwise.report.templating import TEMPLATES as REPORT
from askwise.web.texts import ENGLISH, catalogue

HERE = Path(__file__).parent / "static"
WEB = Path(__file__).parents[1] / "web"
ROOT_PIXELS = 16  # in one rem of the page; notebooks have other sizes
IMPORT = re.compile(r'^import \{([^}]*)\} from "(?:\.|\.\./\.\./web/static)/(\w+)\.js";$', re.MULTILINE)
EXPORT = re.compile(r"^export ((?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
MEDIA = re.compile(r"@media (\([^{]*(?:width|height|orientation)[^{]*)\{")
DARK = re.compile(r"^@media \(prefers-color-scheme: dark\) \{\n(.*?)^\}\n", re.MULTILINE | re.DOTALL)
REM = re.compile(r"(?<![\w#])(\d*\.?\d+)rem\b")
BODY = re.compile(r"(?<![\w.#-])body(?![\w-])")


@cache
def script() -> str:
    """The module that a notebook loads: every module that the widget needs, and the widget itself.

    >>> script().count("function showQuestion(")
    1
    """
    modules: dict[str, str] = {}
    main = _module_source(HERE / "widget.js", modules)
    values = {"PAGE": page_html(), "STYLES": styles(), "TEXTS": catalogue(ENGLISH).page}
    constants = [f"const {name} = {json.dumps(value)};" for name, value in values.items()]
    return "\n".join([*constants, *modules.values(), main])


def _module_source(path: Path, modules: dict[str, str]) -> str:
    """The text of a module, with names of other modules in place of imports. Those go to `modules` before."""
    text = path.read_text(encoding="utf-8")
    for _, name in IMPORT.findall(text):
        if name not in modules:
            source = _module_source(WEB / "static" / f"{name}.js", modules)
            exported = ", ".join(found for _, found in EXPORT.findall(source))
            plain = EXPORT.sub(r"\1", source)
            modules[name] = f"const {name}_js = (() => {{\n{plain}\nreturn {{ {exported} }};\n}})();"
    return IMPORT.sub(r"const {\1} = \2_js;", text)


@cache
def page_html() -> str:
    """The elements of the answering page, as its template has them.

    >>> page_html().count('id="question"')
    1
    """
    template = Environment(loader=FileSystemLoader(WEB / "templates"), autoescape=True).get_template("answer.html")
    return "".join(template.blocks["body"](template.new_context({"study": "", "t": catalogue(ENGLISH).text}))).strip()


@cache
def styles() -> str:
    """The styles of the page, of its charts and of the widget.

    >>> "@media (min-width" in styles()
    False
    """
    page = (WEB / "static" / "answer.css").read_text(encoding="utf-8")
    charts = (REPORT / "charts.css").read_text(encoding="utf-8")
    return for_widget(page) + f"#chart {{\n{for_widget(charts)}}}\n" + (HERE / "widget.css").read_text(encoding="utf-8")


def for_widget(css: str) -> str:
    """Styles of a page as those of a part of a page whose width is known and whose height is free.

    >>> for_widget("@media (max-width: 40rem) and (orientation: portrait) { body { gap: .5rem; } }")
    '@container (max-width: 640px) { .page { gap: 8px; } }'
    >>> for_widget("@media (max-height: 20rem) { h1 { margin: 0; } }")
    '@container (max-width: 0px) { h1 { margin: 0; } }'
    >>> for_widget("@media (min-width: 2rem), (orientation: landscape) { h1 { margin: 0; } }")
    '@container (min-width: 32px) { h1 { margin: 0; } }'
    """
    css = DARK.sub(lambda found: found[1].replace(":root", ':host([data-theme="dark"])'), css)
    css = MEDIA.sub(lambda found: f"@container {_width_query(found[1])} {{", css)
    css = BODY.sub(".page", css.replace(":root", ":host"))
    return REM.sub(lambda found: f"{ROOT_PIXELS * float(found[1]):g}px", css)


def _width_query(query: str) -> str:
    """A media query without what it says about the height: the widget is never too low and always upright."""
    kept = []
    for alternative in query.split(","):
        conditions = [part.strip() for part in alternative.split(" and ")]
        if not any("max-height" in part or "landscape" in part for part in conditions):
            kept.append(" and ".join(part for part in conditions if "width" in part) or "(min-width: 0px)")
    return " or ".join(kept) or "(max-width: 0px)"
