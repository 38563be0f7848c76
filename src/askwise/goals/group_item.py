"""The item that several people choose together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from askwise.data.encoding import Items
from askwise.data.tables import Columns
from askwise.distances.groups import CRITERIA, GroupRegret, scaled_utilities
from askwise.errors import AnswerError, DataError, SettingError
from askwise.goals.base.absence import Absence, settled_with, silent_people
from askwise.goals.base.charts import Item, Result
from askwise.goals.base.effects import taste_effects
from askwise.goals.base.export import Variable
from askwise.goals.base.findings import best_chances
from askwise.goals.base.function import python_function
from askwise.goals.base.goal import SessionParts, Summary, few_questions, place_of
from askwise.goals.base.items import PRIOR_SCALE, check_scale
from askwise.goals.base.names import check_names, check_people
from askwise.goals.base.options import option
from askwise.goals.base.people import PersonFinding, dissenters, people_chart, person_findings, remarks_about, taste_map
from askwise.goals.base.shapes import shape_option, shared_shapes
from askwise.goals.base.tables import TableGoal
from askwise.goals.base.texts import abbreviate, one_of
from askwise.goals.best_item import candidate_bars, facts_about
from askwise.losses import davidson, logistic
from askwise.options import choice, flag
from askwise.posteriors.scores.groups import group_prior
from askwise.problem import Problem
from askwise.session import Session
from askwise.session.effects import Effects
from askwise.session.people import names_of_people
from askwise.structures import AsksPeople
from askwise.structures.choice import ItemScores
from askwise.structures.groups import GroupChoice, people_named
from askwise.types import Floats, Sample

MAX_SCORES = 1_000  # of all people: beyond, a question takes longer than people wait
SENTENCES = {
    "mean": "the best on average over {size} people",
    "worst-off": "the best for whoever of {size} people likes it least",
    "borda": "the best by the mean rank over {size} people",
}


class GroupItemGoal(TableGoal):
    """Finds the item that is best for a group of people, each with a taste around a common one.

    >>> session = group_item(["tea", "coffee", "water"], ["Ann", "Ben"], seed=1)
    >>> likes = {"Ann": ["tea", "coffee", "water"], "Ben": ["tea", "water", "coffee"]}
    >>> while not session.done:
    ...     question = session.ask()
    ...     session.tell(min((option.name for option in question.options), key=likes[question.who].index))
    >>> session.estimate().value
    'tea'
    >>> session.ask(who="Ben").who
    'Ben'
    """

    goal_name: ClassVar[str] = "group_item"
    order: ClassVar[int] = 15
    title: ClassVar[str] = "Which item is the best for a group"
    asks: ClassVar[str] = "Ann: A or B?"
    estimate: ClassVar[str] = "one name"
    distance: ClassVar[str] = "GroupRegret"
    needs: ClassVar[str] = "two items, two people"
    answer_columns: ClassVar[tuple[str, ...]] = ("who", "left", "right", "winner")
    max_rows: ClassVar[int] = 500
    example: ClassVar[Mapping[str, Any]] = {
        "data": ["tea", "coffee", "water", "milk"],
        "people": ["Ann", "Ben", "Cleo"],
    }

    people: int | Sequence[str] = option(
        kw_only=False, parse=check_people, typed=list, example="Ann,Ben,Cleo",
        label="People (their names, or how many)",
        help="Who decides together: their names, or how many they are if others join later.",
    )  # fmt: skip
    by: str = option(
        default="mean", parse=partial(choice, known=CRITERIA), typed=str, changeable=True, choices=CRITERIA,
        label="Best for the group",
        help='What is best for a group: "mean" (the best on average), "worst-off" (the best for whoever likes it '
        'least) or "borda" (the best mean rank).',
    )  # fmt: skip
    without: Sequence[str] = option(
        default=(), parse=check_names, typed=list, changeable=True, example="Cleo",
        help='Who does not count, such as people who never answered; "" counts everybody again.',
    )  # fmt: skip
    shape: str | Sequence[str] = shape_option()
    ties: bool = option(
        default=False, parse=flag, typed=bool, help='Allow the answer "about equal".',
    )  # fmt: skip
    prior_scale: float | None = option(default=None, parse=check_scale, typed=float, help=PRIOR_SCALE)

    def repeats(self, rows: int) -> bool:
        return few_questions(rows, self.rows_shown) if self.repeat is None else self.repeat

    def build(self, columns: Columns) -> SessionParts:
        items, people = self.items(columns), people_named(self.people)
        size = len(items.names)
        if len(people) * size > MAX_SCORES:
            most = MAX_SCORES // len(people)
            raise DataError(f"a group of {len(people)} takes up to {most} items, got {size}; give a part of them")
        loss = davidson() if self.ties else logistic
        named = not isinstance(self.people, int)
        family = GroupChoice(people, size, items.names, self.ties, items.images, named)
        distance = GroupRegret(np.eye(size), len(people), self.by, self._counted())
        shapes, weights = shared_shapes(self.shape, items.features.shape[1] > 0)
        prior = group_prior(family, loss, len(people), items.features, shapes, weights, self.prior_scale)
        effects = _effects(columns, items, distance, self.seed)
        describe = lambda scores: items.names[int(distance.utilities(scores[None])[0].argmax())]  # noqa: E731
        return SessionParts(Problem(family, distance, loss), prior, describe, effects=effects)

    def _counted(self) -> list[int]:
        """The places of those who count."""
        people = people_named(self.people)
        strangers = [one for one in self.without if one not in people]
        if strangers:
            raise SettingError(f"without names {strangers[0]!r}, who is not in the group of {', '.join(people)}")
        found = [place for place, one in enumerate(people) if one not in self.without]
        if not found:
            raise SettingError("without names everybody, so nobody is left to choose for; leave somebody in")
        return found

    # ------------------------------------------------------------------ in plain words

    def sentence(self, rows: int) -> str:
        size = len(self._counted())
        return f"Find the best of the {rows} items for a group: {SENTENCES[self.by].format(size=size)}."

    def exact_claim(self) -> str:
        return "this is the best one for the group"

    def summary(self, session: Session) -> Summary:
        found = super().summary(session)
        return Summary(**{**found.as_dict(), "questions": found.questions * len(people_named(self.people))})

    def data_sentences(self, session: Session, found: Summary) -> list[str]:
        lines = super().data_sentences(session, found)
        if isinstance(self.people, int):
            people = f"up to {self.people}, who join when they are first asked"
        else:
            people = abbreviate(list(self.people), 12)
        left_out = f" Without {', '.join(self.without)}." if self.without else ""
        return [*lines, f"People: {people}.{left_out}"]

    def question_sentences(self, found: Summary) -> str:
        pairs = found.questions // len(people_named(self.people))
        return f"Each question shows one person two items. There are {pairs:,} such pairs for each person."

    # ------------------------------------------------------------------ what was found

    def result(self, session: Session, sample: Sample) -> Result:
        family: Any = session.problem.family
        distance: Any = session.problem.distance
        chances = best_chances(distance.regrets(sample.structures), sample.weights, family.names)
        name = str(session.estimate())
        place = family.names.index(name)
        facts: list[tuple[str, str]] = []
        if session.pursued is not None:
            facts = facts_about(self, session.pursued["data"], place, (name, family.images[place]))
        utilities = self._utilities(sample)
        people = self._people(session, utilities, sample.weights, place)
        likely = [place, *(row.place for row in chances if row.place != place)]
        return Result(
            f"Which of {len(family.names):,} is the best for a group of {len(people)}?",
            items=(Item(name, place),),
            large=True,
            facts=tuple(facts),
            text=" ".join(self._remarks(family.names, utilities, sample.weights, people, place)),
            charts=(
                candidate_bars(chances, "item", name),
                people_chart(people, family.names, place),
                taste_map(utilities, sample.weights, people, family.names, likely),
            ),
        )

    def absence(self, session: Session) -> Absence:
        family: Any = session.problem.family
        everybody, given = names_of_people(family, session.event_log), self._answers(session)
        counted = self._counted()
        silent = silent_people([everybody[place] for place in counted], [given[place] for place in counted])
        heard = [place for place in counted if given[place]]
        left_out = tuple(name for place, name in enumerate(everybody) if place not in counted)
        if session.done or not silent:
            return Absence((), False, left_out)
        without = GroupRegret(np.eye(len(family.names)), len(everybody), self.by, heard)
        return Absence(silent, settled_with(session, without), left_out)

    @classmethod
    def changes_of(cls, session: Session, options: Mapping[str, Any]) -> dict[str, Any]:
        """Those who joined a group of which only the size is known are left out by the names of their places."""
        family = session.problem.family
        if "without" not in options or not isinstance(family, AsksPeople):
            return dict(options)
        places = dict(zip(names_of_people(family, session.event_log), family.people, strict=True))
        names = check_names("without", options["without"])
        return {**options, "without": [places.get(name, name) for name in names]}

    def remarks(self, session: Session) -> list[str]:
        family: Any = session.problem.family
        place = family.names.index(str(session.estimate()))
        utilities = self._utilities(session.sample)
        people = self._people(session, utilities, session.sample.weights, place)
        return self._remarks(family.names, utilities, session.sample.weights, people, place)

    def _utilities(self, sample: Sample) -> Floats:
        """(S, P, N): what the items are worth to those who count."""
        return scaled_utilities(sample.structures, len(people_named(self.people)))[:, self._counted()]

    def _people(self, session: Session, utilities: Floats, weights: Floats, chosen: int) -> list[PersonFinding]:
        family: Any = session.problem.family
        everybody = names_of_people(family, session.event_log)
        given, counted = self._answers(session), self._counted()
        names, answers = [everybody[place] for place in counted], [given[place] for place in counted]
        return person_findings(utilities, weights, names, answers, chosen)

    def _answers(self, session: Session) -> Counter[int]:
        """How many answers everybody gave, by place."""
        return Counter(int(answer.atom[0]) for answer in session.answers)

    def _remarks(
        self, items: Sequence[str], utilities: Floats, weights: Floats, people: Sequence[PersonFinding], chosen: int
    ) -> list[str]:
        heard = [place for place, one in enumerate(people) if one.answers]
        return remarks_about(people, dissenters(utilities, weights, chosen, heard), items, chosen)

    # ------------------------------------------------------------------ in and out

    def variables(self, session: Session, structures: Any) -> dict[str, Variable]:
        """What every item is worth to every person, from 0 to 1, and to the group."""
        family: Any = session.problem.family
        distance: Any = session.problem.distance
        names = names_of_people(family, session.event_log)
        each = scaled_utilities(structures, len(names))
        return {
            "utility": Variable(each, {"person": names, "item": family.names}),
            "group_utility": Variable(distance.utilities(structures), {"item": family.names}),
        }

    def parse_answer(self, session: Session, names: Sequence[Any], response: Any) -> tuple[Any, Any]:
        """Left and right are those of the table of answers, not of a screen."""
        family: Any = session.problem.family
        people = names_of_people(family, session.event_log)
        if str(names[0]) not in people:
            raise AnswerError(f"there is no {names[0]!r} in this group; who is {one_of(people)}")
        pair, response = super().parse_answer(session, names[1:], response)
        side = {"left": 1, "right": 2}.get(str(response).strip().casefold())
        said = response if side is None else names[side]
        if said in names[1:]:
            said = family.names[place_of(said, family.names, "item")]
        return [people.index(str(names[0])), *pair], said


def _effects(columns: Columns, items: Items, distance: GroupRegret, seed: int) -> Any:
    """What each column of the table does to the mean utility of the group; None without columns to speak of."""
    found = taste_effects(ItemScores(len(items.names)), columns, items, seed)
    if found is None:
        return None

    def effects(sample: Sample) -> Effects:
        each = scaled_utilities(sample.structures, distance.people)[:, distance.counted]
        return found(sample._replace(structures=each.mean(axis=1)))

    return effects


group_item = python_function(GroupItemGoal)
