"""The askwise command: translates, computes nothing."""

from __future__ import annotations

import multiprocessing
import re
import signal
import sys
import threading
from typing import Any

from askwise.cli import streams

# options as they are called in Python -> as they are typed; sentences are written once, for Python
TYPED = {
    "missing='impute'": "--missing impute",
    "features=": "--features",
    "name=": "--name-column",
    "image=": "--image-column",
    "fair_on=": "--fair-on",
    "name its encoding, often latin-1": "name its encoding, often latin-1, with --encoding",
}
TYPED_FOR = {  # the same where commands call one thing differently
    "new": {"prior_scale is": "--prior-scale is"},
    "simulate": {
        "lapses must": "--noise must",
        "sigma is": "--sigma or --told-sigma is",
    },
}
LONGEST = 600  # letters of a sentence
GONE = 141  # as if by SIGPIPE: whoever read the output went away


def typed(sentence: str, command: str = "") -> str:
    """A sentence for somebody at a terminal.

    >>> typed("fill them, use missing='impute', or leave the column out with features=")
    'fill them, use --missing impute, or leave the column out with --features'
    """
    for python, option in {**TYPED, **TYPED_FOR.get(command, {})}.items():
        sentence = sentence.replace(python, option)
    return sentence


def without_password(sentence: str) -> str:
    """Whoever says it, and wherever it stands: the password of a database is not shown.

    >>> without_password("no study at postgresql://ann:se:cr@t@host/lab?sslmode=require&password=secret#cars")
    'no study at postgresql://ann:***@host/lab?sslmode=require&password=***#cars'
    """
    return re.sub(r"(password=)[^&#\s]+", r"\1***", re.sub(r"(://[^\s:@/]*):\S*@", r"\1:***@", sentence))


def main() -> None:
    """Runs the command; what askwise refuses becomes one sentence on stderr and exit code 2."""
    sys.exit(_code())


def _code() -> int:
    """The exit code of the command in `sys.argv`."""
    import typer

    from askwise.errors import AskwiseError

    streams.prepare()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, _interrupt)
    try:
        _run()
        sys.stdout.flush()
        return 0
    except typer.Exit as done:
        return done.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except AskwiseError as refusal:
        return _refused(typed(str(refusal), "".join(sys.argv[1:2])))
    except BrokenPipeError:
        streams.abandon(sys.stdout)
        return GONE
    except SystemExit as ended:  # by rich, too, if it cannot print
        if isinstance(ended.__context__, BrokenPipeError):
            return GONE
        raise
    except OSError as error:
        return _refused(_of_the_system(error))
    except Exception as fault:
        if not hasattr(fault, "format_message"):  # what typer raises if a command is not typed as it should be
            raise
        return _misused(fault)


def _interrupt(*_: Any) -> None:
    """Ctrl-C: workers are let go at once, for their work would be waited for, and nobody hears them complain."""
    threading.excepthook = lambda _: None
    for worker in multiprocessing.active_children():
        worker.terminate()
    raise KeyboardInterrupt


def _run() -> None:
    import typer

    from askwise.cli.app import app
    from askwise.errors import SettingError

    for argument in sys.argv[1:]:
        if any("\ud800" <= letter <= "\udfff" for letter in argument):  # bytes that no text is made of
            raise SettingError(f"{argument!r} is not UTF-8 text; type it again, or rename the file")
    command = typer.main.get_command(app)
    with command.make_context("askwise", sys.argv[1:]) as context:
        command.invoke(context)


def _refused(sentence: str) -> int:
    from askwise.cli.common import visible

    if len(sentence) > LONGEST:
        sentence = f"{sentence[: LONGEST // 2]} ... {sentence[-LONGEST // 2 :]}"
    try:
        print(f"askwise: {visible(without_password(sentence))}", file=sys.stderr, flush=True)
    except OSError:  # there is nobody to tell
        streams.abandon(sys.stderr)
    return 2


def _of_the_system(error: OSError) -> str:
    """What the system refused: a file, or the output."""
    if error.filename is None:
        streams.abandon(sys.stdout)
    what = "the output cannot be written" if error.filename is None else f"{str(error.filename)[:100]} cannot be used"
    return f"{what}: {error.strerror or error}"


def _misused(fault: Any) -> int:
    message = fault.format_message()
    if type(fault).__name__ == "NoArgsIsHelpError":
        print(message, file=sys.stderr)
        return 2
    path = fault.ctx.command_path if fault.ctx else "askwise"
    return _refused(f"{message[:1].lower()}{message[1:].rstrip('.')}; see {path} --help")
