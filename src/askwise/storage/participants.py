"""The people of a study: each with a log of their own, or all with a shared one."""

from __future__ import annotations

import hmac
import json
import logging
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, bindparam, case, func, insert, select, update

from askwise.errors import SettingError, StudyError
from askwise.goals import goal_class
from askwise.goals.base.registry import shown_options
from askwise.stopping import StopReason
from askwise.stopping.rule import ReasonKind
from askwise.storage.changes import announce
from askwise.storage.groups import decides_together, name_in_group
from askwise.storage.items import recipe_for_next_log
from askwise.storage.schema import events, logs_of, participants, studies
from askwise.storage.store import Record, Store

MODES = ("own", "pooled")
logger = logging.getLogger("askwise.storage")
NOTHING_MORE: Mapping[str, Any] = MappingProxyType({})
MAX_LISTED_PEOPLE = 10
MAX_NAME_LETTERS = 200
STATES = ("open", "paused", "closed")
UNSETTLED: dict[str, ReasonKind] = {"the budget": "budget", "every question": "exhausted"}  # how stored reasons begin
PERSON = (  # columns, in the order of `Participant`
    participants.c.participant,
    participants.c.name,
    participants.c.created,
    participants.c.log,
    participants.c.quota,
    (participants.c.paused != 0).label("paused"),
    participants.c.status,
    participants.c.external.is_not(None).label("joined"),
    participants.c.language,
    participants.c.consent,
)
LAST_OPTIONS = (  # the last event of a study's own log that says what is shown
    select(events.c.body)
    .where(events.c.study == studies.c.study, events.c.event.in_(("goal", "show")))
    .order_by(events.c.position.desc())
    .limit(1)
    .correlate(studies)
    .scalar_subquery()
)
SETTINGS = (  # columns, in the order of `StudySettings`
    studies.c.state,
    (func.coalesce(studies.c.why, 0) != 0).label("why"),  # what is expected of them would sway people
    (studies.c.beyond != 0).label("beyond"),
    studies.c.wording,
    case((studies.c.mode == "own", LAST_OPTIONS)).label("shown"),
    studies.c.crowd,
    studies.c.edition,
)
FOR_TOKEN = (
    select(*PERSON, *SETTINGS)
    .join(studies, studies.c.study == participants.c.study)
    .where(participants.c.study == bindparam("study"), participants.c.participant == bindparam("id"))
)


@dataclass(frozen=True)
class Participant:
    """Somebody who was invited."""

    participant: str
    name: str
    created: str
    log: int  # the number of the study that their answers go to
    quota: int | None
    paused: bool
    status: str | None = None  # declined, screened out, excluded or erased; None: they may answer
    joined: bool = False  # whether they came by the open link
    language: str | None = None  # that their link asked for
    consent: str | None = None  # the version of the text that they accepted


@dataclass(frozen=True)
class StudySettings:
    """What the owner of a study may change at any time."""

    state: str
    why: bool  # whether people may see what is expected of their answers
    beyond: bool  # whether it goes on although it is settled
    wording: str | None = None  # what people read, JSON, if it was changed
    shown: str | None = None  # where people have logs of their own: an event, as JSON, that says what all of them see
    crowd: str | None = None  # what is decided about people who join by the open link, JSON
    edition: int = 0  # of the study's own log: how often answers in it were erased


def invite(store: Store, study: Record, name: str, quota: int | None = None) -> Participant:
    """A new participant, with a log of their own unless people share the study."""
    if quota is not None and quota < 1:
        raise SettingError(f"a quota is at least one answer, got {quota}")
    with store.begin() as connection:
        return add_participant(connection, study, name, quota)


def invite_all(store: Store, study: Record, names: Iterable[str], quota: int | None = None) -> list[Participant]:
    """Participants with these names, all or none of them. Whoever was invited before under a name keeps their link.

    >>> import askwise, tempfile
    >>> from askwise.storage.address import Address
    >>> path = tempfile.mkdtemp() + "/drinks.askwise"
    >>> askwise.save(askwise.best_item(["tea", "coffee", "water"]), path)
    >>> store = Store.at(Address.of(path))
    >>> first = invite(store, store.record(), "Ann")
    >>> found = invite_all(store, store.record(), ["Ann", " ben@example.org ", ""])
    >>> found[0] == first, [one.name for one in found]
    (True, ['Ann', 'ben@example.org'])
    """
    wanted = list(dict.fromkeys(stripped for name in names if (stripped := name.strip())))
    if not wanted:
        raise SettingError("there are no names; give one on each line")
    if too_long := next((name for name in wanted if len(name) > MAX_NAME_LETTERS), None):
        raise SettingError(f"the name {too_long[:40]}... is too long; give {MAX_NAME_LETTERS} letters at most")
    if quota is not None and quota < 1:
        raise SettingError(f"a quota is at least one answer, got {quota}")
    with store.begin() as connection:
        invited = participants.c.status.is_(None) & participants.c.external.is_(None)  # not a panel's people
        query = select(*PERSON).where(participants.c.study == study.study, invited)
        known = {row.name: Participant(*row) for row in connection.execute(query)}
        return [known.get(name) or add_participant(connection, study, name, quota) for name in wanted]


