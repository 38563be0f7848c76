import numpy as np

from askwise.distances.items import BestItem
from askwise.losses import davidson
from askwise.problem import Problem
from askwise.simulate.people import Person
from askwise.structures.choice import Choice


def shares(person, atom, times=4000):
    rng = np.random.default_rng(3)
    said = [person.respond(atom, rng) for _ in range(times)]
    return {code: said.count(code) / times for code in set(said)}


def test_a_person_answers_with_the_models_own_chances():
    items = np.array([[1.0], [0.0]])
    problem = Problem(Choice(items), BestItem(items))
    seen = shares(Person(problem, np.array([0.8])), [0, 1])
    expected = 1 / (1 + np.exp(-0.8))
    assert abs(seen[1] - expected) < 4 * np.sqrt(expected * (1 - expected) / 4000)


def test_a_person_with_ties_says_equal_as_often_as_davidson():
    items = np.array([[1.0], [0.0]])
    problem = Problem(Choice(items, ties=True), BestItem(items), davidson(2.0))
    seen = shares(Person(problem, np.array([0.0])), [0, 1])
    assert abs(seen[0] - 0.5) < 4 * np.sqrt(0.25 / 4000)


def test_lapses_are_wrong_answers():
    items = np.array([[1.0], [0.0]])
    problem = Problem(Choice(items), BestItem(items))
    seen = shares(Person(problem, np.array([50.0]), lapses=0.2), [0, 1])
    assert abs(seen[-1] - 0.2) < 4 * np.sqrt(0.16 / 4000)
