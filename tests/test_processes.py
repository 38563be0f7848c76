"""Workers that are not interrupted with their parent."""

import signal
from concurrent.futures import ProcessPoolExecutor

from askwise.experiments.runner import executor
from askwise.processes import spawn
from askwise.study.forecasts import people_of, state_of


def test_ctrl_c_does_not_reach_workers():
    """A worker would print a traceback; the parent stays as it was."""
    import askwise

    before = signal.pthread_sigmask(signal.SIG_BLOCK, set())
    state = state_of(askwise.best_item(["a", "b"], draws=8))
    pools = (ProcessPoolExecutor(1, mp_context=spawn), people_of(1, state))
    for pool in pools:
        with pool:
            assert signal.SIGINT in pool.submit(signal.pthread_sigmask, signal.SIG_BLOCK, set()).result()
    with executor(1, None) as pool:
        assert signal.SIGINT in pool.submit(signal.pthread_sigmask, signal.SIG_BLOCK, set()).result()
    assert signal.pthread_sigmask(signal.SIG_BLOCK, set()) == before
