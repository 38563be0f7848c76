"""What the widget shows of a session, as plain values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from askwise.data.media import MEDIA_KINDS, Folder
from askwise.errors import NothingToAsk
from askwise.goals import goal_of
from askwise.report.bodies import option_values
from askwise.report.cells import chart_html, goal_sentence, main_chart
from askwise.report.images import data_url, media_file
from askwise.report.templating import render
from askwise.session import Session
from askwise.types import Question
from askwise.web.sentences import ending

MAX_MEDIA_MB = 30  # of one file: it travels within a message to the notebook


def widget_state(session: Session, notice: str = "", reply: str | None = None) -> dict[str, Any]:
    """What is shown now. Opens a question if none is open and it is not time to stop.

    - `notice`: why the last request was refused.
    - `reply`: the key of the request that this is the reply to.

    >>> from askwise.goals import best_item
    >>> state = widget_state(best_item(["tea", "coffee", "water"], seed=1))
    >>> state["answers"], state["question"]["kind"], state["message"]
    (0, 'pair', None)
    """
    session.refresh()
    question = _next_question(session)
    shown, problems = (None, []) if question is None else question_values(session, question)
    log = session.event_log
    return {
        "title": goal_sentence(session),
        "question": shown,
        "answers": len(session.answers),
        "quota": None,
        "diameter": float(session.diameter),
        "start": log.counts.first_diameter,
        "can_undo": bool(log.closed()),
        "message": end_message(session) if question is None else None,
        "chart": chart_html(main_chart(session)),
        "notice": notice or " ".join(problems),
        "reply": reply,
    }


def _next_question(session: Session) -> Question | None:
    try:
        return None if session.done else session.ask()
    except NothingToAsk:
        return None


def question_values(session: Session, question: Question) -> tuple[dict[str, Any], list[str]]:
    """A question as the cards take it, with its files as data URLs; and a sentence for each file that is not shown.

    >>> from askwise.goals import best_item
    >>> session = best_item(["tea", "coffee", "water"], seed=1)
    >>> shown, problems = question_values(session, session.ask())
    >>> shown["responses"], problems
    (['left', 'right'], [])
    """
    options, problems = [], []
    for option in question.options:
        values = option_values(option)
        for kind in MEDIA_KINDS:
            values[kind], problem = media_url(session, kind, values[kind])
            problems += [problem] if problem else []
        options.append(values)
    asked = "" if question.who is None else f"{question.who}: "
    shown = {
        "id": question.id,
        "kind": question.kind,
        "text": f"{asked}{question.text}",
        "options": options,
        "responses": list(question.responses),
        "fallback": False,
        "answer_names": dict(question.answer_names),
    }
    return shown, problems


def media_url(session: Session, kind: str, name: str | None) -> tuple[str | None, str]:
    """The address of a file that a table names, and why there is none.

    A file is looked for in the study, beside the table and in the working folder. Pictures on the web stay there.

    >>> from askwise.goals import best_item
    >>> media_url(best_item(["tea", "coffee"], seed=1), "image", "https://example.org/tea.png")
    ('https://example.org/tea.png', '')
    """
    if name is None:
        return None, ""
    if kind == "image" and name.startswith(("https://", "http://")):
        return name, ""
    here = Folder(Path())
    content = media_file(session, name)
    if content is None and here.size(name) is not None:
        content = here.read(name)
    if content is None:
        return None, f"The file {name} is neither in the study nor in the folder of the notebook."
    if len(content) > MAX_MEDIA_MB * 2**20:
        return None, f"The file {name} is larger than {MAX_MEDIA_MB} MB, which a notebook cannot show."
    url = data_url(content, kind)
    return url, "" if url else f"The file {name} is none that browsers show."


def end_message(session: Session) -> dict[str, str]:
    """What stands in place of a question when it is time to stop.

    >>> from askwise.goals import best_item
    >>> session = best_item(["tea", "coffee", "water"], budget=1, seed=1)
    >>> session.tell("left", session.ask())
    >>> end_message(session)["title"]
    'That was the last question.'
    """
    kind = "exhausted" if session.reason is None else session.reason.kind
    found = session.estimate().value
    goal = None if session.pursued is None else goal_of(session)
    html = render(
        "cells/end.html",
        lines=[str(session.estimate())] if goal is None else goal.lines(found),
        ordered=goal is not None and goal.ordered,
        certainty="" if goal is None else goal.certainty(session.certificate()),
    )
    return {"title": ending(kind, len(session.answers), float("inf"), shared=False), "html": html}
