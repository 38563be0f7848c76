"""The plan of a study: how many questions simulated people need, with its strategy and at random, and what follows."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from askwise.errors import SettingError
from askwise.session import Session
from askwise.simulate.forecast import MIN_FINISHED_RUNS, answers_until_stop, shown_interval
from askwise.simulate.populations import PopulationSaving, population_saving, save_saving, starting_point
from askwise.simulate.runs import SimulatedRun
from askwise.simulate.tastes import IDEAL_POINT, TASTES, THRESHOLDS
from askwise.simulate.workers import ALONE, HASTY, HASTY_LAPSES, answers_left, simulate_arms
from askwise.stopping import StopReason
from askwise.storage.journal import StudyJournal
from askwise.structures import AsksPeople

BASELINE_RULE = "random"
PLAN_KEY = "plan"  # under this name a study keeps its plan
EPSILON_FACTORS = (4.0, 2.0, 1.0)  # times the epsilon of the study: what else might do; people stop before smaller ones


def make_plan(
    session: Session, people: int, seconds: float, workers: int | None, after_each: Callable[[int, int], None]
) -> dict[str, Any]:
    """By strategy, how many questions people drawn from what is believed now need; and advice in plain words.

    In a study where everybody answers for themselves, they start as the next person will: from those before.

    - `session`: where the people start.
    - `people`: how many, for each strategy.
    - `seconds`: time for all of them.
    - `workers`: processes; None for one a core.
    - `after_each`: called when one person is through, with the number of runs done and that of all.
    """
    start, rules = starting_point(session), compared_rules(session)
    if start.session.reason is not None:
        return summarise_runs(start.session, people, {}, start.people_before)
    runs = simulate_arms(start, rules, people, seconds, workers or os.cpu_count() or 1, after_each)
    if not runs[rules[0]]:
        raise SettingError(f"nobody could be simulated in {seconds:g} seconds; give more time with --seconds")
    return summarise_runs(session, people, runs, start.people_before)


def compared_rules(session: Session) -> list[str]:
    """The study's own strategy and the one it is compared with.

    >>> from askwise.goals import best_item
    >>> compared_rules(best_item(["tea", "coffee"], draws=50))
    ['expected-capped', 'random']
    """
    return list(dict.fromkeys([str(_options(session).get("rule", "expected")), BASELINE_RULE]))


def summarise_runs(
    session: Session, people: int, runs: Mapping[str, Sequence[SimulatedRun]], people_before: int = 0
) -> dict[str, Any]:
    """The plan that follows from runs.

    - `session`: whose plan it is.
    - `people`: how many were simulated for each strategy.
    - `runs`: by strategy, what they did; none if nothing is left to ask.
    - `people_before`: from how many others they started.

    >>> from askwise.goals import best_item
    >>> runs = {rule: [SimulatedRun(rule, (1.0, 0.3, 0.02), stopped=2)] * 3 for rule in ("expected-capped", "random")}
    >>> plan = summarise_runs(best_item(["tea", "coffee", "water"], draws=50), 3, runs)
    >>> plan["rules"]["expected-capped"]["questions"]
    [2, 2, 2]
    """
    options, own = _options(session), compared_rules(session)[0]
    own_runs = runs.get(own, ())
    pairs = list(zip(own_runs, runs.get(ALONE, ()), strict=False))
    saving = population_saving(people_before, pairs, answers_left(session))
    epsilon, square = float(options.get("epsilon", 0.05)), float(options.get("closeness", 1.0)) ** 2
    tried = [factor * epsilon for factor in EPSILON_FACTORS if factor * epsilon <= 1]
    # with the epsilon of the study, people did stop; with larger ones, it is known only when they came near it
    found = {arm: _summarise_rule(done) for arm, done in runs.items() if done and arm != ALONE}
    hasty, tastes = found.pop(HASTY, None), {taste: found.pop(taste) for taste in TASTES if taste in found}
    who = "groups" if isinstance(session.problem.family, AsksPeople) else "people"
    questions: dict[str, list[float | None]] = {}
    limit = answers_left(session)
    cut_short = any(run.stopped is None and run.answers < limit for run in own_runs)
    if not own_runs and session.reason is not None:
        advice = [_nothing_to_ask(session.reason)]
    elif len(own_runs) < MIN_FINISHED_RUNS:
        advice = [_too_few(len(own_runs), who)]
    else:
        questions = {f"{each:g}": _spread(own_runs, None if each == epsilon else each / square) for each in tried}
        compared = _rule_advice(runs, own, who)
        if not compared:
            found.pop(BASELINE_RULE, None)
        advice = [
            *([] if saving is None else [str(saving)]),
            *compared,
            *_error_advice(found[own], hasty, tastes, who),
            *_taste_advice(session, found[own], tastes),
            *_epsilon_advice(questions, epsilon, cut_short, who),
            *_closeness_advice(own_runs, epsilon, square, who),
        ]
    return {
        "answers": len(session.answers),
        "people": people,
        "who": who,
        "people_before": people_before,
        "saving": None if saving is None else asdict(saving),
        "rules": found,
        "hasty": hasty,
        "tastes": tastes,
        "epsilon": {"now": epsilon, "questions": questions},
        "cut_short": cut_short or any(len(done) < MIN_FINISHED_RUNS <= people for done in runs.values()),
        "advice": advice,
    }


def save_plan(session: Session, plan: dict[str, Any]) -> None:
    """Keeps a plan in the study, for the dashboard."""
    if isinstance(session.journal, StudyJournal):
        store, study = session.journal.store, session.journal.record.study
        store.keep_forecast(study, PLAN_KEY, plan)
        if plan["saving"]:
            save_saving(store, study, PopulationSaving(**plan["saving"]))


def _options(session: Session) -> Mapping[str, Any]:
    return session.pursued["options"] if session.pursued else {}


def _summarise_rule(runs: Sequence[SimulatedRun]) -> dict[str, Any]:
    """Figures of runs. `spread` and `error`, their mean distance from the truth at the stop, need a few people. Where
    half did not finish, half need more than the `limit`, to which half were watched."""
    errors = [run.error for run in runs if run.error is not None]
    return {
        "people": len(runs),
        "finished": sum(run.stopped is not None for run in runs),
        "limit": int(np.quantile([run.answers for run in runs], 0.5, method="lower")),
        "questions": [run.stopped for run in runs],
        "spread": _spread(runs) if len(runs) >= MIN_FINISHED_RUNS else None,
        "error": float(np.mean(errors)) if len(errors) >= MIN_FINISHED_RUNS else None,
    }


def _nothing_to_ask(reason: StopReason) -> str:
    """Why nobody has a question to answer."""
    if reason.kind == "settled":
        return "It is settled: no more questions are needed."
    return f"{reason[0].upper()}{reason[1:]}."


def _too_few(runs: int, who: str) -> str:
    many = {("people", 1): "one person", ("groups", 1): "one group"}.get((who, runs), f"{runs} {who}")
    return f"Only {many} could be simulated, which says too little; with {MIN_FINISHED_RUNS} or more there is a plan."


def _error_advice(
    own: Mapping[str, Any], hasty: Mapping[str, Any] | None, tastes: Mapping[str, Mapping[str, Any]], who: str
) -> list[str]:
    """What is true at the stop, for people whom the model expects and for others."""
    lines = []
    if own["error"] is not None:
        lines.append(f"The {own['finished']} {who} who finished end {own['error']:.3f} from the truth on average.")
    for row, kind in (
        (hasty, f"who give one answer in {1 / HASTY_LAPSES:.0f} by accident, more than the model expects,"),
        (tastes.get(IDEAL_POINT), "who want neither too much nor too little of each feature"),
        (tastes.get(THRESHOLDS), "who want enough of two features before all"),
    ):
        if row is not None and row["error"] is not None:
            lines.append(f"{row['finished']} {kind} end {row['error']:.3f} from the truth.")
    return lines


def _rule_advice(runs: Mapping[str, Sequence[SimulatedRun]], own: str, who: str) -> list[str]:
    if own == BASELINE_RULE:
        return ["Questions are asked at random; the strategy expected usually needs fewer."]
    pairs = list(zip(runs[own], runs.get(BASELINE_RULE, ()), strict=False))
    if len(pairs) < MIN_FINISHED_RUNS:
        return []
    fewer = sum(_needed_fewer(one, other) for one, other in pairs)
    more = sum(_needed_fewer(other, one) for one, other in pairs)
    if not fewer and not more:
        return []
    found = f"needed fewer questions than random for {fewer} of {len(pairs)} {who}, more for {more}"
    if fewer - more > 2 * np.sqrt(fewer + more):
        return [f"Keep the strategy {own}: it {found}."]
    return [f"The strategy {own} {found}: no clear difference with so few {who}."]


def _needed_fewer(one: SimulatedRun, other: SimulatedRun) -> bool:
    """Whether one run needed fewer questions for sure. One that was cut short needs more than it came to."""
    if one.stopped is None:
        return False
    return one.stopped <= other.answers if other.stopped is None else one.stopped < other.stopped


def _taste_advice(session: Session, own: Mapping[str, Any], tastes: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What to do where straight lines do not fit people."""
    error = tastes.get(IDEAL_POINT, {}).get("error")
    if _options(session).get("shape") != "linear" or error is None or error <= 2 * (own["error"] or 0.0) + 0.01:
        return []
    return ['If people may be like that, take the shape "learned", the default, which fits them too.']


