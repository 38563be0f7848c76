"""Whole studies: written as JSON and read again, or copied to another file or database."""

from __future__ import annotations

import json
from pathlib import Path

from askwise.errors import AskwiseError, DataError, SettingError, StudyError
from askwise.exchange.files import replace_file
from askwise.goals import from_json
from askwise.session import Session
from askwise.session.config import Recipe
from askwise.session.events import Event
from askwise.storage.address import Address
from askwise.storage.copies import copy_participants
from askwise.storage.journal import StudyJournal
from askwise.storage.store import Store


def write_json(session: Session, path: str | Path) -> None:
    """Writes the whole study as one JSON text: the table, the options and all events, but no pictures.

    - `session`: of a goal, not one built by hand.
    - `path`: an existing file is replaced.

    >>> import askwise, tempfile
    >>> write_json(askwise.best_item(["tea", "coffee"], seed=1), tempfile.mkdtemp() + "/drinks.json")
    """
    if session.recipe is None:
        raise StudyError("the session was built by hand or with a function of your own, which a file cannot hold")
    with replace_file(path) as draft:
        draft.write_text(session.to_json(), encoding="utf-8")


def read_json(path: str | Path) -> tuple[Recipe, list[Event]]:
    """The recipe and the events that `write_json` wrote. Events that could not have happened are refused.

    - `path`: the file.

    >>> import askwise, tempfile
    >>> path = tempfile.mkdtemp() + "/drinks.json"
    >>> session = askwise.best_item(["tea", "coffee"], seed=1)
    >>> write_json(session, path)
    >>> read_json(path) == (session.recipe, session.log)
    True
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
        state = json.loads(text)
        if isinstance(state, dict) and "people" in state:
            raise SettingError("it holds all about a study and its people; use askwise copy to copy a study with them")
        from_json(json.dumps({**state, "log": []})).event_log.extend(state["log"])
    except OSError as error:
        raise StudyError(f"{path} cannot be read: {error.strerror}") from None
    except AskwiseError as error:
        raise DataError(f"{path} cannot be taken in: {error}") from None
    except (AttributeError, KeyError, TypeError, ValueError):
        raise DataError(f"{path} is not a study written by askwise; expected its JSON text, whole") from None
    recipe, changed = state["recipe"], state.get("wording", {})
    return (recipe if not changed else {**recipe, "options": {**recipe["options"], **changed}}), state["log"]


def copy_study(source: str | Path, target: str | Path) -> None:
    """Copies a study with its pictures, all events, and its participants with their logs and links.

    - `source`: a file, or a database and the name of a study in it.
    - `target`: the same; nothing is there yet. A database without a name takes the name of the source.

    >>> import askwise, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> askwise.save(askwise.best_item(["tea", "coffee"], seed=1), f"{folder}/one.askwise")
    >>> copy_study(f"{folder}/one.askwise", f"{folder}/two.askwise")
    >>> askwise.open(f"{folder}/two.askwise")
    <Session: best_item, 0 answers, 0 open>
    """
    original, address = Store.at(Address.of(source)), Address.of(target)
    record = original.record()
    log = StudyJournal(original, record).since(0)
    address = address if address.name else address.named(record.name)
    Store.create(address, record.recipe, original.images(record.study), log)
    duplicate = Store.at(address)
    copy_participants(original, record, duplicate)
    checkpoint = original.checkpoint(record.study)
    if checkpoint is not None:
        duplicate.keep_checkpoint(duplicate.record().study, checkpoint)
    original.close()
    duplicate.close()
