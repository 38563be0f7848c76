"""Simulation-based calibration of the beliefs about scores: are posteriors as wide as they should be?

`python -m benchmarks.calibration [--json] [--people 400] [--cases CASE ...] [--jobs 1] [--store FILE]`

For each simulated person a shape, a scale, a share of lapses and scores are drawn from the prior, and answers from the
likelihood. If the sampler is right, the truth is then one more draw of the posterior: the share of draws below it is
uniform over people, whatever the questions were. Per person and quantity one such share is kept:

- difference: of the scores of two random rows
- scale: log of the prior scale
- bent: whether the shape bends
- likelihood: the log likelihood of the answers, of the true scores among those of the draws
- lapse: the share of answers given by accident

Where a quantity has few values, the share is P(less) plus a random part of P(equal). Cases: pairs, pairs with ties,
the best of four items, the best and the worst of four, labels, and labels of three kinds (softmax), with random
questions; "pairs chosen" and "labels chosen" are sessions with their usual strategy. Chi-square over 20 bins and
Kolmogorov-Smirnov test the shares of each quantity. The level is .01 for all tests together, so that each p value must
be at least .01 divided by their number.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from numpy.random import Generator
from scipy import stats

import askwise
from askwise.losses import best_worst, davidson, logistic, softmax
from askwise.posteriors.scores.kernels import factor, label_shapes, shapes_named
from askwise.posteriors.scores.shaped import LAPSE_WEIGHTS, LAPSES, ShapedScores
from askwise.posteriors.scores.shaped_softmax import ShapedSoftmax
from askwise.simulate.runs import person_streams, simulate_answers
from askwise.structures.choice import ItemScores
from askwise.structures.item_sets import ItemSets
from askwise.structures.linear import RowScores
from askwise.structures.multiclass import SoftmaxRows
from askwise.types import Answer, Floats
from benchmarks.common import benchmark_parser, run_or_recall

ROWS, FEATURES, ANSWERS = 10, 2, 15
DRAWS = 399  # of a posterior, that the truth is compared with
BINS = 20
LEVEL = 0.01  # of all tests together
SETS, SET_SIZE = {"best": False, "best and worst": True}, 4  # cases with sets: whether the worst is named, too


class Truth(NamedTuple):
    """What is drawn from a prior: the scores, and what they were drawn with."""

    scores: Floats  # (M,)
    scale: float
    bent: bool
    lapse: float


class Job(NamedTuple):
    """A simulated person."""

    case: str
    seed: int


def draw_truth(prior: ShapedScores, rng: Generator) -> Truth:
    """A shape, a scale, a share of lapses and scores, by the definition of the prior."""
    weights = np.exp(prior.log_prior)
    place = rng.choice(weights.size, p=weights.ravel() / weights.sum())
    shape, scale = np.unravel_index(place, weights.shape)
    lapse = rng.choice(prior.answers.lapses, p=np.exp(prior.answers.log_lapse_prior))
    noise = rng.standard_normal(prior.known.factors[shape].shape[1])
    scores = prior.known.means[shape] + prior.scale_grid[scale] * (prior.known.factors[shape] @ noise)
    return Truth(scores, float(prior.scale_grid[scale]), prior.shapes[shape].bends, float(lapse))


def response_chances(prior: ShapedScores, scores: Floats, atoms: Any, lapse: float | Floats) -> Floats:
    """(Y, S, T): the chance of each response to T questions under scores (S, M), by the definition of the loss."""
    predictions = prior.family.predict(scores, np.asarray(atoms))
    responses = response_codes(prior)
    chances = np.stack([np.exp(-prior.loss.value(predictions, code)) for code in responses]).astype(float)
    return (1 - np.asarray(lapse)) * chances + np.asarray(lapse) / len(responses)


def response_codes(prior: ShapedScores) -> tuple[int, ...]:
    """The responses there are."""
    if prior.answers.layout.shown > 2:
        return tuple(range(prior.answers.layout.responses))
    return (1, -1, 0) if prior.answers.ties else (1, -1)


def respond(prior: ShapedScores, truth: Truth, atom: Any, rng: Generator) -> int:
    """What somebody with these scores answers."""
    chances = response_chances(prior, truth.scores[None], [atom], truth.lapse)[:, 0, 0]
    return int(rng.choice(response_codes(prior), p=chances))


def shares_below(truth: Truth, posterior: ShapedScores, answers: Sequence[Answer], rng: Generator) -> dict[str, float]:
    """The share of the posterior that lies below the truth, of each quantity."""
    draws = posterior.sample(DRAWS, rng).structures
    first, second = rng.choice(draws.shape[1], 2, replace=False)
    log_joint = _log_likelihoods(posterior, np.vstack([truth.scores, draws]), answers)  # (E, 1 + S)
    log_joint += posterior.answers.log_lapse_prior[:, None]
    level = log_joint.max(axis=0)
    likelihood = level + np.log(np.exp(log_joint - level).sum(axis=0))
    lapses = np.exp(log_joint - likelihood)[:, 1:].mean(axis=1)
    bends = np.array([shape.bends for shape in posterior.shapes])[posterior.points.shapes]
    return {
        "difference": _share(truth.scores[first] - truth.scores[second], draws[:, first] - draws[:, second], rng),
        "scale": _share(truth.scale, posterior.points.scales, rng, posterior.weights),
        "bent": _share(truth.bent, bends, rng, posterior.weights),
        "likelihood": _share(likelihood[0], likelihood[1:], rng),
        "lapse": _share(truth.lapse, posterior.answers.lapses, rng, lapses),
    }


def _share(true: float, values: Floats, rng: Generator, weights: Floats | None = None) -> float:
    """The weight of values below the true one and a random part of that of equal ones. Of draws, the truth is one."""
    sizes = np.ones(len(values)) if weights is None else weights
    equal = sizes[np.isclose(values, true, rtol=1e-9, atol=0)].sum() + (1.0 if weights is None else 0.0)
    below = sizes[(values < true) & ~np.isclose(values, true, rtol=1e-9, atol=0)].sum()
    return float((below + rng.random() * equal) / (sizes.sum() + (1.0 if weights is None else 0.0)))


def _log_likelihoods(prior: ShapedScores, scores: Floats, answers: Sequence[Answer]) -> Floats:
    """(E, S): of the answers, under each share of lapses."""
    codes = [response_codes(prior).index(int(answer.response)) for answer in answers]
    atoms = np.stack([np.asarray(answer.atom) for answer in answers])
    plain = response_chances(prior, scores, atoms, 0.0)[codes, :, np.arange(len(codes))]  # (T, S)
    count = len(response_codes(prior))
    return np.stack([np.log((1 - e) * plain + e / count).sum(axis=0) for e in prior.answers.lapses])


# ---------------------------------------------------------------------- cases


def person_rng(case: str, seed: int) -> Generator:
    """The randomness of one person: another one in each case."""
    return np.random.default_rng([seed, crc32(case.encode())])


def score_prior(case: str, rng: Generator, shape: str = "learned") -> ShapedScores:
    """The beliefs about a random table before any answer."""
    features = rng.standard_normal((ROWS, FEATURES))
    if case == "labels":
        shapes, weights = label_shapes(shape)
        factors = [factor(each, features, intercept=True) for each in shapes]
        return ShapedScores.prior(RowScores(ROWS), logistic, shapes, factors, weights)
    shapes, weights = shapes_named(shape, has_features=True)
    ties = case == "ties"
    factors = [factor(each, features) for each in shapes]
    if case in SETS:
        worst = SETS[case]
        family = ItemSets(ItemScores(ROWS), SET_SIZE, worst)
        return ShapedScores.prior(family, best_worst if worst else softmax, shapes, factors, weights)
    return ShapedScores.prior(ItemScores(ROWS, ties=ties), davidson() if ties else logistic, shapes, factors, weights)


def random_atom(case: str, rng: Generator) -> Any:
    """A random question."""
    if case == "labels":
        return int(rng.integers(ROWS))
    return tuple(sorted(rng.choice(ROWS, SET_SIZE if case in SETS else 2, replace=False).tolist()))


def run_random(case: str, seed: int, believed: Callable[[ShapedScores], ShapedScores] = lambda prior: prior) -> Any:
    """The shares of one person who is asked random questions. `believed` may spoil the prior of the learner."""
    rng = person_rng(case, seed)
    prior = score_prior(case, rng)
    truth, posterior, answers = draw_truth(prior, rng), believed(prior), []
    for _ in range(ANSWERS):
        atom = random_atom(case, rng)
        answers.append(Answer(atom, respond(prior, truth, atom, rng)))
        posterior = posterior.update(answers[-1], rng)
    return shares_below(truth, posterior, answers, rng)


@dataclass(frozen=True, eq=False)
class PriorPerson:
    """Somebody drawn from a prior, as a `SimulatedPerson` of askwise."""

    prior: ShapedScores
    truth: Truth

    def respond(self, atom: Any, rng: Generator) -> int:
        """The answer in the family's own terms."""
        return respond(self.prior, self.truth, atom, rng)


