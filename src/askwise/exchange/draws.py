"""Posterior draws by name, as the goal calls its quantities."""

from __future__ import annotations

from typing import Any

from askwise._runtime.streams import stream
from askwise._runtime.threads import one_thread
from askwise.errors import SettingError
from askwise.exchange.files import Table
from askwise.goals import goal_of
from askwise.goals.base.export import Variable
from askwise.session import Session

DEFAULT_DRAWS = 1000
MAX_BLOCK_SCORES = 1 << 22  # computed at a time, so that memory stays small


@one_thread
def draw_structures(session: Session, count: int) -> Any:
    """So many structures from the posterior, the same every time."""
    if count < 1:
        raise SettingError(f"draws must be at least 1, got {count}")
    rng = stream(session.config.seed, session.round.beliefs.revision, "export")
    return session.posterior.sample(count, rng).structures


def variables(session: Session, count: int = DEFAULT_DRAWS) -> dict[str, Variable]:
    """The draws by name.

    Goals about items have the `utility` of every item and, where items have features, the `weight` of every feature;
    classifiers have weights; clusterings the `cluster` of every item; hierarchies a `tree`; matrices an `entry` for
    each row and column, and the `noise` of an answer, a standard deviation.

    >>> from askwise import best_item
    >>> list(variables(best_item(["tea", "coffee"], seed=1), 5))
    ['utility']
    """
    return goal_of(session).variables(session, draw_structures(session, count))


def draws_table(session: Session, count: int = DEFAULT_DRAWS) -> Table:
    """One row for each posterior draw, with columns such as utility[tea], weight[price] or cluster[ant].

    - `session`: whose posterior it is.
    - `count`: how many draws.

    >>> import askwise
    >>> list(draws_table(askwise.best_item(["tea", "coffee"], seed=1), 10))
    ['utility[tea]', 'utility[coffee]']
    """
    return dict(pair for name, variable in variables(session, count).items() for pair in variable.columns(name))
