"""Which of two or more labels every row has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from askwise.data.presentation import BodyColumns, Presentation
from askwise.data.tables import Columns, Rows
from askwise.distances.fairness import EqualOpportunity
from askwise.errors import DataError, SettingError
from askwise.goals.base.charts import MAX_BARS, Bars, Chart, Result, Table
from askwise.goals.base.export import Variable
from askwise.goals.base.function import python_function
from askwise.goals.base.goal import SessionParts, Summary
from askwise.goals.base.grades import grades_option
from askwise.goals.base.groups import fairness_gap, label_findings
from askwise.goals.base.items import PRIOR_SCALE, check_scale
from askwise.goals.base.labels import check_labels, label_parts
from askwise.goals.base.noiseless import NO_MISTAKES, noise_option
from askwise.goals.base.options import option
from askwise.goals.base.pools import draw_rows
from askwise.goals.base.shapes import LINEAR_WITHOUT_LAPSES, is_straight, shape_option
from askwise.goals.base.tables import TableGoal, feature_names
from askwise.goals.base.texts import in_words, one_of, percent, plural
from askwise.options import column, function, number
from askwise.session import Session
from askwise.stopping.certificate import Certificate
from askwise.strategies import Strategy
from askwise.types import Floats, Response, Sample


class ClassifierGoal(TableGoal):
    """Learns which of two or more labels each row has, from few labelled rows. The estimate is a label for every row.

    With `fair_on` it also matters that the rows that deserve the second label get it equally often in both groups: at a
    distance of epsilon, at most a share epsilon of the labels is wrong and the groups differ by at most epsilon /
    `fairness_weight`. The column is a feature like any other; leave it out with `features` if it should not be.

    >>> session = classifier({"size": [1.0, 2.0, 3.0, 4.0], "weight": [1.0, 3.0, 2.0, 5.0]}, labels=("small", "large"))
    >>> session.ask().responses
    ('small', 'large')
    """

    goal_name: ClassVar[str] = "classifier"
    order: ClassVar[int] = 40
    title: ClassVar[str] = "Which label each row has"
    asks: ClassVar[str] = "which label fits this row?"
    estimate: ClassVar[str] = "a label for every row"
    distance: ClassVar[str] = "Disagreement"
    needs: ClassVar[str] = "features"
    max_rows: ClassVar[int] = 200_000
    shown_together: ClassVar[int] = 1
    answer_columns: ClassVar[tuple[str, ...]] = ("item", "label")
    takes_pools: ClassVar[bool] = True
    takes_items: ClassVar[bool] = True
    data_help: ClassVar[str] = (
        "Any dataframe, 2-D array, list of dicts or dict of columns, or the path of a table (CSV, TSV or JSONL), or "
        "of a Parquet file or a folder of them that does not fit in memory: random rows then stand for all in the "
        "estimate."
    )
    example: ClassVar[Mapping[str, Any]] = {"data": {"name": ["a", "b", "c", "d"], "size": [1.0, 2.0, 3.0, 4.0]}}

    labels: Sequence[Response] = option(
        default=("no", "yes"), kw_only=False, parse=check_labels, typed=list, label="Labels, with commas between",
        example="no,yes", help="The labels, two or more.",
    )  # fmt: skip
    shape: str | Sequence[str] = shape_option()
    rule: str | Strategy = "expected-margin"
    feature_map: Callable[[Floats], ArrayLike] | None = option(
        default=None, parse=function,
        help="A function from the standardised features (N, P) to others (N, Q) in which a plane tells labels apart.",
    )  # fmt: skip
    fair_on: str | None = option(
        default=None, parse=column, typed=str, changeable=True,
        label="Be fair between the groups of this column (or leave it empty)",
        help="A column with two values, such as a sex, whose groups the labels should treat alike.",
    )  # fmt: skip
    fairness_weight: float = option(
        default=1.0, parse=number, typed=float, changeable=True,
        help="How much fairness counts; right labels count 1.",
    )  # fmt: skip
    grades: Sequence[str] = grades_option(
        'Grades of an answer from the weakest, for two labels, such as "probably,surely"; people say "surely yes".',
        "probably,surely",
    )
    prior_scale: float | None = option(default=None, parse=check_scale, typed=float, help=PRIOR_SCALE)
    noise: float | None = noise_option()
    pool: Mapping[str, Any] | None = option(default=None, help="What a saved session knows of its pool; leave it out.")

    @property
    def is_linear(self) -> bool:
        """Whether a structure is a plane."""
        return is_straight(self.shape) or self.noise is not None

    def resolve(self, data: Rows | str | Path) -> tuple[Columns, Self]:
        if not isinstance(data, str | Path):
            return super().resolve(data)
        if self.feature_map is not None or self.missing != "refuse" or self.embed:
            raise SettingError(
                "a pool takes no feature_map, embeds and imputes nothing; put such columns into its files"
            )
        features = None if self.features is None else list(self.features)
        columns, pool = draw_rows(data, features, (*self.shown_columns.values(), self.fair_on), self.seed)
        return columns, replace(self, pool=pool, readings={})

    def presentation(self, columns: Columns) -> Presentation:
        bodies = BodyColumns(self.body, self.body_format, self.audio, self.video)
        return Presentation(columns, partial(self.items, columns), self.show, self.pool, bodies)

    def build(self, columns: Columns) -> SessionParts:
        if self.fair_on is not None and len(self.labels) > 2:
            raise SettingError(f"fair_on= needs two labels, the second the desired one; got {list(self.labels)}")
        if self.grades:
            self._check_grades()
        items = self.items(columns)
        if not items.features.shape[1]:
            raise DataError(
                "a classifier needs columns to tell rows apart by, and the table has only names; add features"
            )
        return label_parts(self, columns, items)

    def _check_grades(self) -> None:
        """Refuses grades where they make no sense."""
        if len(self.labels) > 2:
            raise SettingError(f"grades need two labels, got {list(self.labels)}; leave out grades")
        if self.noise is not None:
            raise SettingError("with noise=0 an answer has no grades; leave out grades, or leave out noise")
        if self.pool is not None:
            raise SettingError("labels of a pool on disk have no grades yet; leave out grades, or give a table")
        if self.shape == LINEAR_WITHOUT_LAPSES:
            raise SettingError("grades need a shape that allows for accidents; leave out shape, or set it to 'linear'")

    def total_rows(self, columns: Columns) -> int:
        return super().total_rows(columns) if self.pool is None else int(self.pool["rows"])

    def sentence(self, rows: int) -> str:
        return f"Learn which label each of the {rows} rows has: {one_of(self.labels)}."

    def data_sentences(self, session: Session, found: Summary) -> list[str]:
        lines = super().data_sentences(session, found)
        if self.noise is not None:
            lines.append(NO_MISTAKES)
        if self.pool is not None:
            path, sampled = self.pool["path"], len(self.pool["sample"])
            lines.append(f"The rows stay in {path}; {sampled:,} random ones stand for all in the result.")
        return lines

    @classmethod
    def headline(cls, estimate: Any, length: int = 0) -> str:
        return ""  # a label for every row is drawn

    @classmethod
    def lines(cls, estimate: Any) -> list[str]:
        names = [str(label) for label in estimate]
        return [f"{label}: {plural(names.count(label), 'item')}" for label in dict.fromkeys(names)]

    def certainty_claim(self, certificate: Certificate) -> str:
        if self.fair_on is not None:  # the distance is not only about wrong labels
            return super().certainty_claim(certificate)
        return f"We expect {in_words(1 - certificate.expected_distance)} of these labels to be right."

    def result(self, session: Session, sample: Sample) -> Result:
        distance: Any = session.problem.distance
        estimate = session.estimate().structure
        found = label_findings(distance.family, sample, estimate, self.labels)
        rows = tuple(
            (row.name, str(label), percent(row.probability)) for row, label in zip(found.rows, found.given, strict=True)
        )
        charts: list[Chart] = [
            Bars(
                "labels",
                "The labels that are least sure",
                "The share of everything still plausible that gives the row the same label. The table has all labels.",
                Table("Every row as a table", ("row", "label", "probability"), rows, numeric=(2,)),
                tuple((f"{row.name}: {label}", row.probability) for row, label in found.unsure(MAX_BARS)),
            )
        ]
        if isinstance(distance, EqualOpportunity):
            low, middle, high = map(percent, fairness_gap(distance, sample, estimate))
            lead = (
                f"Of the rows that deserve the label {self.labels[1]}, the two groups of {self.fair_on} get it with "
                f"shares that differ by {middle} (with a probability of 80 % between {low} and {high})."
            )
            charts.append(Chart("fairness", "Fairness between the groups", lead))
        return Result(
            f"Which label does each of {len(found.rows):,} rows have?",
            facts=tuple((str(name), plural(count, "row")) for name, count in found.counts),
            charts=tuple(charts),
        )

    def columns_of_answers(self) -> tuple[str, ...]:
        return self.answer_columns if self.pool is None else ()  # names of a pool may repeat

    def variables(self, session: Session, structures: Any) -> dict[str, Variable]:
        """The weight of every feature and of the intercept; of more than two labels, for each label."""
        labels = [str(label) for label in self.labels]
        if not self.is_linear:
            family = session.problem.distance.family  # type: ignore[attr-defined]  # of a pool, its sample
            scores = family.predict(structures, np.arange(len(family.names)))
            if len(labels) == 2:
                return {"score": Variable(scores, {"row": family.names})}
            return {"score": Variable(np.moveaxis(scores, 2, 1), {"label": labels, "row": family.names})}
        count = np.shape(structures)[1] // (1 if len(labels) == 2 else len(labels))
        features = feature_names(self, session, count)
        features = features if len(features) == count else [*features, "intercept"]
        if len(labels) == 2:
            return {"weight": Variable(structures, {"feature": features})}
        values = np.reshape(structures, (len(structures), len(labels), count))
        return {"weight": Variable(values, {"label": labels, "feature": features})}


classifier = python_function(ClassifierGoal)
