"""Writes docs/peers.md from the runs. It computes every figure and verdict; only the remarks are written by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.peers.summary import (
    CHECKPOINTS,
    Draws,
    Lines,
    common,
    cpu,
    curves,
    difference,
    draws,
    means,
    questions_needed,
)
from benchmarks.trust import bent

PAGE = Path(__file__).parents[2] / "docs" / "peers.md"
REMARKS = Path(__file__).with_name("remarks.md")
OURS = "askwise"
CHOICE = (
    OURS,
    "askwise by exact",
    "askwise qbc",
    "askwise random",
    "BoTorch EUBO",
    "BoTorch EUBO linear",
    "choix",
    "naive NumPy",
)
GOAL_DIRECTED = ("BoTorch EUBO", "BoTorch EUBO linear", "naive NumPy")
LABELS = (
    "askwise classifier",
    "askwise classifier random",
    "scikit-activeml margin",
    "scikit-activeml QBC",
    "modAL margin",
    "modAL QBC",
)
CLUSTERS = ("askwise clusters", "askwise clusters trust 1", "askwise cluster_of", "COBRAS")
SAMPLERS = ("askwise sampler", "askwise sampler from scratch", "nutpie", "BlackJAX")
REFERENCE = "nutpie long"
MIN_LISTED_RUNS, MIN_COMPARED_PEOPLE = 5, 10  # fewer runs are not tabled; fewer people get no verdict
TARGET_PEOPLE = 100  # behind the targets about the best item
MEASURES = {"wrong": "wrong best item", "distance": "distance to the best item", "regret": "regret"}
SECTIONS = (  # heading, peers, the one compared with, measures and what they are called
    ("The best of 50 items", CHOICE, OURS, {"wrong": "wrong best item", "regret": "regret"}),
    ("Labels of 500 points", LABELS, "askwise classifier", {"error": "wrong labels"}),
    ("Clusters of 150 items", CLUSTERS, "askwise clusters", {"pairs": "wrong pairs"}),
    ("The cluster of one item", CLUSTERS, "askwise cluster_of", {"cluster": "wrong about the cluster"}),
)
TIMED = (  # heading, peers, the one compared with; samplers are timed in a table of their own
    ("best of 50 items", CHOICE, OURS),
    ("labels of 500 points", LABELS, "askwise classifier"),
    ("clusters of 150 items", CLUSTERS, "askwise clusters"),
)
KINDS_REMARK = """\
The people above have linear tastes. Here people of seven kinds look for the best of 93 cars, and BoTorch's PairwiseGP
(default kernel, EUBO) is beside askwise with its defaults: the runs of `python -m benchmarks.trust --botorch 15`,
paired by person. Five kinds are bent: their taste is no weighted sum of the columns. Where the difference is above 0,
BoTorch has the smaller regret. [Measurements](measurements.md#beside-botorch) says what this means, and what
certificates state for such people. No other library was run with them."""


def write(lines: Lines, planned: Mapping[str, int], timed: Lines) -> None:
    """The page, from the lines of `results.jsonl` and of `times.jsonl`, the number of people each peer was meant to
    ask, and the stored runs with people of many kinds."""
    PAGE.write_text(text(lines, planned, timed, bent.table(bent.stored_rows())))


def text(lines: Lines, planned: Mapping[str, int], timed: Lines = (), kinds: str = "") -> str:
    """`timed` are runs of one machine and day; `kinds` is the table of people of many kinds."""
    counts = Counter(line["peer"] for line in lines)
    run = {peer for peer, count in counts.items() if count >= MIN_LISTED_RUNS or peer == REFERENCE}
    parts = [REMARKS.read_text().rstrip(), _measured(lines), _targets(lines, run, timed)]
    for heading, peers, ours, measures in SECTIONS:
        there = [peer for peer in peers if peer in run]
        if ours in there:
            parts += [f"## {heading}", *_compared(lines, there, ours, measures)]
    if kinds:
        parts += ["## People of many kinds", KINDS_REMARK, kinds]
    if timed:
        parts += ["## CPU of a question", *_times(timed)]
    if {*SAMPLERS, REFERENCE} <= run:
        parts += ["## Draws from the posterior", _samplers(lines, timed)]
    parts += ["## What was run", _extent(lines, planned)]
    return "\n\n".join(parts) + "\n"


def _measured(lines: Lines) -> str:
    return f"`make peers`, one thread each: {_when(lines)}. Standard errors are in parentheses."


def _when(lines: Lines) -> str:
    """The days and machines of the runs."""
    return "; ".join(sorted({line["at"] for line in lines}))


def _of(lines: Lines, peer: str) -> Lines:
    return [line for line in lines if line["peer"] == peer]


def _targets(lines: Lines, run: set[str], timed: Lines) -> str:
    """The targets for the defaults, and whether they are met."""
    rows = []
    for measure, name in MEASURES.items():
        found = {peer: difference(lines, peer, OURS, measure) for peer in CHOICE if peer in run and peer != OURS}
        better = {peer: f"{peer} after {_and(gap.better)}" for peer, gap in found.items() if gap.better}
        ahead = [text for peer, text in better.items() if OURS not in peer]
        own = [text for peer, text in better.items() if OURS in peer]
        counts = {peer: found[peer].people if peer in found else 0 for peer in CHOICE if OURS not in peer}
        few = [f"{peer} ({count})" for peer, count in counts.items() if count < TARGET_PEOPLE]
        said = ("; ".join(ahead) or "none") + (f"; our own {', '.join(own)}" if own else "")
        said += f"; fewer than {TARGET_PEOPLE} people: {', '.join(few)}" if few else ""
        verdict = "**missed**" if ahead else "open" if few else "met"
        rows.append(
            (f"best item, {name}: no other library significantly better, {TARGET_PEOPLE} people", said, verdict)
        )
    if "askwise qbc" in run:
        both = common(lines, OURS, "askwise qbc")
        target = means(both, "askwise qbc", "belief")[-1][0]
        mine = questions_needed(both, OURS, "belief", target)
        wanted = (
            f"at most 0.6 of the questions of qbc for its mean error over the posterior after 100 answers, {target:.3f}"
        )
        rows.append((wanted, "over 100" if mine is None else f"{mine:.0f} questions", _met(bool(mine and mine <= 60))))
    if {*SAMPLERS, REFERENCE} <= run:
        each = {peer: _draws(lines, timed, peer).per_second for peer in SAMPLERS}
        for peer in SAMPLERS[:2]:
            ratio = each[peer] / each["nutpie"]
            rows.append(
                (f"{peer}: at least 10 times the effective draws a second of nutpie", f"{ratio:.1f}", _met(ratio >= 10))
            )
    for peer in GOAL_DIRECTED:
        if _of(timed, peer):
            ratio = cpu(timed, peer) / cpu(timed, OURS)
            rows.append((f"{peer}: at least 4 times our CPU a question", f"{ratio:.1f}", _met(ratio >= 4)))
    return "## Targets\n\n" + _table(("target", "result", ""), rows)


def _compared(lines: Lines, peers: list[str], ours: str, measures: Mapping[str, str]) -> Iterable[str]:
    for measure, name in measures.items():
        rows = [(peer, *_means(lines, peer, measure)) for peer in peers]
        yield _table((name, "people", *(f"after {look}" for look in CHECKPOINTS)), rows)
        if len({row[1] for row in rows}) > 1:
            yield "People differ, so do not compare rows with different numbers of people. For the same people:"
        rows = [(peer, *_gaps(lines, peer, ours, measure)) for peer in peers if peer != ours]
        yield _table((f"minus {ours}", "people", *(f"after {look}" for look in CHECKPOINTS), "verdict"), rows)
    believers = [peer for peer in peers if curves(lines, peer, "belief")]
    if believers:
        yield "The error that the paper reports, the mean over the posterior, for methods that have a posterior:"
        rows = [(peer, *_means(lines, peer, "belief")) for peer in believers]
        yield _table(("wrong best item", "people", *(f"after {look}" for look in CHECKPOINTS)), rows)
    first = next(iter(measures))
    yield from _needed(lines, peers, ours, first, measures[first])


def _means(lines: Lines, peer: str, measure: str) -> tuple[Any, ...]:
    cells = [f"{mean:.3f} ({error:.3f})" for mean, error in means(lines, peer, measure)]
    return len(curves(lines, peer, measure)), *cells


def _gaps(lines: Lines, peer: str, ours: str, measure: str) -> tuple[Any, ...]:
    gap = difference(lines, peer, ours, measure)
    cells = [f"{m:+.3f} [{lo:+.3f}, {hi:+.3f}]" for m, lo, hi in zip(gap.mean, gap.low, gap.high, strict=True)]
    said = [f"{word} after {_and(looks)}" for word, looks in (("better", gap.better), ("worse", gap.worse)) if looks]
    verdict = "too few people" if gap.people < MIN_COMPARED_PEOPLE else "; ".join(said) or "level"
    return gap.people, *cells, verdict


def _needed(lines: Lines, peers: list[str], ours: str, measure: str, name: str) -> Iterable[str]:
    yield f"Questions needed to reach the error ({name}) of {ours} after so many answers, for the same people:"
    rows = []
    for peer in peers:
        both = common(lines, peer, ours)
        targets = [mean for mean, _ in means(both, ours, measure)]
        found = [questions_needed(both, peer, measure, target) for target in targets]
        cells = ["over 100" if one is None else f"{one:.0f}" for one in found]
        rows.append((peer, *(f"{cell} ({target:.3f})" for cell, target in zip(cells, targets, strict=True))))
    yield _table(("questions (error)", *(f"{look}" for look in CHECKPOINTS)), rows)


def _times(timed: Lines) -> Iterable[str]:
    """CPU by task, all of one run on one machine."""
    yield (
        f"`python -m benchmarks.peers.run --cpu`, {_when(timed)}: all in one run, one after the other, one thread. "
        "The median, least and largest of a few people."
    )
    for heading, peers, ours in TIMED:
        rows = []
        for peer in peers:
            if found := [line["cpu_ms"] for line in _of(timed, peer)]:
                ratio = cpu(timed, peer) / cpu(timed, ours)
                rows.append(
                    (peer, len(found), *(f"{ms:.1f}" for ms in (median(found), min(found), max(found))), f"{ratio:.2g}")
                )
        yield _table((f"CPU ms a question, {heading}", "people", "median", "least", "largest", f"times {ours}"), rows)


def _draws(lines: Lines, timed: Lines, peer: str) -> Draws:
    """What the draws are worth, and their CPU by the run that timed all samplers, if there is one."""
    found = draws(lines, peer, REFERENCE)
    return found._replace(cpu_ms=cpu(timed, peer)) if _of(timed, peer) else found


def _samplers(lines: Lines, timed: Lines) -> str:
    rows = []
    for peer in SAMPLERS:
        found = _draws(lines, timed, peer)
        counts = f"{found.mean:.0f}", f"{found.variance:.0f}", f"{found.per_second:,.0f}"
        rows.append((peer, f"{found.cpu_ms:.1f}", *counts, f"{found.off:.3f} ({found.noise:.3f})"))
    words = (
        "effective draws of 600, for means",
        "for variances",
        "effective draws a CPU second",
        "largest deviation of a mean, in standard deviations",
    )
    return _table(("", "CPU ms", *words), rows)


def _extent(lines: Lines, planned: Mapping[str, int]) -> str:
    rows = []
    for peer, wanted in planned.items():
        mine = _of(lines, peer)
        rows.append((peer, len(mine), wanted, mine[0]["with"] if mine else "not run", _when(mine)))
    return _table(("", "runs", "of", "with", "when, and on which machine"), rows)


def _table(head: Iterable[Any], rows: Iterable[Iterable[Any]]) -> str:
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def _met(reached: bool) -> str:
    return "met" if reached else "**missed**"


def _and(looks: list[int]) -> str:
    return ", ".join(map(str, looks))
