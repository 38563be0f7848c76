"""Goals about items that are compared, two or more at a time: the options they share, and how they build a session."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import comb
from typing import Any, ClassVar

import numpy as np

from askwise.data.contexts import ContextPresentation, check_contexts
from askwise.data.encoding import Items
from askwise.data.presentation import BodyColumns, Presentation
from askwise.data.tables import Columns
from askwise.distances import Distance
from askwise.distances.items import ItemDistance
from askwise.errors import AnswerError, DataError, SettingError
from askwise.goals.base.charts import Table
from askwise.goals.base.contexts import check_with_contexts, context_effects, context_parts, contexts_option
from askwise.goals.base.effects import taste_effects
from askwise.goals.base.export import Variable
from askwise.goals.base.findings import Chance
from askwise.goals.base.goal import DEFAULT_BUDGET, SessionParts, Summary, few_questions, place_of
from askwise.goals.base.grade_check import GradeCheck
from askwise.goals.base.grades import answer_loss, grades_option
from askwise.goals.base.noiseless import NO_MISTAKES, check_noiseless, noise_option, noiseless
from askwise.goals.base.options import option
from askwise.goals.base.sets import SET_NOUNS, check_sets, shown_option, with_sets, worst_option
from askwise.goals.base.shape_check import StraightLineCheck
from askwise.goals.base.shapes import (
    LINEAR_WITHOUT_LAPSES,
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
from askwise.losses import Loss
from askwise.options import flag, number, parts, text, whole_number
from askwise.posteriors import Posterior
from askwise.posteriors.scores.logconcave import MAX_SCALE, MIN_SCALE, LogConcave
from askwise.posteriors.scores.population import Population
from askwise.problem import Problem
from askwise.session import Session
from askwise.session.set_responses import BETWEEN, OPTION_COLUMNS
from askwise.stopping.certificate import ModelCheck
from askwise.structures.choice import Choice, ChoiceAmongMany, ItemScores, item_rows
from askwise.types import Floats

check_scale = partial(number, at_least=MIN_SCALE, at_most=MAX_SCALE)
MIN_ACTIVE = 2  # items that are left to compare
PRIOR_SCALE = "How decided people are; by default learned from the answers."


def check_retired(name: str, value: Any) -> list[str]:
    """Names of items as a list, each once.

    >>> check_retired("retired", ("tea", "milk", "tea"))
    ['tea', 'milk']
    """
    given = [value] if isinstance(value, str) else parts(name, value, "a list of names of items")
    return list(dict.fromkeys(text(name, each) for each in given))


class ItemGoal(TableGoal):
    """A goal about what somebody likes, from A-or-B questions. A structure is a taste: a weight for each feature."""

    asks: ClassVar[str] = "A or B?"
    answer_columns: ClassVar[tuple[str, ...]] = ("left", "right", "winner")
    needs: ClassVar[str] = "two items"
    takes_items: ClassVar[bool] = True

    shape: str | Sequence[str] = shape_option()
    individual: float = option(
        default=0.0, parse=number, typed=float,
        help='How much each item can differ from what its features say, with shape "linear".',
    )  # fmt: skip
    ties: bool = option(
        default=False, parse=flag, typed=bool, help='Allow the answer "about equal".',
    )  # fmt: skip
    grades: Sequence[str] = grades_option(
        'Grades of an answer from the weakest, such as "slightly,clearly,much"; people say "left, clearly".',
        "slightly,clearly,much",
    )
    position_bias: bool = option(
        default=True, parse=flag, typed=bool,
        help="Allow for people who prefer the left or the right one, whatever stands there: once several people have "
        "answered, or one has 20 times.",
    )  # fmt: skip
    prior_scale: float | None = option(default=None, parse=check_scale, typed=float, help=PRIOR_SCALE)
    population: bool | Population | Mapping[str, Any] | None = population_option()
    noise: float | None = noise_option()
    retired: Sequence[str] | None = option(
        default=None, parse=check_retired,
        help="Items, by name, that are not asked about and cannot be the result; what was answered about them counts.",
    )  # fmt: skip
    shown: int = shown_option()
    worst: bool = worst_option()
    contexts: Sequence[str] | None = contexts_option()

    @property
    def rows_shown(self) -> int:
        return self.shown

    @property
    def learns_bias(self) -> bool:
        """Whether somebody may prefer a side of two items."""
        return self.position_bias and self.shown == 2

    @property
    def is_linear(self) -> bool:
        """Whether a structure is a weight for each feature."""
        straight = is_straight(self.shape) or (self.noise is not None and self.shape == "learned")
        return straight and not self.contexts

    def total_rows(self, columns: Columns) -> int:
        return super().total_rows(columns) - len(self.retired or ())

    def repeats(self, rows: int) -> bool:
        if self.repeat is not None:
            return self.repeat
        if self.contexts:
            return comb(rows - len(self.retired or ()), 2) * len(self.contexts) < DEFAULT_BUDGET
        return self.noise is None and few_questions(rows - len(self.retired or ()), self.rows_shown)

    def item_columns(self, columns: Columns) -> Columns:
        return {name: values for name, values in columns.items() if name not in (self.contexts or ())}

    def presentation(self, columns: Columns) -> Presentation:
        if not self.contexts:
            return super().presentation(columns)
        check_contexts(columns, self.contexts)
        bodies = BodyColumns(None, self.body_format, self.audio, self.video)
        items = partial(self.items, columns)
        shown = {name: columns[name] for name in self.contexts}
        return ContextPresentation(shown, self.item_columns(columns), items, self.show or [], bodies=bodies)

    @abstractmethod
    def distance_between(self, rows: Floats, scored: bool) -> Distance:
        """The distance between two tastes for items with these rows (N, D); with `scored`, a taste is a score for each
        item (N,) instead of a weight for each feature (D,)."""

    @abstractmethod
    def describe(self, names: Sequence[str], utilities: Floats) -> Any:
        """The estimate as people read it, from what the taste thinks of each item (N,)."""

    def build(self, columns: Columns) -> SessionParts:
        if self.contexts:
            return self._build_in_contexts(columns)
        items = self.items(columns)
        check_sets(self, len(items.names))
        if self.noise is not None:
            return self._build_noiseless(columns, items)
        loss = answer_loss(self.grades, self.ties)
        rows = item_rows(items.features, self.individual)
        many = len(rows) > MAX_EXACT_ROWS
        named = items.names, self.ties, items.images, self._retired_places(items), self.grades
        if self.grades and self.shape == LINEAR_WITHOUT_LAPSES:
            raise SettingError("grades need a shape that allows for accidents; leave out shape, or set it to 'linear'")
        if self.grades and many and (self.shape == "individual" or not items.features.shape[1]):
            raise SettingError(f"grades about single items take up to {MAX_EXACT_ROWS:,} of them, got {len(rows):,}")
        if many and (self.shape == "individual" or not items.features.shape[1]):
            rows = np.eye(len(rows))
        if self.is_linear or (many and rows.shape[0] == rows.shape[1]):
            linear = ChoiceAmongMany(rows, *named)
            asked, loss = with_sets(linear, loss, self.shown, self.worst)
            problem = Problem(asked, self._distance(linear, rows, scored=False), loss)
            if self.shown > 2 and many and rows.shape[0] == rows.shape[1]:
                most = f"{MAX_EXACT_ROWS:,} items without features"
                raise SettingError(f"shown takes up to {most}, got {len(rows):,}; leave out shown, or give fewer")
            if self.shape == "linear" and (self.grades or self.shown > 2 or not many):
                prior: Posterior = linear_prior(asked, loss, self.prior_scale, self.learns_bias)
            else:
                prior = LogConcave.prior(linear, loss, 1.0, self.prior_scale)
            effects = taste_effects(linear, columns, items, self.seed)
            straight = self.shape == "linear" and not self.individual and items.features.shape[1] > 0
            sets = self.shown, self.worst
            lines = StraightLineCheck(items.features, ties=self.ties, sets=sets) if straight else None
            return SessionParts(
                problem,
                prior,
                partial(self._described, linear),
                effects=effects,
                model_check=self._model_check(problem, lines),
            )
        if self.individual:
            raise SettingError("individual goes with shape='linear'; other shapes learn it: leave it out")
        if many:
            return self._build_by_landmarks(columns, items, loss)
        pairs = ItemScores(len(rows), *named)
        family, loss = with_sets(pairs, loss, self.shown, self.worst)
        problem = Problem(family, self._distance(pairs, rows, scored=True), loss)
        population = population_of(self.population, len(rows))
        known = self.shape, items.features, family, loss, self.prior_scale, population
        shaped = shaped_prior(*known, learns_bias=self.learns_bias)
        effects, check = taste_effects(pairs, columns, items, self.seed), self._model_check(problem)
        return SessionParts(problem, shaped, partial(self._described, pairs), effects=effects, model_check=check)

    def _model_check(self, problem: Problem, lines: StraightLineCheck | None = None) -> ModelCheck | None:
        """Whether grades say anything, and then whether straight lines fit."""
        return GradeCheck(problem, lines) if self.grades else lines

    def _build_in_contexts(self, columns: Columns) -> SessionParts:
        """The parts of a session whose questions each show two items in one context."""
        check_contexts(columns, self.contexts or ())
        items = self.items(columns)
        check_with_contexts(self, items)
        named: dict[str, Any] = {"names": items.names, "ties": self.ties, "images": items.images, "grades": self.grades}
        named["retired"] = self._retired_places(items)
        family, prior = context_parts(self, columns, items, answer_loss(self.grades, self.ties), named)
        distance = self._distance(family, np.eye(len(items.names)), scored=True)
        effects = context_effects(family, self.item_columns(columns), items, self.seed)
        problem = Problem(family, distance, prior.loss)
        return SessionParts(problem, prior, partial(self._described, family), effects=effects)

    def _build_noiseless(self, columns: Columns, items: Items) -> SessionParts:
        """The parts of a session in which no answer is wrong: linear in the features, or a score for each item."""
        check_noiseless(self.shape, self.prior_scale, "individual")
        if self.ties:
            raise SettingError('with noise=0 nobody answers "about equal"; leave out ties, and let people skip')
        if self.grades:
            raise SettingError("with noise=0 an answer has no grades; leave out grades, or leave out noise")
        features = items.features if self.is_linear else items.features[:, :0]
        rows, scored = item_rows(features, self.individual), not features.shape[1]
        named = items.names, False, items.images, self._retired_places(items)
        family = ItemScores(len(rows), *named) if scored else ChoiceAmongMany(rows, *named)
        problem, prior = noiseless(family, self._distance(family, rows, scored), self.draws)
        effects = taste_effects(family, columns, items, self.seed)
        return SessionParts(problem, prior, partial(self._described, family), effects=effects)

    def summary(self, session: Session) -> Summary:
        found = super().summary(session)
        return replace(found, questions=found.questions * len(self.contexts or [""]))

    def data_sentences(self, session: Session, found: Summary) -> list[str]:
        lines = super().data_sentences(session, found)
        if self.contexts:
            lines.append(f"Items are compared in {len(self.contexts):,} contexts. The result holds for new ones.")
        if self.grades:
            lines.append(f"Answers have grades, the weakest first: {', '.join(self.grades)}.")
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
        retired = self._retired_places(items)
        pairs = ChoiceAmongMany(rows, items.names, self.ties, items.images, retired, self.grades)
        family, loss = with_sets(pairs, loss, self.shown, self.worst)
        prior = landmark_prior(self.shape, known, family, loss, self.prior_scale, learns_bias=self.learns_bias)
        problem = Problem(family, self._distance(pairs, rows, scored=False), loss)
        effects, check = taste_effects(pairs, columns, items, self.seed), self._model_check(problem)
        return SessionParts(problem, prior, partial(self._described, pairs), effects=effects, model_check=check)

    def _retired_places(self, items: Items) -> list[int]:
        """The rows of the items that are no longer asked about."""
        places = [place_of(name, items.names, "item") for name in self.retired or ()]
        if len(items.names) - len(places) < MIN_ACTIVE:
            raise DataError(f"{len(places)} of {len(items.names)} items are retired; keep at least two to compare")
        return places

    def _distance(self, family: Choice, rows: Floats, scored: bool) -> Distance:
        """The distance between tastes for the items that are not retired."""
        if len(family.active) == len(rows) and not self.contexts:
            return self.distance_between(rows, scored)
        found = self.distance_between(rows[family.active], scored)
        if not scored:
            return found
        if not isinstance(found, ItemDistance):
            what = "contexts do not go" if self.contexts else "retired items do not go"
            raise SettingError(f"{what} with a distance of your own; leave out by, or start a new study without them")
        return found.restricted(family.active)

    def _described(self, family: Choice, structure: Floats) -> Any:
        """The estimate as people read it, of the items that are not retired."""
        return self.describe(family.active_names, family.utilities(structure[None])[0, family.active])

    def variables(self, session: Session, structures: Any) -> dict[str, Variable]:
        """The utility of every item and, where items have features, the weight of every feature."""
        family: Any = session.problem.family
        features = [] if not self.is_linear else feature_names(self, session, family.dimension)
        utility = {"utility": Variable(family.utilities(structures), {"item": family.names})}
        if not features:
            return utility
        return {**utility, "weight": Variable(structures[:, : len(features)], {"feature": features})}

    def columns_of_answers(self) -> tuple[str, ...]:
        if self.contexts:
            return "context", *super().columns_of_answers()
        if self.shown == 2:
            return super().columns_of_answers()
        return (*OPTION_COLUMNS[: self.shown], *(("best", "worst") if self.worst else ("best",)))

    def parse_answer(self, session: Session, names: Sequence[Any], response: Any) -> tuple[Any, Any]:
        """Left and right are those of the table of answers, not of a screen."""
        if self.shown > 2:
            return self._parse_set(session, names, response)
        if self.contexts and len(names) == 3:
            pair, said = self.parse_answer(session, names[1:], response)
            return [place_of(names[0], self.contexts, "context"), *pair], said
        atom, response = super().parse_answer(session, names, response)
        chosen, comma, grade = str(response).rpartition(",") if self.grades else (response, "", "")
        if self.grades and not comma:
            chosen = response  # "equal"
        side = {"left": 0, "right": 1}.get(str(chosen).strip().casefold())
        named = self.as_named(session, names, chosen if side is None else names[side])
        return atom, f"{named}, {grade.strip()}" if comma else named

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
