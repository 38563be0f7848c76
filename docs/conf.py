"""Sphinx settings."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from llms import llms_text
from parameters import with_parameters

project = "askwise"
author = "askwise contributors"
copyright = "2026, askwise contributors"

extensions = ["myst_nb", "sphinx.ext.autodoc", "gallery"]
exclude_patterns = ["_build", "jupyter_execute"]  # what an earlier build made
html_theme = "furo"
html_title = "askwise"
html_theme_options = {"light_css_variables": {"code-font-size": "80%"}}  # 90 characters a line
html_static_path = ["images/study.svg", "images/study-still.svg"]  # which the first page chooses from
myst_heading_anchors = 3
nb_execution_mode = "off"  # notebooks are stored with their outputs
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_member_order = "bysource"
default_role = "code"  # docstrings write `name`


def complete_docstring(app, what, name, obj, options, lines):
    """|Y| in a docstring is a size, not a substitution. Parameters get the lines that are written elsewhere."""
    if what in ("class", "exception", "function", "method"):
        lines[:] = with_parameters(obj, lines)
    lines[:] = [line if line.lstrip().startswith((">>>", "...")) else line.replace("|", r"\|") for line in lines]


def write_llms(app, error):
    """llms.txt at the root of the built pages."""
    if error is None and app.builder.format == "html":
        (Path(app.outdir) / "llms.txt").write_text(llms_text(), encoding="utf-8")


def setup(app):
    app.connect("autodoc-process-docstring", complete_docstring)
    app.connect("build-finished", write_llms)
