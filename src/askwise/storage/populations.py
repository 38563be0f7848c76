"""Lets a participant start from what those before them have in common. It is fixed when their log begins.

The population is written into the recipe of the participant's own log, so the log replays to the same questions
whatever others answer later. It holds a mean and a few directions over all people before, no answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from sqlalchemy import select, update

from askwise.goals import remake
from askwise.goals.base.goal import row_count
from askwise.goals.base.populations import MAX_PEOPLE, population_of_answers
from askwise.posteriors.scores.population import MIN_ANSWERS, MIN_PEOPLE
from askwise.storage.exclusion import uncounted_logs
from askwise.storage.items import current_recipe
from askwise.storage.journal import read_log
from askwise.storage.schema import studies
from askwise.storage.serialization import pack_recipe
from askwise.storage.store import Record, Store
from askwise.storage.usage import AnswerCount, answer_counts
from askwise.types import Answer

# by study, when it was made, and rows of its table: from which logs, and what
_learned: dict[tuple[str, int, str, int], tuple[list[int], dict[str, Any] | None]] = {}


def logs_before(store: Store, record: Record) -> list[int]:
    """The logs that a new participant's log can learn from; none if it has begun, or if there are too few."""
    if record.parent is None or record.mode != "own" or record.head is not None or not _wants_population(record):
        return []
    unused = uncounted_logs(store, record.parent)
    counts = [one for one in answer_counts(store, record.parent) if one.log not in unused]
    return _logs_with_answers(counts, record.parent, but=record.study)


def logs_before_next(study: Record, counts: Sequence[AnswerCount], unused: Container[int] = ()) -> list[int]:
    """The logs that the next participant of a study can learn from, by its answer counts; none if there are too few.
    `unused` are logs of people who are excluded."""
    if study.parent is not None or study.mode != "own" or not _wants_population(study):
        return []
    return _logs_with_answers([one for one in counts if one.log not in unused], study.study)


def next_recipe(store: Store, study: Record) -> dict[str, Any] | None:
    """The recipe from which the next participant of a study starts; None if they start from nobody."""
    now = replace(study, recipe=current_recipe(store, study))
    return _recipe_from(
        store,
        now,
        study.study,
        logs_before_next(study, answer_counts(store, study.study), uncounted_logs(store, study.study)),
    )


def begin_log(store: Store, log: int) -> bool:
    """Writes the population into the recipe of a log that has not begun; False if there is none, or if it has."""
    record = store.record(log)
    recipe = _recipe_from(store, record, record.parent, logs_before(store, record))
    if recipe is None:
        return False
    fresh = (studies.c.study == log) & studies.c.head.is_(None)
    with store.begin() as connection:
        before = connection.execute(select(studies.c.recipe).where(fresh).with_for_update()).scalar_one_or_none()
        if before is None or sha256(before).hexdigest() != record.digest:  # another server was faster
            return False
        connection.execute(update(studies).where(fresh).values(recipe=pack_recipe(recipe)))
    return True


def _wants_population(record: Record) -> bool:
    return record.recipe["options"].get("population") is True  # studies of earlier versions do not say


def _logs_with_answers(counts: Sequence[AnswerCount], study: int, but: int | None = None) -> list[int]:
    """The logs of participants who gave enough answers; none if there are too few of them."""
    answers: Counter[int] = Counter()
    for each in counts:
        answers[each.log] += each.answers - each.skips
    logs = sorted(log for log, count in answers.items() if count >= MIN_ANSWERS and log not in (study, but))
    return logs[-MAX_PEOPLE:] if len(logs) >= MIN_PEOPLE else []


def _recipe_from(store: Store, record: Record, study: int | None, logs: list[int]) -> dict[str, Any] | None:
    """The recipe with what the people of these logs have in common; None if that is nothing."""
    found = _population(store, record, study, logs) if study is not None and logs else None
    return None if found is None else {**record.recipe, "options": {**record.recipe["options"], "population": found}}


def _population(store: Store, record: Record, study: int, logs: list[int]) -> dict[str, Any] | None:
    """What the people of these logs have in common; learned again only when others have come."""
    place = str(store.address), study, store.record(study).created, row_count(record.recipe["data"])
    if place not in _learned or _learned[place][0] != logs:
        found = population_of_answers(remake(record.recipe).prior, [_answers_in_force(store, log) for log in logs])
        _learned[place] = logs, None if found is None else found.plain()
    return _learned[place][1]


def _answers_in_force(store: Store, log: int) -> list[Answer]:
    return [answer for _, answer in read_log(store, log).answers.values()]
