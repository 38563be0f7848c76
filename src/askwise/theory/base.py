"""What the bounds share: pairs of numbers, an index, and checks of arguments."""

from __future__ import annotations

from math import ceil, inf
from typing import Generic, NamedTuple, TypeVar

from askwise.errors import SettingError

Value = TypeVar("Value")
MIN_COUNTS = {
    "atoms": 1,
    "dimension": 1,
    "items": 1,
    "k": 1,
    "labels": 2,
    "points": 1,
    "responses": 2,
    "round": 1,
}  # what is counted, and its least value


class Bound(NamedTuple, Generic[Value]):
    """One quantity twice: as the paper prints it, and corrected."""

    printed: Value  # the value as the paper prints it
    corrected: Value  # the value with the paper's slips corrected


class Index(NamedTuple):
    """While the average diameter is above epsilon, a share tau of the atoms splits it by rho."""

    rho: float  # the share of the average diameter that such an atom takes off
    epsilon: float  # the average diameter down to which this holds
    tau: float  # the share of the atoms that split so well


def unchanged(value: Value) -> Bound[Value]:
    """A bound that is right as printed."""
    return Bound(value, value)


def round_up(value: float) -> float:
    """The next whole number; infinity stays."""
    return value if value == inf else float(ceil(value))


def check_arguments(**values: float) -> None:
    """Refuses an argument of a bound that its name does not allow."""
    for name, value in values.items():
        right, expected = 0 < value <= 1, "above 0 and at most 1"
        if name in MIN_COUNTS:
            right = value >= MIN_COUNTS[name] and float(value).is_integer()
            expected = f"a whole number of at least {MIN_COUNTS[name]}"
        elif name == "closeness":
            right, expected = 1 <= value < inf, "at least 1"
        if not right:
            raise SettingError(f"{name} must be {expected}, got {value}")
