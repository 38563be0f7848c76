"""What a session is told once: the problem, the strategy, when to stop, and how much to compute."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from askwise._runtime.streams import stream
from askwise.distances import verify
from askwise.errors import SettingError
from askwise.losses import Loss
from askwise.options import LARGEST_SEED, flag, function, implementing, number, refusal, whole_number
from askwise.posteriors import Posterior
from askwise.problem import Problem
from askwise.session.effects import Effects
from askwise.session.events import MAX_LETTERS, UNSTORABLE
from askwise.stopping import CostLimits, Stop
from askwise.stopping.certificate import ModelCheck
from askwise.stopping.sequential_test import MAX_CLOSENESS
from askwise.strategies import Strategy, strategy
from askwise.types import Atom, Option, Sample, Structure

Present = Callable[[Sequence[Option], str, Atom], tuple[Option, ...]]  # options, kind, atom -> what people see of them
Recipe = Mapping[str, Any]  # a goal, its data and its options
PresentWith = Callable[[Mapping[str, Any]], tuple[dict[str, Any], Present]]  # changed options -> plain, and the above
MAX_DRAWS = 100_000  # a question; a diameter compares all pairs of them
MAX_CANDIDATES = 1_000_000  # questions that are scored
NO_LIMITS = CostLimits()
CHECKED_STRUCTURES = 12  # on which a distance is checked at the start


def check_anchor(name: str, value: Any) -> str:
    """Who is right by definition, as a log can name them.

    >>> check_anchor("anchor", "Ann")
    'Ann'
    """
    if not (isinstance(value, str) and 0 < len(value) <= MAX_LETTERS["who"] and not UNSTORABLE.search(value)):
        raise refusal(name, value, f"the name of a person, of at most {MAX_LETTERS['who']} letters")
    return str(value)


@dataclass(frozen=True)
class SessionConfig:
    """What is wanted, and how it is pursued. `Session` documents each setting."""

    problem: Problem
    rule: Strategy
    stop: Stop | None
    seed: int
    draws: int
    candidates: int
    repeat: bool
    spacing: int
    describe: Callable[[Structure], object]
    effects: Callable[[Sample], Effects] | None = None
    model_check: ModelCheck | None = None
    cost_limits: CostLimits = NO_LIMITS
    closeness: float = 1.0
    presentation: PresentWith | None = None
    anchor: str | None = None
    changes: int = 0  # how often the goal or the items have changed

    @staticmethod
    def checked(
        problem: Problem,
        prior: Posterior,
        rule: str | Strategy,
        stop: Stop | None,
        seed: int,
        draws: int,
        candidates: int,
        repeat: bool,
        spacing: int,
        describe: Callable[[Structure], object] | None,
        effects: Callable[[Sample], Effects] | None = None,
        model_check: ModelCheck | None = None,
        cost_limits: CostLimits | None = None,
        closeness: float = 1.0,
        presentation: PresentWith | None = None,
        anchor: str | None = None,
    ) -> SessionConfig:
        """The settings, if they make sense. The distance is tried on a few structures."""
        if not isinstance(problem, Problem):
            raise refusal("problem", problem, "an askwise.Problem")
        if not (cost_limits is None or isinstance(cost_limits, CostLimits)):
            raise refusal("cost_limits", cost_limits, "an askwise.CostLimits")
        implementing("prior", prior, Posterior, "a posterior before any answer")
        seed = whole_number("seed", seed, at_least=0, at_most=LARGEST_SEED)
        draws = whole_number("draws", draws, at_least=2, at_most=MAX_DRAWS)
        candidates = whole_number("candidates", candidates, at_least=1, at_most=MAX_CANDIDATES)
        functions = {"stop": stop, "describe": describe, "effects": effects, "model_check": model_check}
        functions["presentation"] = presentation
        for name, given in functions.items():
            if given is not None:
                function(name, given)
        shown = describe or (lambda structure: structure)
        again = flag("repeat", repeat), whole_number("spacing", spacing, at_least=0)
        chosen = strategy(rule, problem)
        config = SessionConfig(
            problem, chosen, stop, seed, draws, candidates, *again, describe=shown, effects=effects,
            model_check=model_check, cost_limits=cost_limits or NO_LIMITS,
            closeness=number("closeness", closeness, at_least=1, at_most=MAX_CLOSENESS),
            presentation=presentation, anchor=None if anchor is None else check_anchor("anchor", anchor),
        )  # fmt: skip
        structures = prior.sample(CHECKED_STRUCTURES, stream(seed, 0, "verify")).structures
        verify(problem.distance, structures[np.arange(min(CHECKED_STRUCTURES, len(structures)))])
        return config

    def branch(self, seed: int, rule: str | None, effort: int | None) -> SessionConfig:
        """The settings of a copy that goes its own way, with at most `effort` draws and candidates a question."""
        seed = whole_number("seed", seed, at_least=0, at_most=LARGEST_SEED)
        most = MAX_CANDIDATES if effort is None else whole_number("effort", effort, at_least=2)
        chosen = self.rule if rule is None else strategy(rule, self.problem)
        draws, candidates = min(self.draws, most), min(self.candidates, most)
        return replace(self, seed=seed, rule=chosen, draws=draws, candidates=candidates)

    def with_loss(self, loss: Loss) -> SessionConfig:
        """The settings with the loss that a posterior has learned."""
        return replace(self, problem=replace(self.problem, loss=loss))

    def changed(self, other: SessionConfig, goal: str, count: int = 1) -> SessionConfig:
        """The settings of that goal, or of other items, after so many more changes. The seed and the draws stay."""
        if type(other.problem.family) is not type(self.problem.family):
            raise SettingError(f"the goal {goal} needs other questions than were answered; start a new study")
        return replace(other, seed=self.seed, draws=self.draws, changes=self.changes + count)
