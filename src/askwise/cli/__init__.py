"""The askwise command, which translates between the shell and the library and computes nothing.

Each command is a function in a module of its own, and `app` lists them. What askwise refuses becomes one sentence on
standard error with exit code 2; nothing imports from here.
"""

from __future__ import annotations

import multiprocessing
import re
import signal
import sys
import threading
from typing import Any

from askwise.cli import streams

# the library writes its sentences for Python; here is what its options are called on the command line
CLI_NAMES = {
    "missing='impute'": "--missing impute",
    "column=": "--column",
    "features=": "--features",
    "embed=": "--embed",
    "header=False": "--no-header",
    "name=": "--name-column",
    "image=": "--image-column",
    "body=": "--body-column",
    "audio=": "--audio-column",
    "video=": "--video-column",
    "fair_on=": "--fair-on",
    "with entry_range,": "with --entry-range,",
    "name its encoding, often latin-1": "name its encoding, often latin-1, with --encoding",
}
CLI_NAMES_BY_COMMAND = {  # where commands differ
    "new": {"prior_scale is": "--prior-scale is"},
    "simulate": {
        "lapses must": "--noise must",
        "sigma is": "--sigma or --told-sigma is",
    },
}
MAX_SENTENCE_LETTERS = 600
PARSER_WORDS = {  # what the parser of options says, and what people read
    "Input should be a valid integer, unable to parse string as an integer": "expected a whole number",
    "Input should be a valid number, unable to parse string as a number": "expected a number",
    "Input should be greater than or equal to ": "expected at least ",
    "Input should be less than or equal to ": "expected at most ",
    "Value error, ": "",
}
BROKEN_PIPE_EXIT_CODE = 141  # 128 + SIGPIPE: nobody reads the output any more


def to_cli_names(sentence: str, command: str = "") -> str:
    """A sentence of the library for somebody at a terminal.

    >>> to_cli_names("fill them, use missing='impute', or leave the column out with features=")
    'fill them, use --missing impute, or leave the column out with --features'
    """
    for python, option in {**CLI_NAMES, **CLI_NAMES_BY_COMMAND.get(command, {})}.items():
        sentence = sentence.replace(python, option)
    return sentence


def hide_passwords(sentence: str) -> str:
    """A sentence in which no database address shows its password.

    >>> hide_passwords("no study at postgresql://ann:se:cr@t@host/lab?sslmode=require&password=secret#cars")
    'no study at postgresql://ann:***@host/lab?sslmode=require&password=***#cars'
    """
    return re.sub(r"(password=)[^&#\s]+", r"\1***", re.sub(r"(://[^\s:@/]*):\S*@", r"\1:***@", sentence))


def main() -> None:
    """Runs the command; what askwise refuses becomes one sentence on stderr and exit code 2."""
    sys.exit(_exit_code())


def _exit_code() -> int:
    """The exit code of the command in `sys.argv`."""
    import typer

    from askwise.errors import AskwiseError

    streams.prepare()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, _handle_interrupt)
    try:
        _run()
        sys.stdout.flush()
        return 0
    except typer.Exit as done:
        return done.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except AskwiseError as refusal:
        return _print_error(to_cli_names(str(refusal), "".join(sys.argv[1:2])))
    except BrokenPipeError:
        streams.discard(sys.stdout)
        return BROKEN_PIPE_EXIT_CODE
    except SystemExit as ended:  # rich does so, too, if it cannot print
        if isinstance(ended.__context__, BrokenPipeError):
            return BROKEN_PIPE_EXIT_CODE
        raise
    except OSError as error:
        return _print_error(_os_error_sentence(error))
    except Exception as fault:
        if not hasattr(fault, "format_message"):  # typer raises such errors for a misspelled command
            raise
        return _print_usage_error(fault)


def _handle_interrupt(*_: Any) -> None:
    """Ctrl-C ends the workers first: Python would wait for them, and print their complaints."""
    threading.excepthook = lambda _: None
    for worker in multiprocessing.active_children():
        worker.terminate()
    raise KeyboardInterrupt


def _run() -> None:
    import typer

    from askwise.cli.app import app
    from askwise.errors import SettingError

    for argument in sys.argv[1:]:
        if any("\ud800" <= letter <= "\udfff" for letter in argument):  # undecodable bytes
            raise SettingError(f"{argument!r} is not UTF-8 text; type it again, or rename the file")
    command = typer.main.get_command(app)
    with command.make_context("askwise", sys.argv[1:]) as context:
        command.invoke(context)


def _print_error(sentence: str) -> int:
    from askwise.cli.common import one_line

    if len(sentence) > MAX_SENTENCE_LETTERS:
        sentence = f"{sentence[: MAX_SENTENCE_LETTERS // 2]} ... {sentence[-MAX_SENTENCE_LETTERS // 2 :]}"
    try:
        print(f"askwise: {one_line(hide_passwords(sentence))}", file=sys.stderr, flush=True)
    except OSError:  # nobody reads it
        streams.discard(sys.stderr)
    return 2


def _os_error_sentence(error: OSError) -> str:
    """What the operating system refused: a file, or the output."""
    if error.filename is None:
        streams.discard(sys.stdout)
    what = "the output cannot be written" if error.filename is None else f"{str(error.filename)[:100]} cannot be used"
    return f"{what}: {error.strerror or error}"


def _print_usage_error(fault: Any) -> int:
    message = fault.format_message()
    if type(fault).__name__ == "NoArgsIsHelpError":
        print(message, file=sys.stderr)
        return 2
    for theirs, ours in PARSER_WORDS.items():
        message = message.replace(theirs, ours)
    path = fault.ctx.command_path if fault.ctx else "askwise"
    message = f"{message[:1].lower()}{message[1:].rstrip('.')}"
    return _print_error(message if message.endswith("?") else f"{message}; see {path} --help")
