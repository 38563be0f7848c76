"""A checkpoint is believed only where the same would be computed: by the same programs on the same kind of machine."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import askwise
from askwise import storage
from askwise._runtime.threads import processor
from askwise.session import recording
from askwise.storage import journal

ASK = "import sys; from askwise.storage.journal import made_by; print(made_by()); assert 'numba' not in sys.modules"


def made_by(**places):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **places}
    return subprocess.run(
        [sys.executable, "-c", ASK], env=environment, capture_output=True, text=True, check=True, timeout=120
    ).stdout.strip()


def test_the_kind_of_processor_is_told():
    """As numba and NumPy see it, without the time that numba takes to load."""
    here = made_by()
    assert here == journal.made_by()
    assert here.endswith(f" on {processor()}")
    assert here == made_by(OPENBLAS_NUM_THREADS="1")  # how many threads changes nothing
    assert made_by(NUMBA_CPU_NAME="generic") != here
    assert made_by(NUMBA_CPU_FEATURES="+sse2") != here


def test_another_kernel_of_numpy_is_told():
    others = {made_by(OPENBLAS_CORETYPE=kind) for kind in ("Haswell", "Nehalem")}
    if len(others) == 1:
        pytest.skip("this NumPy has no BLAS that chooses among kernels")
    assert len(others) == 2


def test_a_checkpoint_of_another_kind_of_machine_is_not_believed(tmp_path, monkeypatch):
    path = tmp_path / "drinks.askwise"
    askwise.save(askwise.best_item(["tea", "milk", "water"], seed=1), path)
    session = storage.open(path)
    session.ask()
    session.tell("left")
    storage.close(session)
    replayed = []
    monkeypatch.setattr(recording, "resume", lambda *_: pytest.fail("believed"))
    monkeypatch.setattr(journal, "processor", lambda: "z80 00000000 Zilog")
    journal.made_by.cache_clear()
    try:
        again = storage.open(path, progress=lambda events: replayed.extend(events) or events)
    finally:
        journal.made_by.cache_clear()
    assert len(replayed) == 2
    assert again.diameter == session.diameter
