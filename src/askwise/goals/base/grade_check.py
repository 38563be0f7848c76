"""Whether the grades of answers say anything, where a goal has grades."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.posteriors import Posterior
from askwise.posteriors.scores.grade_evidence import log_odds_of_random_grades, side_of, without_grades
from askwise.posteriors.scores.shaped import ShapedScores
from askwise.problem import Problem
from askwise.session.reliability import estimate_reliabilities, reweigh
from askwise.stopping.certificate import CertifiedModel, ModelCheck, Objection
from askwise.types import Answer

WARNING_ODDS = 10.0  # from which on a certificate warns
RELIABILITY_STEPS = 5  # that learn how far to trust each of several people
RANDOM_GRADES = (
    "the grades look random, so this is the less certain of two results, with and without them: ask without grades"
)


@dataclass(frozen=True, eq=False)
class GradeCheck:
    """Compares grades that depend on the scores with grades that say nothing, on the answers that came.

    If grades depend on the scores, the odds against that reach k in at most one of k cases, whatever was asked. Beyond
    `WARNING_ODDS`, a certificate states the less certain of what follows from the answers with and without grades.
    `problem` is that of the session, `then` a check that follows if this one finds nothing.

    >>> import askwise
    >>> session = askwise.best_item(["tea", "milk", "water"], grades=("slightly", "much"), seed=1)
    >>> session.config.model_check([], session.posterior, np.random.default_rng(0)) is None
    True
    """

    problem: Problem
    then: ModelCheck | None = None

    def __call__(self, answers: Sequence[Answer], posterior: Posterior, rng: Generator) -> Objection | None:
        """What speaks against the grades, and the answers without them; None if nothing much does."""
        if answers and isinstance(posterior, ShapedScores):
            sides = [side_of(answer) for answer in answers]
            ungraded = without_grades(posterior).update_all(sides, rng)
            if log_odds_of_random_grades(posterior, ungraded, answers, rng) >= np.log(WARNING_ODDS):
                family: Any = ungraded.family
                problem = replace(self.problem, family=family, loss=ungraded.loss)
                return Objection(RANDOM_GRADES, CertifiedModel(problem, _trusted(ungraded, sides, rng), sides))
        return None if self.then is None else self.then(answers, posterior, rng)


def _trusted(posterior: Posterior, answers: Sequence[Answer], rng: Generator) -> Posterior:
    """With every one of several people trusted as far as they deserve it."""
    for _ in range(RELIABILITY_STEPS):
        reliability = estimate_reliabilities(posterior, answers, rng)
        if not reliability:
            break
        posterior = reweigh(posterior, answers, reliability, rng)
    return posterior
