"""The report of a study: one page that needs nothing else, neither the network nor a script."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from importlib.metadata import version
from importlib.resources import files

from askwise.errors import SettingError
from askwise.report import group_answers, item_answers
from askwise.report.history import Progress, history
from askwise.report.markup import Section, fold, plural
from askwise.report.sections import disagreements, path, settings, work
from askwise.report.usage import usage
from askwise.report.view import Shown, View, view_of
from askwise.session import Session
from askwise.study.journal import StudyJournal

SHOW: dict[str, Callable[[View], Shown]] = {
    "best_column": item_answers.best_column,
    "best_item": item_answers.best_item,
    "classifier": group_answers.classifier,
    "cluster_of": group_answers.cluster_of,
    "clusters": group_answers.clusters,
    "hierarchy": group_answers.hierarchy,
    "ranking": item_answers.ranking,
    "top_k": item_answers.top_k,
}
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"  # what a browser may load: nothing from outside
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="askwise {version}">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<header><h1>{title}</h1><p class="meta">{meta}</p></header>
<main>
{state}<div class="answer" id="answer">{question}{answer}</div>
{certificate}
<nav aria-label="Contents"><ul>{contents}</ul></nav>
{sections}
</main>
</body>
</html>
"""


def page(session: Session, *, title: str | None = None, progress: Progress | None = None) -> str:
    """The whole page as HTML. `progress` is called with the events replayed so far and how many there are.

    >>> from askwise.goals import best_item
    >>> "Nothing was asked yet" in page(best_item(["tea", "coffee", "water"], seed=1))
    True
    """
    if session.pursued is None:
        raise SettingError("the session was built by hand, so its goal has no report; build it by one of the goals")
    points = history(session, progress)
    view = view_of(session)
    shown = SHOW[session.pursued["goal"]](view)
    named = title or (session.journal.record.name if isinstance(session.journal, StudyJournal) else shown.question)
    sections: list[Section] = [
        *shown.sections,
        path(session, points),
        work(session),
        disagreements(view),
        settings(session),
    ]
    return PAGE.format(
        policy=POLICY,
        version=version("askwise"),
        title=escape(named),
        style=(files("askwise") / "report" / "page.css").read_text(encoding="utf-8"),
        meta=escape(_meta(session)),
        state=_state(session),
        question="" if named == shown.question else f'<p class="asked">{escape(shown.question)}</p>',
        answer=shown.answer,
        certificate=_certificate(session),
        contents="".join(f'<li><a href="#{part.id}">{escape(part.title)}</a></li>' for part in sections),
        sections="\n".join(map(str, sections)),
    )


def _meta(session: Session) -> str:
    last = usage(session).last[:10]
    return f"{plural(len(session.answers), 'answer')}{last and f', the last on {last}'} · askwise {version('askwise')}"


def _state(session: Session) -> str:
    """Whether this is the end, said before the answer."""
    if not session.answers:
        text = "<b>Nothing was asked yet.</b> What follows is a guess from the table alone, before any answer."
    elif session.reason is None:
        text = "<b>Preliminary.</b> There is no reason to stop yet: with more answers this may change."
    else:
        return f'<p class="meta">Finished: {escape(session.reason)}.</p>\n'
    return f'<p class="note">{text}</p>\n'


def _certificate(session: Session) -> str:
    """The certificate's own sentence, and what it rests on."""
    known = session.certificate()
    listed = "".join(f"<li>{escape(text)}</li>" for text in known.assumptions)
    body = (
        "<p>The sentence is an average over everything that the answers leave plausible, under a model of how answers "
        f"come about; it is not a promise about each single case. It assumes:</p><ul>{listed}</ul>"
        f"<p>Made-up answers of the model fit as badly as these with probability {known.fit:.2f}; a small number "
        "would mean that the answers do not fit the model.</p>"
    )
    warning = f'<p class="note"><b>Careful:</b> {escape(known.warning)}.</p>' if known.warning else ""
    return f'{warning}<div class="certificate"><p>{escape(str(known))}</p>{fold("What this rests on", body)}</div>'