def add_participant(
    connection: Connection, study: Record, name: str, quota: int | None, more: Mapping[str, Any] = NOTHING_MORE
) -> Participant:
    """The same within a transaction; `more` are further columns of the participant's row."""
    id, now = secrets.token_urlsafe(9), datetime.now(UTC).isoformat(timespec="microseconds")
    log = study.study
    if study.mode == "own":
        # locked, so that the items do not change between
        row = connection.execute(select(studies).where(studies.c.study == study.study).with_for_update()).one()
        recipe = recipe_for_next_log(connection, study.study, row.recipe)
        values = {"name": f"{row.name}/{id}", "created": now, "askwise": row.askwise, "recipe": recipe}
        made = connection.execute(insert(studies).values(**values, parent=study.study, mode="own"))
        log = int(made.inserted_primary_key[0])  # type: ignore[index]
    if decides_together(study.recipe):
        known = select(participants.c.name).where(participants.c.study == study.study)
        name = name_in_group(study.recipe, name, connection.execute(known).scalars().all())
    elif name and name == study.recipe.get("options", {}).get("anchor"):
        taken = select(func.count()).where(participants.c.study == study.study, participants.c.name == name)
        if connection.execute(taken).scalar_one():
            raise SettingError(f"{name!r} is the anchor, and is invited already; send the same link again")
    elif not name:
        count = connection.execute(select(func.count()).where(participants.c.study == study.study)).scalar_one()
        name = f"Person {count + 1}"
    row_of = {"study": study.study, "participant": id, "name": name, "created": now, "log": log, "quota": quota}
    connection.execute(insert(participants).values(**row_of, **more))
    announce(connection, study.study)
    return Participant(id, name, now, log, quota, False, None, "external" in more, more.get("language"))


def respondent_name(study: Record, person: Participant) -> str:
    """What the log calls somebody: by their id; by their name if they are the anchor of the study, or in a group that
    decides together.

    >>> respondent_name(Record(1, "cars", "", "", {}, ""), Participant("x7", "Ann", "", 2, None, False))
    'x7'
    """
    anchor = study.recipe.get("options", {}).get("anchor")
    return person.name if decides_together(study.recipe) or person.name == anchor else person.participant


def people(store: Store, study: int) -> list[Participant]:
    """Everybody who was invited, first come first."""
    query = select(*PERSON).where(participants.c.study == study).order_by(participants.c.created)
    return [Participant(*row) for row in store.read(query)]


def person(store: Store, study: int, participant: str) -> Participant | None:
    query = select(*PERSON).where(participants.c.study == study, participants.c.participant == participant)
    return next((Participant(*row) for row in store.read(query)), None)


def participant_named(store: Store, study: int, name: str) -> Participant:
    """Somebody by their id or, where only one has it, by their name."""
    invited = people(store, study)
    found = [one for one in invited if one.participant == name] or [one for one in invited if one.name == name]
    if not found:
        known = ", ".join(one.name for one in invited[:MAX_LISTED_PEOPLE]) or "nobody"
        more = ", ..." if len(invited) > MAX_LISTED_PEOPLE else ""
        raise SettingError(f"there is no person {name!r} in this study; invited: {known}{more}")
    if len(found) > 1:
        ids = ", ".join(one.participant for one in found)
        raise SettingError(f"{len(found)} people are called {name!r}; give one of their ids instead: {ids}")
    return found[0]


def log_of(store: Store, study: Record, name: str) -> int:
    """The number of the log of somebody, by their name or, where two have the same, by their id."""
    if study.mode == "pooled" and any(name in (one.name, one.participant) for one in people(store, study.study)):
        raise SettingError("all people of this study share one result; leave out the person")
    return participant_named(store, study.study, name).log


def pause(store: Store, study: int, participant: str, paused: bool) -> None:
    with store.begin() as connection:
        chosen = (participants.c.study == study) & (participants.c.participant == participant)
        connection.execute(update(participants).where(chosen).values(paused=int(paused)))
        announce(connection, study)


def set_state(store: Store, study: int, state: str) -> None:
    """Opens, pauses or closes a study; a closed one stays closed."""
    if state not in STATES:
        raise SettingError(f"a study is {', '.join(STATES)}, not {state!r}")
    with store.begin() as connection:
        now = connection.execute(select(studies.c.state).where(studies.c.study == study)).scalar_one()
        if now == "closed" and state != "closed":
            raise StudyError("a closed study stays closed; copy it to continue")
        connection.execute(update(studies).where(studies.c.study == study).values(state=state))
        announce(connection, study)


