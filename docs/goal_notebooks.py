"""Writes and runs the example notebooks, one for each goal: python docs/goal_notebooks.py (a minute)

A person would answer in `session.widget()`; here, a function answers, so that the notebooks run without anybody. All of
them share one kernel.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from askwise.goals.base.registry import built_in

FOLDER = Path(__file__).parent / "notebooks"
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
MAX_SECONDS = 300  # for one cell
WIDGET = (
    "In a notebook of your own, let a person answer: `session.widget()` shows one card after the other. "
    "Here, a function answers."
)
DRINKS = """import askwise

drinks = {
    "name": [
        "espresso", "latte", "green tea", "black tea",
        "cola", "orange juice", "water", "cocoa",
    ],
    "price": [2.2, 3.4, 2.6, 2.4, 2.8, 3.1, 1.0, 3.2],
    "caffeine": [63, 63, 28, 47, 34, 0, 0, 5],
    "sugar": [0, 4, 0, 0, 35, 21, 0, 24],
}
worth = {
    name: caffeine / 20 - sugar / 10 - price / 4
    for name, price, caffeine, sugar in zip(*drinks.values())
}
"""
PREFER = """while not session.done:
    question = session.ask()
    session.tell(max((option.name for option in question.options), key=worth.get))
"""
ANIMALS = """import askwise

members = {
    "insect": ["ant", "bee", "fly"],
    "mammal": ["cow", "dog"],
    "bird": ["owl", "wren"],
}
kinds = {name: kind for kind, names in members.items() for name in names}
"""
SAME = """while not session.done:
    one, other = (kinds[option.name] for option in session.ask().options)
    session.tell("same" if one == other else "different")
"""
AGES = """import askwise

ages = {
    "name": ["Ann", "Ben", "Cem", "Dev", "Eva", "Fay", "Gus", "Hal"],
    "age": [3, 9, 14, 17, 25, 41, 67, 82],
}
group = {
    name: "child" if age < 18 else "adult" if age < 65 else "senior"
    for name, age in zip(*ages.values())
}
"""
SAME_AGE = SAME.replace("kinds[", "group[")
RATINGS = """import askwise

truth = {
    "tea": [4.0, 3.0, 5.0, 4.5],
    "milk": [2.0, 1.0, 3.0, 2.5],
    "juice": [3.0, 2.5, 4.5, 3.5],
}
known = {
    "name": ["Ann", "Ben", "Cem", "Dev"],
    "tea": [4.0, None, None, None],
    "milk": [None, 1.0, None, None],
    "juice": [None, None, 4.5, None],
}
"""
MEASURE = """while not session.done:
    row, column = session.ask().atom
    session.tell(list(truth.values())[column][row])
"""
# for each goal: what it is for, the code that builds the session, and the code that answers
EXAMPLES = {
    "best_item": (
        "Which drink does somebody like best?",
        f"{DRINKS}session = askwise.best_item(drinks, seed=1)",
        PREFER,
    ),
    "group_item": (
        "Which drink suits several people best?",
        f"""{DRINKS}people = ["Ann", "Ben", "Cleo"]
session = askwise.group_item(drinks, people, budget=25, seed=1)""",
        PREFER.replace("session.ask()", "session.ask()  # question.who says whom to ask"),
    ),
    "top_k": (
        "Which two drinks does somebody like best?",
        f"{DRINKS}session = askwise.top_k(drinks, 2, seed=1)",
        PREFER,
    ),
    "top_ranking": (
        "Which two drinks does somebody like best, and in which order?",
        f"{DRINKS}session = askwise.top_ranking(drinks, 2, seed=1)",
        PREFER,
    ),
    "ranking": (
        "In which order does somebody like the drinks?",
        f"{DRINKS}session = askwise.ranking(drinks, seed=1)",
        PREFER,
    ),
    "classifier": (
        "Which drinks keep somebody awake? A label for some of them tells the labels of all.",
        f"""{DRINKS}features = ["caffeine", "sugar"]
