"""Named random streams, and one BLAS thread while a question is found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

from askwise._runtime.streams import stream
from askwise._runtime.threads import one_thread

keys = st.tuples(st.integers(0, 2**63), st.integers(0, 10**6), st.sampled_from(["atoms", "sample", "rule", "stop"]))


@given(left=keys, right=keys)
def test_streams_repeat_and_differ(left, right):
    assert (stream(*left).random(4) == stream(*left).random(4)).all()
    assert (stream(*left).random(4) == stream(*right).random(4)).all() == (left == right)


def test_streams_do_not_correlate():
    draws = np.array([stream(7, turn, purpose).standard_normal(2000) for turn in range(4) for purpose in ("a", "b")])
    correlation = np.corrcoef(draws)[np.triu_indices(8, 1)]
    assert np.abs(correlation).max() < 4.5 / np.sqrt(2000)


def blas_threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_one_thread_inside_and_what_it_was_outside():
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        inside = one_thread(blas_threads)()
        assert set(inside) == {1}
        assert blas_threads()[: len(before)] == before


def test_one_thread_keeps_name_arguments_and_errors():
    @one_thread
    def divide(a, *, b):
        """a / b"""
        return a / b

    assert (divide.__name__, divide.__doc__, divide(1, b=2)) == ("divide", "a / b", 0.5)
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        with pytest.raises(ZeroDivisionError):
            divide(1, b=0)
        assert blas_threads() == before
