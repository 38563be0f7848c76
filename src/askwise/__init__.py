"""askwise asks the fewest questions that settle what you want to know, and says when to stop.

>>> import askwise
>>> session = askwise.best_item(["tea", "coffee", "water"], seed=1)
>>> print(session.ask())
Which do you prefer: ... or ...? [left/right]
"""

from typing import TYPE_CHECKING, Any

from askwise.certificate import Certificate, Estimate
from askwise.errors import AnswerError, AskwiseError, DataError, DistanceError, NothingToAsk, SettingError, StudyError
from askwise.losses import davidson, logistic, softmax, squared, zero_one
from askwise.problem import Problem, noise_beta
from askwise.session import Session
from askwise.stopping import Budget, DiameterBelow, any_of
from askwise.strategies import strategies
from askwise.types import Answer, Option, Question, Sample

if TYPE_CHECKING:
    from askwise.goals import (
        best_column,
        best_item,
        change_goal,
        classifier,
        cluster_of,
        clusters,
        from_json,
        hierarchy,
        ranking,
        top_k,
    )
    from askwise.study import open, save
    from askwise.study.exchange import to_sklearn

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
    "StudyError",
    "any_of",
    "best_column",
    "best_item",
    "change_goal",
    "classifier",
    "cluster_of",
    "clusters",
    "davidson",
    "from_json",
    "hierarchy",
    "logistic",
    "noise_beta",
    "open",
    "ranking",
    "save",
    "softmax",
    "squared",
    "strategies",
    "to_sklearn",
    "top_k",
    "zero_one",
]


def __getattr__(name: str) -> Any:
    """Goals load their samplers and studies a database, so they are imported when first asked for."""
    from importlib import import_module

    places = {"open": "askwise.study", "save": "askwise.study", "to_sklearn": "askwise.study.exchange"}
    if name in __all__:
        return getattr(import_module(places.get(name, "askwise.goals")), name)
    raise AttributeError(f"module 'askwise' has no attribute {name!r}")
