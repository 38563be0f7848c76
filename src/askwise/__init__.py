"""askwise asks the fewest questions that settle what you want to know, and says when to stop.

>>> import askwise
>>> session = askwise.best_item(["tea", "coffee", "water"], seed=1)
>>> print(session.ask())
Which do you prefer: ... or ...? [left/right]
"""

from askwise.certificate import Certificate, Estimate
from askwise.errors import AnswerError, AskwiseError, DataError, DistanceError, NothingToAsk, SettingError
from askwise.goals import best_item, classifier, from_json, ranking, top_k
from askwise.losses import davidson, logistic, softmax, squared, zero_one
from askwise.problem import Problem, noise_beta
from askwise.session import Session
from askwise.stopping import Budget, DiameterBelow, any_of
from askwise.strategies import strategies
from askwise.types import Answer, Option, Question, Sample

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "AnswerError",
    "AskwiseError",
    "Budget",
    "Certificate",
    "DataError",
    "DiameterBelow",
    "DistanceError",
    "Estimate",
    "NothingToAsk",
    "Option",
    "Problem",
    "Question",
    "Sample",
    "Session",
    "SettingError",
    "any_of",
    "best_item",
    "classifier",
    "davidson",
    "from_json",
    "logistic",
    "noise_beta",
    "ranking",
    "softmax",
    "squared",
    "strategies",
    "top_k",
    "zero_one",
]
