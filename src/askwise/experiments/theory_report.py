"""What the paper proves, checked by running it, as tables and pictures in a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from askwise._runtime.streams import stream
from askwise.experiments import guarantees, inequalities, lemmas, line, ranking, splitting
from askwise.experiments.files import save, write_table
from askwise.experiments.plots import COLOURS, new_figure
from askwise.experiments.published_select import PublishedSelect
from askwise.strategies.select import Select


def theory_report(folder: Path, quick: bool = False) -> list[Path]:
    """Lemmas by enumeration, guarantees by simulation, and how questions grow on the line and for rankings."""
    written = [write_table(lemma_checks(quick), folder / "lemmas.csv")]
    written.append(write_table(guarantee_checks(quick), folder / "guarantees.csv"))
    curve = guarantees.consistency(runs=2 if quick else 10, answers=100 if quick else 600)
    errors = [
        {"answers": answers, "mean_error": mean, "worst_error": worst}
        for answers, (mean, worst) in enumerate(zip(curve.mean, curve.worst, strict=True))
    ]
    written.append(write_table(errors, folder / "consistency.csv"))
    rows = line.table((8, 16, 32) if quick else line.CELL_COUNTS)
    written += [write_table(rows, folder / "line.csv"), *save(line_picture(rows), folder / "line")]
    compared = ranking.compare(runs=3, levels=(0.2, 0.1, 0.05)) if quick else ranking.compare(runs=60)
    written.append(write_table(_needed_rows(compared), folder / "ranking.csv"))
    return written + save(ranking_picture(compared), folder / "ranking")


def lemma_checks(quick: bool) -> list[lemmas.Check]:
    """Random families, then families pushed towards a violation by local search; and two cases that fail."""
    drawn = lemmas.check_all(2_000 if quick else 300_000, seed=5)
    pushed = lemmas.check_all(200 if quick else 5_000, steps=10 if quick else 60, seed=6)
    named = [check._replace(name=f"{check.name}, pushed") for check in pushed]
    trials = 50 if quick else 10_000
    others = [*splitting.check_splitting(trials), *inequalities.check_inequalities(trials)]
    broken = {
        "potential decrease, k=2, at the Bayes beta": lemmas.bayes_counterexample(),
        "version space, printed, fewer atoms than dimensions": inequalities.printed_version_space_fails(),
    }
    return [*drawn, *named, *others, *(lemmas.Check(name, 1, worst, worst <= 1) for name, worst in broken.items())]


def guarantee_checks(quick: bool) -> list[guarantees.GuaranteeCheck]:
    """SELECT's two promises, as published and as in askwise, for random problems and for near ties; its promise about
    all questions of a session; the subspace lemma; and the stopping rule's two."""
    checks: list[guarantees.GuaranteeCheck] = []
    runs = 30 if quick else 300
    rules = {" as published": PublishedSelect(alpha=0.5, delta=0.1), "": Select(alpha=0.5, delta=0.1)}
    for (how, rule), near_tie in product(rules.items(), (False, True)):
        found = guarantees.select(rule, runs, near_tie=near_tie)
        suffix = f"{how}{', near ties' if near_tie else ''}, at {found.share:.3f} of the bound on average"
        checks += [
            found.splits._replace(name=found.splits.name + suffix),
            found.pairs._replace(name=found.pairs.name + suffix),
        ]
    checks.append(guarantees.select_in_session(rules[""], runs))
    checks.append(inequalities.subspace(100 * runs, stream(0, 0, "subspace")))
    return [*checks, *(guarantees.stopping_checks(5, rounds=2) if quick else guarantees.stopping_checks(runs))]


def line_picture(rows: Sequence[line.QuestionCounts]) -> Any:
    """Questions against k, both axes doubling."""
    figure, axes = new_figure(1, 1)
    ax = axes[0, 0]
    sizes = [row.k for row in rows]
    for values, colour, name in (
        ([row.questions_dc for row in rows], COLOURS[1], "whole clustering, d_c"),
        ([row.questions_dI for row in rows], COLOURS[0], "known interval's cluster, d_I"),
    ):
        ax.plot(sizes, values, "o-", color=colour, label=name)
    ax.set_xscale("log", base=2)
    ax.set_yscale("log", base=2)
    ax.set_xticks(sizes, [str(size) for size in sizes])
    ax.yaxis.set_major_formatter("{x:.0f}")
    ax.set(xlabel="k, the number of cells", ylabel="questions", title="NDBAL on the line, worst truth")
    ax.legend(frameon=False, fontsize="small")
    return figure


def ranking_picture(compared: Mapping[str, tuple[ranking.QuestionsNeeded, ranking.Growth]]) -> Any:
    """Questions against epsilon, with standard errors."""
    figure, axes = new_figure(1, 1)
    ax = axes[0, 0]
    for (rule, (needed, _)), colour in zip(compared.items(), (COLOURS[0], COLOURS[3]), strict=True):
        ax.errorbar(needed.levels, needed.mean, needed.error, fmt="o-", color=colour, label=rule, capsize=2)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.invert_xaxis()
    ax.set(
        xlabel="epsilon, the Kendall distance reached", ylabel="questions", title="rankings in 3 dimensions, no noise"
    )
    ax.legend(frameon=False)
    return figure


def _needed_rows(compared: Mapping[str, tuple[ranking.QuestionsNeeded, ranking.Growth]]) -> list[dict[str, Any]]:
    return [
        {"rule": rule, "epsilon": float(level), "questions": float(mean), "standard_error": float(error)}
        for rule, (needed, _) in compared.items()
        for level, mean, error in zip(needed.levels, needed.mean, needed.error, strict=True)
    ]
