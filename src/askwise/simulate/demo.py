"""A simulated buyer with a hidden taste looks for a car: the same buyer, asked well and asked at random."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from askwise.encode import encode
from askwise.goals import best_item
from askwise.session import Session
from askwise.simulate.people import ByModel, answer
from askwise.streams import stream
from askwise.types import Question, Response

FEATURES = (
    "type", "price", "mpg_city", "airbags", "drive", "cylinders", "horsepower",
    "manual", "passengers", "length", "weight", "origin",
)  # fmt: skip
TASTE = 6.0  # how decided the buyer is: the spread of the hidden weights


@dataclass(frozen=True)
class Step:
    """One answered question and what was known after it."""

    question: Question
    response: Response
    diameter: float  # the mean regret between two tastes still plausible
    guess: str
    regret: float  # of that guess under the buyer's real taste


def cars() -> list[dict[str, Any]]:
    """The 93 models of the bundled table, numbers as numbers.

    >>> len(cars()), cars()[0]["name"]
    (93, 'Acura Integra')
    """
    with (files("askwise") / "data" / "cars.csv").open(encoding="utf-8") as lines:
        return [{key: _number(text) for key, text in row.items()} for row in csv.DictReader(lines)]


class Buyer:
    """Somebody with a hidden taste for cars, who answers A or B with the noise of the logit model.

    >>> buyer = Buyer(seed=1)
    >>> buyer.best in {car["name"] for car in cars()}
    True
    """

    def __init__(self, seed: int):
        self.seed = seed
        self.table = cars()
        self.items = encode(self.table, features=FEATURES)
        self.taste = TASTE * stream(seed, 0, "taste").standard_normal(self.items.features.shape[1])
        utilities = self.items.features @ self.taste
        self.regret = (utilities.max() - utilities) / (utilities.max() - utilities.min())

    @property
    def best(self) -> str:
        return self.items.names[int(self.regret.argmin())]

    def likes(self, count: int = 3) -> list[str]:
        """What matters most to the buyer, in words."""
        strength = self.taste * self.items.features.std(axis=0)
        strongest = np.argsort(-np.abs(strength))[:count]
        return [_in_words(self.items.columns[i], strength[i] > 0) for i in strongest]

    def session(self, rule: str, budget: int) -> Session:
        return best_item(self.table, features=FEATURES, rule=rule, seed=self.seed, budget=budget)

    def shop(self, session: Session) -> Iterator[Step]:
        """Answers until the session is done."""
        person = ByModel(session.problem, self.taste)
        while not session.done:
            question = session.ask()
            response = answer(session, person, stream(self.seed, len(session.answers), "buyer"))
            guess = str(session.estimate())
            yield Step(question, response, session.diameter, guess, float(self.regret[self.items.names.index(guess)]))


def _in_words(column: str, liked: bool) -> str:
    feature, level = [*column.split("="), ""][:2]
    if level:
        return f"{feature} {level}" if liked else f"{feature} not {level}"
    return f"{'high' if liked else 'low'} {feature}"


def _number(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    try:
        return float(text)
    except ValueError:
        return text
