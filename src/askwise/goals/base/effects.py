"""What mattered: the effect of each column of the table on the scores, with intervals.

Scores may bend, interact, or be each row's own. An effect is the part that one column explains: per posterior draw,
scores are approximated by a sum of curves, one for each column (`askwise.goals.base.additive`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

import numpy as np

from askwise._runtime.streams import stream
from askwise.data.encoding import Column, Items
from askwise.data.tables import Columns
from askwise.goals.base.additive import (
    NOT_STRAIGHT,
    AdditiveFit,
    AdditiveTerms,
    bend_chance,
    knot_rows,
    knots_for,
    level_terms,
    numeric_terms,
)
from askwise.goals.base.findings import INTERVAL_SHARES, quantiles
from askwise.session.effects import CredibleInterval, Effect, EffectPoint, Effects
from askwise.types import Floats, Ints, Response, Sample

MAX_EFFECT_ROWS = 1_000  # of a longer table, so many random rows stand for all
MAX_EFFECT_TERMS = 1_000  # of more columns and levels, nobody could read the effects
FALSELY_CLEAR = 0.05  # of the columns without any effect, the share that may be called clear
BEND_CHANCE = 0.9  # from which on a curve is said to bend
SHARE_UNIT = "share of the range from the worst to the best item"
LOG_ODDS_UNIT = "log odds of the label {label}"
LABELS_UNIT = "log odds of a label against the average of all"
NOISELESS_UNIT = "share of the range of scores"  # without noise there are no odds

Scores = Callable[[Any, Ints], Sequence[Floats]]  # structures, rows -> scores (S, N), for each label if there are many


def taste_effects(family: Any, columns: Columns, items: Items, seed: int) -> TableEffects | None:
    """The effects on what somebody likes; None without columns to speak of.

    >>> from askwise.data.encoding import encode
    >>> from askwise.structures.choice import ItemScores
    >>> table = {"price": [1.0, 2.0, 3.0, 4.0], "colour": ["red", "blue", "red", "blue"]}
    >>> effects = taste_effects(ItemScores(4), table, encode(table), seed=0)
    >>> found = effects(Sample(np.array([[4.0, 3.0, 2.0, 1.0]]), np.ones(1), exact=True))
    >>> print(found["price"])
    price: lower is better.
    """

    def scores(structures: Any, rows: Ints) -> list[Floats]:
        pairs = np.stack([rows, np.full(len(rows), rows[0])], axis=1)  # above the first row: only differences count
        return [family.predict(structures, pairs)]

    return _table_effects(columns, items, seed, scores, SHARE_UNIT)


def label_effects(
    family: Any, columns: Columns, items: Items, seed: int, labels: Sequence[Response], noiseless: bool = False
) -> TableEffects | None:
    """The effects on the log odds of the second of two labels, or of each of more; None with too many columns.

    - `noiseless`: whether no answer is wrong, so that only shares of the range of scores mean anything.
    """
    names = [str(label) for label in labels]

    def scores(structures: Any, rows: Ints) -> list[Floats]:
        found = np.asarray(family.predict(structures, rows), dtype=float)
        if noiseless:
            found = found / np.maximum(np.ptp(found.reshape(len(found), -1), axis=1), 1e-300).reshape(
                -1, *[1] * (found.ndim - 1)
            )
        if len(names) == 2:
            return [found]
        return list(np.moveaxis(found - found.mean(axis=2, keepdims=True), 2, 0))

    unit = LOG_ODDS_UNIT.format(label=names[1]) if len(names) == 2 else LABELS_UNIT
    shown = names[1:] if len(names) == 2 else names
    return _table_effects(columns, items, seed, scores, NOISELESS_UNIT if noiseless else unit, shown)


def _table_effects(
    columns: Columns, items: Items, seed: int, scores: Scores, unit: str, labels: Sequence[str] = ()
) -> TableEffects | None:
    encoding = [column for column in items.encoding if not column.size]  # nobody could read the numbers of a vector
    terms = sum(1 if column.levels is None else len(column.levels) for column in encoding)
    if not 0 < terms <= MAX_EFFECT_TERMS:
        return None
    return TableEffects(columns, encoding, seed, scores, unit, tuple(labels))


@dataclass(frozen=True)
class _ColumnTerms:
    """One column: its points, and its part of the least squares."""

    name: str
    values: tuple[float | str, ...]
    is_number: bool  # or a date; otherwise levels
    terms: AdditiveTerms


class TableEffects:
    """A function from posterior draws to the effects of a table's columns; what depends on the table alone is computed
    once, when effects are first asked for."""

    def __init__(
        self, columns: Columns, encoding: Sequence[Column], seed: int, scores: Scores, unit: str, labels: Sequence[str]
    ):
        self._columns, self._encoding, self._seed = columns, encoding, seed
        self._scores, self._unit, self._labels = scores, unit, labels

    def __call__(self, sample: Sample) -> Effects:
        """The effects that these draws leave plausible, the strongest first."""
        found: list[Effect] = []
        explained, total = np.zeros(len(sample.weights)), np.zeros(len(sample.weights))
        for place, scores in enumerate(self._scores(sample.structures, self._rows)):
            curves = self._fit.apply(np.asarray(scores, dtype=float))
            explained, total = explained + curves.explained_squares, total + curves.total_squares
            scale = 1.0 if self._labels else _range(scores)[:, None]
            label = self._labels[place] if self._labels else None
            each = [curve / scale for curve in curves.curves]
            found += _effects(self._terms, each, sample.weights, label, len(self._labels) > 2)
        shares = self._fit.explained(explained, total)
        return Effects(
            tuple(sorted(found, key=lambda effect: -effect.importance.middle)),
            None if shares is None else _interval(shares, sample.weights),
            self._unit,
        )

    @cached_property
    def _rows(self) -> Ints:
        count = len(next(iter(self._columns.values())))
        if count <= MAX_EFFECT_ROWS:
            return np.arange(count)
        return np.sort(stream(self._seed, 0, "effects").choice(count, MAX_EFFECT_ROWS, replace=False))

    @cached_property
    def _terms(self) -> list[_ColumnTerms]:
        knots = knots_for(len(self._rows), len(self._encoding))
        made = (_column_terms(each, self._columns[each.name], self._rows, knots) for each in self._encoding)
        return [terms for terms in made if terms is not None]

    @cached_property
    def _fit(self) -> AdditiveFit:
        return AdditiveFit([each.terms for each in self._terms])


def _column_terms(column: Column, values: list[Any], rows: Ints, knots: int) -> _ColumnTerms | None:
    """The terms of a column; None if it is constant on these rows."""
    kept = [values[row] for row in rows]
    truths = all(isinstance(value, bool) for value in kept)
    if column.levels is not None or truths:
        texts = [
            ("yes" if value else "no") if truths else ("missing" if value is None else str(value)) for value in kept
        ]
        levels, codes = np.unique(texts, return_inverse=True)
        terms = level_terms(codes, len(levels)) if len(levels) > 1 else None
        return None if terms is None else _ColumnTerms(column.name, tuple(map(str, levels)), False, terms)
    numbers = column.block(kept)[:, 0]  # standardised: exact for huge, tiny and close numbers
    places = knot_rows(numbers, knots)
    if len(places) < 2:
        return None
    originals = np.ldexp(column.raw([kept[place] for place in places])[:, 0], column.exponent)
    points = tuple(_day(value) if column.dated else float(value) for value in originals)
    return _ColumnTerms(column.name, points, True, numeric_terms(numbers, numbers[places]))


def _effects(
    columns: Sequence[_ColumnTerms], curves: Sequence[Floats], weights: Floats, label: str | None, one_of_many: bool
) -> list[Effect]:
    """The effects of all columns from their curves [(S, M), ...]; all quantiles are taken at once."""
    ranges = [np.ptp(curve, axis=1) for curve in curves]
    bands = quantiles(np.vstack([*(curve.T for curve in curves), *ranges]).T, weights, INTERVAL_SHARES)
    starts = np.cumsum([0, *(curve.shape[1] for curve in curves)])
    found = []
    for place, (column, curve) in enumerate(zip(columns, curves, strict=True)):
        band = bands[:, starts[place] : starts[place + 1]]
        away = column.terms.away_from_straight
        bent = 0.0 if away is None else bend_chance(curve, weights, away)
        shape = CurveShape(column.values, column.is_number, curve, weights, band[1], bent >= BEND_CHANCE)
        found.append(
            Effect(
                column.name,
                tuple(EffectPoint(value, *map(float, one)) for value, one in zip(column.values, band.T, strict=True)),
                CredibleInterval(*map(float, bands[:, starts[-1] + place])),
                bent,
                shape.is_clear,
                shape.sentence(label),
                label if one_of_many else None,
            )
        )
    return found


@dataclass(frozen=True, eq=False)
class CurveShape:
    """What can be said about a curve in one sentence."""

    values: tuple[float | str, ...]
    is_number: bool
    curves: Floats  # (S, M)
    weights: Floats  # (S,)
    middle: Floats  # (M,)
    bends: bool

    @property
    def top(self) -> int:
        return int(self.middle.argmax())

    @property
    def bottom(self) -> int:
        return int(self.middle.argmin())

    @property
    def is_clear(self) -> bool:
        """Whether the highest point surely lies above the lowest."""
        return self.chance_above(self.top, self.bottom) >= self.clear_chance

    @property
    def clear_chance(self) -> float:
        """From which on one point is surely higher: the risk is shared by both directions and by all levels."""
        choices = 1 if self.is_number else len(self.values) - 1
        return 1 - FALSELY_CLEAR / 2 / choices

    def chance_above(self, one: int, other: int) -> float:
        """The chance that the curve is higher at one point than at another."""
        return float(self.weights @ (self.curves[:, one] > self.curves[:, other]))

    def sentence(self, label: str | None = None) -> str:
        """What more of the column does: to the score, or to how likely a label is."""
        if not self.is_clear:
            return "No clear effect."
        if not self.is_number:
            best, worst = self.values[self.top], self.values[self.bottom]
            if label is None:
                return f"Best with {best}, worst with {worst}."
            return f"The label {label} is likeliest with {best}, least likely with {worst}."
        if self.bends:
            for sign, words, likely in ((1, "Best", "likeliest"), (-1, "Worst", "least likely")):
                place = self.top if sign > 0 else self.bottom
                if self._is_inside(place, sign):
                    near = f"near {self._turn(place)}."
                    return f"{words} {near}" if label is None else f"The label {label} is {likely} {near}"
        rises = self.top > self.bottom
        if label is None:
            start = "Higher is better" if rises else "Lower is better"
        else:
            start = f"Higher makes the label {label} {'more' if rises else 'less'} likely"
        return f"{start}{self._flat_end() if self.bends else ''}."

    def _is_inside(self, place: int, sign: int) -> bool:
        """Whether the curve surely and visibly turns at a point that is not one of its ends."""
        last = len(self.middle) - 1
        if place in (0, last):
            return False
        least = NOT_STRAIGHT * np.ptp(self.middle)
        for end in (0, last):
            both = (place, end) if sign > 0 else (end, place)
            if sign * (self.middle[place] - self.middle[end]) < least or self.chance_above(*both) < self.clear_chance:
                return False
        return True

    def _turn(self, place: int) -> str:
        """Where the curve turns: the vertex of the parabola through a knot and its neighbours."""
        around = slice(place - 1, place + 2)
        if isinstance(self.values[place], str):
            return str(self.values[place])
        x, y = np.array(self.values[around], dtype=float), self.middle[around]
        left, right = np.diff(y) / np.diff(x)
        slope = left + (right - left) * (x[1] - x[0]) / (x[2] - x[0])  # of the parabola at the knot
        vertex = x[1] - slope * (x[2] - x[0]) / (2 * (right - left))
        return self._rounded(float(np.clip(vertex, x[0], x[2])))

    def _rounded(self, value: float | str) -> str:
        """A value for people: as exact as a hundredth to a tenth of the range of the column."""
        if isinstance(value, str):
            return value
        span = float(self.values[-1]) - float(self.values[0])
        digits = -int(np.floor(np.log10(span / 10)))
        text = f"{round(value, digits):.{max(digits, 0)}f}" if abs(digits) < 6 else f"{value:.4g}"
        return text.replace("-", "\N{MINUS SIGN}")

    def _flat_end(self) -> str:
        """Where a curve stops to rise or fall: at its upper end, at its lower end, or nowhere."""
        least = NOT_STRAIGHT * np.ptp(self.middle)
        for word, ends in (("beyond", self.middle[::-1]), ("below", self.middle)):
            flat = int(np.argmax(np.abs(ends - ends[0]) >= least)) - 1  # points as high as the end, after it
            if flat > 0:
                place = len(ends) - 1 - flat if word == "beyond" else flat
                return f"; {word} {self._rounded(self.values[place])} it hardly matters"
        return ""


def _range(scores: Floats) -> Floats:
    """(S,): from the lowest score to the highest; infinite where all are the same but for rounding, so that no column
    does anything then."""
    spread = np.ptp(scores, axis=1)
    return np.where(spread > 1e-12 * np.abs(scores).max(axis=1), spread, np.inf)


def _interval(values: Floats, weights: Floats) -> CredibleInterval:
    return CredibleInterval(*map(float, quantiles(values[:, None], weights, INTERVAL_SHARES)[:, 0]))


def _day(days: float) -> str:
    """A date that was encoded as days since 1970."""
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=float(days))).date().isoformat()
