"""The people of a study as a table."""

from __future__ import annotations

from askwise.exchange.files import Table
from askwise.storage.consent import completion_code
from askwise.storage.joining import crowd_settings, parameters_of
from askwise.storage.participants import people
from askwise.storage.quality import answer_quality
from askwise.storage.store import Record, Store

PARTS = ("answers", "checks", "checks_passed", "repeats", "repeats_same", "seconds", "same_place")


def people_table(store: Store, study: Record, with_parameters: bool = True) -> Table:
    """One row for each participant: who they are, what their link said, whether they are done, and how carefully they
    answered. `code` is the completion code of those who got it.

    - `store`: where the study is.
    - `study`: its record.
    - `with_parameters`: whether with the parameters of their links; whoever has those can open the link of that person.

    >>> import askwise, tempfile
    >>> from askwise.storage.address import Address
    >>> from askwise.storage.participants import invite
    >>> path = tempfile.mkdtemp() + "/drinks.askwise"
    >>> askwise.save(askwise.best_item(["tea", "coffee", "water"], seed=1), path)
    >>> store = Store.at(Address.of(path))
    >>> ann = invite(store, store.record(), "Ann")
    >>> table = people_table(store, store.record())
    >>> table["name"], table["answers"], table["flags"]
    (['Ann'], [0], [''])
    """
    invited, found = people(store, study.study), answer_quality(store, study)
    came = parameters_of(store, study.study) if with_parameters else {}
    settings = crowd_settings(store, study.study)
    names = list(dict.fromkeys(name for given in came.values() for name in given))
    table: Table = {
        "participant": [one.participant for one in invited],
        "name": [one.name for one in invited],
        "created": [one.created for one in invited],
        "log": [one.log for one in invited],
        "joined": [one.joined for one in invited],
        "status": [one.status for one in invited],
        "done": [one.done for one in found],
        "finished_at": [one.finished_at for one in found],
        "consent": [one.consent for one in invited],
        "code": [
            completion_code(store, study.study, one.participant, settings) if one.joined and quality.done else None
            for one, quality in zip(invited, found, strict=True)
        ],
        **{part: [getattr(one, part) for one in found] for part in PARTS},
        "flags": [", ".join(one.flags) for one in found],
    }
    given = [came.get(one.participant, {}) for one in invited]
    links = {name if name not in table else f"link {name}": [one.get(name) for one in given] for name in names}
    return {**table, **links}
