"""How carefully people answered: checks, repeated questions, speed, and whether they always chose the same place.

Nothing here changes a result. It helps an owner to decide whom to exclude.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from sqlalchemy import func, select

from askwise.session.event_log import EventLog
from askwise.session.events import Event, match_response
from askwise.storage.crowd import CrowdSettings
from askwise.storage.finishing import Finishes
from askwise.storage.joining import crowd_settings
from askwise.storage.journal import read_log
from askwise.storage.participants import people, respondent_name
from askwise.storage.schema import checks
from askwise.storage.store import Record, Store

MIN_TIMED = 5  # answers before a speed is judged
MIN_PLACED = 10  # answers before it counts that all are in one place
MIN_REPEATED = 2  # repeated questions before they count
SHUFFLED = ("pair", "triple", "set")  # kinds of questions whose options stand in a random order


@dataclass(frozen=True)
class Quality:
    """How carefully somebody answered."""

    participant: str
    name: str
    status: str | None
    answers: int
    checks: int
    checks_passed: int
    repeats: int
    repeats_same: int
    seconds: float | None  # the median of an answer
    same_place: float | None  # the share of the place that they chose most often
    flags: tuple[str, ...]
    done: str | None  # why they are done, such as "quota reached"; None: they are not
    finished_at: str | None


def answer_quality(store: Store, study: Record) -> list[Quality]:
    """How carefully everybody answered, by the settings of the crowd.

    >>> import askwise, tempfile
    >>> from askwise.storage.address import Address
    >>> from askwise.storage.participants import invite
    >>> path = tempfile.mkdtemp() + "/drinks.askwise"
    >>> askwise.save(askwise.best_item(["tea", "coffee", "water"], seed=1), path)
    >>> store = Store.at(Address.of(path))
    >>> ann = invite(store, store.record(), "Ann")
    >>> session = askwise.open(path, log=ann.log)
    >>> for _ in range(10):
    ...     session.tell("left", session.ask(), who=ann.participant, seconds=0.3)
    >>> answer_quality(store, store.record())[0].flags
    ('fast', 'same place')
    """
    settings, counts = crowd_settings(store, study.study), _check_counts(store, study.study)
    logs: dict[int, EventLog] = {}
    finishes = Finishes(store, study)
    found = []
    for one in people(store, study.study):
        log = logs.get(one.log) or read_log(store, one.log)
        if one.log == study.study:
            logs[one.log] = log
        told = [event for event in log.closed(respondent_name(study, one)) if event["event"] == "tell"]
        timed = [event["seconds"] for event in told if event.get("seconds") is not None]
        seconds = round(median(timed), 3) if len(timed) >= MIN_TIMED else None
        place, (passed, failed, same, other) = same_place(log, told), counts[one.participant]
        flags = _flags(settings, failed, same, other, seconds, place)
        head = one.participant, one.name, one.status, len(told)
        finish = finishes.of(one, log)
        counted = passed + failed, passed, same + other, same
        found.append(Quality(*head, *counted, seconds, place, flags, finish.done, finish.at))
    return found


def same_place(log: EventLog, told: Sequence[Event]) -> float | None:
    """The share of the place that somebody chose most often, of questions that shuffle their options; None for few."""
    places: Counter[int] = Counter()
    for event in told:
        question = log.ask_events[event["question"]]
        if question["kind"] in SHUFFLED:
            said = match_response(question, event["response"]).canonical
            places[question["responses"].index(said)] += 1
    total = places.total()
    return round(places.most_common(1)[0][1] / total, 3) if total >= MIN_PLACED else None


def _flags(
    settings: CrowdSettings, failed: int, same: int, other: int, seconds: float | None, place: float | None
) -> tuple[str, ...]:
    raised = {
        "failed checks": failed > 0,
        "inconsistent": same + other >= MIN_REPEATED and other > same,
        "fast": seconds is not None and seconds < settings.fast_seconds,
        "same place": place is not None and place >= settings.straight_share,
    }
    return tuple(flag for flag, is_raised in raised.items() if is_raised)


def _check_counts(store: Store, study: int) -> dict[str, tuple[int, int, int, int]]:
    """By participant: checks passed and failed, repeated questions answered the same and otherwise."""
    query = select(checks.c.participant, checks.c.kind, checks.c.passed, func.count().label("number"))
    rows = store.read(
        query.where(checks.c.study == study).group_by(checks.c.participant, checks.c.kind, checks.c.passed)
    )
    known = {(row.participant, row.kind, bool(row.passed)): int(row.number) for row in rows}
    kinds = [(kind, passed) for kind in ("attention", "repeat") for passed in (True, False)]
    found: dict[str, tuple[int, int, int, int]] = defaultdict(lambda: (0, 0, 0, 0))
    for who in {who for who, _, _ in known}:
        passed, failed, same, other = (known.get((who, *kind), 0) for kind in kinds)
        found[who] = passed, failed, same, other
    return found
