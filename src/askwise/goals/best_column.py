"""The column of a matrix with the best score, of which few entries are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from askwise.data.tables import Columns
from askwise.distances.columns import SCORES, BestColumn
from askwise.errors import AnswerError, DataError
from askwise.goals.base.charts import INTERVAL_LEAD, Intervals, Item, Result, Table, interval_rows
from askwise.goals.base.export import Variable
from askwise.goals.base.findings import Span, best_chances, score_spans
from askwise.goals.base.function import python_function
from askwise.goals.base.goal import Goal, SessionParts, Summary, place_of
from askwise.goals.base.matrices import (
    check_known,
    check_numbers,
    check_rows_option,
    find_name,
    known_entries,
    matrix_columns,
    read_matrix,
)
from askwise.goals.base.options import named_or_object, option
from askwise.goals.base.texts import abbreviate, percent, plural, rounded, there_are
from askwise.goals.best_item import candidate_bars
from askwise.options import column, whole_number
from askwise.posteriors.matrices.posterior import MatrixPosterior
from askwise.problem import Problem
from askwise.session import Session
from askwise.structures.matrices import Matrices, gaussian, matrices_of
from askwise.types import Floats, Sample


class BestColumnGoal(Goal):
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
    question: ClassVar[str] = "what is this entry?"
    estimate: ClassVar[str] = "one column"
    distance: ClassVar[str] = "BestColumn"
    needs: ClassVar[str] = "a matrix with two columns"
    max_rows: ClassVar[int] = 5_000
    answer_columns: ClassVar[tuple[str, ...]] = ("row", "column", "value")
    data_help: ClassVar[str] = (
        "A shape (rows, columns), or a table or 2-D array whose entries are known where they are present; "
        "a column of texts names the rows."
    )
    example: ClassVar[Mapping[str, Any]] = {
        "data": {"name": ["Ann", "Ben", "Cem"], "tea": [3.0, None, None], "milk": [None, 1.0, None]}
    }

    score: str | Callable[[Floats], Any] = option(
        default="mean", typed=str, choices=tuple(SCORES), label="Score of a column", changeable=True,
        parse=named_or_object(lambda: SCORES, lambda: SCORES, "a function from matrices (S, R, M) to scores (S, M)"),
        help='What makes a column good: its "mean", "max" or "min".',
        in_python="Or a function from matrices (S, R, M) to scores (S, M).",
    )  # fmt: skip
    rows: Sequence[int | str] | None = option(
        default=None, parse=check_rows_option, typed=list, example="Ann,Ben", changeable=True,
        help="The rows that count, by name or by number from 0; by default all.",
    )  # fmt: skip
    known: Sequence[tuple[int | str, int | str, float]] | None = option(
        default=None, parse=check_known,
        help="More entries that are known: (row, column, value), by name or by number from 0.",
    )  # fmt: skip
    costs: Any = option(
        default=None, parse=check_numbers,
        help="What a question costs: a number, one for each column, or one for each entry.",
    )  # fmt: skip
    name: str | None = option(
        default=None, parse=column, typed=str, flag="--name-column",
        help="The column with the names; by default the only column of texts.",
    )  # fmt: skip
    rank: int = option(
        default=3, parse=whole_number, typed=int, server_max=50, help="How many factors the matrix has.",
    )  # fmt: skip
    row_features: Any = option(default=None, parse=check_numbers, help="Numbers (R, P) that tell rows apart.")
    column_features: Any = option(default=None, parse=check_numbers, help="Numbers (M, P) that tell columns apart.")
    decimals: int | None = option(
        default=None, parse=whole_number, typed=int, help="Round answers to this many decimals.",
    )  # fmt: skip
    draws: int = 64

    def resolve(self, data: Any) -> tuple[Columns, Self]:
        return matrix_columns(data), self

    def build(self, columns: Columns) -> SessionParts:
        row_names, column_names, entries = read_matrix(columns, self.name)
        known = known_entries(entries, row_names, column_names, self.known or ())
        wanted = None if self.rows is None else [find_name("row", row, row_names) for row in self.rows]
        distance = BestColumn(self.score, wanted)
        askable = np.ones(entries.shape, dtype=bool)
        for i, j, _ in known:
            askable[i, j] = bool(self.repeat)
        family = Matrices(entries.shape, row_names, column_names, self.costs, askable, self.decimals)
        prior = MatrixPosterior.prior(
            family,
            self.rank,
            self.draws,
            row_features=self.row_features,
            column_features=self.column_features,
            known=known,
            seed=self.seed,
        )

        def describe(structure: Any) -> str:
            return column_names[int(distance.best(np.asarray(structure)[None])[0])]

        return SessionParts(Problem(family, distance, gaussian), prior, describe)

    def sentence(self, rows: int) -> str:
        return "Find the column with the best score."

    def question_sentences(self, found: Summary) -> str:
        return f"Each question asks for one number of the table. {there_are(found.questions, 'number')}"

    def exact_claim(self) -> str:
        return "this is the best column"

    def summary(self, session: Session) -> Summary:
        family: Any = session.problem.family
        entries, questions = family.askable.size, int(family.askable.sum())
        if not questions:
            told = f"all {entries} entries of the matrix are known, so there is nothing to ask"
            raise DataError(f"{told}; leave those empty that you want to find out")
        known = {f"{entries - questions} of {entries} entries": "known already"} if questions < entries else {}
        return Summary(self.goal_name, len(family.row_names), self.name, [], known, ["a number"], questions)

    def data_sentences(self, session: Session, found: Summary) -> list[str]:
        family: Any = session.problem.family
        return [f"Rows: {abbreviate(family.row_names)}. Columns: {abbreviate(family.column_names)}."]

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

    def variables(self, session: Session, structures: Any) -> dict[str, Variable]:
        """An entry for each row and column, and the noise of an answer, a standard deviation."""
        family: Any = session.problem.family
        axes = {"row": family.row_names, "column": family.column_names}
        noise = Variable(structures["precision"] ** -0.5)
        return {"entry": Variable(matrices_of(structures), axes), "noise": noise}

    def parse_answer(self, session: Session, names: Sequence[Any], response: Any) -> tuple[Any, Any]:
        family: Any = session.problem.family
        atom = [place_of(names[0], family.row_names, "row"), place_of(names[1], family.column_names, "column")]
        if not (isinstance(response, int | float) and np.isfinite(response)):
            raise AnswerError(f"value is {response!r}; expected a number")
        return atom, response


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