def run_chosen(case: str, seed: int) -> dict[str, float]:
    """The shares of one person in a session, whose strategy chooses the questions."""
    rng = person_rng(f"{case} chosen", seed)
    table = {name: rng.standard_normal(ROWS).tolist() for name in "ab"}
    options: dict[str, Any] = {"seed": seed, "draws": 200}
    if case == "labels":
        session = askwise.classifier(table, ("no", "yes"), repeat=True, **options)
    else:
        session = askwise.best_item(table, **options)
    prior: Any = session.posterior
    truth = draw_truth(prior, rng)
    for _ in simulate_answers(session, PriorPerson(prior, truth), person_streams(seed, ANSWERS)):
        pass
    posterior: Any = session.posterior
    return shares_below(truth, posterior, session.answers, rng)


def run_softmax(seed: int) -> dict[str, float]:
    """The shares of one person who gives one of three labels to random rows."""
    rng = person_rng("softmax", seed)
    features = rng.standard_normal((ROWS, FEATURES))
    shapes, weights = label_shapes("learned")
    factors = [factor(each, features, intercept=True) for each in shapes]
    posterior = ShapedSoftmax.prior(SoftmaxRows(ROWS, labels="abc"), shapes, factors, weights)
    grid, log_prior = posterior.members[0].grid, posterior.members[0].log_prior
    shape, lapse = rng.choice(len(shapes), p=weights), rng.choice(LAPSES, p=LAPSE_WEIGHTS)
    scale = rng.choice(grid, p=np.exp(log_prior))
    scores = scale * (rng.standard_normal((3, factors[shape].shape[1])) @ factors[shape].T)  # (K, N)
    answers = []
    for atom in rng.integers(ROWS, size=ANSWERS):
        label = rng.integers(3) if rng.random() < lapse else (scores[:, atom] + rng.gumbel(size=3)).argmax()
        answers.append(Answer(int(atom), int(label)))
        posterior = posterior.update(answers[-1], rng)
    draws = posterior.sample(DRAWS, rng).structures
    atoms, codes = (np.array([answer[place] for answer in answers]) for place in (0, 1))
    chances = np.exp(-softmax.value(posterior.family.predict(np.vstack([scores.reshape(1, -1), draws]), atoms), codes))
    by_lapse = np.stack([np.log((1 - e) * chances + e / 3).sum(axis=1) for e in LAPSES])  # (E, 1 + S)
    likelihood = np.log(LAPSE_WEIGHTS @ np.exp(by_lapse))
    one, other = rng.choice(draws.shape[1], 2, replace=False)
    true = scores.ravel()
    return {
        "difference": _share(true[one] - true[other], draws[:, one] - draws[:, other], rng),
        "scale": _share(scale, grid, rng, _shares_of_chains(posterior, "places", len(grid))),
        "bent": _share(shapes[shape].bends, np.array([each.bends for each in shapes]), rng, posterior.weights),
        "likelihood": _share(likelihood[0], likelihood[1:], rng),
        "lapse": _share(lapse, LAPSES, rng, _shares_of_chains(posterior, "lapse_places", len(LAPSES))),
    }


