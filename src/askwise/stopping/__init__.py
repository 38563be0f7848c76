"""When to stop, and what may be claimed then.

Stopping rules decide from draws of the posterior whether the goal is settled, the certificate states what the draws
support, and the outlook says what each answer to a question would settle. This package knows posteriors, distances and
the scores of questions; it knows no session.
"""

from askwise.stopping.budget import Budget
from askwise.stopping.costs import CostLimits
from askwise.stopping.rule import EVERY_QUESTION_ASKED, Stop, StopReason, any_of
from askwise.stopping.sequential_test import DiameterBelow

__all__ = ["EVERY_QUESTION_ASKED", "Budget", "CostLimits", "DiameterBelow", "Stop", "StopReason", "any_of"]
