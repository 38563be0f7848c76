"""Synthetic tasks with a known truth, one module a family of structures.

A task is a function of a random generator and settings; `TASKS` has them by name. A task knows its problem, the
learner's prior, a simulated person and the errors to measure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from askwise.simulate.tasks.clusterings import clusters
from askwise.simulate.tasks.hierarchies import hierarchy
from askwise.simulate.tasks.line import line
from askwise.simulate.tasks.matrices import columns, matrix
from askwise.simulate.tasks.scores import choice, classify, top_ranking
from askwise.simulate.tasks.segments import segments
from askwise.simulate.tasks.task import Task

__all__ = [
    "TASKS",
    "Task",
    "choice",
    "classify",
    "clusters",
    "columns",
    "hierarchy",
    "line",
    "matrix",
    "segments",
    "top_ranking",
]

TASKS: Mapping[str, Callable[..., Task]] = {
    "choice": choice,
    "classify": classify,
    "clusters": clusters,
    "columns": columns,
    "hierarchy": hierarchy,
    "line": line,
    "segments": segments,
    "top_ranking": top_ranking,
    "matrix": matrix,
}
