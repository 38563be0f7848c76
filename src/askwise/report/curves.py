"""Curves against the number of questions, drawn by Matplotlib (the `plots` extra)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

from askwise.errors import SettingError

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")  # told apart by colour-blind people too


def figure_of(rows: int, columns: int) -> tuple[Any, Any]:
    """A figure and its (rows, columns) axes, without a window and without the frame's top and right.

    >>> figure_of(1, 2)[1].shape
    (1, 2)
    """
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        raise SettingError("pictures need Matplotlib; install it with: pip install 'askwise[plots]'") from None
    figure = Figure(figsize=(4.2 * columns, 3.1 * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False)
    for ax in axes.ravel():
        ax.spines[["top", "right"]].set_visible(False)
    return figure, axes


def curves_svg(panels: Mapping[str, Mapping[str, Sequence[float]]], xlabel: str = "questions") -> str:
    """One panel for each title, one line for each name, as an SVG picture.

    >>> curves_svg({"error": {"expected": [1.0, 0.5], "random": [1.0, 0.8]}}).lstrip()[:4]
    '<svg'
    """
    figure, axes = figure_of(1, len(panels))
    for ax, (title, lines) in zip(axes[0], panels.items(), strict=True):
        for colour, (name, values) in zip(COLOURS, lines.items(), strict=False):
            ax.plot(range(1, len(values) + 1), values, color=colour, label=name, linewidth=2)
            ax.plot(len(values), values[-1], "o", color=colour, markersize=6)
        ax.set(title=title, xlabel=xlabel, ylim=(0, None))
        ax.grid(axis="y", alpha=0.3)
    axes[0, 0].legend(frameon=False)
    text = StringIO()
    figure.savefig(text, format="svg")
    return text.getvalue()[text.getvalue().index("<svg") :]
