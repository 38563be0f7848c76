"""Which of several systems is best, from the votes of judges and a few labels of a person.

`Runs` holds what each system replied to each prompt, `start` makes the session that compares them, and `evaluate` lets
judges and a person answer until the goal is settled. This package knows sessions, oracles and files; it knows nothing
about the web or the command.
"""

from askwise.evaluate.judging import evaluate, start
from askwise.evaluate.replay import VoteOracle, judge_named
from askwise.evaluate.runs import Runs, read_runs
from askwise.evaluate.summary import Evaluation, JudgeRecord

__all__ = ["Evaluation", "JudgeRecord", "Runs", "VoteOracle", "evaluate", "judge_named", "read_runs", "start"]
