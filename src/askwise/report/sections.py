"""What the sections of every report show: how the result became clear, who answered, how to repeat it. Data only; the
words around it are in `templates/report.html`."""

from __future__ import annotations

import platform
import shlex
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

from markupsafe import Markup

from askwise.goals.base.charts import Result, Table
from askwise.goals.base.registry import presentation_of
from askwise.goals.base.texts import abbreviate, plural, shorten
from askwise.report.bodies import body_html, short_body
from askwise.report.charts import Curves, Line
from askwise.report.history import HistoryPoint
from askwise.report.people import StudyPeople
from askwise.report.surprises import OddAnswer
from askwise.report.usage import ReportedAnswer, Usage
from askwise.session import Session
from askwise.session.reliability import agreements
from askwise.storage.journal import StudyJournal
from askwise.storage.serialization import event_rows, pack_recipe
from askwise.types import Option

MAX_GUESS_LENGTH = 80
MAX_SETTING_LENGTH = 400
MAX_MOST_ASKED = 8
MAX_FOUND_ROWS, MAX_FOUND_BODIES = 100, 10
MAX_LISTED_ITEMS = 12
USED_PACKAGES = ("numpy", "scipy", "numba")


def found_table(session: Session, result: Result) -> Table | None:
    """What the table says about several items that were found; None where it says nothing that is shown."""
    options = [Option(item.name, row=item.place) for item in result.items if item.place is not None]
    pursued = session.pursued
    present = None if pursued is None or result.large or not options else presentation_of(pursued)
    shown = () if present is None else present(options[:MAX_FOUND_ROWS], "", None)
    columns = list(shown[0].fields) if shown else []
    rows = tuple((option.name, *option.fields.values()) for option in shown)
    return Table("What the table says about them", ("item", *columns), rows) if columns else None


def found_bodies(session: Session, result: Result) -> list[tuple[str, Markup]]:
    """The beginnings of the long texts of items that were found, as HTML, with the names of the items.

    >>> from askwise.goals import best_item, goal_of
    >>> session = best_item({"name": ["a", "b"], "text": ["*one*", "*two*"]}, body="text", seed=1)
    >>> [str(html) for _, html in found_bodies(session, goal_of(session).result(session, session.sample))]
    ['<p><em>...</em></p>']
    """
    options = [Option(item.name, row=item.place) for item in result.items if item.place is not None]
    pursued = session.pursued
    present = None if pursued is None or not options else presentation_of(pursued)
    shown = () if present is None else present(options[:MAX_FOUND_BODIES], "", None)
    return [
        (option.name, Markup(body_html(short_body(option.body), option.body_format)))
        for option in shown
        if option.body is not None
    ]


def path_curves(session: Session, points: Sequence[HistoryPoint]) -> Curves:
    """How undecided it was and how far off the best guess, after each answer.

    >>> from askwise.goals import best_item
    >>> from askwise.report.history import history
    >>> session = best_item(["tea", "coffee"], seed=1)
    >>> [line.name for line in path_curves(session, history(session)).lines]
    ['undecided', 'expected error']
    """
    stages = [list(stage) for _, stage in groupby(points, key=lambda point: point.stage)]
    taken_back = session.event_log.counts.undos > 0
    options: Any = session.pursued and session.pursued["options"]
    level = float(options["epsilon"]) / float(options.get("closeness", 1.0)) ** 2
    return Curves(
        f"undecided falls from {points[0].diameter:.2f} to {points[-1].diameter:.2f}",
        "answers given or taken back" if taken_back else "answers given",
        [
            Line("undecided", [[(p.revision, p.diameter) for p in stage] for stage in stages]),
            Line("expected error", [[(p.revision, p.error) for p in stage] for stage in stages]),
        ],
        level=(level, f"stops below {level:g}"),
        marks=[(float(stage[0].revision), f"goal: {stage[0].goal}") for stage in stages[1:]],
    )


def guesses_table(points: Sequence[HistoryPoint]) -> Table:
    """The best guess along the way."""
    rows = [(str(p.answers), f"{p.diameter:.3f}", f"{p.error:.3f}", shorten(p.guess, MAX_GUESS_LENGTH)) for p in points]
    headings = ("answers", "undecided", "error", "best guess")
    return Table("The best guess along the way", headings, tuple(rows), numeric=(0, 1, 2))


def usage_facts(usage: Usage) -> list[tuple[str, str]]:
    """Counts and times of the answers."""
    facts = [
        ("answers in force", f"{usage.answers:,}"),
        ("skipped", f"{usage.skips:,}"),
        ("taken back", f"{usage.undos:,}"),
        ("still open", f"{usage.open_questions:,}"),
    ]
    if usage.median_seconds is not None:
        facts.append(("median time for one", f"{usage.median_seconds:.1f} s"))
    if usage.first:
        facts += [("first answer", _minute(usage.first)), ("last answer", _minute(usage.last))]
    return facts


