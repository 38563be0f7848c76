"""What people who answered about the same table have in common: learned from their sessions or their logs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from askwise.errors import SettingError
from askwise.losses import Davidson, OrderedLogit
from askwise.options import refusal
from askwise.posteriors import Posterior
from askwise.posteriors.scores.population import MAX_COORDINATES, MAX_ITEMS, PersonAnswers, Population
from askwise.posteriors.scores.population import learn_population as learn_from_rows
from askwise.posteriors.scores.shaped import ShapedScores
from askwise.session import Session
from askwise.structures.choice import ItemScores
from askwise.types import Answer

MAX_PEOPLE = 100  # who are learned from: the last ones


def learn_population(sessions: Sequence[Session]) -> Population | None:
    """What the people of these sessions have in common, for the option `population` of a new person's session.

    :param sessions: One for each person, all about the same table and of the same goal. People with fewer than five
        answers do not count.
    :return: The population; None with fewer than three people, and for goals that cannot use one.

    >>> import askwise
    >>> sessions = [askwise.ranking(["tea", "coffee", "water"], repeat=True, draws=50, seed=seed) for seed in range(3)]
    >>> for session in sessions:
    ...     for pair in [(0, 1), (1, 2), (0, 2)] * 2:
    ...         session.tell("left" if session.pose(pair).options[0].name < "tea" else "right")
    >>> askwise.learn_population(sessions).people
    3
    """
    people = list(sessions)
    for session in people:
        if not isinstance(session, Session):
            raise refusal("sessions", session, "a list of askwise.Session")
        tables = [each.pursued and each.pursued["data"] for each in (session, people[0])]
        if None in tables or tables[0] != tables[1]:
            raise SettingError("the sessions are about different tables; a population is learned about one table")
    return population_of_answers(people[0].prior, [session.answers for session in people]) if people else None


def population_of_answers(prior: Posterior, people: Sequence[Sequence[Answer]]) -> Population | None:
    """The same from the answers of each person, whose beliefs would all start from this prior."""
    if not takes_population(prior):
        return None
    assert isinstance(prior, ShapedScores)
    answered = [_person_answers(prior, each) for each in people if each][-MAX_PEOPLE:]
    items = prior.family.dimension
    ties = float(prior.loss.ties) if isinstance(prior.loss, Davidson) else 0.0
    if isinstance(prior.loss, OrderedLogit) and prior.loss.cuts[0] > 0:
        ties = 1.0
    limit = MAX_COORDINATES if has_features(prior) else items
    return learn_from_rows(prior.base_covariance, answered, ties, limit, prior.answers.layout)


def _person_answers(prior: ShapedScores, answers: Sequence[Answer]) -> PersonAnswers:
    """What one person answered, in the items' own scores, without grades."""
    pairs, sets = prior.known.family, prior.known.sets
    if sets is None:
        rows = pairs.features(np.array([one.atom for one in answers]))
        return PersonAnswers(np.asarray(rows), np.array([float(np.sign(one.response)) for one in answers]))
    rows = pairs.features(np.concatenate([sets.differences(one.atom, one.response) for one in answers]))
    return PersonAnswers(np.asarray(rows), np.ones(len(rows)))


def has_features(prior: ShapedScores) -> bool:
    """Whether items differ in more than their names."""
    return any(shape.linear > 0 or shape.bends for shape in prior.shapes)


def takes_population(prior: Posterior) -> bool:
    """Whether scores of single items are learned, so that others' scores say something about them."""
    if not isinstance(prior, ShapedScores) or not isinstance(prior.known.family, ItemScores):
        return False
    return has_features(prior) or prior.family.dimension <= MAX_ITEMS
