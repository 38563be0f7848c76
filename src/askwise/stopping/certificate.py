"""What may be claimed about an estimate, and on what assumptions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from askwise import display
from askwise.distances import HasCentre, HasPhrase, HasUnit, form_of
from askwise.posteriors import (
    AllowsLapses,
    DescribesShape,
    LearnsBias,
    LearnsFromOthers,
    LearnsLoss,
    Posterior,
    asked_atoms,
)
from askwise.posteriors.chains import independent_draws
from askwise.problem import Problem
from askwise.stopping.position import SideCount, position_shifts, uneven_sides
from askwise.structures import DescribesModel, DrawsResponses, LinearFamily, ShowsSets
from askwise.types import Answer, Atoms, Floats, Sample, Structure, Structures

CERTIFICATE_DELTA = 0.05  # one minus the confidence in the simulation
CERTIFICATE_DRAWS = 4000  # fresh ones: the bound is then within about .005 of the mean
HELD_OUT_DRAWS = 2000  # simulated sets of answers behind the check of held-out ones
MAX_BLOCK_CHANCES = 4_000_000  # that are computed at a time: 32 MB
MIN_CHANCE = 1e-12  # of a response
MIN_FIT = 0.01  # p value of the predictive check, below which a certificate warns
CLOSENESS = "This holds for people who are up to {times:g} times likelier, or less likely, than assumed."
DEFAULT_PHRASE = "{what} is {loss:.3f} from the truth, on a scale from 0 to 1"


class CertifiedModel(NamedTuple):
    """What a certificate can be about."""

    problem: Problem
    posterior: Posterior
    answers: Sequence[Answer]  # in force, as the posterior takes them


class Objection(NamedTuple):
    """What speaks against the model of a session, as a sentence for people.

    >>> Objection("straight lines do not fit").other is None
    True
    """

    sentence: str
    other: CertifiedModel | None = None  # a certificate is then about this or the session's own, the less certain one


ModelCheck = Callable[[Sequence[Answer], Posterior, Generator], Objection | None]


@dataclass(frozen=True)
class Estimate:
    """The structure closest on average to what is still plausible.

    `value` is for people, `structure` for programs; `expected_distance` is how far the truth is on average.

    >>> print(Estimate(["tea", "milk"], np.array([1.0, 0.5]), expected_distance=0.02))
    tea, milk
    """

    value: Any  # for people: a name, a list of names, labels; another goal looks for something else
    structure: Structure  # for programs: the family's own form of it
    expected_distance: float  # how far the truth is from it on average, from 0 to 1

    def __str__(self) -> str:
        return ", ".join(map(str, self.value)) if isinstance(self.value, list | tuple) else str(self.value)

    def _repr_html_(self) -> str:
        return str(display.call("estimate_html", self))


@dataclass(frozen=True)
class Certificate:
    """What is known about the estimate. Printed, it is a few plain sentences that are true under its assumptions.

    >>> from askwise.distances import TableDistance
    >>> from askwise.posteriors.enumerated import Enumerated
    >>> from askwise.structures.finite import Finite
    >>> family = Finite([[-1.0], [1.0]], responses=[-1, 1])
    >>> problem = Problem(family, TableDistance(1.0 - np.eye(2)))
    >>> prior = Enumerated.prior(family, np.arange(2), problem.loss, weights=[0.1, 0.9])
    >>> print(certify(problem, prior, Estimate("yes", 1, 0.1), [], np.random.default_rng(0)))
    On average over what is still plausible after 0 answers, yes is 0.100 from the truth, on a scale from 0 to 1. It is
    exactly right with probability 90 %.
    """

    estimate: Estimate  # what it is about
    expected_distance: float  # the mean over the posterior of the distance to the estimate
    upper_bound: float  # on that mean, at the simulation confidence
    confidence: float  # that drawing structures did not mislead; 1 if every structure was counted
    probability_exact: float  # that the distance is zero: the very item, the very ranking
    fit: float  # posterior predictive p value of the answers; small: they do not fit the model
    answers: int  # that count; skipped and undone ones do not
    assumptions: tuple[str, ...]  # what must be true for it to hold
    phrase: str  # how the distance is put in words
    held_out: float = 1.0  # p value of the answers, each predicted from all others; small: they come as a surprise
    shape: str | None = None  # what the answers say about how features act
    people_before: int = 0  # whose answers it also rests on
    objection: str | None = None  # what speaks for another model
    unit: float = 1.0  # what a distance of 1 is in the units of the answers
    closeness: float = 1.0  # how many times likelier or less likely than assumed the truth may be
    uneven_sides: tuple[SideCount, ...] = ()  # of people who prefer the left or the right one, whatever stands there

    @property
    def warning(self) -> str | None:
        """Set when the answers do not fit the model, so that the rest should not be trusted."""
        if self.objection is not None:
            return self.objection
        if min(self.fit, self.held_out) >= MIN_FIT:
            return None
        told = "the answers do not fit the model" if self.fit < MIN_FIT else "answers are predicted worse than expected"
        worst = min(self.fit, self.held_out)
        return f"{told} (p = {worst:.3f}): look for mistakes or a feature that is missing"

    def with_names(self, names: Mapping[str, str]) -> Certificate:
        """The same with the names of people for the ids that stand in a log.

        :param names: The id of a person -> the name.
        """
        return replace(
            self, uneven_sides=tuple(one._replace(who=names.get(one.who, one.who)) for one in self.uneven_sides)
        )

    def __str__(self) -> str:
        named = isinstance(self.estimate.value, str) and len(self.estimate.value) <= 60
        what = self.estimate.value if named else "the estimate"
        claim = self.phrase.format(what=what, loss=self.unit * self.expected_distance)
        most = f"{self.upper_bound:.3f}" if self.unit == 1 else f"{self.unit * self.upper_bound:.3g}"
        bound = f" (at most {most}, simulation confidence {100 * self.confidence:.0f} %)"
        right = percent(self.probability_exact, certain=self.confidence == 1)
        exact = f" It is exactly right with probability {right}." if self.probability_exact else ""
        shape = f" {self.shape}" if self.shape else ""
        others = f" It also rests on the answers of {self.people_before} people before." if self.people_before else ""
        close = f" {CLOSENESS.format(times=self.closeness)}" if self.closeness > 1 else ""
        sides = "".join(f" {one}" for one in self.uneven_sides)
        warning = f" But {self.warning}." if self.warning else ""
        after = f"{self.answers} answer{'s' if self.answers != 1 else ''}"
        counted = "" if self.confidence == 1 else bound
        more = f"{exact}{close}{shape}{others}{sides}{warning}"
        return f"On average over what is still plausible after {after}, {claim}{counted}.{more}"

    def _repr_html_(self) -> str:
        return str(display.call("certificate_html", self))


def estimate(problem: Problem, sample: Sample) -> tuple[Structure, float]:
    """The structure of the sample with the least mean distance to the others, and that distance.

    Where structures are weight vectors, their mean is taken if it is closer still. A distance that finds a centre of
    the draws has the last word.

    >>> from askwise.structures.finite import Finite
    >>> from askwise.distances import Custom
    >>> problem = Problem(Finite(np.eye(3)), Custom(lambda g, h: abs(g - h) / 2))
    >>> estimate(problem, Sample(np.arange(3), np.full(3, 1 / 3), exact=True))
    (np.int64(1), 0.333...)
    """
    means = form_of(problem.distance, sample.structures).apply(sample.weights)
    best = int(means.argmin())
    found = sample.structures[best], float(means[best])
    if sample.exact:
        return found
    if isinstance(problem.distance, HasCentre):
        centre = problem.distance.centre(sample.structures, sample.weights, means)
        return centre, _mean_distance(problem, sample, centre)
    if not isinstance(problem.family, LinearFamily | ShowsSets):
        return found
    middle = sample.weights @ sample.structures
    distance = _mean_distance(problem, sample, middle)
    return (middle, distance) if distance < found[1] else found


def _mean_distance(problem: Problem, sample: Sample, structure: Structure) -> float:
    return float(sample.weights @ problem.distance.paired(_repeat(structure, len(sample.weights)), sample.structures))


def certify(
    problem: Problem,
    posterior: Posterior,
    found: Estimate,
    answers: Sequence[Answer],
    rng: Generator,
    closeness: float = 1.0,
    trust: Mapping[str, float] | None = None,
) -> Certificate:
    """Measures an estimate on fresh draws of the posterior; it was chosen on others, so the bound holds for it.

    `found` is the estimate and `answers` are those in force, which are compared with what the model predicts. With
    `closeness` c, the truth's own distribution is within a factor of c of the prior. After any answers, it is then
    within c^2 of the posterior, so distances are at most c^2 times as large. `trust` is how reliable the answers of
    each person are, from 0 to 1; by default 1. See `Certificate` for an example.
    """
    biases: Mapping[str, Floats] = {}
    if isinstance(posterior, LearnsBias):
        sample, biases = posterior.sample_with_biases(CERTIFICATE_DRAWS, rng)
    else:
        sample = posterior.sample(CERTIFICATE_DRAWS, rng)
    losses = problem.distance.paired(_repeat(found.structure, len(sample.weights)), sample.structures)
    mean, worth = float(sample.weights @ losses), independent_draws(losses, sample.chains)
    lapse = posterior.lapse if isinstance(posterior, AllowsLapses) else 0.0
    factor, exact = closeness**2, float(sample.weights @ (losses == 0))
    bound = mean if sample.exact else upper_bound(losses, CERTIFICATE_DELTA, worth)
    uneven = uneven_sides(posterior, answers)
    # whoever prefers a side that much is hardly trusted, so how their answers fit says nothing about the estimate
    checked = [answer for answer in answers if (answer.who or "") not in {one.who for one in uneven}]
    if checked:
        atoms = asked_atoms(posterior, checked)
        checked = [answer._replace(atom=atom) for answer, atom in zip(checked, atoms, strict=True)]
    shifts = position_shifts(biases, checked) if biases and checked else None
    strengths = np.array([trust.get(answer.who or "", 1.0) for answer in checked]) if trust else None
    # draws of a learned loss each have their own, so that one loss cannot weigh them as if an answer had not come
    learns_loss = isinstance(posterior, LearnsLoss) and posterior.learned_loss is not None
    return Certificate(
        estimate=found,
        expected_distance=min(1.0, factor * mean),
        upper_bound=min(1.0, factor * bound),
        confidence=1.0 if sample.exact else 1 - CERTIFICATE_DELTA,
        probability_exact=max(0.0, exact - (factor - 1) * (1 - exact)),
        fit=predictive_check(problem, sample, checked, rng, lapse, shifts, strengths),
        held_out=1.0 if learns_loss else held_out_check(problem, sample, checked, rng, lapse, shifts, strengths),
        answers=len(answers),
        assumptions=_assumptions(problem, posterior, sample, worth),
        phrase=problem.distance.phrase if isinstance(problem.distance, HasPhrase) else DEFAULT_PHRASE,
        shape=posterior.shape_sentence if isinstance(posterior, DescribesShape) else None,
        closeness=closeness,
        people_before=posterior.people_before if isinstance(posterior, LearnsFromOthers) else 0,
        unit=problem.distance.unit if isinstance(problem.distance, HasUnit) else 1.0,
        uneven_sides=uneven,
    )


def percent(chance: float, certain: bool = False) -> str:
    """A probability for people: 0 % and 100 % only if it is `certain`, not if it is rounded or estimated.

    >>> percent(0.004), percent(0.5), percent(0.996), percent(1.0), percent(1.0, certain=True)
    ('less than 1 %', '50 %', 'more than 99 %', 'more than 99 %', '100 %')
    """
    if certain and chance in (0, 1):
        return f"{100 * chance:.0f} %"
    return "less than 1 %" if chance < 0.01 else "more than 99 %" if chance > 0.99 else f"{100 * chance:.0f} %"


def upper_bound(values: Floats, delta: float, worth: float | None = None) -> float:
    """A bound that is above the mean of independent values in [0, 1] with probability 1 - delta (empirical Bernstein).

    Values (n,) that are not independent count for as many as they are `worth`.

    >>> round(upper_bound(np.zeros(4000), 0.05), 4), round(upper_bound(np.zeros(4000), 0.05, 400.0), 4)
    (0.0022, 0.0216)
    """
    count, tail = len(values) if worth is None else worth, log(2 / delta)
    bound = values.mean() + sqrt(2 * values.var(ddof=1) * tail / count) + 7 * tail / (3 * (count - 1))
    return min(1.0, float(bound))


def predictive_check(
    problem: Problem,
    sample: Sample,
    answers: Sequence[Answer],
    rng: Generator,
    lapse: float = 0.0,
    shifts: Floats | None = None,
    strengths: Floats | None = None,
) -> float:
    """The posterior predictive p value: how often simulated answers are as unlikely as those that came.

    `lapse` is the share of answers that are given by accident, `shifts` (S, T) are added to the scores of answers, and
    `strengths` (T,) say how far each answer is trusted, from 0 to 1.

    >>> from askwise.distances import TableDistance
    >>> from askwise.structures.finite import Finite
    >>> problem = Problem(Finite([[-3.0], [3.0]], responses=[-1, 1]), TableDistance(1.0 - np.eye(2)))
    >>> sure = Sample(np.array([1]), np.ones(1), exact=True)
    >>> predictive_check(problem, sure, [Answer(0, -1)] * 5, np.random.default_rng(0))  # five answers against the odds
    0.0
    """
    if not answers or np.isinf(problem.beta):
        return 1.0
    responses = _responses(problem, sample, answers)
    if responses is None:
        predictions = _shifted(problem.family.predict(sample.structures, _atoms(answers)), shifts)
        said = np.array([answer.response for answer in answers])
        return _worst_number_check(problem, predictions, sample.weights, said, rng)
    likelier = np.zeros(len(sample.weights))  # (S,): how much the simulated answers are than those that came, as logs
    for some, chances in _chances_in_blocks(problem, sample, answers, len(responses), lapse, shifts, strengths):
        shares = chances / chances.sum(axis=0)
        drawn = (rng.random(shares.shape[1:]) > np.cumsum(shares, axis=0)[:-1]).sum(axis=0)
        given, logs = np.array([responses.index(answer.response) for answer in answers[some]]), np.log(shares)
        for places, sign in ((drawn[None], 1), (given[None, None], -1)):
            likelier += sign * np.take_along_axis(logs, places, axis=0)[0].sum(axis=1)
    return float(sample.weights @ (likelier <= 1e-9))


def held_out_check(
    problem: Problem,
    sample: Sample,
    answers: Sequence[Answer],
    rng: Generator,
    lapse: float = 0.0,
    shifts: Floats | None = None,
    strengths: Floats | None = None,
) -> float:
    """The p value of the answers, each predicted from all others: small if they are predicted worse than expected.

    The posterior without an answer is that of all answers with each draw weighed by one over the answer's chance (of
    random draws, at most the mean weight times the root of their number, so that none outweighs all others). The p
    value is the share of simulated answers that are as unlikely under these predictions as those that came.

    >>> from askwise.distances import TableDistance
    >>> from askwise.structures.finite import Finite
    >>> problem = Problem(Finite([[-3.0], [3.0]], responses=[-1, 1]), TableDistance(1.0 - np.eye(2)))
    >>> sure, rng = Sample(np.array([1]), np.ones(1), exact=True), np.random.default_rng(0)
    >>> [held_out_check(problem, sure, [Answer(0, response)] * 5, rng) > 0.01 for response in (1, -1)]
    [True, False]
    """
    if not answers or np.isinf(problem.beta):
        return 1.0
    responses = _responses(problem, sample, answers)
    if responses is None:
        return 1.0
    given = np.array([responses.index(answer.response) for answer in answers])
    predicted = np.empty((len(responses), len(answers)))
    for some, chances in _chances_in_blocks(problem, sample, answers, len(responses), lapse, shifts, strengths):
        weights = 1 / np.take_along_axis(chances, given[None, None, some], axis=0)[0]  # (S, T)
        if not sample.exact:
            weights = np.minimum(weights, sample.weights @ weights * sqrt(len(weights)))
        weights = weights * sample.weights[:, None]
        predicted[:, some] = np.einsum("yst,st->yt", chances / chances.sum(axis=0), weights / weights.sum(axis=0))
    logs = np.log(predicted)
    drawn = (rng.random((HELD_OUT_DRAWS, len(given))) > np.cumsum(predicted, axis=0)[:-1, None]).sum(axis=0)
    places = np.arange(len(given))
    return float((logs[drawn, places].sum(axis=1) <= logs[given, places].sum() + 1e-9).mean())


def _atoms(answers: Sequence[Answer]) -> Atoms:
    return np.stack([np.asarray(answer.atom) for answer in answers])


def _responses(problem: Problem, sample: Sample, answers: Sequence[Answer]) -> list[Any] | None:
    """What may be answered; None where any number may."""
    found = problem.family.responses(problem.family.predict(sample.structures[:1], _atoms(answers[:1])))
    return list(found) if np.ndim(found) == 1 else None


def _chances_in_blocks(
    problem: Problem,
    sample: Sample,
    answers: Sequence[Answer],
    responses: int,
    lapse: float,
    shifts: Floats | None,
    strengths: Floats | None,
) -> Iterator[tuple[slice, Floats]]:
    """Some of the answers, and the chances (Y, S, T) of all `responses` to them, each to the power of its strength."""
    atoms, step = _atoms(answers), max(1, MAX_BLOCK_CHANCES // (responses * len(sample.weights)))
    for start in range(0, len(answers), step):
        some = slice(start, start + step)
        moved = None if shifts is None else shifts[:, some]
        predictions = _shifted(problem.family.predict(sample.structures, atoms[some]), moved)
        chances = np.maximum(_with_lapses(problem.chances(predictions), lapse), MIN_CHANCE)
        yield some, chances if strengths is None else chances ** strengths[some]


def _shifted(predictions: Floats, shifts: Floats | None) -> Floats:
    """(S, T): scores with what the side adds to each answer's."""
    return predictions if shifts is None else predictions + shifts.astype(predictions.dtype)


