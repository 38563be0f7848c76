"""The charts and lines behind "What mattered", from the effects of the columns."""

from __future__ import annotations

from dataclasses import replace

from askwise.goals.base.charts import MAX_BARS, Chart, CurvePoint, EffectCurve, Interval, Intervals, Result, Table
from askwise.goals.base.effects import BEND_CHANCE, SHARE_UNIT
from askwise.goals.base.texts import percent
from askwise.session import Session
from askwise.session.effects import CredibleInterval, Effect, Effects
from askwise.types import Sample

MAX_SENTENCES = 3  # in words, the strongest first
MAX_DETAILS = 3  # columns with a chart of their own
MIN_LEVELS = 3  # of a category, from which on a chart says more than the sentence
MINUS = "\N{MINUS SIGN}"


def with_effects(result: Result, session: Session, sample: Sample) -> Result:
    """The result with the charts "What mattered", where the goal has them and somebody has answered.

    >>> from askwise import best_item
    >>> session = best_item({"name": ["tea", "milk", "wine"], "price": [1.0, 2.0, 9.0]}, seed=1)
    >>> session.tell("left", session.ask())
    >>> [chart.title for chart in with_effects(Result("Which?"), session, session.sample).charts]
    ['What mattered']
    """
    if session.config.effects is None or not has_effects(session):
        return result
    found = session.round.effects if sample is session.sample else session.config.effects(sample)
    return replace(result, charts=(*result.charts, *effect_charts(found)))


def has_effects(session: Session) -> bool:
    """Whether there is something to say: the table has columns, and somebody has answered.

    >>> from askwise import best_item
    >>> has_effects(best_item(["tea", "milk"], seed=1))
    False
    """
    return session.config.effects is not None and bool(session.answers)


def effect_sentences(effects: Effects) -> list[str]:
    """The strongest clear effects, each in words.

    >>> effect = Effect("price", (), CredibleInterval(0.1, 0.2, 0.3), 0.0, True, "Higher is better.")
    >>> effect_sentences(Effects((effect,), None, SHARE_UNIT))
    ['price: higher is better.']
    """
    return [str(effect) for effect in effects if effect.clear][:MAX_SENTENCES]


def effect_charts(effects: Effects) -> list[Chart]:
    """How much each column matters, and the curves and levels of the strongest ones."""
    charts: list[Chart] = [_importance_chart(effects)]
    for effect in effects:
        if len(charts) <= MAX_DETAILS and effect.clear:
            chart = _detail_chart(effect, effects.unit, f"effect-{len(charts)}")
            charts += [] if chart is None else [chart]
    return charts


def _importance_chart(effects: Effects) -> Chart:
    shares = effects.unit == SHARE_UNIT
    what = (
        "how far a score moves from a column's least liked value to its most liked one, as a share of the range from "
        "the worst item to the best"
        if shares
        else "how far a column moves the log odds of a label, from its lowest to its highest point"
    )
    lead = f"The dot says {what}. The line holds the truth with a probability of 80 %."
    if effects.explained is not None:
        rest = "the rest is what columns do together" + (" and each item's own appeal." if shares else ".")
        lead += f" One by one, the columns explain {_in_text(effects.explained, True)} of how scores differ; {rest}"
    drawn = tuple(
        Interval(_name(effect), *effect.importance, _number(effect.importance.middle, shares))
        for effect in effects.columns[:MAX_BARS]
    )
    rows = tuple(
        (
            _name(effect),
            _in_text(effect.importance, shares),
            percent(effect.bends) if _is_numeric(effect) else "",
            effect.sentence,
        )
        for effect in effects
    )
    table = Table("Every column as a table", ("column", "matters by", "bends", "in words"), rows, numeric=(1, 2))
    axis = "share of the range, worst to best" if shares else "log odds"
    words = tuple(effect_sentences(effects)) or ("No column has a clear effect yet.",)
    title, others = "What mattered", len(effects) - len(drawn)
    return Intervals("effects", title, lead, table, axis, drawn, others, notes=words)


def _detail_chart(effect: Effect, unit: str, id: str) -> Chart | None:
    """The curve of a column that bends, or the levels of a category; None where the sentence says it all."""
    shares = unit == SHARE_UNIT
    numeric = _is_numeric(effect)
    if (numeric or effect.bends) and effect.bends < BEND_CHANCE:
        return None
    if not numeric and len(effect.points) < MIN_LEVELS:
        return None
    compared = "What each value adds to the score, or takes from it, compared with the average item"
    unit_words = "as a share of the range from the worst item to the best" if shares else f"in {unit}"
    sure = "The thin lines hold" if numeric else "The line holds"
    lead = f"{effect.sentence} {compared}, {unit_words}. {sure} the truth with a probability of 80 %."
    title = f"How {_name(effect)} mattered"
    rows = tuple(
        (
            _value(p.value),
            _number(p.middle, shares, True),
            f"{_number(p.low, shares, True)} to {_number(p.high, shares, True)}",
        )
        for p in effect.points
    )
    table = Table("Every value as a table", (effect.name, "effect", "80 % interval"), rows, numeric=(1, 2))
    if numeric:
        points = tuple(CurvePoint(float(p.value), p.low, p.middle, p.high) for p in effect.points)
        return EffectCurve(id, title, lead, table, effect.name, points)
    drawn = tuple(
        Interval(_value(p.value), p.low, p.middle, p.high, _number(p.middle, shares, True))
        for p in effect.points[:MAX_BARS]
    )
    return Intervals(id, title, lead, table, "effect", drawn, len(effect.points) - len(drawn))


def _is_numeric(effect: Effect) -> bool:
    return bool(effect.points) and not isinstance(effect.points[0].value, str)


def _name(effect: Effect) -> str:
    return effect.name if effect.label is None else f"{effect.label}: {effect.name}"


def _value(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.6g}".replace("-", MINUS)


def _number(value: float, shares: bool, signed: bool = False) -> str:
    """A number of a chart: in per cent where it is a share.

    >>> _number(0.234, True), _number(-1.5, False, signed=True)
    ('23 %', '−1.50')
    """
    sign = "+" if signed else ""
    text = f"{100 * value:{sign}.0f} %" if shares else f"{value:{sign}.2f}"
    return text.replace("-", MINUS)


def _in_text(band: CredibleInterval, shares: bool) -> str:
    low, high = _number(band.low, shares).removesuffix(" %"), _number(band.high, shares).removesuffix(" %")
    return f"{_number(band.middle, shares)} ({low} to {high})"
