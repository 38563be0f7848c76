"""askwise asks the fewest questions that settle what you want to know, and says when to stop.

>>> import askwise
>>> session = askwise.best_item(["tea", "coffee", "water"], seed=1)
>>> print(session.ask())
Which do you prefer: ... or ...? [left/right]
"""

from pkgutil import iter_modules as _iter_modules
from typing import TYPE_CHECKING, Any

from askwise import display as _display
from askwise.errors import AnswerError, AskwiseError, DataError, DistanceError, NothingToAsk, SettingError, StudyError
from askwise.losses import davidson, logistic, ordered_logit, softmax, squared, zero_one
from askwise.problem import Problem, noise_beta
from askwise.session import Plate, Session
from askwise.stopping import Budget, CostLimits, DiameterBelow, any_of
from askwise.stopping.certificate import Certificate, Estimate
from askwise.types import Answer, Option, Question, Sample

if TYPE_CHECKING:
    from askwise.data.embeddings import embed
    from askwise.data.examples import example
    from askwise.exchange.classifiers import to_sklearn
    from askwise.goals import change_goal, from_json, learn_population
    from askwise.goals.best_column import best_column
    from askwise.goals.best_item import best_item
    from askwise.goals.classifier import classifier
    from askwise.goals.cluster_of import cluster_of
    from askwise.goals.clusters import clusters
    from askwise.goals.group_item import group_item
    from askwise.goals.hierarchy import hierarchy
    from askwise.goals.matrix import matrix
    from askwise.goals.ranking import ranking
    from askwise.goals.segment_of import segment_of
    from askwise.goals.segments import segments
    from askwise.goals.top_k import top_k
    from askwise.goals.top_ranking import top_ranking
    from askwise.oracles import Reply, answer
    from askwise.storage import open, save

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "AnswerError",
    "AskwiseError",
    "Budget",
    "Certificate",
    "CostLimits",
    "DataError",
    "DiameterBelow",
    "DistanceError",
    "Estimate",
    "NothingToAsk",
    "Option",
    "Plate",
    "Problem",
    "Question",
    "Reply",
    "Sample",
    "Session",
    "SettingError",
    "StudyError",
    "answer",
    "any_of",
    "best_column",
    "best_item",
    "change_goal",
    "classifier",
    "cluster_of",
    "clusters",
    "davidson",
    "embed",
    "example",
    "from_json",
    "group_item",
    "hierarchy",
    "learn_population",
    "logistic",
    "matrix",
    "noise_beta",
    "open",
    "ordered_logit",
    "ranking",
    "save",
    "segment_of",
    "segments",
    "softmax",
    "squared",
    "to_sklearn",
    "top_k",
    "top_ranking",
    "zero_one",
]
# every module of the package goals is a goal, and its function has the same name
__all__ += [each.name for each in _iter_modules([f"{__path__[0]}/goals"]) if not each.ispkg]
__all__[:] = sorted(set(__all__))

_display.install(
    {
        "answers_frame": "askwise.exchange.frames",
        "certificate_html": "askwise.report.cells",
        "estimate_html": "askwise.report.cells",
        "plot": "askwise.report.cells",
        "question_html": "askwise.report.cells",
        "question_widget": "askwise.notebook.widget",
        "session_html": "askwise.report.cells",
        "write_page": "askwise.report.page",
    }
)


def __getattr__(name: str) -> Any:
    """Goals load their samplers and studies a database, so they are imported when first asked for."""
    from importlib import import_module

    places = {
        "embed": "askwise.data.embeddings",
        "example": "askwise.data.examples",
        "Reply": "askwise.oracles",
        "answer": "askwise.oracles",
        "open": "askwise.storage",
        "save": "askwise.storage",
        "to_sklearn": "askwise.exchange.classifiers",
    }
    if name in __all__:
        return getattr(import_module(places.get(name, "askwise.goals")), name)
    raise AttributeError(f"module 'askwise' has no attribute {name!r}")
