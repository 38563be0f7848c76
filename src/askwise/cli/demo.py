"""askwise demo: a simulated buyer finds a car."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from askwise.cli.common import draw_bar, escape_markup, stop_reason, write_page
from askwise.cli.fields import differing_line

RANDOM_BUDGET = 150  # questions after which the random buyer gives up

NEXT_STEPS = """
Now you. The same cars as a table; one of your own (CSV, Excel, Parquet, ...) will do:

    askwise example cars > cars.csv
    askwise new best-item cars.csv
    askwise ask cars.askwise
    askwise report cars.askwise

(In a clone of the repository the command is .venv/bin/askwise.)
"""


def demo(
    seed: Annotated[int, typer.Option(min=0, help="The number of the buyer.")] = 20,
    output: Annotated[Path, typer.Option("--output", "-o", help="The page to write.")] = Path("demo.html"),
) -> None:
    """Watch a simulated buyer find a car among 93."""
    from askwise.report.demo import demo_page, random_sentence, truth_sentence
    from askwise.simulate.demo import CarBuyer

    console = Console(highlight=False)
    buyer = CarBuyer(seed)
    console.print(f"A buyer with a hidden taste looks for a car among {len(buyer.table)}.\n")
    session = buyer.session("expected-capped", budget=300)
    start = session.diameter
    steps = []
    for number, step in enumerate(buyer.answer(session), 1):
        steps.append(step)
        left, right = (escape_markup(option.name) for option in step.question.options)
        choice = f"{left} or {right}?  [bold]→ {left if step.response == 'left' else right}[/]"
        bar = draw_bar(step.diameter, start)
        console.print(f"{number:3d}  {choice}", soft_wrap=True)
        console.print(f"     [dim]{escape_markup(differing_line(step.question))}[/]", soft_wrap=True)
        console.print(f"     [cyan]{bar}[/] undecided {step.diameter:.3f}   best guess: {escape_markup(step.guess)}")
    found = f"\n[bold green]{escape_markup(steps[-1].guess)}[/], found in {len(steps)} questions"
    console.print(f"{found}: {stop_reason(session)}.")
    likes = escape_markup(", ".join(buyer.likes()))
    console.print(f"{escape_markup(truth_sentence(buyer, steps[-1]))} What mattered to the buyer: {likes}.\n")
    with console.status("The same buyer, asked at random ..."):
        random_session = buyer.session("random", budget=RANDOM_BUDGET)
        random_steps = list(buyer.answer(random_session))
    console.print(escape_markup(random_sentence(random_steps, stop_reason(random_session))))
    write_page(demo_page(buyer, steps, session.certificate(), random_steps, stop_reason(random_session)), output)
    console.print(f"The curves, every question and how sure it is: open {escape_markup(str(output))}", soft_wrap=True)
    console.print(NEXT_STEPS, markup=False)