def _shares_of_chains(posterior: ShapedSoftmax, places: str, size: int) -> Floats:
    """(size,): the posterior weight of each place of a grid."""
    shares = [np.bincount(getattr(one, places), minlength=size) / len(one.places) for one in posterior.members]
    return np.asarray(posterior.weights @ np.array(shares))


RUNS: Mapping[str, Callable[[int], dict[str, float]]] = {
    "pairs": partial(run_random, "pairs"),
    "ties": partial(run_random, "ties"),
    "labels": partial(run_random, "labels"),
    "best": partial(run_random, "best"),
    "best and worst": partial(run_random, "best and worst"),
    "pairs chosen": partial(run_chosen, "pairs"),
    "labels chosen": partial(run_chosen, "labels"),
    "softmax": run_softmax,
}


def run(job: Job) -> dict[str, Any]:
    """One person, as one line of the results."""
    return {**job._asdict(), "shares": RUNS[job.case](job.seed)}


# ---------------------------------------------------------------------- tests


def p_values(shares: Sequence[float]) -> dict[str, float]:
    """Of the hypothesis that the shares (P,) are uniform."""
    counts = np.histogram(shares, BINS, (0.0, 1.0))[0]
    return {"chi_square": float(stats.chisquare(counts).pvalue), "ks": float(stats.kstest(shares, "uniform").pvalue)}


