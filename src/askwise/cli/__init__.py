"""The askwise command: translates, computes nothing."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command; what askwise refuses becomes one sentence on stderr and exit code 2."""
    from askwise.cli.app import app
    from askwise.errors import AskwiseError

    try:
        app()
    except AskwiseError as refusal:
        print(f"askwise: {refusal}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
