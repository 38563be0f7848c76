"""Every page and chart is written by a Jinja2 template with autoescape, so that no name in a table can become a tag."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

TEMPLATES = Path(__file__).parent / "templates"


@cache
def environment() -> Environment:
    """The templates of the report.

    >>> environment().from_string("{{ name }}").render(name="<b>")
    '&lt;b&gt;'
    """
    from askwise.goals.base.texts import percent, plural
    from askwise.report.charts import draw

    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    made.filters.update(draw=draw, percent=percent, plural=plural)
    made.globals["no_image"] = lambda place: None
    return made


def render(template: str, **values: Any) -> str:
    """A whole page.

    >>> render("page.html", title="<Cars>").count("&lt;Cars&gt;")
    1
    """
    return environment().get_template(template).render(values)


def render_macro(template: str, macro: str, *values: Any) -> Markup:
    """A part of a page.

    >>> str(render_macro("parts.html", "facts", [("seed", "8")])).split()
    ['<dl', 'class="facts"><div><dt>seed</dt><dd>8</dd></div></dl>']
    """
    module: Any = environment().get_template(template).module
    return Markup(getattr(module, macro)(*values))
