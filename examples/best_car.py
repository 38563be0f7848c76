"""Find the car you like best: python examples/best_car.py

Answer each question with left or right (or the car's name), skip if you can't tell, undo to take the last answer back.
`--quick` asks about four columns only, and stops a little earlier.
"""

import argparse
from pathlib import Path

import askwise

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--quick", action="store_true", help="four columns, fewer questions")
parser.add_argument("--chart", type=Path, metavar="FILE", help="write the chart of the result as SVG")
options = parser.parse_args()

features = ["price", "horsepower", "mpg_city", "passengers"]
if not options.quick:
    features += ["type", "airbags", "drive", "length", "origin"]
session = askwise.best_item(askwise.example("cars"), features=features, epsilon=0.1)
while not session.done:
    question = session.ask()
    try:
        typed = input(f"{question} ").strip()
    except EOFError:
        break
    try:
        if typed == "skip":
            session.skip()
        elif typed == "undo":
            session.undo()
        else:
            session.tell(typed)
    except askwise.AskwiseError as refusal:
        print(refusal)
        continue
    print(f"  best guess: {session.estimate()}   still undecided: {session.diameter:.2f}")

print(f"\n{session.estimate()}\n{session.certificate()}")
if options.chart:
    session.plot().save(options.chart)
