"""The people of a study: each with a log of their own, or all with a shared one."""

from __future__ import annotations

import hmac
import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

from sqlalchemy import bindparam, case, func, insert, select, update

from askwise.errors import SettingError, StudyError
from askwise.stopping import StopReason
from askwise.stopping.rule import ReasonKind
from askwise.storage.groups import decides_together, name_in_group
from askwise.storage.items import recipe_for_next_log
from askwise.storage.schema import events, logs_of, participants, studies
from askwise.storage.store import Record, Store

MODES = ("own", "pooled")
MAX_LISTED_PEOPLE = 10
STATES = ("open", "paused", "closed")
UNSETTLED: dict[str, ReasonKind] = {"the budget": "budget", "every question": "exhausted"}  # how stored reasons begin
PERSON = (  # columns, in the order of `Participant`
    participants.c.participant,
    participants.c.name,
    participants.c.created,
    participants.c.log,
    participants.c.quota,
    (participants.c.paused != 0).label("paused"),
)
LAST_OPTIONS = (  # the last event of a study's own log that says what is shown
    select(events.c.body)
    .where(events.c.study == studies.c.study, events.c.event.in_(("goal", "show")))
    .order_by(events.c.position.desc())
    .limit(1)
    .correlate(studies)
    .scalar_subquery()
)
SETTINGS = (  # columns, in the order of `StudySettings`; what is expected would sway people who answer for one truth
    studies.c.state,
    case((studies.c.why.is_(None), studies.c.mode != "pooled"), else_=studies.c.why != 0).label("why"),
    (studies.c.beyond != 0).label("beyond"),
    studies.c.wording,
    case((studies.c.mode == "own", LAST_OPTIONS)).label("shown"),
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


@dataclass(frozen=True)
class StudySettings:
    """What the owner of a study may change at any time."""

    state: str
    why: bool  # whether people may see what is expected of their answers
    beyond: bool  # whether it goes on although it is settled
    wording: str | None = None  # what people read, JSON, if it was changed
    shown: str | None = None  # where people have logs of their own: an event, as JSON, that says what all of them see


def invite(store: Store, study: Record, name: str, quota: int | None = None) -> Participant:
    """A new participant, with a log of their own unless people share the study."""
    if quota is not None and quota < 1:
        raise SettingError(f"a quota is at least one answer, got {quota}")
    id, now = secrets.token_urlsafe(9), datetime.now(UTC).isoformat(timespec="microseconds")
    with store.begin() as connection:
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
        elif not name:
            count = connection.execute(select(func.count()).where(participants.c.study == study.study)).scalar_one()
            name = f"Person {count + 1}"
        row_of = {"study": study.study, "participant": id, "name": name, "created": now, "log": log}
        connection.execute(insert(participants).values(**row_of, quota=quota))
    return Participant(id, name, now, log, quota, False)


def respondent_name(study: Record, person: Participant) -> str:
    """What the log calls somebody: by their id, or by their name in a group that decides together.

    >>> respondent_name(Record(1, "cars", "", "", {}, ""), Participant("x7", "Ann", "", 2, None, False))
    'x7'
    """
    return person.name if decides_together(study.recipe) else person.participant


def people(store: Store, study: int) -> list[Participant]:
    """Everybody who was invited, first come first."""
    query = select(*PERSON).where(participants.c.study == study).order_by(participants.c.created)
    return [Participant(*row) for row in store.read(query)]


def person(store: Store, study: int, participant: str) -> Participant | None:
    query = select(*PERSON).where(participants.c.study == study, participants.c.participant == participant)
    return next((Participant(*row) for row in store.read(query)), None)


def log_of(store: Store, study: Record, name: str) -> int:
    """The number of the log of somebody, by their name or, where two have the same, by their id."""
    invited = people(store, study.study)
    found = [one for one in invited if one.participant == name] or [one for one in invited if one.name == name]
    if not found:
        known = ", ".join(one.name for one in invited[:MAX_LISTED_PEOPLE]) or "nobody"
        more = ", ..." if len(invited) > MAX_LISTED_PEOPLE else ""
        raise SettingError(f"there is no person {name!r} in this study; invited: {known}{more}")
    if study.mode == "pooled":
        raise SettingError("all people of this study share one result; leave out the person")
    if len(found) > 1:
        ids = ", ".join(one.participant for one in found)
        raise SettingError(f"{len(found)} people are called {name!r}; give one of their ids instead: {ids}")
    return found[0].log


def pause(store: Store, study: int, participant: str, paused: bool) -> None:
    with store.begin() as connection:
        chosen = (participants.c.study == study) & (participants.c.participant == participant)
        connection.execute(update(participants).where(chosen).values(paused=int(paused)))


def set_state(store: Store, study: int, state: str) -> None:
    """Opens, pauses or closes a study; a closed one stays closed."""
    if state not in STATES:
        raise SettingError(f"a study is {', '.join(STATES)}, not {state!r}")
    with store.begin() as connection:
        now = connection.execute(select(studies.c.state).where(studies.c.study == study)).scalar_one()
        if now == "closed" and state != "closed":
            raise StudyError("a closed study stays closed; copy it to continue")
        connection.execute(update(studies).where(studies.c.study == study).values(state=state))


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
    secret = store.secrets.get(study) or _load_secret(store, study)
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
    return StudySettings(*store.read(select(*SETTINGS).where(studies.c.study == study))[0])


def change_study_settings(store: Store, study: int, *, why: bool | None = None, beyond: bool | None = None) -> None:
    """Whether people see what is expected of their answers, and whether a settled study goes on; None: no change."""
    given = {name: int(value) for name, value in (("why", why), ("beyond", beyond)) if value is not None}
    if given:
        with store.begin() as connection:
            connection.execute(update(studies).where(studies.c.study == study).values(**given))


def settled(store: Store, study: int) -> dict[int, StopReason | None]:
    """By log of the study: the reason to stop, as the server last found it."""
    query = select(studies.c.study, studies.c.settled)
    return {row.study: _stored_reason(row.settled) for row in store.read(query.where(logs_of(study)))}


def set_settled(store: Store, log: int, reason: str | None) -> None:
    with store.begin() as connection:
        connection.execute(update(studies).where(studies.c.study == log).values(settled=reason))


def copy_participants(here: Store, study: Record, there: Store) -> None:
    """Copies the people of a study, with their logs and their links, to where the study itself was copied."""
    target = there.record()
    with here.begin() as source:
        shared = source.execute(select(studies).where(studies.c.study == study.study)).one()
        invited = list(source.execute(select(participants).where(participants.c.study == study.study)))
        logs = list(source.execute(select(studies).where(studies.c.parent == study.study)))
        told = {row.study: list(source.execute(select(events).where(events.c.study == row.study))) for row in logs}
    with there.begin() as connection:
        kept = {"state": shared.state, "mode": shared.mode, "secret": shared.secret}
        kept |= {"settled": shared.settled, "why": shared.why, "beyond": shared.beyond, "wording": shared.wording}
        connection.execute(update(studies).where(studies.c.study == target.study).values(**kept))
        moved = {study.study: target.study}
        for row in logs:
            values = {**row._asdict(), "parent": target.study, "name": f"{target.name}/{row.name.partition('/')[2]}"}
            del values["study"]
            made = connection.execute(insert(studies).values(**values)).inserted_primary_key
            moved[row.study] = int(made[0])  # type: ignore[index]
            for event in told[row.study]:
                connection.execute(insert(events).values(**{**event._asdict(), "study": moved[row.study]}))
        for person in invited:
            own = {"study": target.study, "log": moved[person.log]}
            connection.execute(insert(participants).values(**{**person._asdict(), **own}))


def _load_secret(store: Store, study: int) -> bytes:
    """The study's own secret, made when it is first needed; it never changes."""
    query = select(studies.c.secret).where(studies.c.study == study)
    if store.read(query)[0].secret is None:
        with store.begin() as connection:
            fresh = update(studies).where(studies.c.study == study, studies.c.secret.is_(None))
            connection.execute(fresh.values(secret=secrets.token_urlsafe(24)))
    store.secrets[study] = str(store.read(query)[0].secret).encode()
    return store.secrets[study]


def _stored_reason(text: str | None) -> StopReason | None:
    """A reason to stop, which is stored as its sentence."""
    if text is None:
        return None
    return StopReason(text, next((kind for start, kind in UNSETTLED.items() if text.startswith(start)), "settled"))
