"""Goals about clusters: the options they share, and how they build a session."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from askwise.data.encoding import Items
from askwise.data.tables import Columns
from askwise.distances import Distance
from askwise.goals.base.export import Variable
from askwise.goals.base.goal import SessionParts, few_questions
from askwise.goals.base.margins import NOISE, margin_option, repeats_questions, zero_one_problem
from askwise.goals.base.options import option
from askwise.goals.base.tables import TableGoal
from askwise.options import number, numbers
from askwise.posteriors.clusterings.cloud_posterior import clustering_prior
from askwise.problem import noise_beta
from askwise.session import Session
from askwise.structures.clusterings import Clusterings, compact
from askwise.types import Ints

SAME = {"yes": "same", "true": "same", "1": "same", "no": "different", "false": "different", "0": "different"}


def check_similarity(name: str, value: Any) -> list[list[float]]:
    """A matrix as JSON can hold it.

    >>> check_similarity("similarity", ((1, 0), (0, 1)))
    [[1.0, 0.0], [0.0, 1.0]]
    """
    found: list[list[float]] = numbers(name, value, "a symmetric matrix of numbers, one row an item").tolist()
    return found


class ClusteringGoal(TableGoal):
    """A goal about who belongs together. A structure gives every item the number of its cluster."""

    asks: ClassVar[str] = "do A and B belong together?"
    answer_columns: ClassVar[tuple[str, ...]] = ("a", "b", "same")
    needs: ClassVar[str] = "two items"
    takes_items: ClassVar[bool] = True

    similarity: ArrayLike | None = option(
        default=None, parse=check_similarity,
        help="How similar items are, a symmetric matrix in place of features.",
    )  # fmt: skip
    trust: float | None = option(
        default=None, parse=number, typed=float,
        help="How far features are trusted to tell who belongs together, from 0 to 1; learned unless given.",
    )  # fmt: skip
    noise: float = option(default=0.05, parse=number, typed=float, help=NOISE)
    margin: float | None = margin_option()
    draws: int = 64

    def repeats(self, rows: int) -> bool:
        return repeats_questions(self.repeat, self.margin, few_questions(rows, self.rows_shown))

    @abstractmethod
    def parts(self, items: Items) -> tuple[Distance, int | None]:
        """The distance between two clusterings, and the item that all questions are about, if there is one."""

    @abstractmethod
    def describe(self, names: Sequence[str], labels: Ints) -> Any:
        """The estimate as people read it, from the number of each item's cluster (N,)."""

    def build(self, columns: Columns) -> SessionParts:
        items = self.items(columns)
        distance, around = self.parts(items)
        noise = number("noise", self.noise, above=0, below=0.5)
        family = Clusterings(len(items.names), items.names, items.images, around)
        problem = zero_one_problem(family, distance, noise_beta(noise), self.margin)
        prior = clustering_prior(
            family,
            problem.beta,
            features=items.features if self.similarity is None else None,
            similarity=self.similarity,
            trust=self.trust,
            chains=self.draws,  # one for each draw
            seed=self.seed,
        )
        return SessionParts(problem, prior, lambda labels: self.describe(items.names, labels))

    def variables(self, session: Session, structures: Any) -> dict[str, Variable]:
        """The number of every item's cluster."""
        family: Any = session.problem.family
        return {"cluster": Variable(compact(structures), {"item": family.names})}

    def parse_answer(self, session: Session, names: Sequence[Any], response: Any) -> tuple[Any, Any]:
        """Same may be said as yes."""
        atom, response = super().parse_answer(session, names, response)
        return atom, SAME.get(str(response).strip().casefold(), response)
