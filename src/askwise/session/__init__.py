"""Ask and tell: a `Session` holds what is known and picks the next question.

The event log is the record of what was asked and answered; everything else is derived from it. A round works out the
next question, beliefs hold the posterior, and reliability weighs people by how often they are right. Nothing here
knows about files, people's names on a page, or the web.
"""

from askwise.session.config import MAX_DRAWS
from askwise.session.session import Session

__all__ = ["MAX_DRAWS", "Session"]
