"""The paper's simulations as figures: error curves of several strategies, with 68 % bootstrap bands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from askwise.experiments.plots import COLOURS, new_figure
from askwise.experiments.runner import Record, Run
from askwise.simulate.curves import mean_curve

QUESTIONS = 100
CURVE = ("rule", "answers", "mean", "low", "high")  # what changes along the curves of a panel
PAPER_RULES = ("random", "qbc", "ndbal-paper", "expected")
MORE_RULES = ("ndbal", "bald", "margin", "eubo")
STYLES: Mapping[str, tuple[str, str]] = {
    rule: (COLOURS[place % len(COLOURS)], ("-", "--")[place // len(COLOURS)])
    for place, rule in enumerate(("expected", "ndbal-paper", "qbc", "random", "ndbal", "bald", "margin", "eubo"))
}


@dataclass(frozen=True)
class Panel:
    """One pair of axes: a metric of a task."""

    task: str
    settings: tuple[tuple[str, Any], ...]
    metric: str
    title: str

    def rules(self, rules: Sequence[str]) -> list[str]:
        """Those that make sense here: eubo compares items."""
        return [rule for rule in rules if rule != "eubo" or self.task == "choice"]

    def runs(self, rule: str, questions: int, count: int) -> list[Run]:
        return [Run(self.task, rule, questions, person, settings=self.settings) for person in range(count)]


def classification(dim: int, sigma: float, mala: bool = False) -> Panel:
    """The angle between the posterior's classifiers and the truth, over pi; with the paper's sampler if `mala`."""
    settings = (("dim", dim), ("sigma", float(sigma)), *((("sampler", "mala"),) if mala else ()))
    title = f"classification error, d={dim}, sigma={sigma}"
    return Panel("classify", settings, "error", title + (", MALA" if mala else ""))


def choosing(items: int, sigma: float, metric: str) -> Panel:
    """Logit choice in 10 dimensions."""
    settings = (("dim", 10), ("items", items), ("sigma", float(sigma)))
    words = {"top_item_error": "top-item error", "distance_to_best": "distance to best"}
    return Panel("choice", settings, metric, f"{words[metric]}, n={items}, sigma={sigma}")


METRICS = ("top_item_error", "distance_to_best")
FIGURES: Mapping[str, list[list[Panel]]] = {
    "figure1": [
        [classification(10, 5), choosing(50, 1, METRICS[0]), choosing(50, 5, METRICS[0])],
        [classification(10, 10), choosing(50, 1, METRICS[1]), choosing(50, 5, METRICS[1])],
    ],
    "classification": [[classification(dim, sigma) for sigma in (1, 5, 10)] for dim in (5, 10)],
    "samplers": [[classification(5, 5), classification(5, 5, mala=True)]],
    "choice": [[choosing(items, sigma, metric) for metric in METRICS for sigma in (1, 5)] for items in (10, 50, 100)],
}


def runs_of(name: str, rules: Sequence[str], questions: int, count: int) -> list[Run]:
    """Every run that a figure needs."""
    panels = [panel for row in FIGURES[name] for panel in row]
    return [run for panel in panels for rule in panel.rules(rules) for run in panel.runs(rule, questions, count)]


def table_of(
    name: str, records: Mapping[Run, Record], rules: Sequence[str], questions: int, count: int
) -> list[dict[str, Any]]:
    """The numbers of a figure, a row for each panel, strategy and number of answers."""
    rows = []
    for panel in (panel for row in FIGURES[name] for panel in row):
        for rule in panel.rules(rules):
            curves = [records[run]["metrics"][panel.metric] for run in panel.runs(rule, questions, count)]
            band = mean_curve(np.array(curves))
            for answers in range(questions + 1):
                numbers = {edge: round(band[edge][answers], 6) for edge in ("mean", "low", "high")}
                where = {"task": panel.task, **dict(panel.settings), "metric": panel.metric}
                rows.append({**where, "rule": rule, "answers": answers, **numbers})
    return rows


def sampler_differences(
    records: Mapping[Run, Record], rules: Sequence[str], questions: int, count: int
) -> list[dict[str, Any]]:
    """The error with the paper's sampler less that with ours, for the same people: mean and standard error."""
    ours, paper = FIGURES["samplers"][0]
    rows = []
    for rule in rules:
        errors = [
            np.array([records[run]["metrics"][panel.metric] for run in panel.runs(rule, questions, count)])
            for panel in (ours, paper)
        ]
        difference = errors[1] - errors[0]  # (R, T)
        spread = difference.std(axis=0, ddof=1 if count > 1 else 0) / np.sqrt(count)
        for answers in range(questions + 1):
            means = {"hmc": errors[0][:, answers].mean(), "mala": errors[1][:, answers].mean()}
            found = {**means, "difference": difference[:, answers].mean(), "standard_error": spread[answers]}
            rows.append({"rule": rule, "answers": answers, **{key: round(float(x), 6) for key, x in found.items()}})
    return rows


