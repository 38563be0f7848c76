"""What each column of a table does to a score, as plain values. Goals compute them (`askwise.goals.base.effects`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple


class CredibleInterval(NamedTuple):
    """The median of a number, and the interval that holds it with a probability of 80 %.

    >>> CredibleInterval(0.1, 0.2, 0.4).high
    0.4
    """

    low: float  # the truth is below with a probability of 10 %
    middle: float  # the median
    high: float  # the truth is above with a probability of 10 %


class EffectPoint(NamedTuple):
    """The effect at one value of a column, compared with the average row.

    >>> EffectPoint("van", -0.2, -0.1, 0.1).middle
    -0.1
    """

    value: float | str  # a number; a level of a category; a day such as "2026-11-17"
    low: float  # the effect is below with a probability of 10 %
    middle: float  # the median of the effect
    high: float  # the effect is above with a probability of 10 %


@dataclass(frozen=True)
class Effect:
    """What one column does to the score, with the other columns as they are.

    For tastes, effects are shares of the range from the worst to the best item; for labels, log odds.

    >>> points = (EffectPoint(1.0, -0.3, -0.2, -0.1), EffectPoint(2.0, 0.1, 0.2, 0.3))
    >>> effect = Effect("price", points, CredibleInterval(0.2, 0.4, 0.6), 0.0, True, "Higher is better.")
    >>> print(effect)
    price: higher is better.
    """

    name: str  # of the column
    points: tuple[EffectPoint, ...]  # from the lowest value to the highest, or each level
    importance: CredibleInterval  # how far the highest point lies above the lowest
    bends: float  # the chance that, where it bends most, the curve is a tenth of its range off a line; 0 for levels
    clear: bool  # whether the direction is clear; of columns without effect, about 5 % are called clear by chance
    sentence: str  # for people: "Higher is better; beyond 20 it hardly matters."
    label: str | None = None  # of more than two labels, the one whose score this is

    def __str__(self) -> str:
        return f"{self.name}: {self.sentence[:1].lower()}{self.sentence[1:]}" if self.sentence else self.name


@dataclass(frozen=True)
class Effects:
    """The effect of each column, the strongest first, and how much they explain together.

    >>> flat = Effect("price", (), CredibleInterval(0.0, 0.1, 0.2), 0.0, False, "No clear effect.")
    >>> found = Effects((flat,), CredibleInterval(0.7, 0.8, 0.9), "share of the range")
    >>> len(found), found["price"].clear, [effect.name for effect in found]
    (1, False, ['price'])
    """

    columns: tuple[Effect, ...]  # one for each column, the strongest first
    explained: CredibleInterval | None  # share of the variation of scores; None if there are too few rows to tell
    unit: str  # what effects are measured in

    def __iter__(self) -> Iterator[Effect]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, column: str) -> Effect:
        """The strongest effect of a column."""
        for effect in self.columns:
            if effect.name == column:
                return effect
        raise KeyError(column)

    def __str__(self) -> str:
        return "\n".join(map(str, self.columns))