labels = ("sleep", "awake")
session = askwise.classifier(drinks, labels=labels, features=features, seed=1)""",
        """caffeine = dict(zip(drinks["name"], drinks["caffeine"]))
while not session.done:
    name = session.ask().options[0].name
    session.tell("awake" if caffeine[name] > 30 else "sleep")
""",
    ),
    "cluster_of": (
        "Which animals belong to the ant?",
        f'{ANIMALS}session = askwise.cluster_of(list(kinds), "ant", seed=1)',
        SAME,
    ),
    "clusters": ("Which animals belong together?", f"{ANIMALS}session = askwise.clusters(list(kinds), seed=1)", SAME),
    "segment_of": (
        "Who is in the age group of Cem?",
        f'{AGES}session = askwise.segment_of(ages, item="Cem", column="age", seed=1)',
        SAME_AGE,
    ),
    "segments": (
        "Where do age groups begin and end?",
        f'{AGES}session = askwise.segments(ages, column="age", seed=1)',
        SAME_AGE,
    ),
    "hierarchy": (
        "Which tree do the animals form? Each question asks for the odd one out of three.",
        f"{ANIMALS}session = askwise.hierarchy(list(kinds), budget=30, seed=1)",
        """from collections import Counter

while not session.done:
    shown = [option.name for option in session.ask().options]
    counts = Counter(kinds[name] for name in shown)
    odd = min(shown, key=lambda name: (counts[kinds[name]], kinds[name] != "insect"))
    session.tell(odd)
""",
    ),
    "best_column": (
        "Which drink has the best mean rating? Each question asks for one rating.",
        f"{RATINGS}session = askwise.best_column(known, budget=9, seed=1)",
        MEASURE,
    ),
    "matrix": (
        "How does everybody rate every drink? Each question asks for one rating.",
        f"{RATINGS}session = askwise.matrix(known, budget=9, seed=1)",
        MEASURE,
    ),
}


def notebook(goal: str) -> Any:
    """The notebook of a goal, not run yet."""
    lead, build, answer = EXAMPLES[goal]
    new = nbformat.v4
    cells = [
        new.new_markdown_cell(f"# {built_in()[goal].title}\n\n{lead} This is the goal [`{goal}`](../goals.md#{goal})."),
        new.new_code_cell(build),
        new.new_code_cell("session.ask()"),
        new.new_markdown_cell(WIDGET),
        new.new_code_cell(answer.strip()),
        new.new_code_cell("session"),
        new.new_code_cell("session.certificate()"),
        new.new_markdown_cell(
            'Every answer is a row of a dataframe, and `session.report("report.html")` writes it all to one page.'
        ),
        new.new_code_cell('session.answers_frame()[["question", "response", "gain"]].tail(3)'),
    ]
    for number, cell in enumerate(cells):
        cell["id"] = f"{re.sub('_', '-', goal)}-{number}"
        cell["source"] = cell["source"].strip()
    return new.new_notebook(cells=cells, metadata=KERNEL)


def run_all(notebooks: Iterable[Any]) -> Iterator[Any]:
    """The notebooks with their outputs, run one after the other in one kernel. An error in a cell is raised."""
    client = NotebookClient(nbformat.v4.new_notebook(metadata=KERNEL), timeout=MAX_SECONDS, record_timing=False)
    with client.setup_kernel():
        for found in notebooks:
            client.nb = found
            code = [(place, cell) for place, cell in enumerate(found.cells) if cell["cell_type"] == "code"]
            for count, (place, cell) in enumerate(code, 1):
                client.execute_cell(cell, place)
                for counted in (cell, *cell["outputs"]):
                    if "execution_count" in counted:
                        counted["execution_count"] = count
            yield found


def main() -> None:
    for goal, found in zip(EXAMPLES, run_all(map(notebook, EXAMPLES)), strict=True):
        print(goal, flush=True)
        nbformat.write(found, FOLDER / f"{goal}.ipynb")


if __name__ == "__main__":
    main()