def _with_lapses(chances: Floats, lapse: float) -> Floats:
    """(Y, S, T): chances of responses, some of which are given by accident; in 64 bits."""
    return (1 - lapse) * chances.astype(float) + lapse / len(chances)


def _worst_number_check(problem: Problem, predictions: Floats, weights: Floats, given: Floats, rng: Generator) -> float:
    """`predictive_check` for numbers, by the worst answer: learned noise fits any sum, but no mistyped number."""
    if not isinstance(problem.family, DrawsResponses):
        return 1.0
    drawn = problem.family.draw_responses(predictions, rng)  # (S, T): one simulated answer for each structure
    observed, replicated = (problem.loss.value(predictions, y).max(axis=1) for y in (given, drawn))
    return float(weights @ (replicated >= observed))


def _assumptions(problem: Problem, posterior: Posterior, sample: Sample, worth: float) -> tuple[str, ...]:
    noise = f"answers follow the {problem.loss.name} model, beta {problem.beta:g}"
    if np.isinf(problem.beta):
        noise = "no answer is wrong"
    elif problem.margin is not None:
        noise = (
            f"the right answer to any question is likelier than any other by at least {problem.margin:g}, and each "
            f"answer counts little (beta {problem.beta:g}): the average is one of cautious beliefs"
        )
    if sample.exact:
        counted = "every structure was counted"
    elif sample.chains is None:
        counted = f"the {CERTIFICATE_DRAWS} draws behind it are independent and from the posterior"
    else:
        chains = len(np.unique(sample.chains))
        drawn = f"the {CERTIFICATE_DRAWS} draws of {chains} chains behind it are from the posterior"
        counted = f"{drawn} and worth {worth:.0f} independent ones"
    if isinstance(posterior, AllowsLapses) and posterior.lapse > 0:
        noise += f", but for about {100 * posterior.lapse:.1f} % of them, which are accidents"
    family = problem.family
    if isinstance(posterior, DescribesShape):
        truth = "features act on scores in one of the ways that the option shape allows"
    elif isinstance(family, DescribesModel):
        truth = family.model_sentence
    else:
        truth = f"the truth is one of the structures of {type(family).__name__}"
    return (truth, noise, counted)


def _repeat(structure: Structure, count: int) -> Structures:
    return np.repeat(np.asarray(structure)[None], count, axis=0)
