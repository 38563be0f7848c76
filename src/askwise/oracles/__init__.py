"""Oracles: programs and models that answer the questions of a session in place of people.

`answer` keeps several questions in flight, retries what fails and records each answer before it takes the next
question; the other modules make oracles of commands and of chat endpoints. This package knows sessions and studies; it
knows nothing about the web or the command.
"""

from askwise.oracles.answering import OracleRun, answer
from askwise.oracles.protocol import Oracle, Reply

__all__ = ["Oracle", "OracleRun", "Reply", "answer"]