def people_table(session: Session, people: StudyPeople) -> Table:
    """How many answers each person or program gave, the most first, and as far as it is known what they cost, how far
    they are trusted and how often they agree with the anchor; empty if nobody gave a name.

    >>> from askwise.goals import best_item
    >>> session = best_item(["tea", "coffee", "water"], seed=1)
    >>> session.tell("left", session.ask(), who="gpt", cost=0.25)
    >>> people_table(session, StudyPeople()).rows
    (('gpt', '1', '0.25'),)
    """
    told = [event for event in session.event_log.closed() if event["event"] == "tell"]
    counts = Counter(event.get("who") for event in told).most_common()
    if not any(who for who, _ in counts):
        return Table("", ("who", "answers"), ())
    costs = dict.fromkeys((who for who, _ in counts), 0.0)  # of all calls, also of those skipped or taken back
    for event in session.log:
        if event.get("who") in costs:
            costs[event.get("who")] += event.get("cost") or 0.0
    anchor = session.config.anchor
    shared = {} if anchor is None else agreements(session.answers, anchor)
    columns: dict[str, list[str]] = {
        "who": [people.name(who) or "nobody named" for who, _ in counts],
        "answers": [f"{count:,}" for _, count in counts],
    }
    if any(costs.values()):
        columns["cost"] = [f"{costs[who]:.6g}" if costs[who] else "" for who, _ in counts]
    if session.people:
        columns["trusted to"] = [f"{session.people.get(who or '', 1.0):.2f}" for who, _ in counts]
    if anchor is not None:
        found = [shared.get(who or "") for who, _ in counts]
        columns[f"agrees with {people.name(anchor)}"] = [f"{one.agreed} of {one.both}" if one else "" for one in found]
    return Table("", tuple(columns), tuple(zip(*columns.values(), strict=True)), numeric=tuple(range(1, len(columns))))


def most_asked_table(usage: Usage) -> Table:
    """The items that most questions were about."""
    rows = tuple((name, str(count)) for name, count in usage.items[:MAX_MOST_ASKED])
    return Table("", ("item", "questions"), rows, numeric=(1,))


def answers_table(answers: Sequence[ReportedAnswer]) -> Table:
    """Every answer in force and every skip."""
    headings = ("#", "question", "answer", "who", "when", "seconds", "gain")
    rows = tuple(
        (
            str(number),
            row.text,
            row.answer,
            row.who or "",
            _minute(row.time),
            "" if row.seconds is None else f"{row.seconds:.1f}",
            "" if row.gain is None or row.skipped else f"{row.gain:.3f}",
        )
        for number, row in enumerate(answers, 1)
    )
    return Table(f"All {plural(len(rows), 'answer')}", headings, rows, numeric=(0, 5, 6))


def odd_table(odd: Sequence[OddAnswer], numeric: bool) -> Table:
    """The answers that the others speak against."""
    rows = tuple((one.row.text, one.row.answer, one.row.who or "", one.fit) for one in odd)
    return Table("", ("question", "answer", "who", "off by" if numeric else "chance"), rows, numeric=(3,))


def item_changes_table(session: Session) -> Table:
    """When items came and went.

    >>> from askwise.goals import best_item
    >>> session = best_item(["tea", "coffee", "water"], seed=1)
    >>> session.retire("tea")
    >>> item_changes_table(session).rows[0][1:]
    ('0', 'retired', '1 item: tea')
    """
    rows, answers = [], 0
    family: Any = session.problem.family
    changes = [event for event in session.log if event["event"] == "items"]
    sizes = [len(next(iter(event.get("added", {}).values()), ())) for event in changes]
    new = list(family.names[-sum(sizes) :]) if sum(sizes) else []
    for event in session.log:
        answers += event["event"] == "tell"
        if event["event"] == "items":
            count = sizes.pop(0)
            came, new = new[:count], new[count:]
            for change, names in (("added", came), ("retired", event.get("retired", []))):
                if names:
                    listed = f"{plural(len(names), 'item')}: {abbreviate(names, MAX_LISTED_ITEMS)}"
                    rows.append((_minute(event.get("time", "")), str(answers), change, listed))
    return Table("", ("time", "answers before", "change", "items"), tuple(rows), numeric=(1,))


def settings_table(session: Session) -> Table:
    """What it takes to get the same numbers again.

    >>> from askwise.goals import best_item
    >>> settings_table(best_item(["tea", "coffee"], seed=1)).rows[0]
    ('goal', 'best_item')
    """
    pursued: Any = session.pursued
    options = {name: value for name, value in pursued["options"].items() if value is not None}
    rows = [
        ("goal", pursued["goal"]),
        *((name, _setting(value)) for name, value in options.items()),
        *((name, version(name)) for name in ("askwise", *USED_PACKAGES)),
        ("python", platform.python_version()),
        ("log", f"{plural(len(session.log), 'event')}, SHA-256 {digest(session)}"),
    ]
    return Table("", ("setting", "value"), tuple(rows))


def repeat_command(session: Session, person: str | None = None) -> str:
    """The command, or the line of Python, that makes the same report. `person` has this log in a study.

    >>> from askwise.goals import best_item
    >>> repeat_command(best_item(["tea", "coffee"], seed=1)).split("#")[0].strip()
    'askwise.from_json(text).report("report.html")'
    """
    journal = session.journal
    if not isinstance(journal, StudyJournal):
        return 'askwise.from_json(text).report("report.html")  # text is what session.to_json() gave'
    address = journal.store.address
    where = Path(address.where).name if address.is_file else str(address)
    whose = "" if person is None else f" --person {shlex.quote(person)}"
    return f"askwise report {shlex.quote(where)}{whose} -o report.html"


def digest(session: Session) -> str:
    """The digest of the recipe and all events: the one that a study keeps beside its last event.

    >>> from askwise.goals import best_item
    >>> len(digest(best_item(["tea", "coffee", "water"], seed=1)))
    64
    """
    assert session.recipe is not None
    first = sha256(pack_recipe(session.recipe)).hexdigest()
    rows = event_rows(0, 0, first, session.log)
    return str(rows[-1]["digest"]) if rows else first


def _setting(value: Any) -> str:
    """An option for people; a whole matrix stays in the file."""
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= MAX_SETTING_LENGTH else f"{text[:MAX_GUESS_LENGTH]}… (all of it is in the file)"


def _minute(time: str) -> str:
    """A time of the log for people: to the minute, in universal time."""
    return f"{time[:10]} {time[11:16]} UTC" if len(time) >= 16 else time
