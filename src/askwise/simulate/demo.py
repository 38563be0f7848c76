"""A simulated buyer with a hidden taste looks for a car."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np

from askwise._runtime.streams import stream
from askwise.data.encoding import encode
from askwise.data.examples import example
from askwise.distances.items import regrets_of
from askwise.goals import best_item
from askwise.session import Session
from askwise.simulate.people import ModelPerson
from askwise.simulate.runs import simulate_answers
from askwise.types import Question, Response

FEATURES = (
    "type", "price", "mpg_city", "airbags", "drive", "cylinders", "horsepower",
    "manual", "passengers", "length", "weight", "origin",
)  # fmt: skip
TASTE_SPREAD = 6.0  # of the hidden weights: how decided the buyer is


@dataclass(frozen=True)
class Step:
    """One answered question and what was known after it."""

    question: Question
    response: Response
    diameter: float  # mean regret between two tastes that are still plausible
    guess: str
    regret: float  # of that guess under the buyer's real taste


class CarBuyer:
    """Somebody with a hidden taste for cars who answers with the noise of the logit model.

    >>> buyer = CarBuyer(seed=1)
    >>> buyer.best in {car["name"] for car in example("cars")}
    True
    """

    def __init__(self, seed: int):
        self.seed = seed
        self.table = example("cars")
        self.items = encode(self.table, features=FEATURES)
        self.taste = TASTE_SPREAD * stream(seed, 0, "taste").standard_normal(self.items.features.shape[1])
        self.utilities = self.items.features @ self.taste
        self.regret = regrets_of(self.utilities[None])[0]

    @property
    def best(self) -> str:
        """The car that suits the buyer most."""
        return self.items.names[int(self.regret.argmin())]

    def likes(self, most: int = 3) -> list[str]:
        """What matters most to the buyer, in words."""
        strength = self.taste * self.items.features.std(axis=0)
        strongest = np.argsort(-np.abs(strength))[:most]
        return [_describe_taste(self.items.columns[i], strength[i] > 0) for i in strongest]

    def session(self, rule: str, budget: int) -> Session:
        """A new session that looks for the best car."""
        return best_item(self.table, features=FEATURES, rule=rule, seed=self.seed, budget=budget)

    def answer(self, session: Session) -> Iterator[Step]:
        """Answers until the session is settled."""
        rngs = (stream(self.seed, number, "buyer") for number in count(len(session.answers)))
        person = ModelPerson(session.problem, self.utilities)
        for question, response in simulate_answers(session, person, rngs, until_settled=True):
            guess = str(session.estimate())
            yield Step(question, response, session.diameter, guess, float(self.regret[self.items.names.index(guess)]))


def _describe_taste(column: str, liked: bool) -> str:
    feature, level = [*column.split("="), ""][:2]
    if level:
        return f"{feature} {level}" if liked else f"{feature} not {level}"
    return f"{'high' if liked else 'low'} {feature}"