def savings(rows: Sequence[Mapping[str, Any]], than: str = "random") -> list[dict[str, Any]]:
    """How many answers each strategy needs for the mean error that `than` has at the end, panel by panel; None if more.

    >>> curve = [{"task": "t", "metric": "m", "rule": r, "answers": a, "mean": e, "low": e, "high": e}
    ...          for r, errors in (("random", [3, 2, 1]), ("ndbal", [3, 1, 0])) for a, e in enumerate(errors)]
    >>> savings(curve)
    [{'task': 't', 'metric': 'm', 'error': 1, 'random': 2, 'ndbal': 1}]
    """
    panels: dict[tuple[Any, ...], dict[str, list[Mapping[str, Any]]]] = {}
    for row in rows:
        where = tuple((key, value) for key, value in row.items() if key not in CURVE)
        panels.setdefault(where, {}).setdefault(row["rule"], []).append(row)
    found = []
    for where, curves in panels.items():
        error = curves[than][-1]["mean"]
        needed = {
            rule: next((row["answers"] for row in curve if row["mean"] <= error), None)
            for rule, curve in curves.items()
        }
        found.append({**dict(where), "error": error, **needed})
    return found


def draw(name: str, rows: Sequence[Mapping[str, Any]], note: str) -> Any:
    """The picture of a table: the same y axis in a row, one legend for all."""
    grid = FIGURES[name]
    figure, axes = new_figure(len(grid), len(grid[0]))
    seen: dict[str, Any] = {}
    for ax, panel in zip(axes.ravel(), (panel for row in grid for panel in row), strict=True):
        where = {"task": panel.task, **dict(panel.settings), "metric": panel.metric}
        mine = [row for row in rows if {key: row[key] for key in row if key not in CURVE} == where]
        for rule in dict.fromkeys(row["rule"] for row in mine):
            line = [row for row in mine if row["rule"] == rule]
            colour, style = STYLES[rule]
            steps = [row["answers"] for row in line]
            ax.fill_between(steps, [r["low"] for r in line], [r["high"] for r in line], color=colour, alpha=0.2, lw=0)
            (seen[rule],) = ax.plot(steps, [r["mean"] for r in line], color=colour, linestyle=style, linewidth=1.6)
        ax.set(title=panel.title, ylim=(0, None))
        ax.grid(axis="y", alpha=0.3)
    for panels, row_axes in zip(grid, axes, strict=True):
        for metric in {panel.metric for panel in panels}:
            same = [ax for ax, panel in zip(row_axes, panels, strict=True) if panel.metric == metric]
            top = max(ax.get_ylim()[1] for ax in same)
            for ax in same:
                ax.set_ylim(0, top)
    for ax in axes[-1]:
        ax.set_xlabel("answers")
    figure.legend(seen.values(), seen.keys(), loc="outside lower center", ncols=len(seen), frameon=False)
    figure.suptitle(note, fontsize="small")
    return figure


def interval_picture() -> Any:
    """A clustering of the line seen as a classifier of the square: which pairs belong together."""
    cuts = [0.0, 0.18, 0.45, 0.6, 0.85, 1.0]
    figure, axes = new_figure(1, 1)
    ax = axes[0, 0]
    ax.add_patch(_rectangle(0, 0, 1, 1, COLOURS[1], 0.25))
    for low, high in pairwise(cuts):
        ax.add_patch(_rectangle(low, low, high - low, high - low, COLOURS[2], 0.7))
    ax.plot([0, 1], [0, 1], color="black", linewidth=0.8, linestyle=":")
    labels = ["0", *(f"$a_{i}$" for i in range(1, len(cuts) - 1)), "1"]
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="x", ylabel="y", title="the pair (x, y): same or different")
    ax.set_xticks(cuts, labels)
    ax.set_yticks(cuts, labels)
    ax.text(0.525, 0.525, "same", ha="center", va="center", fontsize="small")
    ax.text(0.72, 0.3, "different", ha="center", va="center", fontsize="small")
    return figure


def _rectangle(x: float, y: float, width: float, height: float, colour: str, alpha: float) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x, y), width, height, facecolor=colour, alpha=alpha, edgecolor="none")
