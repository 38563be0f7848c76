"""What a group thinks of an item: how each person likes it, who would rather have another one, and who agrees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from askwise.goals.base.charts import HeatMap, HeatRow, Interval, Intervals, Table
from askwise.goals.base.findings import INTERVAL_SHARES, quantiles
from askwise.goals.base.texts import percent
from askwise.types import Floats

SURE = 0.8  # the chance from which on somebody is said to like one item better than another
AGREEMENT_DRAWS = 100  # on which orders are compared: the cost grows with items^2
MAX_COLUMNS = 8  # items in the map of everybody's tastes
NUMBERS = ("nobody", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


@dataclass(frozen=True)
class PersonFinding:
    """One person and the item chosen for the group. Utilities are from 0 (their worst item) to 1 (their best)."""

    name: str
    answers: int
    low: float  # of the utility of the item: with `high`, the interval that holds it with a probability of 80 %
    utility: float
    high: float
    rank: float  # of the item, 1 the best; the mean over what is plausible
    favourite: int  # the item that they like most, on average over what is plausible
    favourite_utility: float
    agreement: float  # the share of pairs of items that they put in the same order as the others do on average


def person_findings(
    utilities: Floats, weights: Floats, names: Sequence[str], answers: Sequence[int], chosen: int
) -> list[PersonFinding]:
    """What each person thinks of the item `chosen`, from utilities (S, P, N).

    >>> tastes = np.array([[[1.0, 0.0, 0.4], [0.2, 1.0, 0.0]]])
    >>> found = person_findings(tastes, np.ones(1), ["Ann", "Ben"], [3, 0], chosen=0)
    >>> [(one.name, one.utility, one.rank, one.favourite) for one in found]
    [('Ann', 1.0, 1.0, 0), ('Ben', 0.2, 2.0, 1)]
    """
    worth = utilities[:, :, chosen]
    low, _, high = quantiles(worth, weights, INTERVAL_SHARES)
    ranks = weights @ (1 + (utilities > worth[:, :, None]).sum(axis=2))
    means = np.einsum("s,spn->pn", weights, utilities)
    agreement = agreement_with_others(utilities[:AGREEMENT_DRAWS], weights[:AGREEMENT_DRAWS])
    return [
        PersonFinding(
            name, answers[p], float(low[p]), float(means[p, chosen]), float(high[p]), float(ranks[p]),
            int(means[p].argmax()), float(means[p].max()), float(agreement[p]),
        )
        for p, name in enumerate(names)
    ]  # fmt: skip


def agreement_with_others(utilities: Floats, weights: Floats) -> Floats:
    """(P,): the share of pairs of items that each person puts in the order of the others' mean, from (S, P, N).

    >>> agreement_with_others(np.array([[[1.0, 0.5, 0.0], [1.0, 0.0, 0.5]]]), np.ones(1)).round(4)
    array([0.6667, 0.6667])
    """
    people, items = utilities.shape[1:]
    first, second = np.triu_indices(items, 1)
    found = np.ones(people)
    for p in range(people if people > 1 else 0):  # one person alone agrees with the others
        others = np.delete(utilities, p, axis=1).mean(axis=1)
        same = (utilities[:, p, first] > utilities[:, p, second]) == (others[:, first] > others[:, second])
        found[p] = weights @ same.mean(axis=1) / weights.sum()
    return found


def dissenters(utilities: Floats, weights: Floats, chosen: int, heard: Sequence[int]) -> list[tuple[int, list[int]]]:
    """The items that people would surely rather have than the one chosen, each with these people: most people first.
    Everybody who dissents is listed once. Only those who were `heard` count.

    >>> tastes = np.array([[[1.0, 0.0], [0.2, 1.0], [0.0, 1.0]]])
    >>> dissenters(tastes, np.ones(1), chosen=0, heard=[0, 1, 2])
    [(1, [1, 2])]
    """
    surely = np.einsum("s,spn->pn", weights, utilities > utilities[:, :, [chosen]]) >= SURE
    gains = np.where(surely, np.einsum("s,spn->pn", weights, utilities - utilities[:, :, [chosen]]), 0.0)
    left, found = list(heard), []
    while surely[left].any():
        item = int(np.lexsort((gains[left].sum(axis=0), surely[left].sum(axis=0)))[-1])
        with_them = [p for p in left if surely[p, item]]
        found.append((item, with_them))
        left = [p for p in left if p not in with_them]
    return found


def remarks_about(
    people: Sequence[PersonFinding], objections: Sequence[tuple[int, list[int]]], items: Sequence[str], chosen: int
) -> list[str]:
    """Who would rather have something else, and who was not heard: a sentence each.

    >>> ann = PersonFinding("Ann", 3, 0, 0.2, 0.4, 2, 1, 0.9, 0.6)
    >>> ben = PersonFinding("Ben", 0, 0, 0.5, 1, 1.5, 0, 0.6, 0.6)
    >>> remarks_about([ann, ben], [(1, [0])], ["tea", "milk"], 0)
    ['One of two (Ann) would rather have milk.', "Ben has not answered: this taste is known only through the others'."]
    """
    size = number_word(len(people))
    said = []
    for item, who in objections:
        names = ", ".join(people[p].name for p in who)
        said.append(f"{number_word(len(who)).capitalize()} of {size} ({names}) would rather have {items[item]}.")
    silent = [one.name for one in people if not one.answers]
    if len(silent) == len(people):
        return ["Nobody has answered yet."]
    if not said and not silent:
        said = [f"As far as is known, nobody would clearly rather have something else than {items[chosen]}."]
    if silent:
        verb, whose = ("has", "this taste is") if len(silent) == 1 else ("have", "these tastes are")
        said.append(f"{', '.join(silent)} {verb} not answered: {whose} known only through the others'.")
    return said


def number_word(count: int) -> str:
    """A small number as a word.

    >>> number_word(2), number_word(13)
    ('two', '13')
    """
    return NUMBERS[count] if count < len(NUMBERS) else str(count)


def people_chart(people: Sequence[PersonFinding], items: Sequence[str], chosen: int) -> Intervals:
    """How each person likes the item that was chosen, those who like it least first.

    >>> ann = PersonFinding("Ann", 3, 0.1, 0.2, 0.4, 2, 1, 0.9, 0.6)
    >>> people_chart([ann], ["tea", "milk"], 0).notes
    ('Would choose for themselves: milk (Ann).',)
    """
    ordered = sorted(people, key=lambda one: one.utility)
    rows = tuple(
        Interval(
            one.name, one.low, one.utility, one.high, f"{one.utility:.2f}" + ("" if one.answers else " (not heard)")
        )
        for one in ordered
    )
    others = [f"{items[one.favourite]} ({one.name})" for one in ordered if one.answers and one.favourite != chosen]
    notes = (f"Would choose for themselves: {', '.join(others)}.",) if others else ()
    headings = ("person", "answers", "likes it", "its rank", "own favourite", "likes that", "agrees with the others")
    cells = tuple(
        (
            one.name, str(one.answers), f"{one.utility:.2f}", f"{one.rank:.1f}", items[one.favourite],
            f"{one.favourite_utility:.2f}", percent(one.agreement),
        )
        for one in ordered
    )  # fmt: skip
    lead = (
        f"What {items[chosen]} is worth to each person: 0 is their worst item, 1 their best. The line holds it with a "
        "probability of 80 %. The table says how many pairs of items each person puts in the order of the others."
    )
    table = Table("Every person as a table", headings, cells, numeric=(1, 2, 3, 5, 6))
    return Intervals(
        "people", f"How everybody likes {items[chosen]}", lead, table, "0: worst, 1: best", rows, notes=notes
    )


def taste_map(
    utilities: Floats, weights: Floats, people: Sequence[PersonFinding], items: Sequence[str], likely: Sequence[int]
) -> HeatMap:
    """What each person thinks of the likely items and of everybody's favourites, from utilities (S, P, N).

    >>> tastes = np.array([[[1.0, 0.0]]])
    >>> ann = PersonFinding("Ann", 3, 1, 1, 1, 1, 0, 1, 1)
    >>> taste_map(tastes, np.ones(1), [ann], ["tea", "milk"], [1]).columns
    ('milk', 'tea')
    """
    shown = list(dict.fromkeys([*likely[:1], *(one.favourite for one in people), *likely]))[:MAX_COLUMNS]
    means = np.einsum("s,spn->pn", weights, utilities[:, :, shown])
    rows = tuple(
        HeatRow(one.name, tuple((float(value), f"{value:.2f}") for value in row))
        for one, row in zip(people, means, strict=True)
    )
    names = tuple(items[place] for place in shown)
    cells = tuple((row.name, *(text for _, text in row.cells)) for row in rows)
    table = Table("The map as a table", ("person", *names), cells, numeric=tuple(range(1, len(names) + 1)))
    lead = "What each person thinks of the candidates, from 0 (their worst item) to 1 (their best, dark)."
    return HeatMap("tastes", "Where people agree and where not", lead, table, columns=names, rows=rows)
