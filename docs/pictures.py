"""Draws the pictures of the documentation: python docs/pictures.py [name ...] (about five minutes on one core for all).

The curves come from simulated people. Their numbers are kept in images/curves.json; delete it to run them again.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "askwise", "font.size": 11, "svg.fonttype": "path"})

from matplotlib.figure import Figure  # noqa: E402
from matplotlib.patches import FancyBboxPatch  # noqa: E402

from askwise import Answer, Problem, logistic  # noqa: E402
from askwise.distances import form_of  # noqa: E402
from askwise.distances.items import BestItem  # noqa: E402
from askwise.experiments.plots import COLOURS  # noqa: E402
from askwise.experiments.runner import simulate  # noqa: E402
from askwise.posteriors.scores.logconcave import LogConcave  # noqa: E402
from askwise.simulate.demo import CarBuyer  # noqa: E402
from askwise.strategies.expected import expected  # noqa: E402
from askwise.strategies.split import average_diameter  # noqa: E402
from askwise.structures.choice import Choice  # noqa: E402

IMAGES = Path(__file__).parent / "images"
RULES = ("random", "qbc", "ndbal", "expected")
LINE_STYLES = {"random": ":", "qbc": "-.", "ndbal": "--", "expected": "-"}  # told apart without colours too
RUNS, QUESTIONS = 100, 60


def save(figure: Figure, name: str) -> None:
    IMAGES.mkdir(exist_ok=True)
    figure.savefig(IMAGES / f"{name}.svg", metadata={"Date": None}, facecolor="white")


def loop() -> Figure:
    """What is believed -> a question -> an answer -> what is believed."""
    figure = Figure(figsize=(8.2, 2.45), layout="constrained")
    ax = figure.subplots()
    ax.set(xlim=(0, 8.2), ylim=(0, 2.45))
    ax.axis("off")
    boxes = {
        "believed": (0.1, "posterior", "what is still plausible,\nas weighted draws"),
        "question": (2.95, "question", "the one whose answer is\nexpected to leave the\nleast disagreement"),
        "answer": (5.8, "answer", "left, right, equal,\na label, or “can't tell”"),
    }
    for colour, (x, title, text) in zip(COLOURS, boxes.values(), strict=False):
        ax.add_patch(FancyBboxPatch((x, 1.0), 2.2, 1.3, boxstyle="round,pad=0.05", fc="white", ec=colour, lw=2))
        ax.text(x + 1.1, 2.08, title, ha="center", va="center", weight="bold", color=colour)
        ax.text(x + 1.1, 1.48, text, ha="center", va="center", fontsize=9.5)
    arrow = {"arrowstyle": "-|>", "lw": 1.8, "color": "#444444"}
    for x in (2.36, 5.21):
        ax.annotate("", (x + 0.53, 1.65), (x, 1.65), arrowprops=arrow)
    ax.plot([6.9, 6.9, 1.2], [0.93, 0.5, 0.5], color="#444444", lw=1.8, solid_joinstyle="round")
    ax.annotate("", (1.2, 0.94), (1.2, 0.49), arrowprops=arrow)
    ax.text(4.05, 0.62, "update, exactly undoable", ha="center", fontsize=9.5)
    ax.text(1.2, 0.22, "stop when the average diameter is below epsilon", ha="left", va="center", fontsize=9.5)
    return figure


def diameter() -> Figure:
    """Tastes for five items in the plane: before a question, after a poor one, after a good one."""
    rng = np.random.default_rng(3)
    turns = np.deg2rad([95, 45, -25, -90, 180])
    items = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    names, family = "ABCDE", Choice(items, names=list("ABCDE"))
    problem = Problem(family, BestItem(items), logistic)
    prior = LogConcave.prior(family, logistic, sigma=4.0)
    told = [(1, 4), (0, 3), (0, 2)]  # so far: B before E, A before D, A before C
    for pair in told:
        prior = prior.update(Answer(pair, 1), rng)
    atoms = np.array([pair for pair in family.draw_atoms(10, rng).tolist() if tuple(pair) not in told])
    start = prior.sample(4000, rng).structures
    gain = expected(problem, prior, prior.sample(4000, rng), atoms, rng).gain
    panels = [("before", None), ("after a poor question", int(gain.argmin())), ("after a good one", int(gain.argmax()))]
    figure = Figure(figsize=(9.6, 3.75), layout="constrained")
    for ax, (title, choice) in zip(figure.subplots(1, 3), panels, strict=True):
        asked = None if choice is None else atoms[choice]
        said = 1 if asked is None or (start @ (items[asked[0]] - items[asked[1]]) > 0).mean() > 0.5 else -1  # likelier
        posterior = prior if asked is None else prior.update(Answer(asked, said), rng)
        sample = posterior.sample(4000, rng)
        size = average_diameter(form_of(problem.distance, sample.structures), sample.weights, exact=False)
        draws = sample.structures[:250]
        best = BestItem(items).best(draws)
        ax.scatter(*draws.T, c=[COLOURS[i] for i in best], s=11, linewidths=0, alpha=0.8)
        for item, name, colour in zip(items, names, COLOURS, strict=False):
            ax.text(*(9.4 * item), name, ha="center", va="center", weight="bold", color="white",
                    bbox={"boxstyle": "circle,pad=0.25", "fc": colour, "ec": "none"})  # fmt: skip
        if asked is not None:
            across = items[asked[0]] - items[asked[1]]
            along = np.array([-across[1], across[0]]) / np.linalg.norm(across)
            ax.plot(*np.outer(along, [-11, 11]), color="black", lw=1.4, ls="--")
            title += f": {names[asked[0]]} or {names[asked[1]]}? {names[asked[0 if said > 0 else 1]]}"
        ax.set(xlim=(-11, 11), ylim=(-11, 11), aspect="equal", xticks=[], yticks=[])
        ax.set_title(f"{title}\naverage diameter {size:.2f}", fontsize=11)
        for spine in ax.spines.values():
            spine.set_color("#bbbbbb")
    return figure


def curves() -> Figure:
    """Errors of four strategies on choices between 50 items, with 68 % bands."""
    kept = IMAGES / "curves.json"
    if not kept.exists():
        results = {}
        for rule in RULES:
            results[rule] = simulate("choice", rule=rule, questions=QUESTIONS, runs=RUNS, items=50, dim=10, sigma=5.0)
            print(rule, f"{results[rule]['cpu_ms_per_question']:.1f} ms of CPU a question", flush=True)
        IMAGES.mkdir(exist_ok=True)
        rounded = json.loads(json.dumps(results), parse_float=lambda text: round(float(text), 4))
        kept.write_text(json.dumps(rounded) + "\n", encoding="utf-8")
    results = json.loads(kept.read_text(encoding="utf-8"))
    figure = Figure(figsize=(9.6, 3.9), layout="constrained")
    titles = {"top_item_error": "probability of a wrong top item", "distance_to_best": "distance to the best item"}
    for ax, (metric, title) in zip(figure.subplots(1, 2), titles.items(), strict=True):
        for colour, (rule, result) in zip(COLOURS, results.items(), strict=False):
            curve = result["metrics"][metric]
            steps = range(len(curve["mean"]))
            ax.fill_between(steps, curve["low"], curve["high"], color=colour, alpha=0.18, linewidth=0)
            ax.plot(steps, curve["mean"], color=colour, ls=LINE_STYLES[rule], lw=2, label=rule)
        ax.set(title=title, xlabel="answers", ylim=(0, None), xlim=(0, QUESTIONS))
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(axis="y", alpha=0.3)
    figure.axes[0].legend(frameon=False, loc="lower left")
    return figure


def demo() -> Figure:
    """How undecided the buyer of `askwise demo` is, and what the best guess gives up, beside random questions."""
    buyer = CarBuyer(seed=20)
    runs = {rule: list(buyer.answer(buyer.session(rule, budget=300))) for rule in ("expected-capped", "random")}
    figure = Figure(figsize=(8.4, 3.1), layout="constrained")
    for ax, title, part in zip(figure.subplots(1, 2), ("undecided", "regret"), ("diameter", "regret"), strict=True):
        for colour, (rule, steps) in zip(COLOURS, runs.items(), strict=False):
            name = "chosen by askwise" if rule != "random" else "at random"
            ax.plot(range(1, len(steps) + 1), [getattr(step, part) for step in steps], color=colour, lw=2, label=name)
        ax.set(title=title, xlabel="questions", ylim=(0, None))
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(axis="y", alpha=0.3)
    figure.axes[0].legend(frameon=False)
    return figure


PICTURES = {"loop": loop, "diameter": diameter, "curves": curves, "demo": demo}

if __name__ == "__main__":
    for wanted in sys.argv[1:] or PICTURES:
        save(PICTURES[wanted](), wanted)
