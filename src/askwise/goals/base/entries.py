"""Goals about matrices whose entries are asked one at a time: the options they share, and how they build a session."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from askwise.data.tables import Columns
from askwise.distances.columns import BestColumn
from askwise.distances.entries import EntryDifference
from askwise.errors import AnswerError, DataError, SettingError
from askwise.goals.base.export import Variable
from askwise.goals.base.goal import Goal, SessionParts, Summary, place_of
from askwise.goals.base.matrices import (
    MatrixData,
    check_costs,
    check_known,
    check_numbers,
    check_rows_option,
    find_name,
    known_entries,
    matrix_columns,
    read_matrix,
)
from askwise.goals.base.options import option
from askwise.goals.base.texts import abbreviate, there_are
from askwise.options import column, number, whole_number
from askwise.posteriors.matrices.posterior import MatrixPosterior
from askwise.problem import Problem
from askwise.session import Session
from askwise.stopping import CostLimits
from askwise.structures.matrices import Matrices, gaussian, matrices_of

RANGE_IN_SCALES = 6.0  # standard deviations of its entries that the range of a matrix spans, about


class KnownMatrix(NamedTuple):
    """What a table says about a matrix before any answer."""

    label: str | None  # the column that names the rows
    row_names: list[str]
    column_names: list[str]
    known: list[tuple[int, int, float]]  # entries
    wanted: list[int] | None  # the rows that count; None: all


class EntryGoal(Goal):
    """A goal about a matrix, from questions about its entries. A structure is a matrix with the noise of its answers.

    The matrix is taken to be row and column offsets plus a few factors. What is asked gains most per unit of cost.
    """

    asks: ClassVar[str] = "what is this entry?"
    needs: ClassVar[str] = "a matrix with two columns"
    max_rows: ClassVar[int] = 5_000
    answer_columns: ClassVar[tuple[str, ...]] = ("row", "column", "value")
    data_help: ClassVar[str] = (
        "A shape (rows, columns), or a table or 2-D array whose entries are known where they are present; "
        "a column of texts names the rows. Or the path of such a table (CSV, TSV, JSONL or Parquet)."
    )
    example: ClassVar[Mapping[str, Any]] = {
        "data": {"name": ["Ann", "Ben", "Cem"], "tea": [3.0, None, None], "milk": [None, 1.0, None]}
    }

    rows: Sequence[int | str] | None = option(
        default=None, parse=check_rows_option, typed=list, example="Ann,Ben", changeable=True,
        help="The rows that count, by name or by number from 0; by default all.",
    )  # fmt: skip
    entry_range: float | None = option(
        default=None, parse=number, typed=float, changeable=True, advanced=True, label="Range of the numbers",
        help="The largest entry less the smallest, 4 for ratings from 1 to 5; by default that of the known entries.",
    )  # fmt: skip
    known: Sequence[tuple[int | str, int | str, float]] | None = option(
        default=None, parse=check_known,
        help="More entries that are known: (row, column, value), by name or by number from 0.",
    )  # fmt: skip
    costs: ArrayLike | None = option(
        default=None, parse=check_costs, typed=list,
        help="What a question costs: a number, one for each column, or (in Python) one for each entry.",
    )  # fmt: skip
    max_cost: float | None = option(
        default=None, parse=number, typed=float, changeable=True, help="Stop when the answers have cost this much.",
    )  # fmt: skip
    min_gain_per_cost: float | None = option(
        default=None, parse=number, typed=float, changeable=True,
        help="Stop when no question is expected to lower undecided by this much for each unit of its cost.",
    )  # fmt: skip
    name: str | None = option(
        default=None, parse=column, typed=str, flag="--name-column",
        help="The column with the names; by default the only column of texts.",
    )  # fmt: skip
    rank: int = option(
        default=3, parse=whole_number, typed=int, server_max=50, help="How many factors the matrix has.",
    )  # fmt: skip
    row_features: ArrayLike | None = option(
        default=None, parse=check_numbers, help="Numbers (R, P) that tell rows apart."
    )
    column_features: ArrayLike | None = option(
        default=None, parse=check_numbers, help="Numbers (M, P) that tell columns apart."
    )
    decimals: int | None = option(
        default=None, parse=whole_number, typed=int, help="How many decimals people are asked to give.",
    )  # fmt: skip
    draws: int = 64

    @abstractmethod
    def distance_of(self, matrix: KnownMatrix) -> BestColumn | EntryDifference:
        """What counts, of a matrix of which so much is known."""

    @abstractmethod
    def description(self, matrix: KnownMatrix, distance: Any) -> Callable[[Any], Any]:
        """The function from a structure to the estimate as people read it."""

    @property
    @abstractmethod
    def counts_in_range(self) -> bool:
        """Whether distances are shares of the range of the entries, so that this range must be known."""

    def resolve(self, data: MatrixData) -> tuple[Columns, Self]:
        return matrix_columns(data), self

    def build(self, columns: Columns) -> SessionParts:
        label, row_names, column_names, entries = read_matrix(columns, self.name)
        known = known_entries(entries, row_names, column_names, self.known or ())
        wanted = None if self.rows is None else [find_name("row", row, row_names) for row in self.rows]
        matrix = KnownMatrix(label, row_names, column_names, known, wanted)
        distance = self.distance_of(matrix)
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
            least_scale=distance.unit / RANGE_IN_SCALES if self.counts_in_range else 0.0,
            known=known,
            seed=self.seed,
        )
        return SessionParts(
            Problem(family, distance, gaussian),
            prior,
            self.description(matrix, distance),
            cost_limits=CostLimits(self.max_cost, self.min_gain_per_cost),
        )

    def range_of(self, matrix: KnownMatrix) -> float:
        """The range of the entries: the one given, or that of the known entries."""
        if self.entry_range is not None:
            return self.entry_range
        values = [value for _, _, value in matrix.known]
        found = max(values, default=0.0) - min(values, default=0.0)
        if found == 0:
            told = "the range of the entries is not known, since no two different entries are"
            raise SettingError(f"{told}; give it with entry_range, 4 for ratings from 1 to 5")
        return found

    def sentences(self, session: Session) -> list[str]:
        limits = []
        if self.max_cost is not None:
            limits.append(f"when the answers have cost {self.max_cost:g}")
        if self.min_gain_per_cost is not None:
            limits.append(f"when no question lowers undecided by {self.min_gain_per_cost:g} for each unit of its cost")
        return [*super().sentences(session), *([f"It also stops {', or '.join(limits)}."] if limits else [])]

    def question_sentences(self, found: Summary) -> str:
        return f"Each question asks for one number of the table. {there_are(found.questions, 'number')}"

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
