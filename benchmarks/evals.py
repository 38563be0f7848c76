"""How many votes it takes to find the best of several systems, and whether the certificate is right about new contexts.

`python -m benchmarks.evals [--json] [--seeds N] [--workers 1] [--parts replay clusters judges]
[--tables sound schools ...] [--store FILE]`

Votes about pairs that real people gave (`benchmarks/vote_tables.py` says which) are replayed: eight ways to reproduce
music, universities, candidates of a casting show, first names and parties; and votes made of ratings of films, wines
and oils for frying.

`replay`: a table answers, in random contexts, until so many votes are given. The true winner has the largest mean win
rate over all contexts of the table; lost is how much smaller the win rate of the best guess is. Stated is the
probability that the best guess is the winner. Strategies: `contexts` (as askwise eval asks), `random` (random pairs and
contexts, the same beliefs), `round robin` (all pairs in turn) and `quota` (the same number of votes for every pair,
known only once the last of them has come); the last two choose the largest win rate so far and state nothing.

`clusters`: simulated systems and prompts with known scores, few prompts and several votes in each, random questions.
Stated is the probability that the best guess is the best in general; true is how often it is. Votes are those of the
model, or intransitive: every pair has an advantage of its own beyond the scores. Then the best is the one with the
largest mean win rate.

`judges`: a judge answers 80 questions and a person 20 of them. The judge guesses in some answers (`noisy`), or has a
taste of its own for systems (`biased`). Stated and true from the person's answers alone, with the person as anchor,
with the strength of the judge measured against the person but no taste of its own (`strength alone`), with reliability
learned from agreement among equals, and with full trust in the judge.
"""

from __future__ import annotations

import json
import os
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from numpy.random import Generator

import askwise
from askwise._runtime.streams import stream
from askwise.losses import logistic, sigmoid
from askwise.posteriors.scores.contexts import context_prior
from askwise.posteriors.scores.kernels import INDIVIDUAL
from askwise.posteriors.scores.shaped import ShapedScores
from askwise.session.reliability import estimate_reliabilities, measure_against_anchor, reweigh
from askwise.structures.choice import ItemScores
from askwise.structures.contexts import ChoiceInContexts
from askwise.types import Answer, Floats
from benchmarks.common import benchmark_parser, run_or_recall, standard_error
from benchmarks.vote_tables import TABLES, votes, win_rates

STRATEGIES = ("contexts", "random", "round robin", "quota")
VOTES = 60  # of a replay
SHOWN = (10, 20, 40, 60)
STOPPED = "stopped"
SYSTEMS, PROMPTS, CLUSTER_VOTES = 4, 8, 64
SCALE = 2.0  # of the scores
CASES = {  # share of the variance that is general, and the spread of the advantage of each pair
    "independent": (1.0, 0.0),
    "clustered": (0.5, 0.0),
    "strongly clustered": (0.2, 0.0),
    "intransitive": (1.0, 1.0),
    "clustered and intransitive": (0.5, 1.0),
}
JUDGES = {"good": (0.0, 0.0), "noisy": (0.3, 0.0), "biased": (0.0, 1.0)}  # share of guesses, spread of its own taste
JUDGE_VOTES, LABELS, JUDGE_PROMPTS = 80, 20, 40
JUDGE_MODELS = ("person alone", "anchor", "strength alone", "equals", "full trust")
EM_STEPS = 4
DRAWS = 2000


class Job(NamedTuple):
    """One replay or one simulated study."""

    part: str
    case: str
    model: str
    seed: int


def replay(job: Job) -> dict[str, Any]:
    """The best guess after so many votes; and when the session would have stopped."""
    table, rng = votes(job.case), stream(job.seed, 0, f"replay {job.case} {job.model}")
    rates = win_rates(table)
    guesses = _by_session(table, job) if job.model in ("contexts", "random") else _by_counts(table, job, rng)
    found = {
        count: {
            "right": bool(guess["guess"] == rates.argmax()),
            "lost": float(rates.max() - rates[guess["guess"]]),
            "stated": guess.get("stated"),
            "votes": guess.get("votes"),
        }
        for count, guess in guesses.items()
    }
    return job._asdict() | {"after": found}


def _by_session(table: Floats, job: Job) -> dict[str, dict[str, Any]]:
    contexts = [f"c{place}" for place in range(len(table))]
    names = [f"s{i}" for i in range(table.shape[1])]
    columns = {"name": names} | dict.fromkeys(contexts, names)
    rule = "expected" if job.model == "contexts" else "random"
    session = askwise.best_item(
        columns, contexts=contexts, ties=bool((table == 0).sum() > table.shape[1] * len(table)), seed=job.seed,
        rule=rule, repeat=False, budget=VOTES,
    )  # fmt: skip
    found: dict[str, dict[str, Any]] = {}
    while (count := len(session.answers)) < VOTES:
        c, i, j = session.ask().atom
        if np.isnan(table[c, i, j]):
            session.skip()
            continue
        session.tell({1: f"s{i}", 0: "equal", -1: f"s{j}"}[int(table[c, i, j])])
        reason = session.round.stop_reason
        settled = reason is not None and reason.kind == "settled" and STOPPED not in found
        if settled or count + 1 in SHOWN:
            guess, stated = int(str(session.estimate().value)[1:]), session.certificate().probability_exact
            known = {"guess": guess, "stated": stated, "votes": count + 1}
            found |= {STOPPED: known} if settled else {}
            found |= {str(count + 1): known} if count + 1 in SHOWN else {}
    return found


