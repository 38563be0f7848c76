"""The page that `askwise demo` leaves behind."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from askwise.data.formats import heading_of
from askwise.data.presentation import differing_columns
from askwise.goals.base.charts import Table
from askwise.report.charts import Curves, Line
from askwise.report.templating import render
from askwise.session.events import SIDES
from askwise.simulate.demo import CarBuyer, Step
from askwise.stopping.certificate import Certificate
from askwise.types import Option

QUESTION_COLUMNS = ("#", "left", "right", "undecided", "best guess")
MAX_FIELDS = 3  # beside a name


def demo_page(
    buyer: CarBuyer, steps: Sequence[Step], certificate: Certificate, random_steps: Sequence[Step], random_reason: str
) -> str:
    """The result first, the certificate, the curves beside the same buyer asked at random, and every question."""

    def curves(title: str, value: Callable[[Step], float]) -> Curves:
        runs = {"chosen by askwise": steps, "at random": random_steps}
        lines = [
            Line(name, [[(float(number), value(step)) for number, step in enumerate(run, 1)]])
            for name, run in runs.items()
        ]
        return Curves(title, "questions", lines)

    return render(
        "demo.html",
        title=f"askwise: a car found in {len(steps)} questions",
        found=steps[-1],
        steps=steps,
        cars=len(buyer.table),
        truth=truth_sentence(buyer, steps[-1]),
        certificate=certificate,
        random=random_sentence(random_steps, random_reason),
        undecided=curves("Undecided after each question", lambda step: step.diameter),
        regret=curves("Regret of the best guess after each question", lambda step: step.regret),
        questions=Table("", QUESTION_COLUMNS, tuple(map(_row, range(1, len(steps) + 1), steps)), numeric=(0, 3)),
    )


def truth_sentence(buyer: CarBuyer, found: Step) -> str:
    """What the hidden taste says about the find."""
    if found.guess == buyer.best:
        return "It is indeed the buyer's favourite."
    return f"The buyer's favourite is the {buyer.best}; this one is {100 * found.regret:.1f} % of the range below it."


def random_sentence(steps: Sequence[Step], reason: str) -> str:
    """How the same buyer fared with random questions."""
    return f"The same buyer asked at random: {steps[-1].guess} after {len(steps)} questions ({reason})."


def _row(number: int, step: Step) -> tuple[str, ...]:
    chosen = SIDES[str(step.response)]
    differing = differing_columns(step.question.options)
    left, right = (
        f"{option.name}{' ✓' * (side == chosen)} ({_fields(option, differing)})"
        for side, option in enumerate(step.question.options)
    )
    return str(number), left, right, f"{step.diameter:.3f}", step.guess


def _fields(option: Option, columns: Collection[str]) -> str:
    """The first fields of an option among these columns: "price 8,400, drive front"."""
    some = [(column, value) for column, value in option.fields.items() if column in columns][:MAX_FIELDS]
    return ", ".join(f"{heading_of(column, value)} {value}" for column, value in some)
