"""Simulated people of seven kinds, and the tables of items they choose from.

A person is a utility for each item. "i or j?" is answered by a logit model of the difference. Utilities are scaled so
that each person prefers the better of two random items nine times in ten (before lapses). For linear people this is a
standard deviation of about 4 over the items. No learner is told the scale.

This module needs only NumPy (the wines need scikit-learn), so that it also runs in a peer's environment.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from benchmarks.peers.tasks import answer_noise

HERE = Path(__file__).parent
EXAMPLES = HERE.parent.parent / "src" / "askwise" / "data" / "example_tables"
CAR_FEATURES = ("price", "mpg_city", "horsepower", "passengers", "length", "weight")
CAFE_DRINKS = (
    "espresso", "ristretto", "lungo", "americano", "macchiato", "cortado", "cappuccino", "flat white", "latte", "mocha",
    "filter coffee", "cold brew", "iced latte", "black tea", "green tea", "chai", "matcha", "mint tea", "rooibos",
    "hot chocolate", "lemonade", "orange juice", "sparkling water", "kombucha",
)  # fmt: skip

CONSISTENCY = 0.9  # how often a person prefers the better of two random items
LAPSES = 0.05  # the share of answers that are random, of people with lapses
OWN_APPEAL = 0.5  # standard deviation of an item's own appeal, in those of the linear part
SATURATION = 0.2  # of a feature's range; beyond, more of it adds little
MISSING_MUST_HAVE = 2.0  # what it costs to miss one, in standard deviations of the linear part


@dataclass(frozen=True, eq=False)
class Table:
    """N named items with D numeric features each; D is 0 if there are only names."""

    name: str
    item_names: tuple[str, ...]
    feature_names: tuple[str, ...]
    features: Any  # (N, D)

    @property
    def data(self) -> Any:
        """What a goal gets: columns, or a list of names."""
        if not self.feature_names:
            return list(self.item_names)
        columns = zip(self.feature_names, self.features.T.tolist(), strict=True)
        return {"name": list(self.item_names), **dict(columns)}


def cars() -> Table:
    """The 93 cars of `examples/cars.csv` with six of their numbers."""
    return _read_table("cars", EXAMPLES / "cars.csv", CAR_FEATURES)


def laptops() -> Table:
    """Forty invented laptops with eight numbers each."""
    with (EXAMPLES / "laptops.csv").open(encoding="utf-8") as lines:
        _, *features = next(csv.reader(lines))
    return _read_table("laptops", EXAMPLES / "laptops.csv", tuple(features))


def wines() -> Table:
    """All 178 wines of scikit-learn with thirteen numbers each."""
    from sklearn.datasets import load_wine

    wine = load_wine()
    names = tuple(f"wine {number + 1}" for number in range(len(wine.data)))
    return Table("wines", names, tuple(wine.feature_names), wine.data)


def drinks() -> Table:
    """Twenty-four names without features."""
    return Table("names", CAFE_DRINKS, (), np.empty((len(CAFE_DRINKS), 0)))


TABLES: dict[str, Callable[[], Table]] = {"cars": cars, "laptops": laptops, "wines": wines, "names": drinks}


@cache
def table_named(name: str) -> Table:
    """One of TABLES, read once."""
    return TABLES[name]()


def linear(features: Any, rng: Any) -> Any:
    """A weight for each feature."""
    return features @ rng.standard_normal(features.shape[1])


def ideal_point(features: Any, rng: Any) -> Any:
    """Not too much and not too little of each feature: the ideal lies in the middle half of the items."""
    ideal = [np.quantile(column, rng.uniform(0.25, 0.75)) for column in features.T]
    return -((features - ideal) ** 2) @ rng.exponential(size=features.shape[1])


def saturating(features: Any, rng: Any) -> Any:
    """More (or less) of each feature is better, with diminishing returns."""
    share = (features - features.min(axis=0)) / np.ptp(features, axis=0)
    share = np.where(rng.random(features.shape[1]) < 0.5, share, 1 - share)
    return (1 - np.exp(-share / SATURATION)) @ np.abs(rng.standard_normal(features.shape[1]))


def individual(features: Any, rng: Any) -> Any:
    """A weight for each feature, and each item's own appeal; of items without features, only this."""
    appeal = rng.standard_normal(len(features))
    return _standardised(linear(features, rng)) + OWN_APPEAL * appeal if features.shape[1] else appeal


