import numpy as np
import pytest

from askwise.distances.items import BestItem
from askwise.errors import SettingError
from askwise.losses import davidson
from askwise.problem import Problem, noise_beta
from askwise.simulate.people import (
    BoundedNoisePerson,
    DriftingPerson,
    LabellingPerson,
    LapsingPerson,
    MatrixPerson,
    ModelPerson,
)
from askwise.structures.choice import Choice
from askwise.structures.finite import Finite


def shares(person, atom, times=4000):
    rng = np.random.default_rng(3)
    said = [person.respond(atom, rng) for _ in range(times)]
    return {code: said.count(code) / times for code in set(said)}


def test_a_model_person_answers_with_the_models_probabilities():
    items = np.array([[1.0], [0.0]])
    problem = Problem(Choice(items), BestItem(items))
    seen = shares(ModelPerson(problem, np.array([0.8])), [0, 1])
    expected = 1 / (1 + np.exp(-0.8))
    assert abs(seen[1] - expected) < 4 * np.sqrt(expected * (1 - expected) / 4000)


def test_a_person_with_ties_says_equal_as_often_as_davidson():
    items = np.array([[1.0], [0.0]])
    problem = Problem(Choice(items, ties=True), BestItem(items), davidson(2.0))
    seen = shares(ModelPerson(problem, np.array([0.0])), [0, 1])
    assert abs(seen[0] - 0.5) < 4 * np.sqrt(0.25 / 4000)


def test_lapses_are_wrong_answers():
    items = np.array([[1.0], [0.0]])
    problem = Problem(Choice(items), BestItem(items))
    seen = shares(LapsingPerson(ModelPerson(problem, np.array([50.0])), [1, -1], 0.2), [0, 1])
    assert abs(seen[-1] - 0.2) < 4 * np.sqrt(0.16 / 4000)


def labels(size=4, seed=0):
    return Finite(np.random.default_rng(seed).integers(size, size=(6, 40)), responses=list(range(size)))


def test_a_labelling_person_spreads_its_noise_evenly_over_the_wrong_responses():
    family = labels()
    right = int(family.table[2, 5])
    seen = shares(LabellingPerson(family, np.asarray(2), noise=0.3), 5)
    for response in range(4):
        expected = 0.7 if response == right else 0.1
        assert abs(seen[response] - expected) < 4 * np.sqrt(expected * (1 - expected) / 4000)
    assert shares(LabellingPerson(family, np.asarray(2)), 5, times=50) == {right: 1.0}


def test_the_beta_of_a_labelling_person_is_bayes_rule():
    """Under noise q over K responses, exp(-beta) is the ratio of a wrong response's chance to the right one's."""
    for responses, noise in ((2, 0.1), (4, 0.3)):
        assert np.isclose(np.exp(-noise_beta(noise, responses)), noise / (responses - 1) / (1 - noise))


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("adversarial", [False, True])
def test_bounded_noise_keeps_its_margin_on_every_atom(size, adversarial):
    family = labels(size)
    person = BoundedNoisePerson(family, np.asarray(1), margin=0.25, adversarial=adversarial, others=np.arange(6))
    gaps = []
    for atom in range(40):
        chances = person.probabilities(atom)
        right = int(family.table[1, atom])
        assert chances.min() >= 0
        assert chances.sum() == pytest.approx(1.0)
        gaps.append(chances[right] - np.delete(chances, right).max())
        assert np.array_equal(chances, person.probabilities(atom))  # an atom's chances are its own, once and for all
    assert min(gaps) >= 0.25 - 1e-12
    if adversarial:
        assert gaps == pytest.approx([0.25] * 40)


def test_adversarial_noise_goes_to_the_strongest_rival():
    """Three structures say 2 and one says 0; the truth says 1."""
    family = Finite([[1, 0], [2, 1], [2, 1], [0, 1], [2, 1]], responses=[0, 1, 2])
    person = BoundedNoisePerson(family, np.asarray(0), margin=0.2, adversarial=True, others=np.arange(5))
    assert person.probabilities(0) == pytest.approx([0.0, 0.6, 0.4])
    assert person.probabilities(1) == pytest.approx([0.6, 0.4, 0.0])


def test_the_rival_is_the_worst_for_the_truth():
    """Of all the noise that the margin allows, none leaves the truth less mass after one answer, on average."""
    family, beta = labels(4), 0.3
    weights = np.full(6, 1 / 6)
    for atom in range(40):
        right = int(family.table[2, atom])

        def mass(chances, atom=atom):
            kept = [weights * np.exp(-beta * (family.table[:, atom] != y)) for y in range(4)]
            return sum(chance * held[2] / held.sum() for chance, held in zip(chances, kept, strict=True))

        person = BoundedNoisePerson(family, np.asarray(2), margin=0.25, adversarial=True, others=np.arange(6))
        worst = mass(person.probabilities(atom))
        for rival in range(4):
            chances = np.zeros(4)
            chances[right], chances[rival] = 0.625, 0.375 if rival != right else 1.0
            assert worst <= mass(chances) + 1e-12


def test_an_adversary_with_a_choice_of_rivals_needs_others():
    with pytest.raises(SettingError, match="needs others="):
        BoundedNoisePerson(labels(3), np.asarray(0), margin=0.25, adversarial=True).probabilities(0)


def test_a_drifting_taste_takes_steps_of_its_own_length():
    items = np.eye(5)
    person = DriftingPerson(Problem(Choice(items), BestItem(items)), np.full(5, 2.0), drift=0.1)
    before = person.truth
    rng = np.random.default_rng(0)
    for _ in range(3):
        person.respond([0, 1], rng)
        assert np.linalg.norm(person.truth - before) == pytest.approx(0.1 * np.sqrt(20))
        before = person.truth


def test_measurements_have_gaussian_noise():
    person = MatrixPerson(np.zeros((2, 2)), noise=2.0)
    values = [person.respond([0, 1], np.random.default_rng(k)) for k in range(400)]
    assert np.std(values) == pytest.approx(2.0, rel=4 / np.sqrt(800))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: LabellingPerson(labels(), np.asarray(0), noise=1.0), "noise must be from 0 to below 1, got 1.0"),
        (
            lambda: BoundedNoisePerson(labels(), np.asarray(0), margin=0.0),
            "margin must be above 0 and at most 1, got 0.0",
        ),
        (
            lambda: LapsingPerson(LabellingPerson(labels(), np.asarray(0)), [0, 1], -0.1),
            "lapses must be from 0 to below 1",
        ),
    ],
)
def test_bad_settings_are_refused(make, sentence):
    with pytest.raises(SettingError, match=sentence):
        make()
