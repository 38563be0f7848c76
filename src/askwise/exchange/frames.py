"""The answers of a session as a dataframe."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from askwise.errors import SettingError
from askwise.exchange.answers import answers_table
from askwise.exchange.files import as_one_type
from askwise.session import Session

LIBRARIES = ("pandas", "polars", "pyarrow")


def answers_frame(session: Session) -> Any:
    """One row for each answer and each skip, as `answers_table` has them, in a dataframe of pandas.

    Where pandas is not installed, it is one of polars or pyarrow.

    - `session`: whose answers they are.

    >>> import askwise
    >>> session = askwise.best_item(["tea", "coffee", "water"], seed=1)
    >>> session.tell("left", session.ask(), who="Ann")
    >>> answers_frame(session)["who"].to_list()
    ['Ann']
    """
    import narwhals as nw

    library: Any = next((name for name in LIBRARIES if find_spec(name) is not None), None)
    if library is None:
        raise SettingError("a dataframe needs pandas, polars or pyarrow; install one with: pip install pandas")
    columns = {name: as_one_type(values) for name, values in answers_table(session).items()}
    return nw.from_dict(columns, backend=library).to_native()
