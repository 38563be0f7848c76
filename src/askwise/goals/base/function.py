"""The Python function of a goal, derived from its class: signature, documentation and static types."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, Protocol, TypeVar

from askwise.data.tables import Columns
from askwise.goals.base.files import session_of_file
from askwise.goals.base.goal import Goal
from askwise.goals.base.options import declared
from askwise.session import Session

P = ParamSpec("P")
Data = TypeVar("Data", contravariant=True)


class ResolvesData(Protocol[Data]):
    """A goal that takes such data."""

    def resolve(self, data: Data) -> tuple[Columns, object]: ...


class GoalFunction(Protocol[Data, P]):
    """The function of a goal: the data first, or the file or folder that holds them, then the goal's options."""

    def __call__(self, data: Data | str | Path, *options: P.args, **named: P.kwargs) -> Session: ...


def python_function(goal: Callable[P, ResolvesData[Data]]) -> GoalFunction[Data, P]:
    """The function that builds a session of a goal: the data first, then the goal's options.

    >>> from askwise.goals.top_k import TopKGoal
    >>> function = python_function(TopKGoal)
    >>> function(["tea", "milk", "water"], 2)
    <Session: top_k, 0 answers, 0 open>
    >>> function(["tea", "milk", "water"], 2, epsilom=0.1)
    Traceback (most recent call last):
        ...
    TypeError: top_k() has no option 'epsilom'; did you mean 'epsilon'?
    """
    assert isinstance(goal, type)
    assert issubclass(goal, Goal)
    kind: type[Goal] = goal
    taken = inspect.signature(kind.resolve).parameters["data"].annotation.split(" | ")
    taken = " | ".join(dict.fromkeys([*taken, "str", "Path"]))
    data = inspect.Parameter("data", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=taken)
    options = inspect.signature(kind).parameters.values()
    signature = inspect.Signature([data, *options], return_annotation=Session)

    def function(*args: Any, **options: Any) -> Session:
        unknown = next((name for name in options if name not in signature.parameters), None)
        if unknown is not None:
            near = difflib.get_close_matches(unknown, signature.parameters, 1)
            known = f"did you mean {near[0]!r}?" if near else f"the options are {', '.join(signature.parameters)}"
            raise TypeError(f"{kind.goal_name}() has no option {unknown!r}; {known}")
        try:
            given = dict(signature.bind(*args, **options).arguments)
        except TypeError as error:
            raise TypeError(f"{kind.goal_name}(): {error}; help(askwise.{kind.goal_name}) lists the options") from None
        found = given.pop("data")
        return session_of_file(kind, found, given) if isinstance(found, str | Path) else kind(**given).session(found)

    function.__name__ = function.__qualname__ = kind.goal_name
    function.__module__ = kind.__module__
    function.__doc__ = documentation(kind)
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__annotations__ = {each.name: each.annotation for each in (data, *options)} | {"return": Session}
    return function


def documentation(goal: type[Goal]) -> str:
    """The docstring of a goal's function: that of its class, with a line for each parameter before the example.

    >>> from askwise.goals.top_k import TopKGoal
    >>> print(documentation(TopKGoal).splitlines()[3])
    :param k: How many items.
    """
    told = inspect.getdoc(goal) or ""
    text, mark, example = told.partition("\n>>> ")
    known = declared(goal).items()
    helps = "\n".join(f":param {name}: {option.help} {option.in_python}".rstrip() for name, option in known)
    return f"{text.rstrip()}\n\n:param data: {goal.data_help}\n{helps}\n{mark}{example}\n"
