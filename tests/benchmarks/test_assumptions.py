"""The benchmark of assumptions: its people answer, and its errors are those of the goals."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.assumptions import ScoredPerson, cases, error, labels, measure, names


def test_every_case_names_its_options():
    assert [len(found) for found in cases().values()] == [6, 4, 3]


def test_noiseless_names_are_found():
    questions, off, stated = measure(names, 2, noise=0)
    assert float(questions.split()[0]) < 25
    assert 0 <= off <= 0.3
    assert 0 < stated < 0.1


def test_the_error_of_labels():
    session, person = labels(0, {"noise": 0})
    assert isinstance(person, ScoredPerson)
    session.tell("yes" if person.respond(session.ask().atom, np.random.default_rng(0)) > 0 else "no")
    given = np.array(session.estimate().value) == "yes"
    assert error(session, person) == pytest.approx(np.mean(given != (person.scores > 0)))