def _by_counts(table: Floats, job: Job, rng: Generator) -> dict[str, dict[str, Any]]:
    size = table.shape[1]
    pairs = rng.permutation(list(combinations(range(size), 2)))
    wins, given, found = np.zeros(size), np.zeros(size), dict[str, dict[str, Any]]()
    guess = int(rng.integers(size))
    for count in range(VOTES):
        i, j = pairs[count % len(pairs)]
        score = 0.5 + 0.5 * rng.choice(table[~np.isnan(table[:, i, j]), i, j])
        wins[[i, j]] += score, 1 - score
        given[[i, j]] += 1
        if job.model == "round robin" or (count + 1) % len(pairs) == 0:
            rates = np.where(given > 0, wins / np.maximum(given, 1), 0.5)
            guess = int(rng.choice(np.flatnonzero(rates == rates.max())))
        if count + 1 in SHOWN:
            found[str(count + 1)] = {"guess": guess}
    return found


def posterior_chance(prior: Any, answers: list[Answer], size: int, rng: Generator) -> Floats:
    """(N,): how likely each system is the best in general."""
    scores = prior.update_all(answers, rng).sample(DRAWS, rng).structures[:, :size]
    return np.bincount(scores.argmax(axis=1), minlength=size) / DRAWS


def clusters(job: Job) -> dict[str, Any]:
    """Stated and true, of beliefs with contexts or without, after random votes."""
    rng = stream(job.seed, 0, f"clusters {job.case}")
    share, spread = CASES[job.case]
    general = SCALE * np.sqrt(share) * rng.standard_normal(SYSTEMS)
    within = general + SCALE * np.sqrt(1 - share) * rng.standard_normal((PROMPTS, SYSTEMS))
    advantage = np.triu(spread * rng.standard_normal((SYSTEMS, SYSTEMS)), 1)
    advantage -= advantage.T
    answers = []
    for _ in range(CLUSTER_VOTES):
        c, (i, j) = int(rng.integers(PROMPTS)), sorted(rng.choice(SYSTEMS, 2, replace=False).tolist())
        wins = rng.random() < sigmoid(np.array([within[c, i] - within[c, j] + advantage[i, j]]))[0]
        answers.append(Answer((c, i, j), 1 if wins else -1))
    if spread:
        new = general + SCALE * np.sqrt(1 - share) * rng.standard_normal((4000, SYSTEMS))
        rates = [
            np.mean([sigmoid(new[:, i] - new[:, j] + advantage[i, j]).mean() for j in range(SYSTEMS) if j != i])
            for i in range(SYSTEMS)
        ]
        truth = int(np.argmax(rates))
    else:
        truth = int(general.argmax())
    if job.model == "contexts":
        family = ChoiceInContexts([str(c) for c in range(PROMPTS)], SYSTEMS)
        prior = context_prior(family, logistic, PROMPTS, np.zeros((SYSTEMS, 0)), [INDIVIDUAL], np.ones(1))
    else:
        prior = ShapedScores.prior(ItemScores(SYSTEMS), logistic, [INDIVIDUAL], [np.eye(SYSTEMS)], np.ones(1))
        answers = [answer._replace(atom=answer.atom[1:]) for answer in answers]
    chances = posterior_chance(prior, answers, SYSTEMS, rng)
    return job._asdict() | {"stated": float(chances.max()), "right": bool(chances.argmax() == truth),
                            "log": float(-np.log(max(chances[truth], 0.5 / DRAWS)))}  # fmt: skip


