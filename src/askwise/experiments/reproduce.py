"""Everything the paper shows, as files in a folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from askwise.errors import SettingError
from askwise.experiments import figures
from askwise.experiments.files import save, write_table
from askwise.experiments.plots import new_figure
from askwise.experiments.runner import sweep
from askwise.experiments.theory_report import theory_report

NAMES = (*figures.FIGURES, "intervals", "theory")
QUICK = {"questions": 30, "runs": 3}


def reproduce(
    names: Sequence[str],
    folder: Path,
    *,
    runs: int = 50,
    questions: int = figures.QUESTIONS,
    rules: Sequence[str] = figures.PAPER_RULES,
    quick: bool = False,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Callable[[int, int], Any] = lambda finished, total: None,
) -> list[Path]:
    """Writes each figure as PNG and PDF and its numbers as CSV, and the checks of the theory; returns what was written.

    Finished runs are kept in `runs.sqlite` in the folder, so a second call draws from them.
    """
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise SettingError(f"there is no figure {unknown[0]!r}; choose some of {', '.join(NAMES)}")
    if runs < 1 or questions < 1:
        raise SettingError(f"runs and questions must be at least 1, got {runs} and {questions}")
    new_figure(1, 1)  # refuses a machine without Matplotlib before hours of work
    runs, questions = (QUICK["runs"], QUICK["questions"]) if quick else (runs, questions)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as refused:
        raise SettingError(f"cannot write to {folder}: {refused.strerror}; choose another folder") from None
    curves = [name for name in names if name in figures.FIGURES]
    wanted = [run for name in curves for run in figures.runs_of(name, rules, questions, runs)]
    records = sweep(wanted, folder / "runs.sqlite", workers=workers, cluster=cluster, progress=progress)
    note = f"mean of {runs} people, bands are 68 % bootstrap intervals"
    if quick:
        note += ": a quick look with few people and answers, not a result"
    written = []
    for name in names:
        if name in figures.FIGURES:
            table = figures.table_of(name, records, rules, questions, runs)
            written += [
                write_table(table, folder / f"{name}.csv"),
                *save(figures.draw(name, table, note), folder / name),
            ]
            if name == "samplers":
                differences = figures.sampler_differences(records, rules, questions, runs)
                written.append(write_table(differences, folder / "sampler_differences.csv"))
            if "random" in rules:
                written.append(write_table(figures.savings(table), folder / f"{name}_savings.csv"))
        elif name == "intervals":
            written += save(figures.interval_picture(), folder / name)
        else:
            written += theory_report(folder, quick)
    return written
