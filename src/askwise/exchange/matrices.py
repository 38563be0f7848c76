"""The matrix that a session has completed, as a table."""

from __future__ import annotations

from askwise.errors import SettingError
from askwise.exchange.files import Table
from askwise.session import Session


def estimate_table(session: Session) -> Table:
    """The estimate of a session of the goal `matrix`: its table with every entry filled in.

    - `session`: of the goal `matrix`.

    >>> import askwise
    >>> list(estimate_table(askwise.matrix((2, 3), entry_range=4)))
    ['column 1', 'column 2', 'column 3']
    """
    found = session.estimate().value
    if not isinstance(found, dict):
        raise SettingError("the estimate is no table; only the goal matrix completes one")
    return found
