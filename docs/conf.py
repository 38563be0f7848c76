"""Sphinx settings."""

project = "askwise"
author = "askwise contributors"
copyright = "2026, askwise contributors"

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
html_theme = "furo"
myst_heading_anchors = 3
autodoc_typehints = "description"
autodoc_member_order = "bysource"
