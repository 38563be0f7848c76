"""What a study holds about people, as one JSON value: of one person, or of everybody."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from sqlalchemy import select

from askwise.errors import SettingError
from askwise.session.events import response_name
from askwise.storage.actions import actions_of
from askwise.storage.consent import completion_code
from askwise.storage.consent_texts import consent_texts, consents_of
from askwise.storage.finishing import Finishes
from askwise.storage.joining import crowd_settings, parameters_of_person
from askwise.storage.journal import StudyJournal, read_log
from askwise.storage.participants import Participant, people, person, respondent_name
from askwise.storage.schema import checks
from askwise.storage.store import Record, Store


def person_data(store: Store, study: Record, participant: str, with_parameters: bool = True) -> dict[str, Any]:
    """Everything that a study holds about somebody: who they are there, what they accepted, and what they said.
    The parameters of their link may be left out: whoever has those can open it.

    >>> import askwise, tempfile
    >>> from askwise.storage.address import Address
    >>> from askwise.storage.participants import invite
    >>> path = tempfile.mkdtemp() + "/drinks.askwise"
    >>> askwise.save(askwise.best_item(["tea", "coffee", "water"], seed=1), path)
    >>> store = Store.at(Address.of(path))
    >>> ann = invite(store, store.record(), "Ann")
    >>> session = askwise.open(path, log=ann.log)
    >>> session.tell("left", session.ask(), who=ann.participant)
    >>> found = person_data(store, store.record(), ann.participant)
    >>> found["person"]["name"], found["answers"][0]["status"]
    ('Ann', 'answered')
    """
    found = person(store, study.study, participant)
    if found is None:
        raise SettingError(f"nobody here is {participant!r}; give the id of a participant")
    return _of_person(store, study, found, with_parameters)


def study_data(store: Store, study: Record, with_parameters: bool = True) -> dict[str, Any]:
    """Everything that a study holds: its table and options, its settings, its people, its log and what was noted."""
    return {
        "study": study.name,
        "created": study.created,
        "mode": study.mode,
        "state": study.state,
        "recipe": study.recipe,
        "crowd": crowd_settings(store, study.study).as_dict(),
        "consents": consent_texts(store, study.study),
        "log": StudyJournal(store, study).since(0),
        "people": [_of_person(store, study, one, with_parameters) for one in people(store, study.study)],
        "actions": [asdict(action) for action in actions_of(store, study.study)],
    }


def _of_person(store: Store, study: Record, found: Participant, with_parameters: bool) -> dict[str, Any]:
    log, who = read_log(store, found.log), respondent_name(study, found)
    mine = [(event, status) for event, status in log.closing_history() if event.get("who") == who]
    finish = Finishes(store, study).of(found, log)
    settings, query = crowd_settings(store, study.study), select(checks).where(checks.c.study == study.study)
    asked = store.read(query.where(checks.c.participant == found.participant).order_by(checks.c.number))
    answers = []
    for event, status in mine:
        question = log.ask_events[event["question"]]
        names = [option["name"] for option in question["options"]]
        said = response_name(question["kind"], names, event.get("response"))
        head = {"question": question["text"], "options": names, "response": said, "status": status}
        answers.append({**head, **{part: event.get(part) for part in ("reason", "time", "seconds")}})
    return {
        "person": asdict(found),
        "parameters": parameters_of_person(store, study.study, found.participant) if with_parameters else {},
        "consents": consents_of(store, study.study, found.participant),
        "done": finish.done,
        "finished_at": finish.at,
        "code": completion_code(store, study.study, found.participant, settings)
        if found.joined and finish.done
        else None,
        "actions": [asdict(one) for one in actions_of(store, study.study) if one.participant == found.participant],
        "checks": [
            {"kind": row.kind, **json.loads(row.question), "response": row.response, "passed": bool(row.passed),
             "time": row.time, "seconds": row.seconds}
            for row in asked
        ],
        "answers": answers,
    }  # fmt: skip
