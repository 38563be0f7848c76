"""What every goal does: plain options, a session with its stopping rule, and a recipe to build it again from JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import partial
from inspect import signature
from typing import Any

from askwise.encode import MISSING, Items, encode
from askwise.errors import DataError, RuleError, SettingError
from askwise.options import LARGEST_SEED, choice, column, columns, flag, number, shown, whole_number
from askwise.posteriors import Posterior
from askwise.posteriors.logconcave import LARGEST_SCALE, SMALLEST_SCALE
from askwise.problem import Problem
from askwise.reading import Recipe
from askwise.session import MAX_DRAWS, Session
from askwise.stopping import Budget, DiameterBelow, Stop, any_of
from askwise.tables import table

CANDIDATES = 500  # questions that are scored, of more than can be scored whole
BUDGET = 300  # answers after which a goal stops by default, settled or not
# what another goal on the same answers may set anew: none of it changes a belief
WANTS = ("by", "k", "item", "score", "rows", "fair_on", "fairness_weight", "epsilon", "delta", "budget", "rule")
GOALS: dict[str, Callable[..., Session]] = {}  # by name; the package puts them in
# rows that a new session takes at most: beyond, a question takes more than a person's patience
LIMITS = {
    "best_column": 5_000,
    "best_item": 10_000,
    "classifier": 200_000,
    "cluster_of": 2_000,
    "clusters": 1_000,
    "hierarchy": 300,
    "ranking": 1_000,
    "top_k": 5_000,
}
# how an option becomes plain, by its name, unless it is None; its limits are checked where it is used
PLAIN: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("name", "image", "fair_on"), column),
    **dict.fromkeys(("repeat", "ties"), flag),
    **dict.fromkeys(("budget", "decimals", "k", "rank"), whole_number),
    **dict.fromkeys(("delta", "epsilon", "fairness_weight", "individual", "noise", "strength", "trust"), number),
    "draws": partial(whole_number, at_least=2, at_most=MAX_DRAWS),
    "features": columns,
    "missing": partial(choice, known=MISSING),
    "prior_scale": partial(number, at_least=SMALLEST_SCALE, at_most=LARGEST_SCALE),
    "seed": partial(whole_number, at_least=0, at_most=LARGEST_SEED),
}
_remaking: ContextVar[bool] = ContextVar("_remaking", default=False)  # True: what was saved is taken as it is


def build(
    goal: str,
    data: Any,
    options: dict[str, Any],
    problem: Problem,
    prior: Posterior,
    describe: Callable[[Any], Any],
    stop: Stop | None = None,
    candidates: int = CANDIDATES,
) -> Session:
    """The session of a goal; a rule of one's own is not JSON, so such a session has no recipe."""
    return Session(
        problem,
        prior,
        rule=options["rule"],
        stop=stop or any_of(DiameterBelow(options["epsilon"], options["delta"]), Budget(options["budget"])),
        seed=options["seed"],
        draws=options["draws"],
        candidates=candidates,
        repeat=options["repeat"],
        describe=describe,
        recipe={"goal": goal, "data": table(data), "options": options} if isinstance(options["rule"], str) else None,
        remake=remake,
    )


def check_rows(goal: str, rows: int) -> None:
    """Refuses a new session with more rows than its goal takes; one that was saved opens whatever its size.

    >>> check_rows("hierarchy", 400)
    Traceback (most recent call last):
    askwise.errors.DataError: hierarchy takes up to 300 rows, got 400; give a part of them
    """
    if rows > LIMITS[goal] and not _remaking.get():
        raise DataError(f"{goal} takes up to {LIMITS[goal]:,} rows, got {rows:,}; give a part of them")


def remake(recipe: Recipe) -> Session:
    """The session of a recipe, new, which it keeps as it is. A rule that older studies may have and that does not suit
    their questions gives way to the default: what was answered stays within reach."""
    try:
        session = _made(recipe)
    except RuleError:
        session = _made({**recipe, "options": {**recipe["options"], "rule": "expected"}})
    session.recipe = recipe
    return session


def _made(recipe: Recipe) -> Session:
    before = _remaking.set(True)
    try:
        return GOALS[recipe["goal"]](recipe["data"], **recipe["options"])
    except (KeyError, TypeError) as error:
        raise DataError(f"the session names a goal or an option that this askwise does not know: {error}") from None
    finally:
        _remaking.reset(before)


def other_goal(recipe: Recipe, goal: str, wanted: Mapping[str, Any]) -> Recipe:
    """The recipe of another goal on the same data: what shapes beliefs is kept, the rest is as wanted or by default."""
    if not (isinstance(goal, str) and goal in GOALS):
        raise SettingError(f"there is no goal {shown(goal)}; the goals are {', '.join(sorted(GOALS))}")
    known = signature(GOALS[goal]).parameters
    for option in wanted:
        if option not in known or option not in WANTS:
            told = "shapes what the answers so far mean" if option in known else f"is not an option of {goal}"
            raise SettingError(f"{option} {told}; another goal may set {', '.join(o for o in known if o in WANTS)}")
    if goal != recipe["goal"]:
        check_rows(goal, max(map(len, recipe["data"].values()), default=0))
    kept = {option: value for option, value in recipe["options"].items() if option in known and option not in WANTS}
    made = _made({"goal": goal, "data": recipe["data"], "options": {**kept, **wanted}}).recipe
    if made is None:
        raise SettingError("a function cannot be kept in a file; choose a rule and a score by their names")
    return made


def plain_options(goal: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a goal as JSON can hold them; None stands only where it is the default.

    >>> plain_options("ranking", {"data": ["tea", "milk"], "budget": 20.0, "draws": None})
    {'budget': 20, 'draws': None}
    """
    known = signature(GOALS[goal]).parameters
    return {
        option: PLAIN[option](option, value)
        if option in PLAIN and not (value is None and known[option].default is None)
        else value
        for option, value in arguments.items()
        if option != "data"
    }


def encoded(goal: str, data: Any, options: Mapping[str, Any]) -> Items:
    """The items of a goal, no more than it takes."""
    items = encode(data, **{option: options[option] for option in ("name", "image", "features", "missing")})
    check_rows(goal, len(items.names))
    return items
