"""The answers of a study as a table."""

from __future__ import annotations

from askwise.exchange.files import Table
from askwise.session import Session
from askwise.session.event_log import EventLog
from askwise.session.events import is_fallback, response_name
from askwise.session.set_responses import OPTION_COLUMNS
from askwise.storage.exclusion import NOT_COUNTED
from askwise.storage.joining import parameters_of
from askwise.storage.journal import read_log
from askwise.storage.participants import people
from askwise.storage.store import Store


def answers_table(session: Session) -> Table:
    """One row for each answer and each skip, in the order they came. Questions without an answer are left out.

    The columns a, b, c and so on name the options in the order shown. The answer to "A or B?" is the name chosen; that
    to a question for the best and the worst is "best > worst". `status` is answered, skipped, undone, or
    excluded if the person was. `fallback` is
    true if a server asked this question because the next one was not ready.

    - `session`: whose answers they are.

    >>> import askwise
    >>> session = askwise.best_item(["tea", "coffee", "water"], seed=1)
    >>> question = session.ask()
    >>> session.tell("left", who="Ann")
    >>> table = answers_table(session)
    >>> table["question"], table["response"] == table["a"], table["status"]
    (['q1'], True, ['answered'])
    """
    return _log_table(session.event_log)


def study_answers_table(store: Store, study: int, log: int | None = None, with_parameters: bool = True) -> Table:
    """The same for a study in which people have logs of their own; the column `name` says who each row is from. Where
    people joined by an open link, the parameters of their links are columns, too.

    - `store`: where the study is.
    - `study`: its number.
    - `log`: the only log wanted; None for all of the study.
    - `with_parameters`: whether with the parameters of their links; whoever has those can open the link of that person.

    >>> import askwise, tempfile
    >>> from askwise.storage.address import Address
    >>> path = tempfile.mkdtemp() + "/drinks.askwise"
    >>> session = askwise.best_item(["tea", "coffee", "water"], seed=1)
    >>> session.tell("left", session.ask(), who="Ann")
    >>> askwise.save(session, path)
    >>> study_answers_table(Store.at(Address.of(path)), study=1)["name"]
    ['Ann']
    """
    invited = people(store, study)
    names = {one.participant: one.name for one in invited}
    left_out = {one.participant for one in invited if one.status in NOT_COUNTED}
    came = parameters_of(store, study) if with_parameters else {}
    columns = list(dict.fromkeys(name for given in came.values() for name in given))
    whole: Table = {}
    for each in sorted({study, *(one.log for one in invited)}) if log is None else [log]:
        table = _log_table(read_log(store, each))
        table["status"] = ["excluded" if who in left_out and status == "answered" else status
                           for who, status in zip(table["who"], table["status"], strict=True)]  # fmt: skip
        given = [came.get(who, {}) for who in table["who"]]
        links = {name if name not in table else f"link {name}": [one.get(name) for one in given] for name in columns}
        whole = _joined(whole, {**table, "name": [names.get(who, who) for who in table["who"]], **links})
    return whole


def _log_table(log: EventLog) -> Table:
    history = log.closing_history()
    closing = [event for event, _ in history]
    asked = [log.ask_events[event["question"]] for event in closing]
    names = [[option["name"] for option in event["options"]] for event in asked]
    columns = OPTION_COLUMNS[: max((len(options) for options in names), default=0)]
    return {
        "question": [event["question"] for event in closing],
        "response": [
            response_name(question["kind"], options, event.get("response"))
            for event, question, options in zip(closing, asked, names, strict=True)
        ],
        "status": [status for _, status in history],
        "kind": [question["kind"] for question in asked],
        "text": [question["text"] for question in asked],
        **{
            column: [options[place] if place < len(options) else None for options in names]
            for place, column in enumerate(columns)
        },
        **{
            part: [event.get(part) for event in closing]
            for part in ("reason", "who", "time", "seconds", "cost", "note")
        },
        "gain": [question["gain"] for question in asked],
        "fallback": [is_fallback(question) for question in asked],
    }


def _joined(one: Table, other: Table) -> Table:
    """The rows of both; a column that one of them lacks is empty there."""
    rows = [len(next(iter(table.values()), [])) for table in (one, other)]
    columns = [*one, *(column for column in other if column not in one)]
    return {column: [*one.get(column, [None] * rows[0]), *other.get(column, [None] * rows[1])] for column in columns}
