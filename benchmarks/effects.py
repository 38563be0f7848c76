"""How often a column without any effect is said to have a clear one, and how often one with an effect is.

`python -m benchmarks.effects [--json] [--people 200] [--answers 15 30]`

Each simulated person has a table of 30 rows with four columns: two numbers that matter (the first twice as much as the
second), a number that does not, and a category of four levels that does not. Half of the people like the first number
best in the middle. They compare random pairs; shapes are learned. Columns are independent, so that what a column does
not do no other column does for it.
"""

from __future__ import annotations

import json
import os
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from askwise.data.encoding import encode
from askwise.goals.base.effects import taste_effects
from askwise.goals.base.shapes import shaped_prior
from askwise.losses import logistic
from askwise.session.effects import Effects
from askwise.structures.choice import ItemScores
from askwise.types import Answer
from benchmarks.common import benchmark_parser

ROWS, LEVELS = 30, 4
COLUMNS = {"strong": True, "weak": True, "no number": False, "no category": False}  # whether they matter


def effects_of_person(seed: int, answers: int) -> Effects:
    """What a session finds for one person."""
    rng = np.random.default_rng([seed, answers])
    strong, weak, none = rng.standard_normal((3, ROWS))
    levels = rng.permutation(np.arange(ROWS) % LEVELS)
    table: dict[str, Any] = dict(zip(COLUMNS, (strong.tolist(), weak.tolist(), none.tolist()), strict=False))
    table["no category"] = [f"level {level}" for level in levels]
    items = encode(table)
    utilities = 1.5 * weak + (3 * strong if seed % 2 else -2 * (strong - 0.3) ** 2)
    family = ItemScores(ROWS)
    told = []
    for _ in range(answers):
        first, second = (int(row) for row in rng.choice(ROWS, 2, replace=False))
        chance = 1 / (1 + np.exp(utilities[second] - utilities[first]))
        told.append(Answer((first, second), 1 if rng.random() < chance else -1))
    posterior = shaped_prior("learned", items.features, family, logistic, None).update_all(told, rng)
    effects = taste_effects(family, table, items, seed)
    assert effects is not None
    return effects(posterior.sample(600, rng))


def clear_shares(people: int, answers: int) -> dict[str, float]:
    """The share of people for whom each column is called clear."""
    found = [effects_of_person(seed, answers) for seed in range(people)]
    return {name: float(np.mean([effects[name].clear for effects in found])) for name in COLUMNS}


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--people", type=int, default=200, help="simulated [200]")
    parser.add_argument("--answers", type=int, nargs="+", default=[15, 30], help="of each person [15 30]")
    options = parser.parse_args()
    shares = {answers: clear_shares(options.people, answers) for answers in options.answers}
    if options.json:
        print(json.dumps({"people": options.people, "clear": shares}))
        return
    for answers, row in shares.items():
        print(f"{answers} answers: clear for", ", ".join(f"{name} {share:.3f}" for name, share in row.items()))


if __name__ == "__main__":
    main()
