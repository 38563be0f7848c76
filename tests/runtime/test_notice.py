"""Who waits while code is compiled is told so once; who does not wait is not."""

from __future__ import annotations

import io
import threading
from types import SimpleNamespace

import pytest

from askwise._runtime import notice
from askwise._runtime.compiled import machine_code
from askwise._runtime.notice import CompileNotice


class Stream(io.StringIO):
    """Standard error, whose first line can be waited for."""

    def __init__(self, terminal):
        super().__init__()
        self.terminal = terminal
        self.written = threading.Event()

    def isatty(self):
        return self.terminal

    def write(self, text):
        count = super().write(text)
        self.written.set()
        return count


def compilation(**marks):
    def function(): ...

    return SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=function, **marks)})


OURS = {"askwise_parts": None}


@pytest.fixture
def stderr(monkeypatch):
    """Replaces standard error while the test runs, and takes the patience."""

    def replaced(terminal):
        found = Stream(terminal)
        monkeypatch.setattr("sys.stderr", found)
        monkeypatch.setattr(notice, "PATIENCE", 0.0)
        return found

    return replaced


def test_elsewhere_than_on_a_terminal_it_is_one_line_and_only_once(stderr):
    stream = stderr(terminal=False)
    heard = CompileNotice()
    for _ in range(3):
        heard.on_start(compilation(**OURS))
        assert stream.written.wait(60)
        heard.on_end(compilation(**OURS))
    assert stream.getvalue() == f"{notice.TEXT}\n"
    assert len(heard.compiled) == 3


def test_on_a_terminal_the_line_disappears(stderr):
    stream = stderr(terminal=True)
    heard = CompileNotice()
    heard.on_start(compilation(**OURS))
    heard.on_start(compilation(**OURS))  # one within another
    assert stream.written.wait(60)
    heard.on_end(compilation(**OURS))
    assert not stream.getvalue().endswith(notice.ERASE)
    heard.on_end(compilation(**OURS))
    assert f"{notice.TEXT} ... function 1 of about 1, 0 s" in stream.getvalue()
    assert stream.getvalue().endswith(notice.ERASE)


def test_nothing_is_said_of_short_waits_or_other_code_or_threads_that_compute_ahead(stderr, monkeypatch):
    stream = stderr(terminal=False)
    heard = CompileNotice()
    heard.on_start(compilation())  # somebody else's function
    heard.on_end(compilation())

    def ahead():
        heard.on_start(compilation(**OURS))
        heard.on_end(compilation(**OURS))

    thread = threading.Thread(target=ahead)
    thread.start()
    thread.join()
    monkeypatch.setattr(notice, "PATIENCE", 3600.0)
    heard.on_start(compilation(**OURS))
    heard.on_end(compilation(**OURS))
    assert stream.getvalue() == ""
    assert len(heard.compiled) == 2


def test_a_stream_that_nobody_reads_stops_nothing(stderr):
    stream = stderr(terminal=False)
    heard = CompileNotice()
    stream.close()
    heard.on_start(compilation(**OURS))
    heard.on_end(compilation(**OURS))
    assert len(heard.compiled) == 1


def test_the_functions_that_are_compiled_along_are_counted():
    @machine_code()
    def half(x):
        return x / 2

    @machine_code()
    def quarter(x):
        return half(half(x))

    @machine_code()
    def eighth(x):
        return half(quarter(x))

    assert [notice.count_functions(each) for each in (half, quarter, eighth)] == [1, 2, 3]
    assert quarter(4.0) == 1.0
    assert notice.notice.done == 1  # half, which is a part of quarter
    assert notice.count_functions(eighth) == 2  # half is there already
