"""The charts of the dashboard as fragments of HTML, drawn by the module that draws the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from askwise.goals.base.charts import Chart, Table
from askwise.goals.base.texts import plural
from askwise.report.charts import Columns, Curves, Line, draw
from askwise.report.templating import render_macro

PACE_MINUTES = 30  # columns of the chart
RATE_MINUTES = 5  # over which answers a minute are averaged


def figures_html(charts: Sequence[Chart]) -> str:
    """The charts of a result, each with its title, a sentence and its table; without pictures of items.

    >>> figures_html([Chart("fairness", "Fairness <b>", "The groups differ by 3 %.")]).count("Fairness &lt;b&gt;")
    1
    """
    return str(render_macro("parts.html", "figures", charts, lambda place: None))


def curve_html(learned: Mapping[str, Any], names: Mapping[int, str]) -> str:
    """How undecided a log was and how far off its best guess, after each answer; the other logs in the background.

    `learned` is what the dashboard knows of the log; `names` says whose each log is.

    >>> learned = {"log": 1, "curve": [(0, 0.5, 0.3), (1, 0.4, 0.2)], "epsilon": 0.05, "answers": 1, "diameter": 0.4,
    ...            "error": 0.2, "lines": [{"log": 2, "points": [(0, 0.5), (1, 0.3)]}]}
    >>> "Ann" in curve_html(learned, {2: "Ann"})
    True
    """
    lines = {line["log"]: line["points"] for line in learned["lines"]}
    own = dict(lines.pop(learned["log"], [])) | {revision: diameter for revision, diameter, _ in learned["curve"]}
    label = (
        f"Undecided {learned['diameter']:.3g}, expected error {learned['error']:.3g} after "
        f"{plural(learned['answers'], 'answer')}; it stops below {learned['epsilon']:g}"
    )
    chart = Curves(
        label,
        "answers given or taken back",
        [
            Line("undecided", [sorted(own.items())]),
            Line("expected error", [[(revision, error) for revision, _, error in learned["curve"]]]),
        ],
        level=(learned["epsilon"], f"stops below {learned['epsilon']:g}"),
        background=[Line(names.get(log, ""), [points]) for log, points in lines.items() if len(points) > 1],
    )
    rows = tuple((str(revision), f"{diameter:.3f}", f"{error:.3f}") for revision, diameter, error in learned["curve"])
    table = Table("As a table", ("answers", "undecided", "expected error"), rows, numeric=(0, 1, 2))
    return str(draw(chart) + render_macro("parts.html", "folded_table", table))


def pace_html(minutes: Sequence[tuple[str, int]], now: datetime) -> str:
    """Answers in each of the last minutes, quiet ones too.

    >>> moment = datetime(2026, 11, 17, 10, 0, 50, tzinfo=UTC)
    >>> "25 answers in this minute" in pace_html([("2026-11-17T10:00", 25)], moment)
    True
    """
    counts = _last_counts(minutes, now, PACE_MINUTES)
    if not any(counts):
        return f'<p class="lead">No answers in the last {PACE_MINUTES} minutes.</p>'
    ago = range(PACE_MINUTES - 1, -1, -1)
    when = [f"{plural(each, 'minute')} ago" if each else "in this minute" for each in ago]
    texts = [f"{plural(count, 'answer')} {each}" for count, each in zip(counts, when, strict=True)]
    labels = {place: str(each or "now") for place, each in enumerate(ago) if each in (0, 10, 20, PACE_MINUTES - 1)}
    title = f"Answers in each of the last {PACE_MINUTES} minutes: {sum(counts)} in all"
    chart = Columns(title, "minutes ago", counts, texts, labels)
    rows = tuple((str(each), str(count)) for count, each in zip(counts, ago, strict=True) if count)
    table = Table("As a table", ("minutes ago", "answers"), rows, numeric=(0, 1))
    return str(draw(chart) + render_macro("parts.html", "folded_table", table))


def answer_rate(minutes: Sequence[tuple[str, int]], now: datetime) -> float:
    """Answers a minute in the last five, this one too; in a younger study, since its first answer.

    >>> moment = datetime(2026, 11, 17, 10, 0, 30, tzinfo=UTC)
    >>> answer_rate([("2026-11-17T08:00", 9), ("2026-11-17T10:00", 18)], moment)
    4.0
    """
    if not minutes:
        return 0.0
    first = datetime.fromisoformat(minutes[0][0]).replace(tzinfo=UTC)
    age = (now - first).total_seconds() / 60
    return sum(_last_counts(minutes, now, RATE_MINUTES)) / max(1.0, min(age, RATE_MINUTES - 1 + now.second / 60))


def _last_counts(minutes: Sequence[tuple[str, int]], now: datetime, length: int) -> list[int]:
    """The answers of each of the last minutes, this one last."""
    counts = dict(minutes)
    moments = (now - timedelta(minutes=ago) for ago in range(length - 1, -1, -1))
    return [counts.get(moment.strftime("%Y-%m-%dT%H:%M"), 0) for moment in moments]
