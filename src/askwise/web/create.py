"""From an uploaded table to a study, and what leaves one again. The arithmetic is done in a worker."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Collection, Mapping, Sequence
from math import isfinite
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import BaseModel, Field

from askwise import storage
from askwise.data.delimited import FileTable
from askwise.data.files import TABLE_SUFFIXES, LoadedTable, read_file
from askwise.data.media import MEDIA_KINDS, short_path
from askwise.data.models import NAMED_MODELS
from askwise.data.tables import Columns
from askwise.errors import AskwiseError, DataError, SettingError
from askwise.exchange.answers import study_answers_table
from askwise.exchange.files import csv_text
from askwise.goals import change_goal, goal_of
from askwise.options import refusal
from askwise.report.page import page
from askwise.session.config import Recipe
from askwise.storage.address import Address
from askwise.storage.create import new_session
from askwise.storage.store import Store
from askwise.web.form import page_sentence, server_limits
from askwise.web.learner.learner import Job
from askwise.web.schemas import storable


class NewStudy(BaseModel):
    """What was understood of a table."""

    study: str
    made: bool
    goal: str
    rows: int
    name: str | None
    features: list[str]
    left_out: dict[str, str]
    responses: list[str]
    questions: int
    columns: list[str] = Field(description="Columns that questions can show")
    shown: list[str] = Field(description="Columns that they show")
    words: list[str]


def options_of(text: str) -> dict[str, Any]:
    """Options as they were sent, none of them beyond what a server can work out in time.

    >>> options_of('{"k": 2}')
    {'k': 2}
    """
    try:
        found = json.loads(text)
        limits = server_limits()
        problem = next(filter(None, (_problem(name, value, limits) for name, value in dict(found).items())), None)
    except (ValueError, TypeError, RecursionError):
        problem = 'options are a JSON object such as {"k": 5}'
    if problem is not None:
        raise SettingError(problem)
    return dict(found)


def _problem(name: str, value: Any, limits: Mapping[str, int]) -> str | None:
    """Why an option cannot be taken, or None."""
    if isinstance(value, list | dict):
        parts = [*value, *value.values()] if isinstance(value, dict) else value
        return next(filter(None, (_problem(name, part, limits) for part in parts)), None)
    if isinstance(value, str):
        storable(value)
    if isinstance(value, float) and not isfinite(value):
        return f"the option {name} must be a finite number, got {value}"
    if name in limits and isinstance(value, int | float) and not 0 <= value <= limits[name]:
        return f"the option {name} must be between 0 and {limits[name]:,} here, got {value:,}"
    return None


def read_upload(
    goal: str, options: Mapping[str, Any], file: str, content: bytes, names: Collection[str] = ()
) -> tuple[Recipe, dict[str, Any]]:
    """The recipe of a study of the table, and what was understood; in a worker. `names` are those of uploaded files.

    >>> recipe, found = read_upload("top-k", {"k": 2}, "drinks.csv", b"name\\ntea\\nmilk\\nwater\\n")
    >>> recipe["goal"], found["words"][0]
    ('top_k', 'Find the best 2 of the 3 items.')
    """
    model = options.get("embed_model")
    if model not in (None, *NAMED_MODELS):
        raise refusal("embed_model", model, f"{' or '.join(map(repr, NAMED_MODELS))}: files stay on this machine")
    columns, remarks = uploaded_table(file, content)
    image = None if not names or any(map(options.get, MEDIA_KINDS)) else _column_of_files(columns, names)
    try:
        session = new_session(goal, LoadedTable(columns, Path(file_name(file)), image), options)
        built = goal_of(session)
        words, facts = built.sentences(session), built.summary(session).as_dict()
    except AskwiseError:
        raise
    except (TypeError, KeyError, ValueError, ArithmeticError) as error:
        raise SettingError(f"the options do not fit the goal {goal}: {error}") from None
    assert session.recipe is not None
    return session.recipe, {**facts, "words": [*words, *map(page_sentence, remarks)]}


def _column_of_files(columns: Columns, names: Collection[str]) -> str:
    """The column that names uploaded files, by which pictures are found where none was chosen."""
    known = {PurePosixPath(name).name for name in names}
    for column, values in columns.items():
        if any(PurePosixPath(str(value).replace("\\", "/")).name in known for value in values if value is not None):
            return column
    first = short_path(min(known))
    raise DataError(
        f"no column of the table names an uploaded file such as {first}; add one with the names of the files"
    )


def reword(job: Job, changes: Mapping[str, Any]) -> None:
    """Changes what people of a study read; in a worker."""
    session = storage.open(job[0], log=job[1])
    session.reword(**changes)
    storage.close(session)


def count_without(job: Job, names: Sequence[str]) -> None:
    """Changes who of a group does not count; in a worker."""
    session = storage.open(job[0], log=job[1])
    try:
        change_goal(session, "group_item", without=list(names))
    finally:
        storage.close(session)


def file_name(path: str) -> str:
    """The name of a file without its folders, as any browser sends it.

    >>> file_name("C:\\\\cars.csv")
    'cars.csv'
    """
    return Path(path.replace("\\", "/")).name


def uploaded_columns(file: str, content: bytes) -> Columns:
    """The columns of an uploaded table.

    >>> uploaded_columns("drinks.csv", b"name\\ntea\\nmilk\\n")
    {'name': ['tea', 'milk']}
    """
    return uploaded_table(file, content).columns


def uploaded_table(file: str, content: bytes) -> FileTable:
    """The same, with what to tell about how the file was read.

    >>> uploaded_table("drinks.txt", b"tea\\nmilk\\n")
    FileTable(columns={'name': ['tea', 'milk']}, remarks=())
    """
    named = file_name(file)
    if Path(named).suffix.lower() not in TABLE_SUFFIXES:
        raise DataError(f"a table is one of {', '.join(TABLE_SUFFIXES)}; save it as CSV first")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{Path(named).suffix.lower()}"
        path.write_bytes(content)
        try:
            return read_file(path)
        except DataError as error:
            told = str(error).replace(", or name its encoding, often latin-1", "")  # an upload cannot
            raise DataError(told.replace(str(path), named).replace(path.name, named)) from None


def page_of(job: Job) -> str:
    """The report page of a log; in a worker."""
    return page(storage.open(job[0], log=job[1]))


def answers_of(job: Job, study: int, with_parameters: bool) -> str:
    """The answers of a log as CSV, those of all logs if it is the study's own; in a worker.

    Nothing is worked out for it: the answers stand in the logs.
    """
    store = Store.at(Address.of(job[0]))
    table = study_answers_table(store, study, None if job[1] == study else job[1], with_parameters)
    store.close()
    return csv_text(table)