def judges(job: Job) -> dict[str, Any]:
    """Stated and true, where a person answers a part of what a judge answered."""
    rng = stream(job.seed, 0, f"judges {job.case}")
    guesses, spread = JUDGES[job.case]
    general = SCALE * np.sqrt(0.5) * rng.standard_normal(SYSTEMS)
    within = general + SCALE * np.sqrt(0.5) * rng.standard_normal((JUDGE_PROMPTS, SYSTEMS))
    own = spread * SCALE * np.sqrt(0.5) * rng.standard_normal(SYSTEMS)  # the taste of the judge
    family = ChoiceInContexts([str(c) for c in range(JUDGE_PROMPTS)], SYSTEMS, judges=1)
    anchor = "human" if job.model in ("anchor", "person alone") else None
    features = np.zeros((SYSTEMS, 0))
    prior = context_prior(family, logistic, JUDGE_PROMPTS, features, [INDIVIDUAL], np.ones(1), anchor=anchor)
    answers = []
    for number in range(JUDGE_VOTES):
        c, (i, j) = int(rng.integers(JUDGE_PROMPTS)), sorted(rng.choice(SYSTEMS, 2, replace=False).tolist())
        for who, taste in (("judge", own), ("human", 0 * own))[: 2 if number < LABELS else 1]:
            chance = sigmoid(np.array([within[c, i] - within[c, j] + taste[i] - taste[j]]))[0]
            chance = 0.5 if who == "judge" and rng.random() < guesses else chance
            answers.append(Answer((c, i, j), 1 if rng.random() < chance else -1, who))
    human = prior.update_all([answer for answer in answers if answer.who == "human"], rng)
    posterior, trusted = human, {"judge": 0.0}
    if job.model != "person alone":
        posterior, trusted = prior.update_all(answers, rng), {"judge": 1.0, "human": 1.0}
    if job.model in ("anchor", "strength alone"):
        trusted = measure_against_anchor(human, answers, "human", rng)
        posterior = reweigh(posterior, answers, trusted, rng)
    if job.model == "equals":
        for _ in range(EM_STEPS):
            trusted = estimate_reliabilities(posterior, answers, rng)
            posterior = reweigh(posterior, answers, trusted, rng)
    scores = posterior.sample(DRAWS, rng).structures[:, :SYSTEMS]
    chances = np.bincount(scores.argmax(axis=1), minlength=SYSTEMS) / DRAWS
    truth = int(general.argmax())
    return job._asdict() | {"stated": float(chances.max()), "right": bool(chances.argmax() == truth),
                            "log": float(-np.log(max(chances[truth], 0.5 / DRAWS))),
                            "trust": trusted["judge"]}  # fmt: skip


PARTS = {
    "replay": (replay, TABLES, STRATEGIES),
    "clusters": (clusters, tuple(CASES), ("contexts", "without")),
    "judges": (judges, tuple(JUDGES), JUDGE_MODELS),
}


def run(job: Job) -> dict[str, Any]:
    """One line for the store."""
    return PARTS[job.part][0](job)


def summary(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures of one case and model: means, each with its standard error."""
    if lines[0]["part"] == "replay":
        return {count: _after(lines, count) for count in (*map(str, SHOWN), STOPPED)}
    parts = ("stated", "right", "log") + (("trust",) if lines[0]["part"] == "judges" else ())
    sure = [line for line in lines if line["stated"] >= 0.95]
    return {part: _mean([line[part] for line in lines]) for part in parts} | {
        "over": _mean([line["stated"] - line["right"] for line in lines]),
        "sure": {"share": len(sure) / len(lines), "right": _mean([line["right"] for line in sure])},
    }


def _after(lines: list[dict[str, Any]], count: str) -> dict[str, Any]:
    """The figures of those replays that came so far."""
    there = [line["after"][count] for line in lines if count in line["after"]]
    known = [each for each in there if each["stated"] is not None]
    return {
        "share": len(there) / len(lines),
        "right": _mean([each["right"] for each in there]),
        "lost": _mean([each["lost"] for each in there]),
        "stated": _mean([each["stated"] for each in known]),
        "over": _mean([each["stated"] - each["right"] for each in known]),
        "votes": _mean([each["votes"] for each in known]),
    }


def _mean(values: list[Any]) -> list[float] | None:
    numbers = np.array(values, dtype=float)
    return [float(numbers.mean()), float(standard_error(numbers))] if len(numbers) else None


def main() -> None:
    parser = benchmark_parser(__doc__, seeds=100)
    parser.add_argument("--parts", nargs="+", default=list(PARTS), choices=list(PARTS))
    parser.add_argument("--tables", nargs="+", default=list(TABLES), choices=list(TABLES), help="for replay")
    parser.add_argument("--store", type=Path, default=None)
    options = parser.parse_args()
    cases = {part: options.tables if part == "replay" else PARTS[part][1] for part in options.parts}
    seeds = range(options.first, options.first + options.seeds)
    jobs = [
        Job(part, case, model, seed)
        for part in options.parts
        for seed in seeds
        for case in cases[part]
        for model in PARTS[part][2]
    ]
    lines = run_or_recall(run, jobs, options.store, options.workers)
    found: dict[str, Any] = {}
    for part in options.parts:
        for case in cases[part]:
            for model in PARTS[part][2]:
                mine = [line for line in lines if (line["part"], line["case"], line["model"]) == (part, case, model)]
                found.setdefault(part, {}).setdefault(case, {})[model] = summary(mine)
    if options.json:
        print(json.dumps({"seeds": options.seeds, **found}, indent=1))
        return
    for part, cases in found.items():
        for case, models in cases.items():
            for model, figures in models.items():
                print(f"{part}, {case}, {model}: {json.dumps(figures)}")


if __name__ == "__main__":
    main()