def require_mode(mode: str) -> None:
    """Refuses what is not one of the modes of a study.

    >>> require_mode("private")
    Traceback (most recent call last):
    askwise.errors.SettingError: mode is 'private'; expected own (everybody gets a result) or pooled (people share one)
    """
    if mode not in MODES:
        raise SettingError(f"mode is {mode!r}; expected own (everybody gets a result) or pooled (people share one)")


def set_mode(store: Store, study: int, mode: str) -> None:
    """Whether each participant gets a result of their own or all share one; only before anybody was invited."""
    require_mode(mode)
    with store.begin() as connection:
        invited = connection.execute(select(func.count()).where(participants.c.study == study)).scalar_one()
        if invited:
            raise StudyError("people were invited already; whether they share one result cannot change any more")
        connection.execute(update(studies).where(studies.c.study == study).values(mode=mode))


def token_of(store: Store, study: int, participant: str) -> str:
    """The token in a participant's link: who they are, signed."""
    secret = study_secret(store, study)
    mark = hmac.new(secret, participant.encode(), sha256).digest()[:16]
    return f"{participant}.{urlsafe_b64encode(mark).decode().rstrip('=')}"


def participant_for_token(
    store: Store, study: int, token: str, *, verified: bool = False
) -> tuple[Participant, StudySettings] | None:
    """The participant that a token belongs to, and the settings of the study; None if it was not signed here."""
    if not (verified or is_valid_token(store, study, token)):
        return None
    rows = store.read(FOR_TOKEN, study=study, id=token.partition(".")[0])
    return (Participant(*rows[0][: len(PERSON)]), StudySettings(*rows[0][len(PERSON) :])) if rows else None


def is_valid_token(store: Store, study: int, token: str) -> bool:
    """Whether the token was made here. Once the study's secret is known, this needs no database."""
    known = token_of(store, study, token.partition(".")[0])
    return hmac.compare_digest(known.encode(), token.encode())


def study_settings(store: Store, study: int) -> StudySettings:
    """The settings of a study as they are now."""
    return StudySettings(*store.read_study(select(*SETTINGS).where(studies.c.study == study)))


def shown_to_all(store: Store, log: Record) -> dict[str, Any]:
    """The options that say what all people of a study see, for a log of one of them; none for the study's own log."""
    return {} if log.parent is None else options_shown(study_settings(store, log.parent).shown, log.recipe["goal"])


def options_shown(event: str | None, goal: str) -> dict[str, Any]:
    """The options of a goal that say what people see, from an event of the study's own log, as JSON.

    >>> options_shown('{"event": "goal", "options": {"k": 3, "show": ["price"]}}', "top_k")
    {'show': ['price']}
    """
    names = shown_options(goal_class(goal))
    told = {} if event is None else json.loads(event)["options"]
    return {name: value for name, value in told.items() if name in names}


def change_study_settings(store: Store, study: int, *, why: bool | None = None, beyond: bool | None = None) -> None:
    """Whether people see what is expected of their answers, and whether a settled study goes on; None: no change."""
    given = {name: int(value) for name, value in (("why", why), ("beyond", beyond)) if value is not None}
    if given:
        with store.begin() as connection:
            connection.execute(update(studies).where(studies.c.study == study).values(**given))
            announce(connection, study)


def settled(store: Store, study: int) -> dict[int, StopReason | None]:
    """By log of the study: the reason to stop, as it was last found."""
    query = select(studies.c.study, studies.c.settled)
    return {row.study: _stored_reason(row.settled) for row in store.read(query.where(logs_of(study)))}


def set_settled(store: Store, log: int, reason: str | None) -> None:
    with store.begin() as connection:
        connection.execute(update(studies).where(studies.c.study == log).values(settled=reason))
        announce(connection, log)


def keep_reason(store: Store, log: int, reason: str | None) -> bool:
    """Notes why a log stopped, or that it has not, for lists of studies; whether that was new. Without room on the disk
    it is found out again later."""
    if settled(store, log).get(log) == reason:
        return False
    try:
        set_settled(store, log, reason)
    except StudyError:
        logger.warning("it could not be noted whether the study is settled")
        return False
    return True


def study_secret(store: Store, study: int) -> bytes:
    """The study's own secret, made when it is first needed; it never changes."""
    if study in store.secrets:
        return store.secrets[study]
    query = select(studies.c.secret).where(studies.c.study == study)
    if store.read_study(query).secret is None:
        with store.begin() as connection:
            fresh = update(studies).where(studies.c.study == study, studies.c.secret.is_(None))
            connection.execute(fresh.values(secret=secrets.token_urlsafe(24)))
    store.secrets[study] = str(store.read_study(query).secret).encode()
    return store.secrets[study]


def _stored_reason(text: str | None) -> StopReason | None:
    """A reason to stop, which is stored as its sentence."""
    if text is None:
        return None
    return StopReason(text, next((kind for start, kind in UNSETTLED.items() if text.startswith(start)), "settled"))
