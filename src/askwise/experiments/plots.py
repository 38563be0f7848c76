"""Figures of the paper, drawn by Matplotlib (the `plots` extra)."""

from __future__ import annotations

from typing import Any

from askwise.errors import SettingError

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")  # told apart by colour-blind people too


def new_figure(rows: int, columns: int) -> tuple[Any, Any]:
    """A figure and its (rows, columns) axes, without a window and without the frame's top and right.

    >>> new_figure(1, 2)[1].shape
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
