"""Who of a group has not answered, and whether the others could settle the choice without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from askwise._runtime.streams import stream
from askwise.distances import Distance
from askwise.session import Session


@dataclass(frozen=True)
class Absence:
    """Who of a group is silent, and who does not count. The names are those that the log has for people.

    >>> print(Absence(("Dan", "Eva"), settled_without=True))
    Dan, Eva hold the choice up: without them, it would be settled, or nearly so.
    >>> print(Absence(("Eva",), settled_without=False))
    As long as Eva counts and does not answer, the choice may stay undecided.
    """

    silent: tuple[str, ...]  # count, but have not answered, while others have
    settled_without: bool  # whether the choice would be settled if these did not count
    left_out: tuple[str, ...] = ()  # do not count

    def __str__(self) -> str:
        if not self.silent:
            return ""
        names, one = ", ".join(self.silent), len(self.silent) == 1
        if self.settled_without:
            holds, them = ("holds", names) if one else ("hold", "them")
            return f"{names} {holds} the choice up: without {them}, it would be settled, or nearly so."
        counts = "counts and does" if one else "count and do"
        return f"As long as {names} {counts} not answer, the choice may stay undecided."

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it.

        >>> Absence((), False, ("Eva",)).as_dict()["left_out"]
        ['Eva']
        """
        lists = {"silent": list(self.silent), "left_out": list(self.left_out)}
        return {**lists, "settled_without": self.settled_without, "text": str(self)}


def silent_people(names: Sequence[str], answers: Sequence[int]) -> tuple[str, ...]:
    """Those who gave no answer, if anybody gave one.

    >>> silent_people(["Ann", "Eva"], [3, 0]), silent_people(["Ann", "Eva"], [0, 0])
    (('Eva',), ())
    """
    return tuple(name for name, count in zip(names, answers, strict=True) if not count) if any(answers) else ()


def settled_with(session: Session, distance: Distance) -> bool:
    """Whether the session would be settled now if its problem had this distance.

    >>> from askwise.goals import best_item
    >>> session = best_item(["tea", "coffee"], seed=1)
    >>> settled_with(session, session.problem.distance)
    False
    """
    config, round = session.config, session.round
    if config.stop is None:
        return False
    problem, rng = replace(config.problem, distance=distance), stream(config.seed, round.number, "absence")
    reason: Any = config.stop(problem, round.posterior, session.sample, len(session.answers), round.number + 1, rng)
    return getattr(reason, "kind", None) == "settled"
