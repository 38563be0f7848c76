"""Sphinx settings."""

project = "askwise"
author = "askwise contributors"
copyright = "2026, askwise contributors"

extensions = ["myst_nb", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "askwise"
html_theme_options = {"light_css_variables": {"code-font-size": "80%"}}  # 90 characters a line
myst_heading_anchors = 3
nb_execution_mode = "off"  # notebooks are stored with their outputs
autodoc_typehints = "description"
autodoc_member_order = "bysource"
default_role = "code"  # docstrings write `name`


def escape_bars(app, what, name, obj, options, lines):
    """|Y| in a docstring is a size, not a substitution."""
    lines[:] = [line if line.lstrip().startswith((">>>", "...")) else line.replace("|", r"\|") for line in lines]


def setup(app):
    app.connect("autodoc-process-docstring", escape_bars)