def threshold(features: Any, rng: Any) -> Any:
    """A weight for each feature, and two features of which an item must have enough."""
    utilities = _standardised(linear(features, rng))
    for place in rng.choice(features.shape[1], 2, replace=False):
        column = features[:, place] * rng.choice([-1, 1])
        utilities = utilities - MISSING_MUST_HAVE * (column < np.quantile(column, rng.uniform(0.3, 0.6)))
    return utilities


def interaction(features: Any, rng: Any) -> Any:
    """A weight for each feature, and two features that matter together, as much as all of these."""
    first, second = rng.choice(features.shape[1], 2, replace=False)
    return _standardised(linear(features, rng)) + _standardised(features[:, first] * features[:, second])


KINDS: dict[str, Callable[[Any, Any], Any]] = {
    "linear": linear,
    "ideal point": ideal_point,
    "saturating": saturating,
    "individual": individual,
    "threshold": threshold,
    "interaction": interaction,
    "lapses": linear,  # the same people as the linear ones
}
KINDS_WITHOUT_FEATURES = ("individual", "lapses")


def kinds_of(table: str) -> tuple[str, ...]:
    """The kinds of people that a table can have."""
    return KINDS_WITHOUT_FEATURES if table == "names" else tuple(KINDS)


@dataclass(frozen=True, eq=False)
class TablePerson:
    """Somebody who chooses between the items of a table.

    An answer depends only on the person, the pair and how often it was asked before, so that runs of several learners
    are paired.
    """

    seed: int
    items: Any  # (N, D)
    utilities: Any  # (N,)
    lapses: float = 0.0
    asked: Counter[tuple[int, int]] = field(default_factory=Counter, init=False, repr=False)  # by `respond`

    @staticmethod
    def of(table: str, kind: str, seed: int) -> TablePerson:
        """The person with this seed. The same seed is another person on another table, or of another kind."""
        features = table_named(table).features
        taste = KINDS[kind] if features.shape[1] else individual
        rng = np.random.default_rng([seed, crc32(table.encode()), crc32(taste.__name__.encode())])
        utilities = scaled_to_consistency(_standardised(taste(_standardised(features), rng)))
        return TablePerson(seed, features, utilities, LAPSES if kind == "lapses" else 0.0)

    def answer(self, question: tuple[int, int], times: int) -> int:
        """The item preferred, when the pair was asked so often before."""
        low, high = sorted(question)
        chance = 1 / (1 + np.exp(self.utilities[high] - self.utilities[low]))
        chance = (1 - self.lapses) * chance + self.lapses / 2
        return low if answer_noise(self.seed, low, high, times) < chance else high

    def errors(self, best: int) -> dict[str, float]:
        """Whether the item named is the wrong one, and what it gives up of the range from the best to the worst."""
        given_up = self.utilities.max() - self.utilities[best]
        return {"wrong": float(given_up > 0), "regret": float(given_up / np.ptp(self.utilities))}

    def respond(self, atom: Any, rng: Any) -> int:
        """The answer as a `SimulatedPerson` of askwise gives it; another one if the pair was asked before."""
        first, second = (int(place) for place in atom)
        pair = min(first, second), max(first, second)
        self.asked[pair] += 1
        return 1 if self.answer(pair, self.asked[pair] - 1) == first else -1


def consistency(utilities: Any) -> float:
    """How often a person with these utilities (N,) prefers the better of two random items, without lapses."""
    low, high = np.triu_indices(len(utilities), 1)
    return float((1 / (1 + np.exp(-np.abs(utilities[low] - utilities[high])))).mean())


def scaled_to_consistency(utilities: Any) -> Any:
    """(N,): a multiple of the utilities whose consistency is CONSISTENCY, by bisection."""
    low, high = 0.0, 1.0
    while consistency(high * utilities) < CONSISTENCY:
        high *= 2
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if consistency(middle * utilities) < CONSISTENCY else (low, middle)
    return high * utilities


def _standardised(values: Any) -> Any:
    return (values - values.mean(axis=0)) / values.std(axis=0)


def _read_table(name: str, path: Path, features: tuple[str, ...]) -> Table:
    with path.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    numbers = np.array([[float(row[feature]) for feature in features] for row in rows])
    return Table(name, tuple(row["name"] for row in rows), features, numbers)
