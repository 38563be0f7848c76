"""A tree of all items: which belong together more closely than others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from askwise.data.tables import Columns
from askwise.distances.hierarchies import TripletDisagreement
from askwise.goals.base.charts import Chart, Fork, Result, Table, Tree
from askwise.goals.base.export import Variable
from askwise.goals.base.function import python_function
from askwise.goals.base.goal import SessionParts, few_questions
from askwise.goals.base.groups import InnerNode, inner_nodes
from askwise.goals.base.margins import NOISE, margin_option, repeats_questions, zero_one_problem
from askwise.goals.base.options import option
from askwise.goals.base.tables import TableGoal
from askwise.goals.base.texts import percent
from askwise.options import number
from askwise.posteriors.hierarchies.posterior import HierarchyPosterior, answer_beta
from askwise.session import Session
from askwise.structures.hierarchies import Hierarchies, nested, newick
from askwise.types import Sample

STRONG_SUPPORT = 0.9  # from here on a fork is drawn as settled
MAX_FORKS = 60  # in a table


class HierarchyGoal(TableGoal):
    """Finds somebody's hierarchy of the items: which belong together more closely than others, as a binary tree.

    The estimate is the tree as nested lists of names; `askwise.structures.hierarchies.newick(estimate.structure,
    names)` writes it for other programs. If the items have features, trees that join similar items are likelier from
    the start.

    >>> session = hierarchy(["cat", "dog", "eel", "cod"], noise=0.0, seed=1)
    >>> while not session.done:
    ...     shown = [option.name for option in session.ask().options]
    ...     fish = [name for name in shown if name in ("eel", "cod")]
    ...     session.tell(fish[0] if len(fish) == 1 else next(name for name in shown if name not in fish))
    >>> session.estimate().value
    [['cat', 'dog'], ['eel', 'cod']]
    """

    goal_name: ClassVar[str] = "hierarchy"
    order: ClassVar[int] = 70
    title: ClassVar[str] = "Which items belong together more closely: a tree"
    asks: ClassVar[str] = "which is the odd one out?"
    estimate: ClassVar[str] = "nested lists of names"
    distance: ClassVar[str] = "TripletDisagreement"
    needs: ClassVar[str] = "three items"
    min_rows: ClassVar[int] = 3
    takes_items: ClassVar[bool] = True
    max_rows: ClassVar[int] = 300
    shown_together: ClassVar[int] = 3
    answer_columns: ClassVar[tuple[str, ...]] = ("a", "b", "c", "odd")
    example: ClassVar[Mapping[str, Any]] = {"data": ["cat", "dog", "eel", "cod"]}

    noise: float = option(default=0.05, parse=number, typed=float, help=NOISE)
    margin: float | None = margin_option()
    strength: float | None = option(
        default=None, parse=number, typed=float,
        help="How strongly similar features join items; by default learned from the answers (0: not at all).",
    )  # fmt: skip
    draws: int = 64

    def build(self, columns: Columns) -> SessionParts:
        items = self.items(columns)
        family = Hierarchies(len(items.names), items.names, items.images)
        problem = zero_one_problem(family, TripletDisagreement(family), answer_beta(self.noise), self.margin)
        prior = HierarchyPosterior.prior(
            family, problem.beta, items.features, chains=self.draws, strength=self.strength
        )
        return SessionParts(problem, prior, lambda tree: nested(tree, items.names))

    def repeats(self, rows: int) -> bool:
        few = self.noise > 0 and few_questions(rows, self.rows_shown)
        return repeats_questions(self.repeat, self.margin, few)

    def sentence(self, rows: int) -> str:
        return f"Find the hierarchy of the {rows} items."

    @classmethod
    def headline(cls, estimate: Any, length: int = 0) -> str:
        return ""  # a tree is drawn

    def result(self, session: Session, sample: Sample) -> Result:
        family: Any = session.problem.family
        names, estimate = family.names, session.estimate().structure
        found = inner_nodes(sample.structures, sample.weights, estimate)
        least_sure = sorted(found, key=lambda node: node.support)
        rows = [
            (percent(node.support), str(len(node.leaves)), ", ".join(names[leaf] for leaf in node.leaves))
            for node in least_sure
            if len(node.leaves) < len(names)
        ]
        return Result(
            f"Which of {len(names):,} items belong together more closely?",
            drawing=Tree(
                "tree",
                "The tree",
                "At each fork, in per cent, the share of everything still plausible that has exactly these items in "
                f"one branch. Dashed lines leave a fork with less than {100 * STRONG_SUPPORT:.0f}.",
                None,
                tuple(names[leaf] for leaf in found[-1].leaves),
                tuple(forks(found, len(names))),
            ),
            charts=(
                Chart(
                    "support",
                    "How sure each fork is",
                    "The share of everything still plausible that has exactly these items in one branch of their own, "
                    "the least sure first.",
                    Table("Every fork as a table", ("sure", "items", "in one branch"), tuple(rows[:MAX_FORKS]), (0, 1)),
                ),
                Chart(
                    "newick",
                    "The tree for other programs",
                    "In the Newick format, which most programs for trees read.",
                    Table("The tree in Newick format", ("Newick",), ((newick(estimate, names),),)),
                ),
            ),
        )

    def variables(self, session: Session, structures: Any) -> dict[str, Variable]:
        """The tree of each draw, in Newick format."""
        family: Any = session.problem.family
        return {"tree": Variable(np.array([newick(tree, family.names) for tree in structures]))}

    def parse_answer(self, session: Session, names: Sequence[Any], response: Any) -> tuple[Any, Any]:
        atom, response = super().parse_answer(session, names, response)
        return atom, self.as_named(session, names, response)


def forks(nodes: Sequence[InnerNode], leaves: int) -> list[Fork]:
    """Where each inner node is drawn: leaves in rows, forks in the middle of their children, the root at the left.

    >>> forks([InnerNode((0, 1), (0, 1), 1, 0.5), InnerNode((0, 1, 2), (3, 2), 2, 1.0)], 3)[1].row
    1.25
    """
    top = nodes[-1].height
    at: dict[int, tuple[float, float]] = {leaf: (1.0, float(row)) for row, leaf in enumerate(nodes[-1].leaves)}
    drawn = []
    for count, node in enumerate(nodes):
        one, two = (at[child] for child in node.children)
        at[leaves + count] = x, row = 1 - node.height / top, (one[1] + two[1]) / 2
        note = "" if len(node.leaves) == leaves else f"{100 * node.support:.0f}"
        drawn.append(Fork(x, row, (one, two), note, node.support >= STRONG_SUPPORT))
    return drawn


hierarchy = python_function(HierarchyGoal)
