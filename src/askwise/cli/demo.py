"""askwise demo: a simulated buyer finds a car."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from askwise.cli.common import plain, write_page
from askwise.errors import SettingError

BAR = 20  # characters
RANDOM_BUDGET = 150  # questions after which the random buyer gives up

HOW_TO_GO_ON = """
Now you: answer the same kind of questions yourself, about any table of yours (CSV, Parquet, ...):

    askwise new best-item cars.csv
    askwise ask cars.askwise
    askwise report cars.askwise

(In a clone of the repository the command is .venv/bin/askwise, and examples/cars.csv a table to try.)
"""


def demo(
    seed: Annotated[int, typer.Option(min=0, help="Another number, another buyer.")] = 20,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the page with the curves goes.")] = Path(
        "demo.html"
    ),
) -> None:
    """A simulated buyer with a hidden taste finds a car among 93, and once more with random questions."""
    from askwise.report.demo import demo_page, random_sentence, truth_sentence
    from askwise.simulate.demo import Buyer

    console = Console(highlight=False)
    buyer = Buyer(seed)
    console.print(f"Somebody with a hidden taste looks for a car among {len(buyer.table)}.\n")
    session = buyer.session("expected", budget=300)
    start = session.diameter
    steps = []
    for number, step in enumerate(buyer.shop(session), 1):
        steps.append(step)
        left, right = (plain(option.name) for option in step.question.options)
        shown = f"{left} or {right}?  [bold]→ {left if step.response == 'left' else right}[/]"
        filled = round(BAR * min(1.0, step.diameter / start))
        bar = "█" * filled + "░" * (BAR - filled)
        console.print(f"{number:3d}  {shown}", soft_wrap=True)
        console.print(f"     [cyan]{bar}[/] undecided {step.diameter:.3f}   best guess: {plain(step.guess)}")
    certificate = session.certificate()
    console.print(f"\n[bold green]{plain(steps[-1].guess)}[/], found in {len(steps)} questions: {session.reason}.")
    likes = plain(", ".join(buyer.likes()))
    console.print(f"{plain(truth_sentence(buyer, steps[-1]))} What mattered to the buyer: {likes}.")
    console.print(f"{plain(str(certificate))}\n")
    with console.status("The same buyer, asked at random ..."):
        at_random = buyer.session("random", budget=RANDOM_BUDGET)
        random_steps = list(buyer.shop(at_random))
    console.print(plain(random_sentence(random_steps, at_random.reason or "")))
    try:
        page = demo_page(buyer, steps, certificate, random_steps, at_random.reason or "")
    except SettingError as missing:
        console.print(f"No page was written: {plain(str(missing))}", soft_wrap=True)
    else:
        write_page(page, output)
        console.print(f"The curves and every question: open {plain(str(output))}", soft_wrap=True)
    console.print(HOW_TO_GO_ON, markup=False)
