"""Axes: round numbers, and how they are written."""

from __future__ import annotations

from math import ceil, floor, log10

ROUND_STEPS = (1, 2, 5, 10)
MINUS = "\N{MINUS SIGN}"


def ticks(low: float, high: float, about: int = 4) -> list[float]:
    """Round numbers from at most `low` to at least `high`.

    >>> ticks(0.0, 0.47)
    [0.0, 0.2, 0.4, 0.6]
    """
    rough = (high - low) / about or 1.0
    scale = 10.0 ** floor(log10(rough))
    step = scale * next(factor for factor in ROUND_STEPS if factor * scale >= rough * 0.999)
    return [round(count * step, 12) for count in range(floor(low / step + 1e-9), ceil(high / step - 1e-9) + 1)]


def tick_label(value: float) -> str:
    """A number in few digits.

    >>> tick_label(0.30000000000000004), tick_label(12.0), tick_label(-1.256)
    ('0.3', '12', '−1.26')
    """
    return f"{value:.3g}".replace("-", MINUS)


def long_label(value: float) -> str:
    """A number in as many digits as years and counts have.

    >>> long_label(1995.0), long_label(-0.30000000000000004)
    ('1995', '−0.3')
    """
    return f"{value:.6g}".replace("-", MINUS)
