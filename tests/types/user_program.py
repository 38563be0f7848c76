"""What people write with askwise. mypy and pyright check it, and nobody runs it: see test_user_program.py.

A line that ends in `type: ignore` must be an error, since both report comments that are not needed.
"""

from pathlib import Path
from typing import assert_type

import numpy as np
import polars as pl
from numpy.random import Generator

import askwise
from askwise.distances import Distance
from askwise.posteriors import Drawn
from askwise.structures import Family
from askwise.structures.finite import Finite
from askwise.types import Atoms, Floats, Sample, Scored, Structures

# data of every kind
table = [{"name": "tea", "price": 2.0}, {"name": "milk", "price": 1.0}, {"name": "gin", "price": 9.0}]
session = askwise.best_item(table, features=["price"], budget=20, seed=1)
assert_type(session, askwise.Session)
askwise.best_item(["tea", "milk"])
askwise.best_item(("tea", "milk"))
askwise.ranking({"name": ["tea", "milk"], "price": np.arange(2)}, shape="linear")
askwise.ranking(pl.DataFrame({"name": ["tea", "milk"]}))
askwise.clusters(np.eye(3), similarity=np.eye(3))
askwise.top_k("drinks.csv", 2)
askwise.top_k(Path("drinks.csv"), k=2)
askwise.top_k(data=table, k=2)
askwise.classifier(Path("pool"), labels=("good", "bad"), feature_map=np.abs)
askwise.best_column((3, 4), costs=[1, 2, 3, 4], row_features=np.eye(3), score=lambda entries: entries.max(axis=1))
askwise.matrix([[1.0, None], [None, 2.0]], entry_range=4)
askwise.best_item(3)  # type: ignore
askwise.top_k(table)  # type: ignore
askwise.best_item(table, budgt=20)  # type: ignore
askwise.best_item(table, budget="20")  # type: ignore
askwise.best_item((3, 4))  # type: ignore

# ask and tell
question = session.ask()
assert_type(question, askwise.Question)
assert_type(session.ask(3), list[askwise.Question])
assert_type(question.options[0].fields["price"], str)
session.tell("left", question, who="Ann", seconds=2.5)
session.tell(np.float32(0.5))
session.tell({"best": "tea", "worst": 3})
session.tell(("tea", "gin"))
session.pose((0, 1))
session.add_items([{"name": "rum", "price": 8.0}])
session.reword(question="Which one?", answers={"left": "A", "right": "B"})
session.show({"show": ["price"]})
session.tell(None)  # type: ignore
print(question.txt)  # type: ignore

# what comes out
assert_type(session.estimate(), askwise.Estimate)
assert_type(session.certificate().upper_bound, float)
assert_type(session.report("report.html"), Path)
assert_type(session.plot("path").svg, str)
assert_type(askwise.open("study.askwise"), askwise.Session)
assert_type(askwise.from_json(session.to_json()), askwise.Session)
askwise.change_goal(session, "top_k", k=2)
askwise.best_item(table, population=askwise.learn_population([session]))
askwise.to_sklearn(session).predict([{"price": 2.0}])
askwise.embed(["red wine", "green tea"]).mean(axis=0)
askwise.embed([Path("a.png"), Path("b.png")])
askwise.embed([1, 2])  # type: ignore


# programs that answer
def judge(question: askwise.Question) -> str | None:
    return max(question.names) if question.names else None


async def slow_judge(question: askwise.Question) -> askwise.Reply:
    return askwise.Reply("left", cost=0.01, note="shorter")


run = askwise.answer(session, judge, jobs=4, budget={"cost": 5.0})
assert_type(run.cost, float)
askwise.answer(session, slow_judge, budget=askwise.Budget(100))
askwise.answer(session, lambda question: object())  # type: ignore


# families, distances, strategies and stopping rules of one's own
class SameRow:
    def paired(self, left: Structures, right: Structures) -> Floats:
        return np.asarray(left != right, dtype=float)

    def pairwise(self, structures: Structures) -> Floats:
        return self.paired(structures[:, None], structures[None, :])


def first(problem: askwise.Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    return Scored(np.linspace(1, 0, len(atoms)))


family: Family = Finite([[0, 0], [0, 1], [1, 1]])
distance: Distance = SameRow()
problem = askwise.Problem(family, distance, askwise.zero_one, beta=askwise.noise_beta(0.1))
stop = askwise.any_of(askwise.DiameterBelow(0.05), askwise.Budget(40))
askwise.best_item(table, rule=first)
askwise.best_item(table, by=lambda items: SameRow())
askwise.best_item(table, rule=max)  # type: ignore
wrong: Distance = "regret"  # type: ignore
