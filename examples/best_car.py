"""Find the car you like best: python examples/best_car.py

Answer each question with left or right (or the car's name), skip if you can't tell, undo to take the last answer back.
"""

import csv
from pathlib import Path

import askwise

with (Path(__file__).parent / "cars.csv").open(encoding="utf-8") as file:
    cars = list(csv.DictReader(file))

features = ["type", "price", "mpg_city", "airbags", "drive", "horsepower", "passengers", "length", "origin"]
session = askwise.best_item(cars, features=features, epsilon=0.1)
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
