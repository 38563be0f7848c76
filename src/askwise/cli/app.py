"""The commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from askwise.cli import (
    answer,
    answers,
    ask,
    backtest,
    crowd,
    demo,
    evaluate,
    example,
    goal,
    items,
    new,
    owners,
    participants,
    plan,
    reproduce,
    serve,
    simulate,
    status,
    transfer,
    warm,
    wording,
)

# commands that take the options of goals, and whether only those that another goal may set
DERIVED: dict[str, tuple[Callable[..., None], bool]] = {"new": (new.new, False), "goal": (goal.goal, True)}


PLAIN: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}


class Commands(TyperGroup):
    """Derives the options of a command from the goals only when the command is run: goals are slow to import."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return name, whole_command(name) if name in DERIVED else command, rest


def whole_command(name: str) -> Any:
    """A command with all its options, ready to run.

    >>> "--k" in {flag for option in whole_command("goal").params for flag in option.opts}
    True
    """
    if name not in DERIVED:
        return typer.main.get_group(app).commands[name]
    from askwise.cli.options import with_goal_options

    alone = typer.Typer(**PLAIN)
    alone.command(name)(with_goal_options(*DERIVED[name]))
    return typer.main.get_command(alone)


def listed(name: str) -> Callable[[], None]:
    """A command as the list of all commands shows it."""

    def command() -> None: ...

    command.__doc__ = DERIVED[name][0].__doc__
    return command


app = typer.Typer(cls=Commands, no_args_is_help=True, **PLAIN)


def print_version(wanted: bool) -> None:
    if wanted:
        from askwise import __version__

        typer.echo(f"askwise {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Ask as few questions as possible, and know when to stop."""


# in the order in which somebody meets them: a table, a study, answers, the result, exchange; then the method
app.command("example")(example.example)
app.command("new")(listed("new"))
app.command("plan")(plan.plan)
app.command("ask")(ask.ask)
app.command("answer")(answer.answer)
app.command("eval")(evaluate.evaluate)
app.command("serve")(serve.serve)
app.command("crowd")(crowd.crowd)
app.command("invite")(crowd.invite)
app.command("people")(participants.people)
app.command("owners")(owners.owners)
app.command("next")(answers.next_questions)
app.command("tell")(answers.tell)
app.command("status")(status.status)
app.command("report")(status.report)
app.command("goal")(listed("goal"))
app.command("wording")(wording.wording)
app.command("items")(items.items)
app.command("export")(transfer.export)
app.command("import")(transfer.import_study)
app.command("copy")(transfer.copy)
app.command("delete")(participants.delete)
app.command("demo")(demo.demo)
app.command("warm")(warm.warm)
app.command("backtest")(backtest.backtest)
app.command("simulate")(simulate.simulate)
app.command("reproduce")(reproduce.reproduce)
