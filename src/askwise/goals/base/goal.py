"""A goal: one class, in one file, that holds everything about one thing people want to know."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from math import comb
from typing import Any, ClassVar, Self

import numpy as np

from askwise.data.tables import Columns, Rows, table
from askwise.errors import AnswerError, DataError, SettingError
from askwise.goals.base.absence import Absence
from askwise.goals.base.charts import Result
from askwise.goals.base.export import Variable
from askwise.goals.base.options import HasOptions, declared, is_plain, option
from askwise.goals.base.texts import abbreviate, in_words, one_line, plural, shorten, there_are, to_cli_name
from askwise.options import LARGEST_SEED, flag, number, whole_number
from askwise.posteriors import Posterior, Reweighs
from askwise.problem import Problem
from askwise.session import MAX_DRAWS, Session
from askwise.session.config import Present, PresentWith, check_anchor
from askwise.session.effects import Effects
from askwise.session.events import Event
from askwise.session.wording import check_answers, check_text, sample_prompt, wording_from
from askwise.stopping import Budget, CostLimits, DiameterBelow, any_of
from askwise.stopping.certificate import Certificate, ModelCheck
from askwise.stopping.sequential_test import MAX_CLOSENESS
from askwise.strategies import Strategy, strategy_name
from askwise.structures import AsksPeople
from askwise.types import Sample, Structure

MAX_CANDIDATES = 500  # questions that are scored, of more than can be scored whole
DEFAULT_BUDGET = 300
SPACING = 3  # other questions, before people are asked the same one again
MAX_HEADLINE = 120  # letters
MIN_CLAIMED_CHANCE = 0.01  # of being exactly right, below which only a guess is claimed


@dataclass(frozen=True)
class SessionParts:
    """What a goal makes of a table; a `Session` needs no more."""

    problem: Problem  # the family, the loss and the distance
    prior: Posterior  # the beliefs before any answer
    describe: Callable[[Structure], object]  # a structure -> the estimate as people read it
    candidates: int = MAX_CANDIDATES  # how many questions are scored at most
    effects: Callable[[Sample], Effects] | None = None  # draws -> what each column of the table does
    model_check: ModelCheck | None = None  # answers -> what speaks for another model
    cost_limits: CostLimits | None = None  # what may be spent on questions


@dataclass(frozen=True)
class Summary:
    """What a goal understood of its table."""

    goal: str  # the name of the goal
    rows: int  # how many rows questions can be about
    name: str | None  # the column with the names
    features: list[str]  # the columns that count
    left_out: dict[str, str]  # column -> why it is not used
    responses: list[str]  # what may be answered
    questions: int  # how many there are
    columns: list[str] = field(default_factory=list)  # that questions can show
    shown: list[str] = field(default_factory=list)  # those that they show

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class Goal(HasOptions, ABC):
    """Something people want to know. A subclass is a goal, and an instance is a goal with its options.

    A subclass declares its options as fields and implements `build`, `sentence` and `result`. `name`, `image` and such
    are options, so that the goal's own name is `goal_name`.
    """

    goal_name: ClassVar[str]  # as in Python: best_item
    order: ClassVar[int] = 100  # its place in lists of goals
    title: ClassVar[str]  # on the web form: "Which item is the best"
    asks: ClassVar[str]  # in the docs: "A or B?"
    estimate: ClassVar[str]  # in the docs: "one name"
    distance: ClassVar[str]  # in the docs: the class of its distance
    needs: ClassVar[str]  # in the docs: "two items"
    max_rows: ClassVar[int]  # of a new session: beyond, a question takes longer than people wait
    min_rows: ClassVar[int] = 1  # beyond what reading the table asks for
    takes_pools: ClassVar[bool] = False  # whether the data may be a file or a folder that does not fit in memory
    answer_columns: ClassVar[tuple[str, ...]] = ()  # of a table of answers; the last one holds the answer
    takes_items: ClassVar[bool] = False  # whether rows may be added later
    ordered: ClassVar[bool] = False  # whether the order of a list that is found matters
    data_help: ClassVar[str] = (
        "Any dataframe, 2-D array, list of dicts, dict of columns or list of names, or the path of a table "
        "(CSV, TSV, JSONL or Parquet) or of a folder of pictures."
    )
    example: ClassVar[Mapping[str, Any]]  # a small table and the options that must be given; for tests and docs

    epsilon: float = option(
        default=0.05, parse=number, typed=float, changeable=True, advanced=True,
        label="How undecided it may stay (0 to 1)",
        help="Stop when the results that are still plausible differ by less than this on average, from 0 to 1.",
    )  # fmt: skip
    delta: float = option(
        default=0.05, parse=number, typed=float, changeable=True,
        help="The largest risk that random draws make it stop too early.",
    )  # fmt: skip
    closeness: float = option(
        default=1.0, parse=partial(number, at_least=1, at_most=MAX_CLOSENESS), typed=float, changeable=True,
        help="How many times likelier or less likely than assumed what is true may be: 2 stops at a quarter of "
        "epsilon, and certificates then hold for such people.",
    )  # fmt: skip
    budget: int = option(
        default=DEFAULT_BUDGET, parse=whole_number, typed=int, changeable=True, advanced=True, server_max=1_000_000,
        label="Answers at most",
        help="Stop after this many answers, settled or not.",
    )  # fmt: skip
    rule: str | Strategy = option(
        default="expected", parse=strategy_name, typed=str, changeable=True,
        help="The strategy that chooses the questions, by name.", in_python="Or a function of your own.",
    )  # fmt: skip
    repeat: bool | None = option(
        default=None, parse=flag, typed=bool,
        help="Allow the same question again; by default where answers may be wrong and there are fewer than 300 "
        "questions about items (up to 24 in pairs, up to 13 in triples), and with margin.",
    )  # fmt: skip
    seed: int = option(
        default=0, parse=partial(whole_number, at_least=0, at_most=LARGEST_SEED), typed=int,
        help="The same seed and answers give the same questions.",
    )  # fmt: skip
    draws: int = option(
        default=600, parse=partial(whole_number, at_least=2, at_most=MAX_DRAWS), typed=int, server_max=20_000,
        help="Posterior draws behind each question; more are slower and a little better.",
    )  # fmt: skip

    anchor: str | None = option(
        default=None, parse=check_anchor, typed=str, example="Ann",
        help="Who is right by definition, where several people or judges answer for one truth: the others are trusted "
        "as far as they agree with this person.",
    )  # fmt: skip
    question: str | None = option(
        default=None, parse=check_text, typed=str, changeable=True, label="The question", advanced=True,
        example="Which reply would you send?",
        help="How a question is put. {left} and {right} stand for the names of a pair, {names} for all names shown.",
    )  # fmt: skip
    answers: Mapping[str, str] | None = option(
        default=None, parse=check_answers, typed=list, changeable=True, label="Names of the answers", advanced=True,
        example="left=Reply A,right=Reply B", help="What people read in place of an answer: left=Reply A.",
    )  # fmt: skip
    instructions: str | None = option(
        default=None, parse=check_text, typed=str,
        help="What people read before the first question; on the command line, a text file.",
    )  # fmt: skip

    # ------------------------------------------------------------------ from a table to a session

    @abstractmethod
    def build(self, columns: Columns) -> SessionParts:
        """The parts of a session about this table.

        :param columns: The table, by column.
        """

    def resolve(self, data: Rows) -> tuple[Columns, Self]:
        """The data as plain columns, and the goal with the options that depend on them.

        :param data: What the user gave.
        """
        return table(data), self

    def repeats(self, rows: int) -> bool:
        """Whether the same question may be asked again about a table of so many rows.

        :param rows: How many rows the table has.
        """
        return bool(self.repeat)

    def session(self, data: Any, *, saved: bool = False) -> Session:
        """A ready session about a user's data. What was saved before opens whatever its size.

        :param data: What the user gave.
        :param saved: Whether such a session was saved before.
        """
        columns, goal = self.checked().resolve(data)
        check_rows(type(goal), row_count(columns), saved)
        parts = goal.build(columns)
        if goal.anchor is not None and (
            isinstance(parts.problem.family, AsksPeople) or not isinstance(parts.prior, Reweighs)
        ):
            raise SettingError("anchor is for people who answer for one truth and may be wrong; leave it out here")
        session = Session(
            parts.problem,
            parts.prior,
            rule=goal.rule,
            stop=any_of(DiameterBelow(goal.epsilon, goal.delta, goal.closeness), Budget(goal.budget)),
            seed=goal.seed,
            draws=goal.draws,
            candidates=parts.candidates,
            repeat=goal.repeats(row_count(columns)),
            spacing=SPACING,
            describe=parts.describe,
            effects=parts.effects,
            model_check=parts.model_check,
            cost_limits=parts.cost_limits,
            closeness=goal.closeness,
            presentation=_presentation_of(goal, columns),
            anchor=goal.anchor,
            recipe=goal.recipe(columns),
            remake=_remake,
        )
        session.goal = goal
        session.wording = wording_from(vars(goal))
        if goal.question or goal.answers:
            session.wording.check(sample_prompt(parts.problem.family))
        return session

    def presentation(self, columns: Columns) -> Present | None:
        """What completes questions with what people see; None where a question says it all.

        :param columns: The table, by column.
        """
        return None

    @property
    def stop_level(self) -> float:
        """How undecided it may stay, what is true being as far from what is assumed as `closeness` allows."""
        return self.epsilon / self.closeness**2

    def recipe(self, columns: Columns) -> dict[str, Any] | None:
        """What a file keeps of a session; None if an option is a function or an object, which no file can hold.

        :param columns: The table, by column.
        """
        from askwise.goals.base.registry import plugins_used

        options = {each.name: getattr(self, each.name) for each in fields(self)}
        if not all(map(is_plain, options.values())):
            return None
        used = plugins_used(self.goal_name, options)
        return {"goal": self.goal_name, "data": columns, "options": options} | ({"plugins": used} if used else {})

    def items_event(self, recipe: Mapping[str, Any], rows: Any, names: Any, key: str | None = None) -> Event:
        """The event that adds rows to the table of this recipe or retires items; others are refused.

        :param recipe: What a file keeps of the session.
        :param rows: The rows to add; None: none.
        :param names: The names of the items to retire; None: none.
        :param key: The key of the request, so that it counts once.
        """
        from askwise.goals.base.item_changes import items_event

        return items_event(recipe, rows, names, key)

    # ------------------------------------------------------------------ in plain words

    @abstractmethod
    def sentence(self, rows: int) -> str:
        """What is sought among so many rows: "Find the best of the 93 items.".

        :param rows: How many rows questions can be about.
        """

    def total_rows(self, columns: Columns) -> int:
        """How many rows questions can be about.

        :param columns: The table, by column.
        """
        return row_count(columns)

    @abstractmethod
    def summary(self, session: Session) -> Summary:
        """What was understood of the table.

        :param session: A session of this goal.
        """

    @abstractmethod
    def data_sentences(self, session: Session, found: Summary) -> list[str]:
        """How the table was read, one sentence a line.

        :param session: A session of this goal.
        :param found: What `summary` found.
        """

    def sentences(self, session: Session) -> list[str]:
        """All that was understood, one sentence a line.

        :param session: A session of this goal.
        """
        found = self.summary(session)
        lines = [self.sentence(found.rows), *self.data_sentences(session, found)]
        reasons: dict[str, list[str]] = {}
        for column, why in found.left_out.items():
            reasons.setdefault(why, []).append(column)
        if reasons:
            listed = (f"{abbreviate(columns, 6)} ({why})" for why, columns in reasons.items())
            lines.append(f"Left out: {'; '.join(listed)}.")
        lines.append(self.question_sentences(found))
        scale = "0: nothing is left open, 1: everything is"
        lines.append(
            f"It stops when undecided is below {self.stop_level:.4g} ({scale}), or after {self.budget} answers."
        )
        return lines

    def question_sentences(self, found: Summary) -> str:
        """What a question shows, and how many there are.

        :param found: What `summary` found.
        """
        asked = f"Each question asks for one answer: {' or '.join(found.responses)}."
        return f"{asked} {there_are(found.questions, 'question')}"

    # ------------------------------------------------------------------ what was found

    @abstractmethod
    def result(self, session: Session, sample: Sample) -> Result:
        """What was found, with the charts behind it, as these draws say.

        :param session: A session of this goal.
        :param sample: The draws that the result is computed from.
        """

    def remarks(self, session: Session) -> list[str]:
        """What else is worth knowing about the result, a sentence each.

        :param session: A session of this goal.
        """
        return []

    def absence(self, session: Session) -> Absence | None:
        """Who has not answered, where several people decide together.

        :param session: A session of this goal.
        """
        return None

    @classmethod
    def changes_of(cls, session: Session, options: Mapping[str, Any]) -> dict[str, Any]:
        """Options that are given later, as this goal stores them.

        :param session: A session of this goal.
        :param options: The options, by name.
        """
        return dict(options)

    @classmethod
    def headline(cls, estimate: Any, length: int = MAX_HEADLINE) -> str:
        """An estimate in one line, its parts numbered where their order matters; empty where only a drawing shows
        it.

        :param estimate: The value of an estimate.
        :param length: How many characters at most.
        """
        if cls.ordered and isinstance(estimate, list | tuple):
            estimate = [f"{place}. {one_line(part)}" for place, part in enumerate(estimate, 1)]
        return shorten(one_line(estimate), length)

    @classmethod
    def lines(cls, estimate: Any) -> list[str]:
        """An estimate for the person who answered: one line, or a list of them.

        :param estimate: The value of an estimate.
        """
        return [one_line(part) for part in estimate] if isinstance(estimate, list | tuple) else [str(estimate)]

    def exact_claim(self) -> str:
        """What it means that the estimate is exactly right: "these are the top 3"."""
        return "this is exactly right"

    def certainty_claim(self, certificate: Certificate) -> str:
        """The chance that the estimate is exactly right; another measure where hardly anything ever is.

        :param certificate: What is claimed.
        """
        chance = certificate.probability_exact
        sure = f"We are {in_words(chance)} sure that {self.exact_claim()}."
        return sure if chance >= MIN_CLAIMED_CHANCE else "This is our best guess. Parts of it may be wrong."

    def certainty(self, certificate: Certificate) -> str:
        """How sure the result is, in plain words for those who answered.

        :param certificate: What is claimed.
        """
        claim = self.certainty_claim(certificate)
        return f"{claim} Some of the answers contradict the others, so be careful." if certificate.warning else claim

    # ------------------------------------------------------------------ in and out

    def variables(self, session: Session, structures: Any) -> dict[str, Variable]:
        """Posterior draws by name, for export.

        :param session: A session of this goal.
        :param structures: The draws, `(S, ...)`.
        """
        raise SettingError(f"draws of {to_cli_name(self.goal_name)} have no names; take them from session.sample")

    def columns_of_answers(self) -> tuple[str, ...]:
        """The columns in which answers may come; none if rows cannot be found by name."""
        return self.answer_columns

    def parse_answer(self, session: Session, names: Sequence[Any], response: Any) -> tuple[Any, Any]:
        """The atom and the response that a row of a table of answers means: `answer_columns`, the last one apart.

        :param session: A session of this goal.
        :param names: What the row names, in the order of `answer_columns`.
        :param response: The answer of the row.
        """
        family: Any = session.problem.family
        places = [place_of(name, family.names, "item") for name in names]
        if len(set(places)) < len(places):
            raise AnswerError(f"{names[0]!r} is named twice; a question is about different items")
        return (places[0] if len(places) == 1 else np.sort(places).tolist()), response


def few_questions(rows: int, shown: int) -> bool:
    """Whether questions that each show so many of the rows can run out before the budget does.

    >>> few_questions(24, 2), few_questions(25, 2), few_questions(13, 3)
    (True, False, True)
    """
    return comb(rows, shown) < DEFAULT_BUDGET


def check_rows(goal: type[Goal], rows: int, saved: bool = False) -> None:
    """Refuses fewer rows than a goal needs and, unless it was saved before, more than it takes.

    >>> from askwise.goals.hierarchy import HierarchyGoal
    >>> check_rows(HierarchyGoal, 400)
    Traceback (most recent call last):
    askwise.errors.DataError: hierarchy takes up to 300 rows, got 400; give a part of them
    """
    if rows > goal.max_rows and not saved:
        raise DataError(f"{goal.goal_name} takes up to {goal.max_rows:,} rows, got {rows:,}; give a part of them")
    if rows < goal.min_rows:
        raise DataError(f"{goal.goal_name} needs at least {plural(goal.min_rows, 'row')}, got {rows}; add more")


def row_count(columns: Columns) -> int:
    """The rows of a table.

    >>> row_count({"name": ["tea", "milk"]})
    2
    """
    return len(next(iter(columns.values()), ()))


def place_of(name: Any, names: Sequence[str], noun: str) -> int:
    """The place of a name that somebody wrote in a table of answers.

    >>> place_of("'=milk", ["tea", "=milk"], "item")
    1
    """
    for meant in (str(name), str(name).removeprefix("'")):  # our own tables have a ' before =, +, - and @
        if meant in names:
            return list(names).index(meant)
    raise AnswerError(f"there is no {noun} {str(name)!r}; the first are {', '.join(names[:3])}")


def _presentation_of(goal: Goal, columns: Columns) -> PresentWith | None:
    """A function from changed options to the same as plain values, and to what people then see. What they see without
    changes is made once, for all branches."""
    usual = goal.presentation(columns)
    if usual is None:
        return None

    def present_with(changed: Mapping[str, Any]) -> tuple[dict[str, Any], Present]:
        known = declared(type(goal))
        for name in changed:
            if name not in known or not known[name].shown:
                able = ", ".join(other for other, each in known.items() if each.shown)
                raise SettingError(f"{name} does not say what people see; expected {able}")
        other = replace(goal, **changed).checked()
        made = other.presentation(columns) if changed else usual
        assert made is not None
        return {name: getattr(other, name) for name in changed}, made

    return present_with


def _remake(recipe: Mapping[str, Any]) -> Session:
    from askwise.goals.base.registry import remake

    return remake(recipe)
