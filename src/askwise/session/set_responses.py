"""How people answer questions about several items: by name or by number, and with the worst one behind the best."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from askwise.stopping.outlook import Outlook

SET, BEST_WORST = "set", "best-worst"  # kinds of questions: the best of several items; the best and the worst
BETWEEN = " > "  # the best and the worst
OPTION_COLUMNS = tuple("abcdef")  # of tables: what a question showed, in the order shown


def as_spelled(question: Mapping[str, Any], response: Any) -> Any:
    """A response to a question about several items as the question spells it; one that it does not know stays.

    Items go by their names or by their numbers in the order shown. The best and the worst are two of them, such as
    {"best": "tea", "worst": "gin"}, or a text with ">" between them; two numbers need none.

    >>> drinks = {"kind": "best-worst", "options": [{"name": "tea"}, {"name": "milk"}, {"name": "gin"}],
    ...           "responses": []}
    >>> [as_spelled(drinks, said) for said in (("tea", "gin"), {"best": 1, "worst": "gin"}, "1 3", "tea>gin")]
    ['tea > gin', 'tea > gin', 'tea > gin', 'tea > gin']
    """
    names = [option["name"] for option in question["options"]]
    if question["kind"] == SET:
        return _name(names, response)
    if isinstance(response, Mapping) and set(response) == {"best", "worst"}:
        parts: Sequence[Any] = (response["best"], response["worst"])
    elif isinstance(response, list | tuple):
        parts = response
    elif isinstance(response, str) and response not in question["responses"]:
        numbers = re.fullmatch(r"\s*(\d+)[\s,]+(\d+)\s*", response)
        parts = numbers.groups() if numbers else re.split(r"\s*>\s*", response.strip())
    else:
        return response
    return BETWEEN.join(str(_name(names, part)) for part in parts) if len(parts) == 2 else response


def expected_response(question: Mapping[str, Any]) -> str:
    """What may be answered to a question for the best and the worst, for a message."""
    names = [option["name"] for option in question["options"]]
    return f"the best and the worst of {', '.join(map(repr, names))}, such as {question['responses'][0]!r}"


def outlooks_by_best(names: Sequence[str], outlooks: Sequence[Outlook]) -> list[Outlook]:
    """The outlooks of a question for the best and the worst of these items, one for each that may be the best.

    Six items have thirty answers, more than anybody reads. What would be left undecided is the mean over the worst
    ones; the estimate is that after the likeliest.

    >>> from askwise.stopping.certificate import Estimate
    >>> found = [Outlook("tea > gin", 0.6, 0.1, Estimate("tea", None, 0.1)),
    ...          Outlook("gin > tea", 0.4, 0.5, Estimate("gin", None, 0.1))]
    >>> [(one.response, one.chance, str(one.estimate)) for one in outlooks_by_best(["tea", "gin"], found)]
    [('tea', 0.6, 'tea'), ('gin', 0.4, 'gin')]
    """
    grouped = []
    for name in names:
        with_it = {f"{name}{BETWEEN}{other}" for other in names}
        each = [one for one in outlooks if one.response in with_it]
        chance = sum(one.chance for one in each)
        weights = [one.chance / chance if chance > 0 else 1 / len(each) for one in each]
        diameter = sum(weight * one.diameter for weight, one in zip(weights, each, strict=True))
        grouped.append(Outlook(name, chance, diameter, max(each, key=lambda one: one.chance).estimate))
    return grouped


def _name(names: Sequence[str], part: Any) -> Any:
    """The name that a number stands for; anything else stays."""
    if isinstance(part, bool | np.bool_) or not isinstance(part, str | int | np.integer):
        return part
    text = str(part).strip()
    known = text.casefold() in (name.casefold() for name in names)
    return names[int(text) - 1] if not known and re.fullmatch("[1-9]", text) and int(text) <= len(names) else part