def _epsilon_advice(questions: Mapping[str, Any], epsilon: float, cut_short: bool, who: str) -> list[str]:
    """How many questions it takes with larger epsilons, and which one to choose if too many do not finish."""
    reached = {tried: middle for tried, (_, middle, _) in questions.items() if middle is not None}
    if not reached:
        return (
            [f"Most {who} did not finish."]
            if cut_short
            else [f"Most {who} did not finish: choose a larger epsilon, or a larger budget."]
        )
    lines = [f"Half of the {who} would be done:"]
    for tried in questions:
        count = f"after {reached[tried]:.0f} questions" if tried in reached else "not within the questions simulated"
        now = " (as it is now)" if np.isclose(float(tried), epsilon) else ""
        lines.append(f"  with epsilon {tried}{now}: {count}")
    best = min(map(float, reached))
    if np.isclose(best, epsilon) or cut_short:
        return lines
    return [*lines, f"Choose epsilon {best:g}: the smallest that half of the {who} reach."]


def _closeness_advice(runs: Sequence[SimulatedRun], epsilon: float, square: float, who: str) -> list[str]:
    """What it costs that the truth may be less likely than assumed."""
    if square == 1:
        return []
    without, with_it = answers_until_stop(runs, epsilon)[1], answers_until_stop(runs)[1]
    told = f"With closeness {np.sqrt(square):g}, half of the {who} are"
    if np.isinf(with_it):
        return [f"{told} not done within the questions simulated."]
    return [f"{told} done after {with_it:.0f} questions; without it, after {without:.0f}."]


def _spread(runs: Sequence[SimulatedRun], epsilon: float | None = None) -> list[float | None]:
    """The lower end, the middle and the upper end of `answers_until_stop`; None for one that says nothing."""
    low, middle, high = answers_until_stop(runs, epsilon)
    first, last = shown_interval(low, middle, high)
    return [None if each is None or np.isinf(each) else float(each) for each in (first, middle, last)]
