"""Odd requests to every operation of the API, in short; and that an operation which breaks its description is found."""

from __future__ import annotations

import warnings

import pytest

pytest.importorskip("schemathesis", reason="NOT RUN: schemathesis is not installed")
from askwise.web import api_description
from benchmarks import fuzz_api


def short(**more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the tool
        return fuzz_api.fuzz(2, whole=False, **more)


def test_nothing_breaks_the_description_with_and_without_tokens():
    found = short(callers=("owner and participant", "no token"))
    assert not found.shown
    assert (found.server_errors, found.violations, found.errors) == (0, 0, 0)
    assert len(found.operations) > 25
    assert found.requests > 2 * len(found.operations)
    assert {"200", "401", "422"} < set(found.statuses)


def test_a_status_that_is_not_described_is_found(monkeypatch):
    monkeypatch.setattr(api_description, "OF_OWNER", ())
    found = short(callers=("no token",))
    assert found.violations
    assert any("Undocumented status code" in each for each in found.shown)
