"""What a notebook shows of a session, a question, an estimate and a certificate: HTML without a script.

Colours follow the text around a cell, so that light and dark themes both fit.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from markupsafe import Markup

from askwise.data.formats import heading_of
from askwise.data.presentation import differing_columns
from askwise.errors import SettingError
from askwise.exchange.files import replace_file
from askwise.goals import goal_of
from askwise.goals.base.charts import Chart, Result
from askwise.goals.base.texts import one_line
from askwise.report import sections
from askwise.report.bodies import body_html
from askwise.report.charts import svg_file
from askwise.report.charts.drawing import LAYOUTS
from askwise.report.history import history
from askwise.report.templating import render
from askwise.session import Session
from askwise.session.events import response_name
from askwise.stopping.certificate import Certificate, Estimate
from askwise.types import Question

PATH = "path"  # the chart of how the result became clear


class Plot:
    """One chart, for a notebook or a file.

    :param chart: The chart, one of `askwise.goals.base.charts`.

    >>> from askwise.goals.base.charts import Bars
    >>> Plot(Bars("chances", "How likely", "", rows=(("tea", 0.75),)))
    <Plot of How likely>
    """

    def __init__(self, chart: Any):
        self.chart = chart

    def __repr__(self) -> str:
        return f"<Plot of {self.chart.title}>"

    @property
    def svg(self) -> str:
        """The chart as a file of SVG."""
        return svg_file(self.chart)

    def save(self, path: str | Path) -> None:
        """Writes the chart as a file of SVG.

        :param path: The file, such as chances.svg. One that is there is replaced.
        """
        if Path(path).suffix.lower() != ".svg":
            raise SettingError(f"a chart is written as SVG, got {str(path)[:100]!r}; choose a name that ends in .svg")
        with replace_file(path, private=False) as draft:
            draft.write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return render("cells/plot.html", chart=self.chart)


def plot(session: Session, chart: str | None = None) -> Plot:
    """A chart of a session, by its name; by default the first one of its report that is a drawing.

    >>> from askwise.goals import best_item
    >>> plot(best_item(["tea", "coffee", "water"], seed=1), "chances")
    <Plot of How likely each item is the best one>
    """
    found = {each.id: each for each in result_of(session).all_charts if is_drawing(each)}
    if chart == PATH or not found:
        return Plot(sections.path_curves(session, history(session)))
    if chart is not None and chart not in found:
        raise SettingError(f"there is no chart {chart!r}; expected {', '.join(map(repr, [*found, PATH]))}")
    return Plot(found[chart] if chart is not None else next(iter(found.values())))


def is_drawing(chart: Any) -> bool:
    """Whether a chart is drawn, and not only words or names.

    >>> is_drawing(Chart("fairness", "Fairness between the groups", ""))
    False
    """
    return type(chart) in LAYOUTS and bool(getattr(chart, "rows", None) or getattr(chart, "names", None))


def result_of(session: Session) -> Result:
    """What was found, as the draws of this round say.

    >>> from askwise.goals import best_item
    >>> result_of(best_item(["tea", "coffee", "water"], seed=1)).question
    'Which of 3 is the best?'
    """
    if session.pursued is None:
        raise SettingError("the session was built by hand, so its goal has no charts; build it by one of the goals")
    return goal_of(session).result(session, session.sample)


def main_chart(session: Session) -> Chart | None:
    """The chart that stands for the result while it becomes clear; None for a session that was built by hand.

    >>> from askwise.goals import clusters
    >>> main_chart(clusters(["ant", "bee", "cow"], seed=1)).id
    'clusters'
    """
    charts = () if session.pursued is None else result_of(session).all_charts
    return next((each for each in charts if is_drawing(each) or getattr(each, "groups", None)), None)


def chart_html(chart: Chart | None) -> str:
    """A chart with its title, without colours and styles: those of the page around it hold.

    >>> chart_html(None)
    ''
    """
    return "" if chart is None else render("cells/chart.html", chart=chart).strip()


def goal_sentence(session: Session) -> str:
    """What is sought; of a session that was built by hand, how far it is.

    >>> from askwise.goals import best_item
    >>> goal_sentence(best_item(["tea", "coffee", "water"], seed=1))
    'Find the best of the 3 items.'
    """
    if session.pursued is None:
        return repr(session)
    goal = goal_of(session)
    return goal.sentence(goal.total_rows(session.pursued["data"]))


def session_html(session: Session) -> str:
    """A session: what is sought, how far it is, the best guess and the chances.

    >>> from askwise.goals import best_item
    >>> "Find the best of the 3 items." in session_html(best_item(["tea", "coffee", "water"], seed=1))
    True
    """
    reason = session.reason
    goal = None if session.pursued is None else goal_of(session)
    return render(
        "cells/session.html",
        sentence=goal_sentence(session),
        answers=len(session.answers),
        open=len(session.event_log.open_questions()),
        diameter=session.diameter,
        level=None if goal is None else goal.stop_level,
        reason=reason,
        settled=reason is not None and reason.kind == "settled",
        guess=goal.headline(session.estimate().value) if goal else "",
        chart=main_chart(session),
    )


def question_html(question: Question) -> str:
    """A question: what it shows, and what may be answered.

    >>> from askwise.types import Option
    >>> shown = Question("q1", "pair", (Option("<tea>"), Option("milk")), ("left", "right"), "Which?")
    >>> question_html(shown).count("&lt;tea&gt;")
    2
    """
    named = [question.answer_names.get(str(response)) for response in question.responses]
    words = [response_name(question.kind, question.names, response) for response in question.responses]
    differing = differing_columns(question.options)
    cards = [
        {
            "name": option.name,
            "fields": [
                (heading_of(column, value), value, len(question.options) > 1 and column in differing)
                for column, value in option.fields.items()
            ],
            "body": None if option.body is None else Markup(body_html(option.body, option.body_format)),
        }
        for option in question.options
    ]
    answers = [given or str(word) for given, word in zip(named, words, strict=True)]
    return render("cells/question.html", question=question, cards=cards, answers=answers)


def estimate_html(estimate: Estimate) -> str:
    """The best guess, and how far the truth is from it on average.

    >>> "<li>milk</li>" in estimate_html(Estimate(["tea", "milk"], None, expected_distance=0.02))
    True
    """
    value = estimate.value
    lines = [one_line(part) for part in value] if isinstance(value, list | tuple) else []
    return render("cells/estimate.html", lines=lines, value=one_line(value), distance=estimate.expected_distance)


def certificate_html(certificate: Certificate) -> str:
    """What may be claimed, with its assumptions folded away.

    >>> from askwise.goals import best_item
    >>> "On average over what is still plausible" in certificate_html(best_item(["tea", "milk"], seed=1).certificate())
    True
    """
    return render("cells/certificate.html", certificate=certificate)
