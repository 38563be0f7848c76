"""askwise eval: which system is best, from judges and a person."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from itertools import count
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from askwise.cli.common import AsJson, close_study, count_answers, one_line, open_study, shell_address
from askwise.cli.judges import FAILED_EXIT_CODE, takes_oracle_options
from askwise.cli.people import Quit, person_at_terminal, person_in_browser
from askwise.errors import OracleError, SettingError
from askwise.session import Session

if TYPE_CHECKING:
    from askwise.evaluate import Evaluation, Runs
    from askwise.oracles import Oracle
    from askwise.oracles.registry import OracleSettings
    from askwise.storage.address import Address

MAX_NAME_LETTERS = 100
DEFAULTS = {"ties": False, "epsilon": 0.05, "budget": 300, "seed": 0}  # of a new study


@takes_oracle_options
def evaluate(
    runs: Annotated[Path, typer.Argument(help="Replies: rows with system, prompt and reply, as JSONL or CSV; or a "
                                              "column prompt and one for each system.")],
    judge: Annotated[list[str] | None, typer.Option(metavar="JUDGE", help="Who judges: openai:MODEL, a command such "
                     'as "python judge.py", or votes:FILE for recorded votes. May be given several times.')] = None,
    human: Annotated[bool, typer.Option("--human", help="Answer some questions yourself: judges are measured against "
                                                        "you.")] = False,
    browser: Annotated[bool, typer.Option("--browser", help="The same, in the browser: prints a link.")] = False,
    labels: Annotated[int, typer.Option(min=1, help="Questions that you share with the judges, at most.")] = 20,
    goal: Annotated[str | None, typer.Option(help="best-item or ranking [best-item].")] = None,
    systems: Annotated[str | None, typer.Option(help="Compare only these, with commas between.")] = None,
    ties: Annotated[bool | None, typer.Option("--ties", help='Allow the answer "about equal".')] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", help="The study [RUNS.askwise]. If it is there, "
                                                                      "it goes on.")] = None,
    epsilon: Annotated[float | None, typer.Option(help="How undecided it may stay, from 0 to 1 [0.05].")] = None,
    budget: Annotated[int | None, typer.Option(min=1, help="Answers at most, of all together [300].")] = None,
    max_cost: Annotated[float | None, typer.Option(help="What the calls of each judge may cost.")] = None,
    jobs: Annotated[int, typer.Option(min=1, max=256, help="Calls in flight.")] = 8,
    seed: Annotated[int | None, typer.Option(help="The same seed and answers give the same questions [0].")] = None,
    as_json: AsJson = False,
    *,
    settings: OracleSettings,
) -> None:  # fmt: skip
    """Find out which system is best, from judges and a few answers of your own."""
    from askwise.evaluate import evaluate as run
    from askwise.evaluate import read_runs
    from askwise.storage.address import SUFFIX, Address

    if not judge and not human and not browser:
        raise SettingError("nobody answers; give --judge, or --human or --browser to answer yourself")
    if human and browser:
        raise SettingError("--human asks in the terminal, --browser in the browser; give one of them")
    replies = read_runs(runs)
    if systems is not None:
        replies = replies.of_systems([name.strip() for name in systems.split(",") if name.strip()])
    place = output or f"{runs.stem}{SUFFIX}"
    address = Address.of(place)
    given = {"ties": ties, "epsilon": epsilon, "budget": budget, "seed": seed}
    wanted = {name: value for name, value in given.items() if value is not None}
    with ExitStack() as stack:
        new = None if address.exists() else _new_session(replies, goal, human or browser, wanted)
        session = new or _open_study(stack, address, replies, goal, human or browser, wanted)
        judges = _judges(stack, judge or [], session, settings)
        if new is not None:
            session = _saved(stack, new, address)
        if not as_json:
            _say_what_was_read(session, replies)
        person = None
        if human or browser:
            asked = person_in_browser(session, place) if browser else person_at_terminal(session)
            person = stack.enter_context(asked)
        with _kept(session, as_json):
            shown = not human and not as_json
            found = run(session, judges, person, labels=labels, jobs=jobs, max_cost=max_cost, progress=shown)
        if as_json:
            typer.echo(json.dumps(found.as_dict()))
        else:
            _print_result(found, session, address)
            if browser and sys.stdin.isatty():  # whoever answers would be told that there is no connection
                ending = "The page in the browser shows the result, too. Enter ends the server"
                typer.prompt(ending, "", show_default=False)


@contextmanager
def _kept(session: Session, as_json: bool) -> Iterator[None]:
    """Says what is kept when somebody stops it, and why it failed if it does."""
    try:
        yield
    except (Quit, KeyboardInterrupt) as stopped:
        typer.echo(f"\n{count_answers(session)} kept. Run the same command again to go on.", err=as_json)
        if isinstance(stopped, KeyboardInterrupt):
            raise
        raise typer.Exit from None
    except OracleError as failure:
        typer.echo(f"askwise: {one_line(str(failure))}", err=True)
        raise typer.Exit(FAILED_EXIT_CODE) from None


def _print_result(found: Evaluation, session: Session, address: Address) -> None:
    from askwise.evaluate.judging import HUMAN

    typer.echo("\n".join(one_line(line) for line in str(found).splitlines()))
    where = one_line(shell_address(address))
    if session.config.anchor is not None and not found.labels:
        way = f"run it with --browser or --human, or: askwise ask {where} --who {HUMAN}"
        typer.echo(f"You have not answered yet: {way}")
    typer.echo(f"The result as a page: askwise report {where}")


def _new_session(runs: Runs, goal: str | None, human: bool, given: dict[str, Any]) -> Session:
    from askwise.evaluate import start

    return start(runs, (goal or "best-item").replace("-", "_"), human=human, **{**DEFAULTS, **given})


def _saved(stack: ExitStack, session: Session, address: Address) -> Session:
    """The session as a study that people share."""
    from askwise.storage.create import write_study

    assert session.recipe is not None
    write_study(address, session.recipe, session.media, "pooled")
    return _opened(stack, address)


def _opened(stack: ExitStack, address: Address) -> Session:
    session = open_study(address)
    stack.callback(close_study, session)
    return session


def _open_study(
    stack: ExitStack, address: Address, runs: Runs, goal: str | None, human: bool, given: dict[str, Any]
) -> Session:
    """The study that was begun with the same runs and the same options, as far as they are given."""
    from askwise.evaluate.judging import HUMAN

    session = _opened(stack, address)
    known = session.pursued or {"goal": "", "options": {}, "data": None}
    other = "choose another file with --output"
    if known["data"] != runs.sampled(int(known["options"].get("seed", 0))).table:
        raise SettingError(f"{address} is a study of other runs; {other}")
    begun = {**known["options"], "goal": known["goal"].replace("_", "-")}
    for name, value in {**given, **({} if goal is None else {"goal": goal.replace("_", "-")})}.items():
        if begun.get(name, DEFAULTS.get(name)) != value:
            raise SettingError(
                f"{address} was begun with {name} {begun.get(name)}, not {value}; leave it out, or {other}"
            )
    if human and session.config.anchor != HUMAN:
        raise SettingError(f"{address} was begun without a person; {other}")
    return session


def _judges(stack: ExitStack, names: list[str], session: Session, settings: OracleSettings) -> dict[str, Oracle]:
    """The judges, by the names under which they answer; of several with one name, the second is "name 2"."""
    from askwise.evaluate import judge_named
    from askwise.oracles.protocol import CanClose

    judges: dict[str, Oracle] = {}
    for name in names:
        made = judge_named(name, session, settings)
        if isinstance(made, CanClose):
            stack.enter_context(closing(made))
        short = str(getattr(made, "name", name))[:MAX_NAME_LETTERS]
        numbered = (f"{short} {number}" for number in count(2))
        judges[short if short not in judges else next(each for each in numbered if each not in judges)] = made
    return judges


def _say_what_was_read(session: Session, runs: Runs) -> None:
    family: Any = session.problem.family
    used = len(family.contexts)
    typer.echo(f"{len(runs.systems)} systems, {used:,} prompts.")
    if runs.incomplete:
        typer.echo(f"Left out: {runs.incomplete:,} prompts to which not every system has a reply.")
    if same := used * comb(len(runs.systems), 2) - family.atom_count:
        typer.echo(f"Not compared: {same:,} pair{'s' * (same > 1)} of replies that are the same.")
    if unused := len(runs.replies) - used:
        typer.echo(f"{unused:,} more prompts are left out at random; the result is about new prompts anyway.")
