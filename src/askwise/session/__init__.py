"""Ask and tell: a `Session` holds what is known and chooses the next question.

The event log records what was asked and answered, `recording` adds events to it, a round chooses the next question,
`plates` says what is asked together, `prepared_rounds` holds rounds computed ahead, beliefs hold the posterior, and
reliability weighs people by how often they are right.
Nothing here knows about files, pages or the web.
"""

from askwise.session.config import MAX_DRAWS
from askwise.session.plates import Plate
from askwise.session.session import Session

__all__ = ["MAX_DRAWS", "Plate", "Session"]
