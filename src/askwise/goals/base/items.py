"""Goals about items that are compared, two or more at a time: the options they share, and how they build a session."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from askwise.data.encoding import Items
from askwise.data.tables import Columns
from askwise.distances import Distance
from askwise.errors import AnswerError, SettingError
from askwise.goals.base.charts import Table
from askwise.goals.base.effects import taste_effects
from askwise.goals.base.export import Variable
from askwise.goals.base.findings import Chance
from askwise.goals.base.goal import SessionParts, Summary
from askwise.goals.base.noiseless import NO_MISTAKES, check_noiseless, noise_option, noiseless
from askwise.goals.base.options import option
from askwise.goals.base.sets import SET_NOUNS, check_sets, shown_option, with_sets, worst_option
from askwise.goals.base.shape_check import StraightLineCheck
from askwise.goals.base.shapes import (
    MAX_EXACT_ROWS,
    is_straight,
    landmark_map,
    landmark_prior,
    linear_prior,
    population_of,
    population_option,
    shape_option,
    shaped_prior,
)
from askwise.goals.base.tables import TableGoal, feature_names
from askwise.goals.base.texts import one_of, percent, there_are
from askwise.losses import Loss, davidson, logistic
from askwise.options import flag, number, whole_number
from askwise.posteriors import Posterior
from askwise.posteriors.scores.logconcave import MAX_SCALE, MIN_SCALE, LogConcave
from askwise.problem import Problem
from askwise.session import Session
from askwise.session.set_responses import BETWEEN, OPTION_COLUMNS
from askwise.structures.choice import ChoiceAmongMany, ItemScores, item_rows
from askwise.types import Floats

check_scale = partial(number, at_least=MIN_SCALE, at_most=MAX_SCALE)
MIN_ROWS_TO_REPEAT, MAX_ROWS_TO_REPEAT = 4, 24  # at most 276 pairs, which can run out before the budget of 300
PRIOR_SCALE = "How decided people are; by default learned from the answers."


class ItemGoal(TableGoal):
    """A goal about what somebody likes, from A-or-B questions. A structure is a taste: a weight for each feature."""

    question: ClassVar[str] = "A or B?"
    answer_columns: ClassVar[tuple[str, ...]] = ("left", "right", "winner")
    needs: ClassVar[str] = "two items"

    shape: str | Sequence[str] = shape_option()
    individual: float = option(
        default=0.0, parse=number, typed=float,
        help='How much each item can differ from what its features say, with shape "linear".',
    )  # fmt: skip
    ties: bool = option(
        default=False, parse=flag, typed=bool, help='Allow the answer "about equal".',
    )  # fmt: skip
    prior_scale: float | None = option(default=None, parse=check_scale, typed=float, help=PRIOR_SCALE)
    population: bool | Mapping[str, Any] = population_option()
    noise: float | None = noise_option()
    shown: int = shown_option()
    worst: bool = worst_option()

    @property
    def rows_shown(self) -> int:
        return self.shown

    @property
    def is_linear(self) -> bool:
        """Whether a structure is a weight for each feature."""
        return is_straight(self.shape) or (self.noise is not None and self.shape == "learned")

    def repeats(self, rows: int) -> bool:
        if self.noise is not None and self.repeat is None:
            return False
        return MIN_ROWS_TO_REPEAT <= rows <= MAX_ROWS_TO_REPEAT if self.repeat is None else self.repeat

    @abstractmethod
    def distance_between(self, rows: Floats, scored: bool) -> Distance:
        """The distance between two tastes for items with these rows (N, D); with `scored`, a taste is a score for each
        item (N,) instead of a weight for each feature (D,)."""

    @abstractmethod
    def describe(self, names: Sequence[str], utilities: Floats) -> Any:
        """The estimate as people read it, from what the taste thinks of each item (N,)."""

    def build(self, columns: Columns) -> SessionParts:
        items = self.items(columns)
        check_sets(self, len(items.names))
        if self.noise is not None:
            return self._build_noiseless(columns, items)
        loss: Loss = davidson() if self.ties else logistic
        rows = item_rows(items.features, self.individual)
        many = len(rows) > MAX_EXACT_ROWS
        if many and (self.shape == "individual" or not items.features.shape[1]):
            rows = np.eye(len(rows))
        if self.is_linear or (many and rows.shape[0] == rows.shape[1]):
            linear = ChoiceAmongMany(rows, items.names, self.ties, items.images)
            asked, loss = with_sets(linear, loss, self.shown, self.worst)
            problem = Problem(asked, self.distance_between(rows, scored=False), loss)
            if self.shown > 2 and many and rows.shape[0] == rows.shape[1]:
                most = f"{MAX_EXACT_ROWS:,} items without features"
                raise SettingError(f"shown takes up to {most}, got {len(rows):,}; leave out shown, or give fewer")
            if self.shape == "linear" and (self.shown > 2 or not many):
                prior: Posterior = linear_prior(asked, loss, self.prior_scale)
            else:
                prior = LogConcave.prior(linear, loss, 1.0, self.prior_scale)
            effects = taste_effects(linear, columns, items, self.seed)
            straight = self.shape == "linear" and not self.individual and items.features.shape[1] > 0
            sets = self.shown, self.worst
            check = StraightLineCheck(items.features, ties=self.ties, sets=sets) if straight else None
            return SessionParts(
                problem,
                prior,
                lambda taste: self.describe(items.names, rows @ taste),
                effects=effects,
                model_check=check,
            )
        if self.individual:
            raise SettingError("individual goes with shape='linear'; other shapes learn it: leave it out")
        if many:
            return self._build_by_landmarks(columns, items, loss)
        pairs = ItemScores(len(rows), items.names, self.ties, items.images)
        family, loss = with_sets(pairs, loss, self.shown, self.worst)
        problem = Problem(family, self.distance_between(rows, scored=True), loss)
        population = population_of(self.population, len(rows))
        shaped = shaped_prior(self.shape, items.features, family, loss, self.prior_scale, population)
        effects = taste_effects(pairs, columns, items, self.seed)
        return SessionParts(problem, shaped, lambda scores: self.describe(items.names, scores), effects=effects)

    def _build_noiseless(self, columns: Columns, items: Items) -> SessionParts:
        """The parts of a session in which no answer is wrong: linear in the features, or a score for each item."""
        check_noiseless(self.shape, self.prior_scale, "individual")
        if self.ties:
            raise SettingError('with noise=0 nobody answers "about equal"; leave out ties, and let people skip')
        features = items.features if self.is_linear else items.features[:, :0]
        rows, scored = item_rows(features, self.individual), not features.shape[1]
        named = items.names, False, items.images
        family = ItemScores(len(rows), *named) if scored else ChoiceAmongMany(rows, *named)
        problem, prior = noiseless(family, self.distance_between(rows, scored), self.draws)
        effects = taste_effects(family, columns, items, self.seed)
        return SessionParts(problem, prior, lambda taste: self.describe(items.names, rows @ taste), effects=effects)

    def data_sentences(self, session: Session, found: Summary) -> list[str]:
        lines = super().data_sentences(session, found)
        return lines if self.noise is None else [*lines, NO_MISTAKES]

    def question_sentences(self, found: Summary) -> str:
        if self.shown == 2:
            return super().question_sentences(found)
        asked = "the best and the worst" if self.worst else "the best"
        shown = f"Each question shows {SET_NOUNS[self.shown]} items and asks for {asked} of them."
        return f"{shown} {there_are(found.questions, 'set')}"

    def _build_by_landmarks(self, columns: Columns, items: Items, loss: Loss) -> SessionParts:
        """The parts of a session about many items: without an appeal of each item's own."""
        known = landmark_map(self.shape, items.features, self.seed)
        rows = known.features(items.features)
        pairs = ChoiceAmongMany(rows, items.names, self.ties, items.images)
        family, loss = with_sets(pairs, loss, self.shown, self.worst)
        prior = landmark_prior(self.shape, known, family, loss, self.prior_scale)
        problem = Problem(family, self.distance_between(rows, scored=False), loss)
        effects = taste_effects(pairs, columns, items, self.seed)
        return SessionParts(problem, prior, lambda weights: self.describe(items.names, rows @ weights), effects=effects)

    def variables(self, session: Session, structures: Any) -> dict[str, Variable]:
        """The utility of every item and, where items have features, the weight of every feature."""
        family: Any = session.problem.family
        features = [] if not self.is_linear else feature_names(self, session, family.dimension)
        utility = {"utility": Variable(family.utilities(structures), {"item": family.names})}
        if not features:
            return utility
        return {**utility, "weight": Variable(structures[:, : len(features)], {"feature": features})}

    def columns_of_answers(self) -> tuple[str, ...]:
        if self.shown == 2:
            return super().columns_of_answers()
        return (*OPTION_COLUMNS[: self.shown], *(("best", "worst") if self.worst else ("best",)))

    def parse_answer(self, session: Session, names: Sequence[Any], response: Any) -> tuple[Any, Any]:
        """Left and right are those of the table of answers, not of a screen."""
        if self.shown > 2:
            return self._parse_set(session, names, response)
        atom, response = super().parse_answer(session, names, response)
        side = {"left": 0, "right": 1}.get(str(response).strip().casefold())
        return atom, self.as_named(session, names, response if side is None else names[side])

    def _parse_set(self, session: Session, names: Sequence[Any], response: Any) -> tuple[Any, Any]:
        """An answer about several items; with `worst`, the last of the names is the best."""
        shown, said = names[: self.shown], [*names[self.shown :], response]
        atom, _ = super().parse_answer(session, shown, None)
        for column, one in zip(("best", "worst"), said, strict=False):
            if one not in shown:
                raise AnswerError(f"{column} is {one!r}; expected one of {one_of(shown)}")
        if len(set(said)) < len(said):
            raise AnswerError(f"best and worst are both {response!r}; name two different items")
        return atom, BETWEEN.join(str(self.as_named(session, shown, one)) for one in said)


class BestFewGoal(ItemGoal):
    """A goal about the k best items."""

    k: int = option(
        kw_only=False, parse=whole_number, typed=int, changeable=True, server_max=100_000,
        label="How many", example="5", help="How many items.",
    )  # fmt: skip
    epsilon: float = 0.1


def chance_table(rows: Sequence[Chance], heading: str) -> Table:
    """Every item with its chance.

    >>> chance_table([Chance(0, "tea", 0.9)], "is the best").rows
    (('tea', '90 %'),)
    """
    cells = tuple((row.name, percent(row.probability)) for row in rows)
    return Table("Every item as a table", ("item", heading), cells, numeric=(1,))
