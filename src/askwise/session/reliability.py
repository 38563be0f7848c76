"""How far each of several people can be trusted, learned from how often what is believed speaks against them.

Person j's answers have the potential s_j * beta * loss, with a strength s_j between 0 (guesses) and 1 (as reliable as
the study assumes). After each answer one step of expectation-maximisation: the log-likelihood of all answers of a
person, averaged over draws of the posterior, and a weak prior towards 1 give the strength; the posterior then trusts
the answers accordingly. With one person there is nothing to compare, and everything counts in full. So it does where
people may differ in their tastes.

With an anchor, a person who is right by definition, everybody else is measured on the questions that both of them
answered: each answer is as likely as it is under the structures, drawn from the posterior of the anchor's answers
alone, that give the anchor's answer to that question. However many others agree with each other, they cannot outvote
the anchor in this. Who shares no question with the anchor counts in full.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from askwise.posteriors import Posterior, Reweighs, asked_atoms
from askwise.problem import potential
from askwise.session.events import hashable_atom
from askwise.structures import AsksPeople
from askwise.types import Answer, Floats, Ints, Response

GRID = np.linspace(0.02, 1.0, 50)
DRAWS = 64  # of the posterior
ANCHOR_DRAWS = 400  # of the posterior of the anchor's answers


class Agreement(NamedTuple):
    """How often somebody gave the anchor's answer to a question that both of them answered.

    >>> Agreement(agreed=3, both=4).agreed
    3
    """

    agreed: int
    both: int


def learns_reliability(posterior: Posterior) -> bool:
    """Whether the posterior can trust people to different degrees."""
    return isinstance(posterior, Reweighs) and not isinstance(posterior.family, AsksPeople)


def estimate_reliabilities(posterior: Posterior, answers: Sequence[Answer], rng: Generator) -> dict[str, float]:
    """The strength of everybody who has answered; empty with one person, or where the posterior cannot tell.

    >>> from askwise.posteriors.clusterings.posterior import ClusteringPosterior
    >>> from askwise.structures.clusterings import Clusterings
    >>> answers = [Answer((0, 1), said, who) for who, said in zip("abc" * 6, [1, 1, 0] * 6)]
    >>> posterior, rng = ClusteringPosterior.prior(Clusterings(3), beta=2.0), np.random.default_rng(0)
    >>> for answer in answers:
    ...     posterior = posterior.update(answer, rng)
    >>> found = estimate_reliabilities(posterior, answers, rng)
    >>> found["a"] == found["b"] > 2 * found["c"]
    True
    """
    if len({answer.who for answer in answers}) < 2 or not learns_reliability(posterior):
        return {}
    return _strengths(_fit(posterior, answers, rng), answers)


def measure_against_anchor(
    anchored: Posterior, answers: Sequence[Answer], anchor: str, rng: Generator
) -> dict[str, float]:
    """The strength of everybody, measured on the questions that the anchor answered, too; that of the anchor is 1.

    - `anchored`: the posterior of the anchor's answers alone.
    - `answers`: those of everybody.
    - `anchor`: who is right by definition.

    >>> from askwise.posteriors.clusterings.posterior import ClusteringPosterior
    >>> from askwise.structures.clusterings import Clusterings
    >>> pairs, rng = [(0, 1), (0, 2), (1, 2)], np.random.default_rng(0)
    >>> posterior = ClusteringPosterior.prior(Clusterings(3), beta=2.0)
    >>> for pair in pairs:
    ...     posterior = posterior.update(Answer(pair, 1, "Ann"), rng)
    >>> answers = [Answer(pair, said, who) for pair in pairs for who, said in (("Ann", 1), ("good", 1), ("bad", 0))]
    >>> found = measure_against_anchor(posterior, answers, "Ann", rng)
    >>> found["good"] == found["Ann"] > 2 * found["bad"]
    True
    """
    right: dict[Any, list[Response]] = {}
    for answer in answers:
        if answer.who == anchor:
            right.setdefault(_key(answer), []).append(answer.response)
    both = [answer for answer in answers if answer.who != anchor and _key(answer) in right]
    measured = _strengths(_fit_to_anchor(anchored, both, [right[_key(one)] for one in both], rng), both) if both else {}
    return {answer.who or "": measured.get(answer.who or "", 1.0) for answer in answers} | {anchor: 1.0}


def agreements(answers: Sequence[Answer], anchor: str) -> dict[str, Agreement]:
    """How often everybody else agrees with the anchor, on the questions that both answered.

    - `answers`: those of everybody.
    - `anchor`: who is right by definition.

    >>> answers = [Answer((0, 1), 1, "Ann"), Answer((0, 1), 1, "bot"), Answer((0, 2), 1, "bot")]
    >>> agreements(answers, "Ann")
    {'bot': Agreement(agreed=1, both=1)}
    """
    right: dict[Any, list[Response]] = {}
    for answer in answers:
        if answer.who == anchor:
            right.setdefault(_key(answer), []).append(answer.response)
    found = {answer.who or "": Agreement(0, 0) for answer in answers if answer.who != anchor}
    for answer in answers:
        if answer.who != anchor and _key(answer) in right:
            agreed, both = found[answer.who or ""]
            found[answer.who or ""] = Agreement(agreed + (answer.response == right[_key(answer)][-1]), both + 1)
    return found


def reweigh(
    posterior: Posterior, answers: Sequence[Answer], reliability: Mapping[str, float], rng: Generator
) -> Posterior:
    """The posterior of the same answers, each trusted as its author is."""
    if not isinstance(posterior, Reweighs):
        return posterior
    strengths = np.array([reliability[answer.who or ""] for answer in answers])
    return posterior.reweighed(answers, strengths, rng)


def _key(answer: Answer) -> Any:
    """What an answer is about."""
    return hashable_atom(np.asarray(answer.atom).tolist())


def _strengths(fit: Floats, answers: Sequence[Answer]) -> dict[str, float]:
    """The likeliest strength of everybody, from the log-likelihoods (G, T) and the weak prior towards 1."""
    people = list(dict.fromkeys(answer.who for answer in answers))
    whose = np.array([people.index(answer.who) for answer in answers])
    logs = np.log(GRID)[:, None] + np.stack([fit[:, whose == person].sum(axis=1) for person in range(len(people))], 1)
    return {who or "": float(strength) for who, strength in zip(people, GRID[logs.argmax(axis=0)], strict=True)}


def _fit(posterior: Any, answers: Sequence[Answer], rng: Generator) -> Floats:
    """(G, T): the log-likelihood of each answer at each strength, averaged over draws."""
    family, atoms = posterior.family, asked_atoms(posterior, answers)
    predictions = family.predict(posterior.sample(DRAWS, rng).structures, atoms)  # (S, T)
    if np.ndim(family.responses(predictions)) == 2:
        return np.array([each.mean(axis=0) for each in _number_logs(posterior, predictions, answers)])
    costs, said = _costs(posterior, predictions, [answer.response for answer in answers])
    return np.array([_logs(costs, said, strength).mean(axis=0) for strength in GRID])


def _fit_to_anchor(
    anchored: Any, answers: Sequence[Answer], right: Sequence[Sequence[Response]], rng: Generator
) -> Floats:
    """(G, T): the log-likelihood of each answer at each strength where the anchor's answers `right` are; of several, on
    average."""
    family, atoms = anchored.family, np.array([answer.atom for answer in answers])
    predictions = family.predict(anchored.sample(ANCHOR_DRAWS, rng).structures, atoms)  # (S, T)
    if np.ndim(family.responses(predictions)) == 2:  # the anchor's numbers have noise, as all have
        logs = _number_logs(anchored, predictions, answers)
        return np.array([np.log(np.exp(each - each.max(axis=0)).mean(axis=0)) + each.max(axis=0) for each in logs])
    costs, said = _costs(anchored, predictions, [answer.response for answer in answers])
    responses = _responses(family, predictions)
    found = np.empty((len(GRID), len(answers)))
    for place, meant in enumerate(right):
        weights = np.zeros(predictions.shape[0])
        for response in meant:
            wanted = responses.index(response)
            gives = costs[:, :, place].argmin(axis=0) == wanted
            each = gives.astype(float) if gives.any() else np.exp(-costs[wanted, :, place])  # nobody says "equal"
            weights += each / each.sum() / len(meant)
        column = costs[:, :, [place]], said[[place]]
        found[:, place] = [np.log(weights @ np.exp(_logs(*column, strength)[:, 0])) for strength in GRID]
    return found


def _number_logs(posterior: Any, predictions: Floats, answers: Sequence[Answer]) -> list[Floats]:
    """(S, T) at each strength: log-likelihoods of numbers, where a strength is a share of the precision."""
    family, given = posterior.family, np.array([float(answer.response) for answer in answers])
    entries = family.decide(predictions)
    off = [potential(family, posterior.loss, posterior.beta, predictions, y) for y in (given, entries)]
    return [np.log(strength) / 2 - strength * (off[0] - off[1]) for strength in GRID]


def _responses(family: Any, predictions: Floats) -> list[Any]:
    return [np.asarray(response).item() for response in family.responses(predictions)]


def _costs(posterior: Any, predictions: Floats, said: Sequence[Response]) -> tuple[Floats, Ints]:
    """(Y, S, T): the potential of each response, and (T,): which of them was given."""
    family = posterior.family
    responses = _responses(family, predictions)
    known = [potential(family, posterior.loss, posterior.beta, predictions, response) for response in responses]
    return np.stack(known), np.array([responses.index(response) for response in said])


def _logs(costs: Floats, said: Ints, strength: float) -> Floats:
    """(S, T): log-likelihoods of the responses given, at this strength."""
    chosen = costs[said, :, np.arange(len(said))].T  # (S, T)
    lowest = costs.min(axis=0)
    return strength * (lowest - chosen) - np.log(np.exp(strength * (lowest - costs)).sum(axis=0))
