"""The report of a study: one page that needs nothing else, neither the network nor a script."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

from askwise._runtime.streams import stream
from askwise.errors import SettingError
from askwise.exchange.files import replace_file
from askwise.goals import goal_of
from askwise.goals.base.effect_charts import with_effects
from askwise.report import sections
from askwise.report.history import Progress, history
from askwise.report.images import image_urls
from askwise.report.people import people_of
from askwise.report.surprises import odd_answers
from askwise.report.templating import render
from askwise.report.usage import answer_rows, usage
from askwise.session import Session
from askwise.stopping.certificate import CERTIFICATE_DRAWS
from askwise.types import Sample


def page(session: Session, *, title: str | None = None, progress: Progress | None = None) -> str:
    """The whole page as HTML.

    - `session`: one that one of the goals built, or a study that was opened.
    - `title`: the heading; by default the name of the study and of the person, or the question.
    - `progress`: called with the events replayed so far and how many there are.

    >>> from askwise.goals import best_item
    >>> "Nobody has answered yet" in page(best_item(["tea", "coffee", "water"], seed=1))
    True
    """
    if session.pursued is None:
        raise SettingError("the session was built by hand, so its goal has no report; build it by one of the goals")
    points = history(session, progress)
    sample = certificate_sample(session)
    result = with_effects(goal_of(session).result(session, sample), session, sample)
    who = people_of(session)
    answers = answer_rows(session, who)
    counts = usage(session, answers)
    odd, numeric = odd_answers(session, sample, answers)
    images = image_urls(session)
    family: Any = session.problem.family
    return render(
        "report.html",
        title=title or who.title or result.question,
        version=version("askwise"),
        answers=len(session.answers),
        last_answer=counts.last[:10],
        reason=session.reason,
        settled=session.reason is not None and session.reason.kind == "settled",
        result=result,
        found=sections.found_table(session, result),
        bodies=sections.found_bodies(session, result),
        image=lambda place: images(family.images[place]),
        certificate=session.certificate().with_names(who.names),
        path=sections.path_curves(session, points) if points[-1].revision else None,
        goal_changed=points[-1].stage > 0,
        guesses=sections.guesses_table(points),
        usage_facts=sections.usage_facts(counts),
        people=sections.people_table(session, who),
        most_asked=sections.most_asked_table(counts),
        item_changes=sections.item_changes_table(session),
        all_answers=sections.answers_table(answers),
        odd_answers=sections.odd_table(odd, numeric),
        numeric_answers=numeric,
        settings=sections.settings_table(session),
        command=sections.repeat_command(session, who.handle),
    )


def write_page(session: Session, path: str | Path) -> Path:
    """Writes the page to a file, and returns where it is.

    >>> import tempfile
    >>> from askwise.goals import best_item
    >>> write_page(best_item(["tea", "coffee"], seed=1), tempfile.mkdtemp() + "/report.html").name
    'report.html'
    """
    text = page(session)
    with replace_file(path, private=False) as draft:
        draft.write_text(text, encoding="utf-8")
    return Path(path)


def certificate_sample(session: Session) -> Sample:
    """The very draws behind the certificate, so that what is shown agrees with its sentence.

    >>> from askwise.goals import best_item
    >>> len(certificate_sample(best_item(["tea", "coffee", "water"], seed=1)).weights)
    4000
    """
    round = session.round
    return round.certified[1].posterior.sample(
        CERTIFICATE_DRAWS, stream(round.config.seed, round.number, "certificate")
    )
