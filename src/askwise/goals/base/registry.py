"""Finds goals by name: those of this package, one module each, and those of plug-ins (entry points `askwise.goals`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from askwise import goals as package
from askwise._runtime import plugins
from askwise.distances import GROUP as DISTANCES
from askwise.distances import built_in_distances
from askwise.errors import DataError, PluginError, SettingError, StrategyError
from askwise.goals.base.goal import Goal, check_rows, row_count
from askwise.goals.base.options import declared, default_of
from askwise.goals.base.shapes import LINEAR_WITHOUT_LAPSES
from askwise.goals.base.texts import to_cli_name
from askwise.options import refusal, shown
from askwise.session import Session
from askwise.session.config import Present
from askwise.session.wording import WORDING_CHECKS, wording_of
from askwise.strategies import GROUP as STRATEGIES
from askwise.strategies import built_in_strategies

GROUP = "askwise.goals"
Recipe = Mapping[str, Any]  # a goal, its data and its options
Names = Callable[[], Mapping[str, Any]]
# options that name something a plug-in may register -> its group, and the names that need no plug-in
NAMED: dict[str, tuple[str, Names]] = {
    "by": (DISTANCES, built_in_distances),
    "rule": (STRATEGIES, built_in_strategies),
}


@cache
def built_in() -> Mapping[str, type[Goal]]:
    """The goals of this package by name: a module each, of the same name.

    >>> built_in()["top_k"].title
    'Which few items are the best'
    """
    found: dict[str, type[Goal]] = {}
    for module in iter_modules(package.__path__):
        if not module.ispkg:
            content = vars(import_module(f"{package.__name__}.{module.name}"))
            found[module.name] = next(each for each in content.values() if _is_goal(each, module.name))
    return found


def goals() -> Mapping[str, type[Goal]]:
    """All goals by name in the order of lists, with those of plug-ins; a plug-in that fails to load is left out.

    >>> list(goals())[0]
    'best_item'
    """
    others = {name: goal for name, goal in plugins.load_all(GROUP).items() if _is_goal(goal, name)}
    found: dict[str, type[Goal]] = {**others, **built_in()}
    return dict(sorted(found.items(), key=lambda named: (named[1].order, named[0])))


def goal_class(name: Any, typed: bool = False) -> type[Goal]:
    """The goal of that name, as Python or the command line spells it; `typed` goals are listed as they are typed.

    :param name: The name, such as "best_item" or "best-item".
    :param typed: Whether a refusal lists goals as they are typed on the command line.

    >>> goal_class("top-k").goal_name
    'top_k'
    """
    if not isinstance(name, str):
        raise refusal("goal", name, "the name of a goal")
    plain = name.replace("-", "_")
    if plain in built_in():
        return built_in()[plain]
    if plain not in plugins.registered(GROUP):
        known = ", ".join(to_cli_name(each) if typed else each for each in sorted(goals()))
        raise SettingError(f"there is no goal {shown(name)}; the goals are {known}")
    found = plugins.load(GROUP, plain)
    if not _is_goal(found, plain):
        told = f"the plug-in {plugins.provider(GROUP, plain)} registers {plain!r}, which is no Goal with that goal_name"
        raise PluginError(f"{told}; update or uninstall it")
    return found


def goal_from(recipe: Recipe) -> Goal:
    """The goal of a recipe with its options as they were saved.

    >>> goal_from({"goal": "top_k", "options": {"k": 2}}).k
    2
    """
    goal, options = goal_class(recipe["goal"]), recipe["options"]
    known = declared(goal)
    for name in options:
        if name not in known:
            raise SettingError(f"{name} is not an option of {recipe['goal']}")
    if "shape" in known:
        options = {"shape": LINEAR_WITHOUT_LAPSES, **options}  # the only one, before there was a choice
    if "position_bias" in known:
        options = {"position_bias": False, **options}  # studies made before it was learned mean what they meant
    if "readings" in known:
        options = {"readings": {}, **options}  # such studies took texts as they were
    try:
        return goal(**options)
    except TypeError as error:  # an option without a default is missing
        raise SettingError(f"the goal {recipe['goal']} lacks an option ({error})") from None


def goal_of(session: Session) -> Goal:
    """The goal that a session pursues now.

    :param session: A session that a goal made.

    >>> from askwise import best_item
    >>> goal_of(best_item(["tea", "coffee"], seed=1)).goal_name
    'best_item'
    """
    pursued = session.pursued
    if pursued is not None:
        return goal_from(pursued)
    if not isinstance(session.goal, Goal):
        raise SettingError("the session was built by hand, so its goal is not known; build it by one of the goals")
    return session.goal


def remake(recipe: Recipe) -> Session:
    """A new session of a recipe, which it keeps as it is.

    Older studies may have a strategy that does not suit their questions: the default takes its place, so that the
    answers can still be read.

    :param recipe: What a file keeps of a session: the goal, its options and the data.

    >>> from askwise import best_item
    >>> remake(best_item(["tea", "coffee"], seed=1).recipe)
    <Session: best_item, 0 answers, 0 open>
    """
    try:
        for option, package_name in recipe.get("plugins", {}).items():
            _require_plugin(recipe, option, package_name)
        goal, data = goal_from(recipe), recipe["data"]
    except PluginError:
        raise
    except (AttributeError, KeyError, TypeError, SettingError) as error:
        raise DataError(f"the session names a goal or an option that this askwise does not know: {error}") from None
    try:
        session = goal.session(data, saved=True)
    except StrategyError:
        session = replace(goal, rule="expected").session(data, saved=True)
    session.recipe = recipe
    session.wording = wording_of(recipe)
    return session


def change_options(recipe: Recipe, goal: Any, wanted: Mapping[str, Any]) -> Recipe:
    """The recipe of another goal on the same data: what shapes beliefs stays, the rest is as wanted or by default. If
    the goal is the same, all that is not given stays.

    >>> from askwise import best_item
    >>> recipe = best_item(["tea", "coffee", "water"], seed=1).recipe
    >>> change_options(recipe, "top_k", {"k": 2})["options"]["k"]
    2
    """
    other = goal_class(goal)
    known = declared(other)
    changeable = [name for name, each in known.items() if each.changeable]
    for name in wanted:
        if name not in changeable:
            told = "shapes what the answers so far mean" if name in known else f"is not an option of {other.goal_name}"
            raise SettingError(f"{name} {told}; another goal may set {', '.join(changeable)}")
    same = other.goal_name == recipe["goal"]
    if not same:
        check_rows(other, row_count(recipe["data"]))
    kept = {
        name: value
        for name, value in recipe["options"].items()
        if name in known
        and (same or name not in changeable or known[name].shown or name in WORDING_CHECKS)
        and (value is not None or default_of(other, name) is None)
    }
    changed = goal_from({"goal": other.goal_name, "options": {**kept, **wanted}})
    made = changed.session(recipe["data"], saved=True).recipe
    if made is None:
        raise SettingError(
            "a file cannot hold a function or an object; choose a strategy, a distance and a score by name"
        )
    return made


def shown_options(goal: type[Goal]) -> set[str]:
    """The options of a goal that only change what people see.

    >>> sorted(shown_options(goal_class("best_item")))
    ['body_format', 'show']
    """
    return {name for name, option in declared(goal).items() if option.shown}


def presentation_of(recipe: Recipe) -> Present | None:
    """What completes the questions of a recipe with what people see; None where a question says it all.

    >>> from askwise import best_item
    >>> from askwise.types import Option
    >>> present = presentation_of(best_item({"name": ["tea", "milk"], "price": [2, 1]}).recipe)
    >>> present([Option("tea", row=0)], "pair", [0, 1])[0].fields
    {'price': '2'}
    """
    return goal_from(recipe).checked().presentation(recipe["data"])


def plugins_used(goal: str, options: Mapping[str, Any]) -> dict[str, str]:
    """The packages behind the names that plug-ins register: "goal" or an option -> package.

    >>> plugins_used("best_item", {"rule": "expected", "by": "regret"})
    {}
    """
    used = {} if goal in built_in() else {"goal": plugins.provider(GROUP, goal)}
    for option, (group, own) in NAMED.items():
        name = options.get(option)
        if isinstance(name, str) and name not in own():
            used[option] = plugins.provider(group, name)
    return {option: package_name for option, package_name in used.items() if package_name}


def _is_goal(found: Any, name: str) -> bool:
    return isinstance(found, type) and issubclass(found, Goal) and vars(found).get("goal_name") == name


def _require_plugin(recipe: Recipe, option: str, package_name: str) -> None:
    """Says which plug-in a study needs, if it is not there."""
    name = recipe["goal"] if option == "goal" else recipe["options"].get(option)
    group, own = (GROUP, built_in) if option == "goal" else NAMED[option]
    if name is None or name in own():  # the goal has changed since
        return
    if name not in plugins.registered(group):
        told = f"the study needs the {option} {shown(name)} of the plug-in {package_name}, which is not installed"
        raise PluginError(f"{told}; install it with: pip install {package_name}")
    plugins.load(group, name)
