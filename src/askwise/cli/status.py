"""askwise status and askwise report: what a study knows by now."""

from __future__ import annotations

import json
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from askwise.cli.common import (
    AsJson,
    File,
    Person,
    describe_certainty,
    describe_estimate,
    one_line,
    open_study,
    shell_address,
    stop_sentence,
    write_page,
)
from askwise.session import Session
from askwise.structures import AsksPeople


def status(
    file: File,
    person: Person = None,
    details: Annotated[bool, typer.Option("--details", help="Also print how sure the result is, in figures.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the answers, the best guess, and what is still to come."""
    from askwise.storage.address import Address

    session = open_study(file, person)
    facts = _facts(session)
    if as_json:
        typer.echo(json.dumps(facts))
        return
    counts = ", ".join(f"{facts[kind]} {kind}" for kind in ("answers", "skips", "open"))
    typer.echo(f"{facts['goal']}: {counts}")
    guess = one_line(describe_estimate(session.estimate().value))
    typer.echo(f"Best guess: {guess}{describe_certainty(session.certificate())}")
    for remark in facts["remarks"]:
        typer.echo(one_line(remark))
    for sentence in facts["what_mattered"]:
        typer.echo(f"What mattered: {one_line(sentence)}")
    if facts["warning"]:
        typer.echo(f"Be careful: {one_line(facts['warning'])}.")
    if session.done:
        typer.echo(stop_sentence(session))
    else:
        typer.echo(f"Not settled yet{': ' + facts['forecast'] if facts['forecast'] else ''}.")
        if facts["next_person"]:
            typer.echo(f"Next, ask {one_line(facts['next_person'])}.")
        if facts["absence"] and facts["absence"]["silent"]:
            names = quote(",".join([*facts["absence"]["left_out"], *facts["absence"]["silent"]]))
            typer.echo(one_line(facts["absence"]["text"]))
            command = f"askwise goal {shell_address(Address.of(file))} group-item --without {names}"
            typer.echo(f"To decide without: {one_line(command)}")
    if facts["people_before"]:
        typer.echo(facts["people_before"])
    if person is None:
        _mention_others(session)
    if details:
        typer.echo(f"Undecided: {session.diameter:.3f}{f' ({session.reason})' if session.done else ''}.")
        typer.echo(one_line(facts["certificate"]))
    else:
        whose = "" if person is None else f" --person {quote(person)}"
        typer.echo(f"How sure is this? askwise status {one_line(shell_address(Address.of(file)) + whose)} --details")


def report(
    file: File,
    person: Person = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file to write [FILE.html].")] = None,
) -> None:
    """Write the result as one HTML page. It needs no network."""
    from askwise.report.page import page

    session = open_study(file, person)
    target = output or Path(f"{_file_name(session, person)}.html")
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("reading the answers", total=None)
        text = page(session, progress=lambda done, total: progress.update(bar, completed=done, total=total))
    write_page(text, target)
    typer.echo(f"Open {one_line(str(target))}")
    if person is None:
        _mention_others(session)


def _mention_others(session: Session) -> None:
    """Says that this is the study's own log where people have logs of their own, which it leaves out."""
    from askwise.storage.journal import journal_of
    from askwise.storage.participants import people

    journal = journal_of(session)
    others = sum(one.log != journal.record.study for one in people(journal.store, journal.record.study))
    if others:
        who = "1 person answers" if others == 1 else f"{others} people answer"
        typer.echo(
            f"Not part of this: {who} in a log of their own. --person NAME shows one; askwise people lists them."
        )


def _file_name(session: Session, person: str | None) -> str:
    """The name of a study's page: that of its file, or its name in the database; and that of the person."""
    from askwise.storage.journal import journal_of

    journal = journal_of(session)
    address = journal.store.address
    study = Path(address.where).stem if address.is_file else journal.record.name.partition("/")[0]
    return study if person is None else f"{study} {person}".replace("/", "-")


def _next_person(session: Session) -> str | None:
    """Whom the session would ask next, also if somebody else was asked; None where anybody is. Nothing is recorded."""
    if not isinstance(session.problem.family, AsksPeople):
        return None
    log = session.event_log
    chosen = [event for id in log.open_questions() if "rather" not in (event := log.ask_events[id])["info"]]
    return str((chosen[0] if chosen else session.round.choose(log))["who"])


def _facts(session: Session) -> dict[str, Any]:
    from askwise.goals import goal_of
    from askwise.goals.base.effect_charts import effect_sentences, has_effects
    from askwise.report.people import people_of
    from askwise.simulate.forecaster import Forecaster
    from askwise.simulate.populations import load_saving
    from askwise.storage.journal import journal_of

    statuses = list(session.event_log.status.values())
    certificate = session.certificate().with_names(people_of(session).names)
    forecast = None if session.done else Forecaster(session).now()
    goal = session.pursued or {"goal": "", "options": {}}
    journal = journal_of(session)
    saving = load_saving(journal.store, journal.record.study)
    absence = goal_of(session).absence(session)
    return {
        "goal": goal["goal"].replace("_", "-"),
        "answers": len(session.answers),
        "skips": statuses.count("skipped"),
        "open": statuses.count("open"),
        "done": session.done,
        "reason": session.reason,
        "estimate": session.estimate().value,
        "diameter": session.diameter,
        "expected_distance": certificate.expected_distance,
        "upper_bound": certificate.upper_bound,
        "probability_exact": certificate.probability_exact,
        "certificate": str(certificate),
        "warning": certificate.warning,
        "remarks": goal_of(session).remarks(session),
        "absence": None if absence is None else absence.as_dict(),
        "next_person": None if session.done else _next_person(session),
        "what_mattered": effect_sentences(session.effects()) if has_effects(session) else [],
        "forecast": None if forecast is None else str(forecast),
        "people_before": None if saving is None else str(saving),
    }
