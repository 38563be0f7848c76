"""The answers of a study as a table."""

from __future__ import annotations

from askwise.exchange.files import Table
from askwise.session import Session
from askwise.session.events import is_fallback, response_name

OPTION_COLUMNS = ("a", "b", "c")  # what a question showed, in the order shown


def answers_table(session: Session) -> Table:
    """One row for each answer and each skip, in the order they came. Questions without an answer are left out.

    The columns a, b and c name the options in the order shown. The answer to "A or B?" is the name chosen. `status` is
    answered, skipped or undone. `fallback` is true if a server asked this question because the next one was not ready.

    - `session`: whose answers they are.

    >>> import askwise
    >>> session = askwise.best_item(["tea", "coffee", "water"], seed=1)
    >>> question = session.ask()
    >>> session.tell("left", who="Ann")
    >>> table = answers_table(session)
    >>> table["question"], table["response"] == table["a"], table["status"]
    (['q1'], True, ['answered'])
    """
    log = session.event_log
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
        **{part: [event.get(part) for event in closing] for part in ("reason", "who", "time", "seconds")},
        "gain": [question["gain"] for question in asked],
        "fallback": [is_fallback(question) for question in asked],
    }
