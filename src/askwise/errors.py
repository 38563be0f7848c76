"""Everything that askwise refuses, as one small tree.

::

    AskwiseError
    ├── AnswerError      an answer that cannot be taken; the question stays open, nothing changes
    │   └── ContradictionError    one that no structure agrees with, given the earlier answers
    ├── DataError        a table, array or list that cannot become items or points
    ├── DistanceError    a distance outside [0, 1], not symmetric, or not a number
    ├── NothingToAsk     every candidate question was asked or skipped
    ├── OracleError      a program or model that cannot answer; what it answered before is kept
    ├── SettingError     an option with a value that makes no sense
    │   ├── PluginError  a name whose plug-in is not installed or fails to load
    │   └── StrategyError    a strategy that does not suit the family's questions
    └── StudyError       a study that cannot be opened or written

>>> issubclass(AnswerError, AskwiseError) and issubclass(AskwiseError, ValueError)
True
"""


class AskwiseError(ValueError):
    """The root: catch this to catch everything that askwise refuses."""


class AnswerError(AskwiseError):
    """An answer that cannot be taken; the session is as it was before."""


class ContradictionError(AnswerError):
    """An answer that contradicts earlier ones, where no answer is taken to be wrong.

    - `others`: the earlier answers of a smallest contradiction, counted from 0; without any one of them there is none.
    - `words`: the same answers in words, after the one that is refused.

    :param message: The sentence that says what contradicts what.
    """

    def __init__(self, message: str, others: tuple[int, ...] = (), words: tuple[str, ...] = ()):
        super().__init__(message)
        self.others = others
        self.words = words


class DataError(AskwiseError):
    """Data that cannot become items or points."""


class DistanceError(AskwiseError):
    """A distance that is not one: outside [0, 1], asymmetric, not zero on the diagonal, or not a number."""


class NothingToAsk(AskwiseError):
    """Every candidate question was asked or skipped."""


class OracleError(AskwiseError):
    """A program or model that was to answer and could not.

    - `wait`: the seconds after which it may be asked again, if it said so.
    - `cost`: what the failed call cost.
    - `final`: no later try can help.

    :param message: The sentence that says what went wrong.
    """

    def __init__(self, message: str, wait: float | None = None, cost: float = 0.0, final: bool = False):
        super().__init__(message)
        self.wait = wait
        self.cost = cost
        self.final = final


class SettingError(AskwiseError):
    """An option with a value that makes no sense."""


class PluginError(SettingError):
    """A name whose plug-in is not installed or fails to load."""


class StrategyError(SettingError):
    """A strategy that does not suit the family's questions."""


class StudyError(AskwiseError):
    """A study that cannot be opened or written; what was acknowledged before is safe."""
