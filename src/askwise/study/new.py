"""From a table to a new study, and what was understood of it in plain words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from inspect import Parameter, signature
from typing import Any

from askwise.encode import encode
from askwise.errors import DataError, SettingError
from askwise.goals import GOALS
from askwise.goals.build import LIMITS
from askwise.reading import Recipe
from askwise.session import Session
from askwise.study.address import Address
from askwise.study.participants import set_mode
from askwise.study.read import Data
from askwise.study.store import Store

EXAMPLES = {"k": "k 5", "item": "item NAME"}  # of what a goal cannot do without
SPOKEN = {  # how a goal is said
    "best_column": "Find the column with the best score.",
    "best_item": "Find the best of the {rows} items.",
    "classifier": "Learn which of the labels {labels} each of the {rows} rows has.",
    "cluster_of": "Find out which of the {rows} items belong with {item}.",
    "clusters": "Sort the {rows} items into clusters.",
    "hierarchy": "Find the hierarchy of the {rows} items.",
    "ranking": "Put the {rows} items in order.",
    "top_k": "Find the best {k} of the {rows} items.",
}


@dataclass(frozen=True)
class Understood:
    """What was read out of a table."""

    goal: str
    rows: int
    name: str | None  # the column with the names
    features: list[str]
    left_out: dict[str, str]
    responses: list[str]
    questions: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def make(goal: str, data: Data, options: Mapping[str, Any]) -> Session:
    """The session of a new study; options that the goal does not know are refused by name."""
    build = goal_named(goal)
    known = signature(build).parameters
    for option in options:
        if option not in known or option == "pool":  # which is for saved sessions alone
            raise SettingError(f"{spelled(goal)} has no option --{spelled(option)}; see askwise new --help")
    for option, parameter in list(known.items())[1:]:
        if parameter.default is Parameter.empty and option not in options:
            raise SettingError(
                f"{spelled(goal)} needs --{spelled(option)}; say which, for example --{EXAMPLES[option]}"
            )
    if not data.columns:
        if "pool" not in known:
            raise DataError(f"{data.source.name} is a pool of rows on disk, which is for classifier; give a table")
        return build(data.source, **options)
    rows, most = len(next(iter(data.columns.values()))), LIMITS[build.__name__]
    if rows > most:
        raise DataError(
            f"{data.source.name} has {rows:,} rows; {spelled(goal)} takes up to {most:,}: give a part of them"
        )
    image = {"image": data.image} if data.image and "image" in known else {}
    return build(data.columns, **image, **options)


def write(
    address: Address, recipe: Recipe, pictures: Mapping[str, bytes], mode: str = "own", instructions: str = ""
) -> None:
    """A new study, with what the people who answer read first, and whether they share one posterior."""
    told = {"instructions": instructions.strip()} if instructions.strip() else {}
    Store.create(address, {**recipe, **told}, pictures)
    if mode != "own":
        store = Store.at(address)
        set_mode(store, store.record().study, mode)
        store.close()


def goal_named(goal: str) -> Callable[..., Session]:
    """The goal that is typed so."""
    build = GOALS.get(goal.replace("-", "_"))
    if build is None:
        raise SettingError(f"there is no goal {goal!r}; the goals are {', '.join(map(spelled, sorted(GOALS)))}")
    return build


def spelled(name: str) -> str:
    """A name as it is typed: words with hyphens."""
    return name.replace("_", "-")


def understood(session: Session) -> Understood:
    """What the goal made of its table."""
    recipe = session.recipe
    assert recipe is not None
    options, columns = recipe["options"], recipe["data"]
    family: Any = session.problem.family
    if recipe["goal"] == "best_column" and not family.askable.any():
        told = f"all {family.askable.size} entries of the matrix are known, so there is nothing to ask"
        raise DataError(f"{told}; leave those empty that you want to find out")
    question = session.ask()
    responses = [str(response) for response in question.responses]
    if recipe["goal"] == "best_column":
        rows, count = len(family.row_names), len(family.column_names)
        known = rows * count - int(family.askable.sum())
        left = {} if not known else {f"{known} of {rows * count} entries": "known already"}
        return Understood(recipe["goal"], rows, options["name"], [], left, ["a number"], int(family.askable.sum()))
    items = encode(columns, **{part: options[part] for part in ("name", "image", "features", "missing")})
    name = next((column for column, why in items.left_out.items() if why == "is the name"), None)
    left = {column: why for column, why in items.left_out.items() if why not in ("is the name", "is the image")}
    kinds: dict[str, int] = {}
    for label in items.columns:
        column = label.split("=")[0]
        kinds[column] = kinds.get(column, 0) + 1
    features = [column if column in items.columns else f"{column} ({count} kinds)" for column, count in kinds.items()]
    pool = options.get("pool")
    rows = len(items.names) if pool is None else pool["rows"]
    return Understood(recipe["goal"], rows, name, features, left, responses, _questions(question.kind, rows))


def in_words(session: Session) -> list[str]:
    """The same as sentences, one a line."""
    found, options = understood(session), session.recipe["options"] if session.recipe else {}
    names = {**options, "rows": found.rows, "labels": " or ".join(map(str, options.get("labels", ())))}
    lines = [SPOKEN[found.goal].format(**names)]
    if found.goal == "best_column":
        family: Any = session.problem.family
        lines.append(f"Rows: {some(family.row_names)}. Columns: {some(family.column_names)}.")
    else:
        lines.append(f"Names: column {found.name!r}." if found.name else "Names: none found, so items are numbered.")
        lines.append(f"Features used: {some(found.features, 12) or 'none; each item stands for itself'}.")
    if options.get("pool"):
        path, sampled = options["pool"]["path"], len(options["pool"]["sample"])
        lines.append(f"The rows stay in {path}; {sampled:,} random ones stand for all in the result.")
    reasons: dict[str, list[str]] = {}
    for column, why in found.left_out.items():
        reasons.setdefault(why, []).append(column)
    if reasons:
        lines.append(f"Left out: {'; '.join(f'{some(columns, 6)} ({why})' for why, columns in reasons.items())}.")
    possible = "1 is possible" if found.questions == 1 else f"{found.questions:,} are possible"
    lines.append(f"A question is answered with {' or '.join(found.responses)}; {possible}.")
    close = f"by less than {options['epsilon']:g} on average (0: the same, 1: as different as can be)"
    lines.append(f"It stops when the results still plausible differ {close}, or after {options['budget']} answers.")
    return lines


def _questions(kind: str, items: int) -> int:
    if kind == "triple":
        return items * (items - 1) * (items - 2) // 6
    return items if kind == "label" else items * (items - 1) // 2


def some(names: Sequence[str], count: int = 3) -> str:
    """The first few names, and how many more there are.

    >>> some(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    more = f" and {len(names) - count} more" if len(names) > count else ""
    return ", ".join(names[:count]) + more
