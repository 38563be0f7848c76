"""Whatever stands behind standard input and output, and however the program is ended: no traceback, nothing lost."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import termios
import time

import pexpect
import pytest

import askwise
from askwise.cli import main

WAIT = 60  # seconds, for a machine that is busy
COMMAND = [sys.executable, "-c", "from askwise.cli import main; main()"]


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    path = tmp_path_factory.mktemp("studies") / "x.askwise"
    askwise.save(askwise.best_item([f"café {i}" for i in range(7)], draws=40, seed=1), path)
    return path


def sh(line, study, **environment):
    """A line of shell in which $A is the command and $X the study."""
    variables = {**os.environ, "A": f'{sys.executable} -c "from askwise.cli import main; main()"', "X": str(study)}
    line = line.replace("$A", '"$PYTHON" -c "from askwise.cli import main; main()"')
    variables |= {"PYTHON": sys.executable, **environment}
    return subprocess.run(["bash", "-c", line], env=variables, capture_output=True, timeout=120, check=False)


@pytest.mark.parametrize(("encoding", "expected"), [("latin-1", b"-> caf\xe9"), ("ascii", rb"-> caf\xe9")])
def test_letters_that_an_encoding_lacks_get_substitutes(study, encoding, expected):
    done = sh("printf 'left\\nq\\n' | $A ask $X", study, PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, b"")
    assert expected in done.stdout
    assert b"1 <-    caf" in done.stdout
    assert b"###" in done.stdout


@pytest.mark.parametrize(
    ("line", "code", "error"),
    [
        ("$A ask $X <&-", 0, b""),
        ("$A example cars >&-", 0, b""),
        ("$A status $X.no 2>&-", 2, b""),
        ("$A status $X >/dev/full", 2, b"askwise: the output cannot be written: No space left on device\n"),
        ("printf 'left\\n' | $A ask $X >/dev/full", 2, b"askwise: the output cannot be written: No space left"),
        ("$A example cars >/dev/full 2>/dev/full", 2, b""),
        ("set -o pipefail; $A example cars | head -c 0", 141, b""),
        ("set -o pipefail; $A simulate line --questions 2 --runs 1 --workers 1 | head -c 0", 141, b""),
        ("printf '\\xff\\n' | $A ask $X", 2, b"is not one of 'left', 'right'"),
    ],
)
def test_streams_that_are_closed_full_or_broken(study, line, code, error):
    done = sh(line, study)
    assert done.returncode == code, done.stderr
    assert b"Traceback" not in done.stderr
    assert error in done.stderr
    assert done.stderr.count(b"\n") <= 1


def asking(study, *options):
    child = pexpect.spawn(COMMAND[0], [*COMMAND[1:], "ask", str(study), *options], encoding="utf-8", timeout=WAIT)
    child.expect("undecided")
    return child


def single_keys(child):
    """Whether the terminal gives keys as they are pressed."""
    return not termios.tcgetattr(child.child_fd)[3] & termios.ICANON


def eventually(wanted):
    end = time.monotonic() + WAIT
    while not wanted():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_terminal_is_left_as_it_was(study, number):
    child = asking(study, "--no-forecast")
    assert single_keys(child)
    child.kill(number)
    child.expect(pexpect.EOF)
    assert not single_keys(child)
    child.close()
    assert child.exitstatus == 128 + number


@pytest.mark.skipif(
    shutil.which("dash") is None, reason="NOT RUN: dash is not installed, a shell that leaves terminals alone"
)
def test_a_pause_gives_the_terminal_back(study):
    before = len(askwise.open(study).answers)
    shell = pexpect.spawn("dash", ["-i"], encoding="utf-8", timeout=WAIT, env={**os.environ, "PS1": "ready> "})
    shell.expect("ready> ")
    shell.sendline(f"{sys.executable} -c 'from askwise.cli import main; main()' ask {study} --no-forecast")
    shell.expect("undecided")
    assert single_keys(shell)
    shell.sendcontrol("z")
    shell.expect("ready> ")
    assert not single_keys(shell)
    shell.sendline("fg")
    eventually(lambda: single_keys(shell))
    shell.send("1")
    shell.expect("undecided")
    shell.send("q")
    shell.expect("ready> ")
    shell.sendline("exit")
    shell.expect(pexpect.EOF)
    assert len(askwise.open(study).answers) == before + 1


@pytest.mark.parametrize(
    ("arguments", "sign"),
    [
        (["plan", "STUDY", "--people", "50"], "[1-9]%"),
        (["simulate", "line", "--runs", "100"], "[1-9]%"),
        (["demo"], "undecided"),
    ],
)
def test_ctrl_c_is_quiet(study, tmp_path, arguments, sign):
    """The workers, which are at work by now, get it too."""
    arguments = [str(study) if argument == "STUDY" else argument for argument in arguments]
    shown = {**os.environ, "TERM": "xterm"}  # a terminal that shows progress
    words = [*COMMAND[1:], *arguments]
    child = pexpect.spawn(COMMAND[0], words, encoding="utf-8", timeout=WAIT, cwd=tmp_path, env=shown)
    child.expect(sign)
    child.sendcontrol("c")
    child.expect(pexpect.EOF)
    assert "Traceback" not in child.before
    assert "Error" not in child.before
    child.close()
    assert child.exitstatus == 130


def test_every_command_is_interrupted_the_same_way(study, monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("askwise.storage.resume", interrupted)
    for command in ("ask", "status", "report", "plan", "next"):
        monkeypatch.setattr(sys, "argv", ["askwise", command, str(study)])
        with pytest.raises(SystemExit) as ended:
            main()
        assert (ended.value.code, capsys.readouterr().err) == (130, "")


def test_arguments_that_are_not_text_are_refused(run_command, study, tmp_path):
    for arguments in (
        ["ask", study, "--who", "\udcff"],
        ["status", "caf\udce9.askwise"],
        ["new", "classifier", "x.csv", "--labels", "a,\udcff"],
        ["new", "best-item", "\udcff.csv"],
    ):
        code, _, error = run_command(*arguments)
        assert code == 2
        assert "is not UTF-8 text; type it again, or rename the file" in error
    assert list(tmp_path.iterdir()) == []


def test_pipes_devices_and_folders_are_no_studies(run_command, tmp_path):
    os.mkfifo(tmp_path / "pipe.askwise")
    os.mkfifo(tmp_path / "pipe.json")
    for arguments in (
        ["ask", "pipe.askwise"],
        ["status", "pipe.askwise"],
        ["serve", "pipe.askwise"],
        ["copy", "pipe.askwise", "y.askwise"],
        ["import", "pipe.json"],
        ["ask", "/dev/zero"],
        ["report", "/dev/null"],
        ["ask", tmp_path],
        ["ask", ""],
        ["ask", "x" * 5000],
        ["copy", "x" * 300, "y"],
        ["new", "best-item", "x" * 5000],
        ["import", "x" * 5000],
        ["tell", "pipe.askwise", "--from", "pipe.json"],
    ):
        code, out, error = run_command(*arguments)
        assert (code, out) == (2, ""), arguments
        assert error.count("\n") == 1
        assert len(error) < 700


def test_output_does_not_take_the_place_of_a_pipe(run_command, study, tmp_path):
    for name, arguments in {"a.csv": ["export"], "q.csv": ["next"], "r.html": ["report"]}.items():
        os.mkfifo(tmp_path / name)
        code, _, error = run_command(*arguments, study, "-o", name)
        assert code == 2, error
        assert (tmp_path / name).is_fifo()


def test_a_signal_before_the_preparation_starts_ends_it_quietly(study, monkeypatch):
    """Ctrl-C between making a thread and starting it: it cannot be waited for."""

    def interrupted(thread):
        raise KeyboardInterrupt

    monkeypatch.setattr("askwise.cli.ask.threading.Thread.start", interrupted)
    monkeypatch.setattr(sys, "argv", ["askwise", "ask", str(study), "--no-forecast"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