def rows_of(lines: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A row for each case and quantity: people, p values, the mean share (.5) and its spread (.289)."""
    rows = []
    for case in dict.fromkeys(line["case"] for line in lines):
        of_case = [line["shares"] for line in lines if line["case"] == case]
        for quantity in of_case[0]:
            shares = [each[quantity] for each in of_case]
            about = {"case": case, "quantity": quantity, "people": len(shares)}
            rows.append({**about, **p_values(shares), "mean": float(np.mean(shares)), "spread": float(np.std(shares))})
    return rows


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--people", type=int, default=400, help="of each case [400]")
    parser.add_argument("--cases", nargs="+", choices=RUNS, default=list(RUNS), metavar="CASE")
    parser.add_argument("--jobs", type=int, default=1, help="processes [1]")
    parser.add_argument("--store", type=Path, help="a JSON-lines file of results, to go on later")
    options = parser.parse_args()
    jobs = [Job(case, seed) for seed in range(options.people) for case in options.cases]
    rows = rows_of(run_or_recall(run, jobs, options.store, options.jobs))
    least, each = min(min(row["chi_square"], row["ks"]) for row in rows), LEVEL / (2 * len(rows))
    if options.json:
        print(json.dumps({"rows": rows, "least_p": least, "level": each, "uniform": least >= each}))
        return
    print(f"{'case':14} {'quantity':11} people  chi-square      KS   mean (.500) spread (.289)")
    for row in rows:
        print(
            f"{row['case']:14} {row['quantity']:11} {row['people']:6}      {row['chi_square']:.4f}  {row['ks']:.4f}"
            f"         {row['mean']:.3f}         {row['spread']:.3f}"
        )
    print(f"least p value {least:.4f}; uniform at the level {LEVEL} if it is at least {each:.5f}: {least >= each}")


if __name__ == "__main__":
    main()
