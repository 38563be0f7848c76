"""Writes what is derived from the code (goals, options, extras) into the pages: python docs/tables.py"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

from askwise.cli.options import MAX_LEFT_OUT, default_text, goal_options, help_text
from askwise.goals.base.goal import Goal
from askwise.goals.base.options import GoalOption, declared, default_of
from askwise.goals.base.registry import built_in
from askwise.goals.base.texts import to_cli_name

DOCS = Path(__file__).parent
EXTRAS = {
    "web": "the [web app](web.md): `askwise serve`",
    "embed": "[texts](texts.md) and pictures as features; a small English model comes with it",
    "onnx": "[other models](texts.md#other-models) for texts and pictures, in ONNX format",
    "excel": "Excel files, in and out",
    "parquet": "Parquet files, in and out, and [pools](pools.md)",
    "notebook": "[cards in a notebook](notebooks.md)",
    "oracles": "[language models](oracles.md#a-language-model) that answer",
    "postgres": "studies in PostgreSQL, for teams and [several servers](servers.md)",
    "cluster": "a [Dask cluster](servers.md#learners-on-other-machines) that computes questions",
    "sklearn": "[scikit-learn classifiers](exchange.md#for-scikit-learn) out of a study",
    "arviz": "posterior draws for ArviZ",
    "plots": "figures of the paper's experiments (`askwise reproduce`)",
    "all": "all of the above",
}


def sorted_goals() -> list[type[Goal]]:
    return sorted(built_in().values(), key=lambda goal: goal.order)


def goals_table() -> str:
    """Every goal: what it asks, finds and needs."""
    rows = [
        f"| [`{goal.goal_name}`](#{goal.goal_name}) | {goal.asks} | {goal.estimate} "
        f"| [`{goal.distance}`](distances.md#{goal.distance.lower()}) | {goal.needs} | {goal.max_rows:,} |"
        for goal in sorted_goals()
    ]
    head = ["| goal | question | estimate | distance | needs | rows at most |", "|---|---|---|---|---|---|"]
    return "\n".join([*head, *rows])


def options_table() -> str:
    """Every option: which goals have it, its default and its meaning."""
    users: dict[str, dict[type[Goal], GoalOption]] = {}
    for goal in sorted_goals():
        for name, option in declared(goal).items():
            users.setdefault(name, {})[goal] = option
    common_last = sorted(users, key=lambda name: len(users[name]))
    rows = []
    for name in common_last:
        option = next(iter(users[name].values()))
        if name in ("pool", "readings"):  # for saved sessions alone
            continue
        rows.append(f"| `{name}` | {_for_whom(users[name])} | {_default(name, users[name])} "
                    f"| {help_text(users[name])} {option.in_python}".rstrip() + " |")  # fmt: skip
    return "\n".join(["| option | goals | default | meaning |", "|---|---|---|---|", *rows])


def flags_table() -> str:
    """Every option of a goal as it is typed."""
    rows = []
    for name, users in goal_options().items():
        option = next(iter(users.values()))
        flag = option.flag or f"--{to_cli_name(name)}"
        comma = " Separate them by commas." if option.typed is list else ""
        rows.append(f"| `{flag}` | {_default(name, users)} | {help_text(users)}{comma} |")
    return "\n".join(["| option | default | meaning |", "|---|---|---|", *sorted(rows)])


def functions() -> str:
    """The Python function of every goal, for autodoc."""
    return "\n".join(
        ["```{eval-rst}", *(f".. autofunction:: askwise.{goal.goal_name}" for goal in sorted_goals()), "```"]
    )


def extras_table() -> str:
    """Every extra of the package, and what it is for."""
    settings = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))
    known = settings["project"]["optional-dependencies"]
    if set(known) ^ set(EXTRAS):
        raise SystemExit(f"docs/tables.py and pyproject.toml differ in the extras {set(known) ^ set(EXTRAS)}")
    rows = [f"| `{name}` | {purpose} |" for name, purpose in EXTRAS.items()]
    return "\n".join(["| extra | for |", "|---|---|", *rows])


def _for_whom(users: dict[type[Goal], GoalOption]) -> str:
    left_out = [goal for goal in sorted_goals() if goal not in users]
    if len(left_out) <= MAX_LEFT_OUT:
        names = " and ".join(f"`{goal.goal_name}`" for goal in left_out)
        return f"all but {names}" if names else "all"
    return ", ".join(f"`{goal.goal_name}`" for goal in users)


def _default(name: str, users: dict[type[Goal], GoalOption]) -> str:
    texts = dict.fromkeys(default_text(default_of(goal, name)) for goal in users)
    return " or ".join(f"`{text}`" for text in texts if text)


TABLES: dict[str, dict[str, Callable[[], str]]] = {
    "goals.md": {"goals": goals_table, "options": options_table},
    "cli.md": {"flags": flags_table},
    "install.md": {"extras": extras_table},
    "reference.md": {"functions": functions},
}


def with_tables(page: str, text: str) -> str:
    """The text of a page with its tables as they should be: each stands between two comments that name it."""
    for name, table in TABLES[page].items():
        begin, end = f"<!-- {name}: made by docs/tables.py -->\n", f"<!-- end of {name} -->\n"
        before, found, rest = text.partition(begin)
        _, ended, after = rest.partition(end)
        if not found or not ended:
            raise SystemExit(f"docs/{page} has no place for the table {name}: {begin}{end}")
        text = f"{before}{begin}{table()}\n{end}{after}"
    return text


if __name__ == "__main__":
    for page in TABLES:
        path = DOCS / page
        path.write_text(with_tables(page, path.read_text(encoding="utf-8")), encoding="utf-8")
