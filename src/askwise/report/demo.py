"""The page that `askwise demo` leaves behind."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from askwise.certificate import Certificate
from askwise.report.curves import curves_svg
from askwise.simulate.demo import Buyer, Step

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>askwise: a car found in {count} questions</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b; }}
h1 {{ line-height: 1.2; }} .answer {{ font-size: 1.2rem; }} svg {{ max-width: 100%; height: auto; }}
table {{ border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }}
th, td {{ text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #ddd; }} .picked {{ font-weight: 600; }}
</style>
<h1>{found}</h1>
<p class="answer">Found in {count} questions among {cars} cars. {truth}</p>
<p>{certificate}</p>
<p>{beside}</p>
{picture}
<h2>Every question</h2>
<table><tr><th>#</th><th>left</th><th>right</th><th>undecided</th><th>best guess</th></tr>
{rows}
</table>
</html>
"""


def demo_page(
    buyer: Buyer, steps: Sequence[Step], certificate: Certificate, random_steps: Sequence[Step], random_reason: str
) -> str:
    """The result first, the certificate, the curves beside the same buyer asked at random, and every question."""
    both = {"chosen by askwise": steps, "at random": random_steps}
    picture = curves_svg(
        {
            "Undecided: average diameter": {name: [step.diameter for step in run] for name, run in both.items()},
            "Regret of the best guess": {name: [step.regret for step in run] for name, run in both.items()},
        }
    )
    found = steps[-1]
    return PAGE.format(
        found=escape(found.guess),
        count=len(steps),
        cars=len(buyer.table),
        truth=escape(truth_sentence(buyer, found)),
        certificate=escape(str(certificate)),
        beside=escape(random_sentence(random_steps, random_reason)),
        picture=picture,
        rows="\n".join(_row(number, step) for number, step in enumerate(steps, 1)),
    )


def truth_sentence(buyer: Buyer, found: Step) -> str:
    """What the hidden taste says about the find."""
    if found.guess == buyer.best:
        return "It is indeed the buyer's favourite."
    return f"The buyer's favourite is the {buyer.best}; this one is {found.regret:.1%} of the range below it."


def random_sentence(steps: Sequence[Step], reason: str) -> str:
    """How the same buyer fared with random questions."""
    return f"The same buyer asked at random: {steps[-1].guess} after {len(steps)} questions ({reason})."


def _row(number: int, step: Step) -> str:
    picked = {"left": 0, "right": 1}[str(step.response)]
    cells = [
        f'<td class="picked">{escape(option.name)}</td>' if place == picked else f"<td>{escape(option.name)}</td>"
        for place, option in enumerate(step.question.options)
    ]
    return f"<tr><td>{number}</td>{''.join(cells)}<td>{step.diameter:.3f}</td><td>{escape(step.guess)}</td></tr>"
