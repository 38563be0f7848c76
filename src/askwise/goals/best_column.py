"""The column of a matrix with the best score, of which few entries are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from askwise.distances.columns import SCORES, BestColumn
from askwise.goals.base.charts import INTERVAL_LEAD, Intervals, Item, Result, Table, interval_rows
from askwise.goals.base.entries import EntryGoal, KnownMatrix
from askwise.goals.base.findings import Span, best_chances, score_spans
from askwise.goals.base.function import python_function
from askwise.goals.base.options import named_or_object, option
from askwise.goals.base.texts import percent, plural, rounded
from askwise.goals.best_item import candidate_bars
from askwise.options import choice
from askwise.session import Session
from askwise.types import Floats, Sample

UNITS = ("own", "common")


class BestColumnGoal(EntryGoal):
    """Finds the column with the best score, asking for one entry at a time.

    The matrix is taken to be row and column offsets plus a few factors. What is asked gains most per unit of cost.

    >>> session = best_column({"name": ["Ann", "Ben"], "tea": [3.0, None], "milk": [None, 1.0]}, budget=2, seed=1)
    >>> while not session.done:
    ...     question = session.ask()
    ...     session.tell(4 if question.options[1].name == "tea" else 0)
    >>> session.estimate().value
    'tea'
    """

    goal_name: ClassVar[str] = "best_column"
    order: ClassVar[int] = 80
    title: ClassVar[str] = "Which column of a matrix is the best"
    estimate: ClassVar[str] = "one column"
    distance: ClassVar[str] = "BestColumn"

    score: str | Callable[[Floats], Floats] = option(
        default="mean", typed=str, choices=tuple(SCORES), label="Score of a column", changeable=True,
        parse=named_or_object(lambda: SCORES, lambda: SCORES, "a function from matrices (S, R, M) to scores (S, M)"),
        help='What makes a column good: its "mean", "max" or "min".',
        in_python="Or a function from matrices (S, R, M) to scores (S, M).",
    )  # fmt: skip
    units: str = option(
        default="own", parse=partial(choice, known=UNITS), typed=str, choices=UNITS, changeable=True,
        help='What a loss is a share of: the range of the columns\' scores ("own") or entry_range ("common").',
    )  # fmt: skip

    @property
    def counts_in_range(self) -> bool:
        return self.units == "common"

    def distance_of(self, matrix: KnownMatrix) -> BestColumn:
        return BestColumn(self.score, matrix.wanted, self.range_of(matrix) if self.counts_in_range else None)

    def description(self, matrix: KnownMatrix, distance: BestColumn) -> Callable[[Any], str]:
        return lambda structure: matrix.column_names[int(distance.best(np.asarray(structure)[None])[0])]

    def sentence(self, rows: int) -> str:
        return "Find the column with the best score."

    def exact_claim(self) -> str:
        return "this is the best column"

    def result(self, session: Session, sample: Sample) -> Result:
        family: Any = session.problem.family
        distance: Any = session.problem.distance
        names, name, score = family.column_names, str(session.estimate()), self._score_name()
        chances = best_chances(distance.regrets(sample.structures), sample.weights, names)
        spans = score_spans(distance.utilities(sample.structures), sample.weights, names)
        spread = max(span.high for span in spans) - min(span.low for span in spans)
        own = next(span for span in spans if span.name == name)
        over = "" if self.rows is None else f" over {plural(len(self.rows), 'chosen row')}"
        low, middle, high = (rounded(value, spread) for value in (own.low, own.middle, own.high))
        return Result(
            f"Which of {len(spans):,} columns is the best?",
            items=(Item(name),),
            large=True,
            text=f"{score.capitalize()}{over}: {middle}, between {low} and {high} with a probability of 80 %.",
            charts=(candidate_bars(chances, "column", name), _score_chart(spans, score, spread)),
        )

    def _score_name(self) -> str:
        return self.score if isinstance(self.score, str) else "score"


def _score_chart(spans: Sequence[Span], score: str, spread: float) -> Intervals:
    rows = tuple(
        (
            s.name,
            rounded(s.middle, spread),
            f"{rounded(s.low, spread)} to {rounded(s.high, spread)}",
            percent(s.probability),
        )
        for s in spans
    )
    drawn = interval_rows(spans, [rounded(span.middle, spread) for span in spans])
    return Intervals(
        "scores",
        "The score of each column",
        f"The {score} of each column, best first. {INTERVAL_LEAD.format(what='score')}",
        Table("All scores as a table", ("column", "middle", "80 % interval", "is the best"), rows, numeric=(1, 2, 3)),
        score,
        drawn,
        len(spans) - len(drawn),
    )


best_column = python_function(BestColumnGoal)
