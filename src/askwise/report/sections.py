"""The sections that every goal's report has: how it went, how the answers came, which disagree, how to repeat it."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

from askwise.report.history import Point
from askwise.report.lines import Line, curves
from askwise.report.markup import LONG, Section, fold, pairs, plural, shortened, table
from askwise.report.surprises import Surprise, surprises
from askwise.report.svg import number, percent
from askwise.report.usage import Told, told, usage
from askwise.report.view import View
from askwise.session import Session
from askwise.study.journal import StudyJournal
from askwise.study.store import chained, packed, written

ODD = 0.5  # an answer with a smaller chance than this is one the others speak against
OFF = 2.0  # standard deviations from which a number is
FEW = 8  # of them that are shown
WHOLE = 400  # letters of a setting before it is cut
USED = ("numpy", "scipy", "numba")


def path(session: Session, points: Sequence[Point]) -> Section:
    """The curves of diameter and error, and the guesses on the way.

    >>> from askwise.goals import best_item
    >>> from askwise.report.history import history
    >>> session = best_item(["tea", "coffee"], seed=1)
    >>> path(session, history(session)).title
    'How the answer became clear'
    """
    stages = [list(stage) for _, stage in groupby(points, key=lambda point: point.stage)]
    changes = [(float(stage[0].turn), f"goal: {stage[0].goal}") for stage in stages[1:]]
    taken_back = any(event["event"] == "undo" for event in session.log)
    axis = "answers given or taken back" if taken_back else "answers given"
    options: Any = session.pursued and session.pursued["options"]
    lines = [
        Line("undecided (the average diameter)", [[(p.turn, p.diameter) for p in s] for s in stages]),
        Line("expected error of the answer", [[(p.turn, p.error) for p in s] for s in stages]),
    ]
    level = (float(options["epsilon"]), f"settled when undecided is below {options['epsilon']:g}")
    rows = [[str(p.answers), f"{p.diameter:.3f}", f"{p.error:.3f}", shortened(p.guess)] for p in points]
    guesses = table(["answers", "undecided", "error", "best guess"], rows, (0, 1, 2))
    label = f"undecided falls from {points[0].diameter:.2f} to {points[-1].diameter:.2f}"
    return Section(
        "path",
        "How the answer became clear",
        "Undecided is how far apart two truths are on average that the answers so far leave plausible; the error is "
        "how far the best guess is from them. 0 is settled, 1 the worst. "
        + ("Where the goal changed, they start anew in its own units." if changes else ""),
        (curves(lines, label, axis, level, changes) if points[-1].turn else "<p>There are no answers yet.</p>")
        + fold("The best guess along the way", guesses),
    )


def work(session: Session) -> Section:
    """Who answered what, and how long it took.

    >>> from askwise.goals import best_item
    >>> work(best_item(["tea", "coffee"], seed=1)).title
    'How the answers were used'
    """
    known, rows = usage(session), told(session)
    facts = [
        ("answers in force", f"{known.answers:,}"),
        ("skipped", f"{known.skips:,}"),
        ("taken back", f"{known.undos:,}"),
        ("still open", f"{known.waiting:,}"),
    ]
    if known.seconds is not None:
        facts.append(("median time for one", f"{known.seconds:.1f} s"))
    if known.first:
        facts += [("first answer", _moment(known.first)), ("last answer", _moment(known.last))]
    parts = [pairs(facts)]
    if known.answers and any(row.who for row in rows):
        most = max(count for _, count in known.people)
        people = table(["who", "answers"], [[who, str(count)] for who, count in known.people], (1,))
        parts += [f"<h3>Who answered</h3>{people}"] if most else []
    if known.shown:
        asked = table(["item", "questions"], [[name, str(count)] for name, count in known.shown[:FEW]], (1,))
        parts.append(f"<h3>Asked about most</h3>{asked}")
    if rows:
        headings = ["#", "question", "answer", "who", "when", "seconds", "gain"]
        whole = table(headings, [_row(count, row) for count, row in enumerate(rows, 1)], (0, 5, 6))
        parts.append(fold(f"All {plural(len(rows), 'answer')}", f'<div class="wide">{whole}</div>'))
    return Section(
        "answers",
        "How the answers were used",
        "Every answer in force was used for everything on this page. Skipped questions teach nothing and are not asked "
        "again. The gain is how much the question was expected to settle when it was chosen.",
        "".join(parts),
    )


def disagreements(view: View) -> Section:
    """The answers that the others speak against.

    >>> from askwise.goals import best_item
    >>> from askwise.report.view import view_of
    >>> disagreements(view_of(best_item(["tea", "coffee"], seed=1))).body
    '<p>There are no answers yet.</p>'
    """
    session = view.session
    found = surprises(session.problem, view.sample, session.answers)
    odd = [one for one in found if (one.chance < ODD if one.off is None else abs(one.off) >= OFF)][:FEW]
    rows = {row.question: row for row in told(session)}
    asked = list(session.turn.beliefs.told)  # in the order of session.answers
    cells = [_odd_row(one, rows[asked[one.place]]) for one in odd]
    numbers = bool(found) and found[0].off is not None
    measure = (
        "How far each number is from what all the other answers suggest, in standard deviations; those from 2 on are "
        "shown. One of twenty or so is normal; a large one may be a slip worth measuring again. This is approximate, "
        "and where marked ~ the number may be further off than it says."
        if numbers
        else "The chance of each answer as all the other answers would have it; those below 50 % are shown. Some are "
        "normal, since people are not always sure; a very small chance may be a slip worth asking about again. The "
        "chances are approximate; those marked ~ are rough."
    )
    if not session.answers:
        body = "<p>There are no answers yet.</p>"
    elif not odd:
        body = f"<p>None of the {plural(len(found), 'answer')} stands out.</p>"
    else:
        fit = "off by" if numbers else "chance"
        body = f'<div class="wide">{table(["question", "answer", "who", fit], cells, (3,))}</div>'
    return Section("disagreements", "Answers that disagree most with the rest", measure, body)


def settings(session: Session) -> Section:
    """What it takes to get the same numbers again.

    >>> from askwise.goals import best_item
    >>> "best_item" in settings(best_item(["tea", "coffee"], seed=1)).body
    True
    """
    pursued: Any = session.pursued
    journal = session.journal
    options = {name: value for name, value in pursued["options"].items() if value is not None}
    versions = [("askwise", version("askwise")), *((name, version(name)) for name in USED)]
    rows = [
        ("goal", pursued["goal"]),
        *((name, _value(value)) for name, value in options.items()),
        *versions,
        ("python", platform.python_version()),
        ("log", f"{plural(len(session.log), 'event')}, SHA-256 {digest(session)}"),
    ]
    if isinstance(journal, StudyJournal):
        address = journal.store.address
        where = Path(address.where).name if address.is_file else str(address)
        again = f"askwise report {shlex.quote(where)} -o report.html"
    else:
        again = "askwise.report.page.page(askwise.from_json(text))  # text is what session.to_json() gave"
    return Section(
        "settings",
        "Settings, and how to repeat this",
        "The same file with the same versions gives the same numbers. The digest stands for the table, the settings "
        "and every event in order.",
        table(["setting", "value"], rows) + f"<pre>{escape(again)}</pre>",
    )


def digest(session: Session) -> str:
    """The digest of the recipe and all events: the one that a study keeps beside its last event.

    >>> from askwise.goals import best_item
    >>> len(digest(best_item(["tea", "coffee", "water"], seed=1)))
    64
    """
    assert session.recipe is not None
    found = sha256(packed(session.recipe)).hexdigest()
    for event in session.log:
        found = chained(found, written(event))
    return found


def _value(value: Any) -> str:
    """An option for people; a whole matrix stays in the file."""
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= WHOLE else f"{text[:LONG]}… (all of it is in the file)"


def _row(count: int, row: Told) -> list[str]:
    seconds = "" if row.seconds is None else f"{row.seconds:.1f}"
    gain = "" if row.gain is None or row.skipped else f"{row.gain:.3f}"
    return [str(count), row.text, row.said, row.who or "", _moment(row.time), seconds, gain]


def _odd_row(one: Surprise, row: Told) -> list[str]:
    side = "above" if one.off is not None and one.off > 0 else "below"
    fit = percent(one.chance) if one.off is None else f"{number(abs(one.off))} sd {side}"
    return [row.text, row.said, row.who or "", f"~ {fit}" if one.rough else fit]


def _moment(time: str) -> str:
    """A time of the log for people: to the minute, in universal time."""
    return f"{time[:10]} {time[11:16]} UTC" if len(time) >= 16 else time
