"""The askwise command: translates, computes nothing."""

from __future__ import annotations

import sys

# options as they are called in Python -> as they are typed; sentences are written once, for Python
TYPED = {
    "missing='impute'": "--missing impute",
    "features=": "--features",
    "name=": "--name-column",
    "image=": "--image-column",
    "fair_on=": "--fair-on",
}


def typed(sentence: str) -> str:
    """A sentence for somebody at a terminal.

    >>> typed("fill them, use missing='impute', or leave the column out with features=")
    'fill them, use --missing impute, or leave the column out with --features'
    """
    for python, option in TYPED.items():
        sentence = sentence.replace(python, option)
    return sentence


def main() -> None:
    """Runs the command; what askwise refuses becomes one sentence on stderr and exit code 2."""
    from askwise.cli.app import app
    from askwise.errors import AskwiseError

    try:
        app()
    except AskwiseError as refusal:
        print(f"askwise: {typed(str(refusal))}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
