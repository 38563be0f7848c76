"""The stopping benchmark on a few rounds."""

from __future__ import annotations

from benchmarks.stopping import missed_rounds, stopped_too_soon


def test_half_of_epsilon_is_rarely_missed():
    assert missed_rounds(0.2, 10, 1.0, runs=20) <= 0.1


def test_chains_that_stay_are_not_counted_in_full():
    careful, in_full = (stopped_too_soon(0.2, 0.1, 0.9, counted, runs=60) for counted in (False, True))
    assert careful < in_full
