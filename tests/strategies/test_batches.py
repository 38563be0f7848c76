"""Batches: imagined answers against all answers there are, fresh draws against the exact posterior, whole batches
against a greedy choice by enumeration, and what a session makes of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import inf

import numpy as np
import pytest

from askwise.distances import TableDistance
from askwise.distances.items import BestItem
from askwise.errors import NothingToAsk
from askwise.losses import logistic, zero_one
from askwise.posteriors.enumerated import Enumerated
from askwise.posteriors.scores.logconcave import LogConcave
from askwise.problem import Problem
from askwise.session import Session
from askwise.simulate.tasks import TASKS
from askwise.strategies import batches as batch
from askwise.strategies import strategies, strategy
from askwise.strategies.batches import (
    Scenario,
    effective_size,
    extend_scenarios,
    initial_scenarios,
    score_scenarios,
    subsample,
)
from askwise.structures.choice import Choice
from askwise.structures.finite import Finite
from askwise.structures.linear import unit_rows
from askwise.types import Answer, Sample
from tests.helpers import chi_square, exact_sample, generator, label_problem, score_problem, without_times


def chance(problem, prior, atoms, vector):
    """p(g, answers) for every structure g, (G,)."""
    found = prior.weights.copy()
    for atom, response in zip(atoms, vector, strict=True):
        predictions = problem.family.predict(prior.structures, np.array([atom]))
        found *= problem.chances(predictions)[list(problem.family.responses(predictions)).index(response), :, 0]
    return found


def exact_gain(problem, prior, rule, open_atoms, atoms):
    """The mean gain over every vector of answers there is."""
    responses = list(problem.family.responses(np.empty((0, 1))))
    total = np.zeros(len(atoms))
    for vector in product(responses, repeat=len(open_atoms)):
        weight = chance(problem, prior, open_atoms, vector).sum()
        if weight > 0:
            after = prior
            for atom, response in zip(open_atoms, vector, strict=True):
                after = after.update(Answer(np.asarray(atom), response), None)
            total += weight * rule(problem, after, exact_sample(after), atoms, None).gain
    return total


def extended(problem, posterior, sample, open_atoms, rng):
    scenarios = initial_scenarios(posterior, sample, rng)
    for atom in open_atoms:
        scenarios = extend_scenarios(problem, scenarios, atom, rng)
    return scenarios


class Drawn:
    """An enumerated posterior of which only independent draws are seen."""

    def __init__(self, exact):
        self.exact = exact

    def sample(self, count, rng):
        places = rng.choice(len(self.exact.weights), count, p=self.exact.weights)
        return Sample(self.exact.structures[places], np.full(count, 1 / count), exact=False)

    def update(self, answer, rng):
        return Drawn(self.exact.update(answer, rng))

    def diagnostics(self):
        return {}


PROBLEMS = {
    "two labels, no noise": lambda rng: label_problem(rng, 2, inf, size=12, atoms=7),
    "three labels, noise": lambda rng: label_problem(rng, 3, 1.5, size=12, atoms=7),
    "scores": lambda rng: score_problem(rng, size=12, atoms=7),
}


# ------------------------------------------------------------------ against enumeration


@pytest.mark.parametrize("rule", ["expected", "ndbal", "margin", "bald"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_gains_are_right_on_average(name, rule):
    problem, prior = PROBLEMS[name](generator(700))
    atoms, open_atoms = np.arange(7), [0, 3, 5]
    exact = exact_gain(problem, prior, strategy(rule), open_atoms, atoms)
    found = []
    for trial in range(60):
        scenarios = extended(problem, prior, exact_sample(prior), open_atoms, generator(701, trial))
        found.append(score_scenarios(strategy(rule), problem, scenarios, atoms, lambda: generator(702)).gain)
    error = np.std(found, axis=0, ddof=1) / np.sqrt(len(found))
    assert (np.abs(np.mean(found, axis=0) - exact) < 4 * error + 1e-9).all()
    alone = strategy(rule)(problem, prior, exact_sample(prior), atoms, None).gain
    assert (np.abs(alone - exact) > 8 * error).any()  # the test would notice if nothing were imagined


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("key", range(3))
def test_a_batch_is_greedy(name, key, monkeypatch):
    monkeypatch.setattr(batch, "TRUTHS", 3000)
    problem, prior = PROBLEMS[name](generator(710, key))
    session = Session(problem, prior, seed=3)
    chosen = [question.atom for question in session.ask(4)]
    assert len(set(chosen)) == 4
    for place, atom in enumerate(chosen):
        exact = exact_gain(problem, prior, strategy("expected"), chosen[:place], np.arange(7))
        exact[chosen[:place]] = -1.0
        assert exact[atom] > exact.max() - 0.005


def bits(weights=(1.0, 0.9, 0.8)):
    """Eight structures, three bits that matter by their weights; each bit can be asked about twice, in other words."""
    table = np.array(list(product([0, 1], repeat=3)))
    apart = np.abs(table[:, None] - table[None]) @ np.array(weights) / sum(weights)
    family = Finite(np.repeat(table, 2, axis=1))
    problem = Problem(family, TableDistance(apart), zero_one, inf)
    return problem, Enumerated.prior(family, np.arange(8), zero_one, inf)


@pytest.mark.parametrize("rule", ["expected", "ndbal", "bald", "select", "ndbal-paper", "epig"])
def test_a_batch_asks_nothing_twice_in_other_words(rule):
    session = Session(*bits(), rule=rule, seed=1)
    assert sorted(question.atom // 2 for question in session.ask(3)) == [0, 1, 2]


def test_open_questions_are_the_beginning_of_a_batch():
    session = Session(*bits(), seed=1)
    session.pose(3)
    assert {question.atom // 2 for question in session.ask(3)} == {0, 1, 2}
    session.skip("q1")  # its answer will not come: the other wording is worth asking again
    assert session.ask(3)[-1].atom == 2


# ------------------------------------------------------------------ few draws


def test_fresh_draws_come_from_the_updated_posterior():
    problem, prior = label_problem(generator(720), 2, 4.0, size=12, atoms=7)
    counts, expected = np.zeros(12), np.zeros(12)
    fresh = 0
    for trial in range(25):
        rng = generator(721, trial)
        scenarios = initial_scenarios(Drawn(prior), Drawn(prior).sample(60, rng), rng)
        for atom in range(5):
            scenarios = extend_scenarios(problem, scenarios, atom, rng)
            assert all(effective_size(scenario.sample.weights) >= 14 for scenario in scenarios)
            for scenario in scenarios:
                if not scenario.pending:  # drawn afresh at this question
                    fresh += 1
                    counts += np.bincount(scenario.sample.structures, minlength=12)
                    expected += len(scenario.sample.weights) * scenario.posterior.exact.weights
    assert fresh > 10
    assert chi_square(counts, expected) > 1e-4


def test_a_branch_has_heard_its_truths():
    """Whichever way its draws came about, a scenario believes what its truths have answered."""
    problem, prior = label_problem(generator(722), 2, inf, size=40, atoms=9)
    rng = generator(723)
    posterior = Drawn(prior)
    scenarios = extended(problem, posterior, posterior.sample(200, rng), [0, 2, 4, 6, 8], rng)
    assert sum(len(scenario.truths) for scenario in scenarios) == batch.TRUTHS
    for scenario in scenarios:
        held = scenario.sample.structures[scenario.sample.weights > 0]
        told = problem.family.predict(scenario.truths[:1], np.arange(0, 9, 2))
        assert (problem.family.predict(held, np.arange(0, 9, 2)) == told).all()


def test_reweighed_and_fresh_draws_agree():
    rows = generator(730).standard_normal((8, 3))
    family = Choice(rows)
    problem = Problem(family, BestItem(rows))
    posterior = LogConcave.prior(family, problem.loss, sigma=2.0)
    rng = generator(731)
    sample = posterior.sample(8000, rng)
    scenario = initial_scenarios(posterior, sample, rng)[0]
    one = replace(scenario, truths=scenario.truths[:1])
    for atom in ([0, 1], [2, 3], [4, 5]):
        (one,) = extend_scenarios(problem, [one], atom, rng)
    told = batch._with_fresh_draws(one, rng).posterior.sample(8000, rng)
    assert len(one.pending) == 3
    mean = one.sample.weights @ one.sample.structures
    spread = np.sqrt(told.structures.var(axis=0) * (1 / effective_size(one.sample.weights) + 1 / 8000))
    assert (np.abs(mean - told.structures.mean(axis=0)) < 4 * spread).all()
    assert np.abs(sample.structures.mean(axis=0) - mean).max() > 8 * spread.max()


@pytest.mark.parametrize("sigma", [2.0, None])
def test_answers_at_once_are_as_good_as_one_by_one(sigma):
    rows = generator(740).standard_normal((8, 3))
    family = Choice(rows)
    rng = generator(741)
    told = [Answer(np.array(pair), said) for pair, said in (([0, 1], 1), ([2, 3], -1), ([4, 5], 1), ([0, 1], -1))]
    begun = LogConcave.prior(family, logistic, sigma=sigma).update(Answer(np.array([1, 6]), 1), rng)
    at_once, one_by_one = begun.update_all(told, rng), begun
    for answer in told:
        one_by_one = one_by_one.update(answer, rng)
    assert at_once.answers == one_by_one.answers == 5
    left, right = (unit_rows(posterior.sample(6000, rng).structures) for posterior in (at_once, one_by_one))
    spread = np.sqrt((left.var(axis=0) + right.var(axis=0)) / 6000)
    assert (np.abs(left.mean(axis=0) - right.mean(axis=0)) < 4 * spread).all()
    before = unit_rows(begun.sample(6000, rng).structures).mean(axis=0)
    assert np.abs(left.mean(axis=0) - before).max() > 8 * spread.max()


def test_thinned_draws_keep_their_weights():
    rng = generator(750)
    sample = Sample(np.arange(5000), rng.dirichlet(np.full(5000, 0.05)), exact=False)
    fewer = subsample(sample, 400)
    assert len(fewer.weights) <= 400
    assert np.isclose(fewer.weights.sum(), 1)
    values = rng.standard_normal(5000)
    exact, found = sample.weights @ values, fewer.weights @ values[fewer.structures]
    assert abs(exact - found) < 4 / np.sqrt(400)
    assert np.abs(fewer.weights - sample.weights[fewer.structures]).max() <= 1 / 400
    assert subsample(fewer, 400) is fewer


def test_a_shortlist_finds_the_best(monkeypatch):
    problem, prior = score_problem(generator(760), size=40, atoms=300)
    scenarios = extended(problem, prior, exact_sample(prior), [0, 1, 2], generator(761))
    atoms = np.arange(300)
    short = score_scenarios(strategy("expected"), problem, scenarios, atoms, lambda: generator(762)).gain
    monkeypatch.setattr(batch, "SHORTLIST", 300)
    full = score_scenarios(strategy("expected"), problem, scenarios, atoms, lambda: generator(762)).gain
    assert (short == 0).sum() == 44
    assert short.argmax() == full.argmax()
    assert np.allclose(short[short > 0], full[short > 0])


# ------------------------------------------------------------------ sessions


def choices(rule="expected", seed=4):
    rows = generator(770).standard_normal((12, 3))
    family = Choice(rows)
    problem = Problem(family, BestItem(rows))
    return Session(problem, LogConcave.prior(family, problem.loss, sigma=3.0), rule=rule, seed=seed, draws=100)


@pytest.mark.parametrize("rule", sorted(strategies()))
def test_every_rule_makes_batches(rule):
    session, other = choices(rule), choices(rule)
    if rule == "variance":
        session, other = (TASKS["columns"](generator(771), rows=4, columns=5, targets=2, chains=16) for _ in range(2))
        session, other = (Session(task.problem, task.prior, rule=rule, seed=4, draws=16) for task in (session, other))
    questions = session.ask(6)
    assert len({tuple(question.atom) for question in questions}) == 6
    assert other.ask() == questions[0] == other.ask(1)[0]
    assert other.ask(3) == questions[:3]
    assert other.ask(6) == questions  # in one go or little by little


def test_answers_in_any_order_some_never_and_replay():
    session, other = choices(), choices()
    first = session.ask(5)
    for question in (first[3], first[0], first[4]):
        session.tell("left", question)
    second = session.ask(5)
    assert [q.id for q in second] == ["q2", "q3", "q6", "q7", "q8"]
    assert len({tuple(q.atom) for q in (*first, *second)}) == 8
    other.replay(session.log)
    assert [q.atom for q in other.ask(8)] == [q.atom for q in session.ask(8)]
    assert without_times(other.log) == without_times(session.log)


def test_a_batch_is_the_same_in_one_go_or_little_by_little():
    at_once, slowly = choices(), choices()
    for count in (1, 2, 4):
        slowly.ask(count)
    assert [question.atom for question in slowly.ask(6)] == [question.atom for question in at_once.ask(6)]


def test_exact_weights_never_run_out(monkeypatch):
    """However few structures the imagined answers leave, their weights are exact: nothing is drawn afresh."""
    monkeypatch.setattr(batch, "_with_fresh_draws", None)
    problem, prior = label_problem(generator(728), 2, inf, size=300, atoms=12)
    rng = generator(729)
    scenarios = extended(problem, prior, prior.sample(300, rng), range(12), rng)
    assert min(effective_size(scenario.sample.weights) for scenario in scenarios) < 5


def test_a_branch_draws_no_more_than_so_many_afresh(monkeypatch):
    drawn = []
    problem, prior = label_problem(generator(730), 2, 9.0, size=300, atoms=9)
    monkeypatch.setattr(Drawn, "sample", lambda self, count, rng: drawn.append(count) or exact_sample(self.exact))
    rng = generator(731)
    sample = Sample(prior.structures, prior.weights, exact=False)
    extended(problem, Drawn(prior), sample, range(9), rng)
    assert drawn
    assert max(drawn) == batch.MIN_DRAWS_PER_SCENARIO == 200


def test_random_questions_need_no_imagination(monkeypatch):
    monkeypatch.setattr("askwise.session.round.initial_scenarios", None)
    assert len(choices("random").ask(6)) == 6


def test_eligible_questions_only():
    def other_items(batch, pair):
        return not {item for other in batch for item in other} & set(pair)

    session = choices()
    questions = session.ask(12, eligible=other_items)
    items = [item for question in questions for item in question.atom]
    assert len(items) == len(set(items)) == 12  # six pairs, and no seventh
    assert len(session.ask(8)) == 8  # without the rule there is more to ask
    copy = choices()
    copy.replay(session.log)
    assert copy.ask(8) == session.ask(8)


def test_nothing_eligible_is_said():
    session = choices()
    with pytest.raises(NothingToAsk, match="was asked or skipped or is not eligible"):
        session.ask(eligible=lambda batch, atom: False)
    assert not session.log
    assert session.ask(eligible=lambda batch, atom: 5 in atom).atom.count(5) == 1


def test_gain_per_cost():
    problem, prior = bits(weights=(1.0, 1.0, 1.0))
    problem.family.cost = lambda atoms: np.where(np.asarray(atoms) % 2, 1.0, 3.0)  # one wording is dearer
    session = Session(problem, prior, seed=1)
    assert sorted(question.atom for question in session.ask(3)) == [1, 3, 5]


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("clusters", {"items": 20, "chains": 24}),
        ("hierarchy", {"items": 8, "chains": 24}),
        ("columns", {"rows": 5, "columns": 6, "targets": 2, "chains": 24}),
        ("line", {"intervals": 6}),
    ],
)
def test_other_structures(task, options):
    made = TASKS[task](generator(780), **options)
    session = Session(made.problem, made.prior, seed=2, draws=24)
    questions = session.ask(5)
    assert len({str(question.atom) for question in questions}) == 5
    assert all(np.isfinite(question.gain) and question.gain >= 0 for question in questions)
    _, scenarios = session.round._imagined
    assert sum(len(scenario.truths) for scenario in scenarios) == batch.TRUTHS
    assert all(isinstance(one, Scenario) and np.isclose(one.sample.weights.sum(), 1) for one in scenarios)
