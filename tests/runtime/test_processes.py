"""Workers that are not interrupted with their parent."""

import signal
from concurrent.futures import ProcessPoolExecutor

from askwise._runtime.processes import spawn
from askwise.experiments.runner import executor
from askwise.simulate.workers import PackedSession, session_pool


def test_ctrl_c_does_not_reach_workers():
    """A worker would print a traceback; the parent stays as it was."""
    import askwise

    before = signal.pthread_sigmask(signal.SIG_BLOCK, set())
    packed = PackedSession.of(askwise.best_item(["a", "b"], draws=8))
    pools = (ProcessPoolExecutor(1, mp_context=spawn), session_pool(1, [packed]))
    for pool in pools:
        with pool:
            assert signal.SIGINT in pool.submit(signal.pthread_sigmask, signal.SIG_BLOCK, set()).result()
    with executor(1, None) as pool:
        assert signal.SIGINT in pool.submit(signal.pthread_sigmask, signal.SIG_BLOCK, set()).result()
    assert signal.pthread_sigmask(signal.SIG_BLOCK, set()) == before
