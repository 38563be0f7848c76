"""After a surprising answer the chains look as after a long run: they neither lag behind nor get stuck."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from askwise.posteriors.hierarchies.posterior import HierarchyPosterior
from askwise.simulate.people import LabellingPerson
from askwise.simulate.runs import simulate_answers
from askwise.simulate.tasks import hierarchy
from askwise.structures.hierarchies import Hierarchies, random_trees, triples_at
from askwise.types import Answer
from tests.helpers import generator


@pytest.mark.parametrize("beta", [3.0, 10.0])
def test_a_surprising_answer_leaves_no_lag(beta):
    """After forty answers that fit and one that nobody expected, the chains look as after a long run."""
    rng = generator(63, int(beta))
    family = Hierarchies(12)
    truth = random_trees(1, 12, rng)
    person, posterior = LabellingPerson(family, truth[0]), HierarchyPosterior.prior(family, beta, chains=400)
    for atom in rng.permutation(family.draw_atoms(40, rng))[:40]:
        posterior = posterior.update(Answer(atom, person.respond(atom, rng)), rng)
    atoms = triples_at(np.arange(220), 12)
    sure = (family.answers(posterior.trees, atoms) == family.answers(truth, atoms)).mean(axis=0)
    atom = atoms[sure.argmax()]
    response = (int(family.predict(truth, atom[None])[0, 0]) + 1) % 3
    after = posterior.update(Answer(atom, response), rng)
    settled = after.advanced(1000, rng)
    for measure in (
        lambda p: family.answers(p.trees, atoms) == family.answers(truth, atoms),
        lambda p: p.wrong[:, None],
    ):
        now, then = measure(after), measure(settled)
        error = np.sqrt((now.var(axis=0) + then.var(axis=0)) / 400 + 1e-4)
        assert (np.abs(now.mean(axis=0) - then.mean(axis=0)) / error).max() < 4.5


def long_run(answered, chains, moves, rng):
    """Fresh chains led through the same answers by moves alone, many a time as long."""
    at = HierarchyPosterior.prior(answered.family, answered.beta, chains=chains).advanced(moves, rng)
    for triple, odd in zip(answered.triples, answered.odd, strict=True):
        wrong = at.wrong + (triple[at.family.answers(at.trees, triple[None])[:, 0]] != odd)
        triples, items = np.concatenate([at.triples, triple[None]]), np.append(at.odd, odd)
        weight = np.ones(len(items), dtype=np.int32)
        at = replace(at, triples=triples, odd=items, weight=weight, wrong=wrong).advanced(moves, rng, triple, 40)
    return at


def asked(items, count, seed):
    """A task, its posterior after so many chosen questions, and the answer that is true but least expected."""
    task = hierarchy(generator(71, seed), items=items)
    session = task.session("expected", seed, repeat=False)
    for _ in simulate_answers(session, task.person, (generator(72, seed, number) for number in range(count))):
        pass
    family, atoms = task.problem.family, task.problem.distance.triples
    right = family.answers(task.person.truth[None], atoms)[0]
    hardest = (family.answers(session.posterior.trees, atoms) == right).mean(axis=0).argmin()
    return session.posterior, atoms, right, Answer(atoms[hardest], int(right[hardest]))


@pytest.mark.parametrize("trial", range(2))
def test_a_hard_answer_leaves_no_lag(trial):
    """Chosen questions, faultless answers: the chains look as a fresh long run does where it has found its way."""
    posterior, atoms, right, hardest = asked(30, 36, trial)
    rng = generator(73, trial)
    after = posterior.update(hardest, rng)
    settled = long_run(after, 192, 450, rng)
    now, then = (posterior.family.answers(at.trees[at.wrong == 0], atoms) for at in (after, settled))
    assert len(now) > 0.9 * 64
    assert len(then) > 0.5 * 192
    ours, theirs = (now != right).mean(axis=1), (then != right).mean(axis=1)
    error = np.sqrt(ours.var(ddof=1) / len(now) + theirs.var(ddof=1) / len(then))
    assert abs(ours.mean() - theirs.mean()) < 4 * error
    shares = [np.stack([(answers == place).mean(axis=0) for place in range(3)]) for answers in (now, then)]
    independent = (shares[1] * (1 - shares[1])).sum() * (1 / len(now) + 1 / len(then))
    assert np.square(shares[0] - shares[1]).sum() < 2 * independent


def test_chains_about_many_items_get_stuck_in_no_wrong_answer():
    """Faultless answers to 60 chosen questions about 50 items, then a hard one: a long run gets one in 100 wrong."""
    wrong = []
    for trial in range(3):
        posterior, _, _, hardest = asked(50, 60, trial)
        wrong.append([posterior.wrong.mean(), posterior.update(hardest, generator(74, trial)).wrong.mean()])
    assert (np.mean(wrong, axis=0) < 0.05).all()
