"""Recorded votes about pairs: arena battles, preference files for training (TRL), and tables of either, in and out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from askwise.data.delimited import read_cells
from askwise.data.files import read_table
from askwise.data.json_files import json_rows
from askwise.errors import DataError, SettingError
from askwise.exchange.files import Table, write_table
from askwise.goals import goal_of
from askwise.session import Session

ARENA = ("model_a", "model_b", "winner")
TRL = ("chosen", "rejected")
FORMS = ("arena", "trl")
TIES = ("tie", "tie (bothbad)", "both_bad", "equal")
EXPECTED = f"{', '.join(ARENA)} or prompt, {', '.join(TRL)}"
Replies = Mapping[tuple[str, str], str]  # prompt and reply -> whose reply it is


class Vote(NamedTuple):
    """Which of two was better, in which prompt, and who said so.

    >>> Vote("old", "new", winner="new").prompt is None
    True
    """

    first: str  # one of the two
    second: str  # the other one
    winner: str | None  # None: a tie
    prompt: str | None = None  # the prompt; None: any
    who: str | None = None  # who said so, if known


def as_text(value: Any) -> str:
    """A prompt or a reply as a text: what the last message of a chat says, and texts as they are.

    >>> as_text([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]), as_text(4)
    ('Hello', '4')
    """
    if isinstance(value, list) and value and all(isinstance(each, Mapping) and "content" in each for each in value):
        return as_text(value[-1]["content"])
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def text_rows(path: str | Path) -> list[dict[str, Any]]:
    """The rows of a JSONL, CSV, TSV or Parquet file. Values of a CSV or TSV file stay texts.

    - `path`: the file.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "runs.jsonl"
    >>> _ = path.write_text('{"system": "old", "prompt": "2 + 2", "reply": "04"}\\n')
    >>> text_rows(path)
    [{'system': 'old', 'prompt': '2 + 2', 'reply': '04'}]
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in (".jsonl", ".ndjson", ".csv", ".tsv"):
        columns = read_table(path)
        return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise DataError(f"{str(path)[:100]} cannot be read ({why}); give a JSONL or CSV file") from None
    if kind not in (".csv", ".tsv"):
        return json_rows(path.name, text)
    cells = read_cells(path, text)
    return [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]


def read_votes(path: str | Path, replies: Replies | None = None) -> list[Vote]:
    """The votes in a file of arena battles (model_a, model_b, winner) or of preferences (prompt, chosen, rejected).

    - `path`: a JSONL, CSV, TSV or Parquet file. Battles may have the columns prompt and judge, too. Preferences between
      whole conversations need no prompt: it is the message before the last.
    - `replies`: whose each reply is, by prompt and reply; preferences are about replies, so they need it.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "battles.csv"
    >>> _ = path.write_text("model_a,model_b,winner\\nold,new,model_b\\nold,new,tie\\n")
    >>> [vote.winner for vote in read_votes(path)]
    ['new', None]
    """
    rows, name = text_rows(path), Path(path).name
    if not rows:
        raise DataError(f"{name} has no votes; give a file with {EXPECTED} in each row")
    columns = rows[0].keys()
    if set(ARENA) <= columns:
        return [_battle(row, f"row {number} of {name}") for number, row in enumerate(rows, 1)]
    if set(TRL) <= columns:
        if replies is None:
            raise DataError(f"{name} prefers replies, and nothing says whose they are; give the runs, too")
        found = (_preference(row, replies, f"row {number} of {name}") for number, row in enumerate(rows, 1))
        return [vote for vote in found if vote is not None]
    raise DataError(f"{name} has the columns {', '.join(columns)}; expected {EXPECTED}")


def _battle(row: Mapping[str, Any], where: str) -> Vote:
    first, second, said = ("" if row.get(column) is None else str(row[column]) for column in ARENA)
    if not first or not second or first == second:
        raise DataError(f"{where} compares {first[:60]!r} with {second[:60]!r}; expected two different names")
    winners = dict.fromkeys(TIES) | {"model_a": first, "model_b": second, first: first, second: second}
    known = said if said in winners else said.strip().lower()
    if known not in winners:
        raise DataError(f"{where} has the winner {said[:60]!r}; expected model_a, model_b or tie")
    prompt, judge = row.get("prompt"), row.get("judge")
    named = None if judge in (None, "") else str(judge)
    return Vote(first, second, winners[known], None if prompt in (None, "") else as_text(prompt), named)


def _preference(row: Mapping[str, Any], replies: Replies, where: str) -> Vote | None:
    """None where a reply is nobody's."""
    if row.get("chosen") is None or row.get("rejected") is None:
        raise DataError(f"{where} lacks chosen or rejected; expected both, or leave the row out")
    prompt = row.get("prompt")
    if prompt is None and isinstance(row["chosen"], list):
        prompt = row["chosen"][:-1]
    asked = as_text(prompt)
    chosen, rejected = (replies.get((asked, as_text(row[column]))) for column in TRL)
    return None if chosen is None or rejected is None or chosen == rejected else Vote(chosen, rejected, chosen, asked)


def votes_of(session: Session) -> list[Vote]:
    """The answers in force of a session about pairs, in the order they came; `first` stood left.

    - `session`: whose answers they are.

    >>> import askwise
    >>> session = askwise.best_item(["old", "new"], seed=1)
    >>> session.tell("new", session.ask(), who="Ann")
    >>> sorted(votes_of(session)[0][:2]), votes_of(session)[0].winner
    (['new', 'old'], 'new')
    """
    contexts = getattr(session.problem.family, "contexts", None)
    found = []
    for id, (_, answer) in session.round.beliefs.told.items():
        event = session.event_log.ask_events[id]
        if event["kind"] != "pair":
            raise SettingError(f"the answers are about a {event['kind']}; votes are about pairs of items")
        names, codes = [option["name"] for option in event["options"]], dict(event["codes"])
        said = np.sign(float(answer.response))
        winner = next((name for name in names if np.sign(float(codes[f"{name}"])) == said), None)
        prompt = None if contexts is None else contexts[int(event["atom"][0])]
        found.append(Vote(names[0], names[1], winner, prompt, answer.who))
    return found


def votes_table(session: Session, form: str = "arena") -> Table:
    """The answers of a session as arena battles or, where replies are compared, as preferences for training.

    - `session`: whose answers they are.
    - `form`: arena or trl. Ties are left out of trl.

    >>> import askwise
    >>> session = askwise.best_item(["old", "new"], seed=1)
    >>> session.tell("left", session.ask(), who="Ann")
    >>> votes_table(session)["winner"]
    ['model_a']
    """
    votes = votes_of(session)
    if form == "arena":
        sides = {True: "model_a", False: "model_b"}
        table: Table = {
            "model_a": [vote.first for vote in votes],
            "model_b": [vote.second for vote in votes],
            "winner": ["tie" if vote.winner is None else sides[vote.winner == vote.first] for vote in votes],
            "judge": [vote.who for vote in votes],
        }
        return {**table, "prompt": [vote.prompt for vote in votes]} if any(vote.prompt for vote in votes) else table
    if form != "trl":
        raise SettingError(f"form is {form!r}; expected {' or '.join(FORMS)}")
    if session.pursued is None or not getattr(goal_of(session), "contexts", None):
        raise SettingError("preferences for training hold replies, and this study has none; write arena battles")
    family: Any = session.problem.family
    data, place = session.pursued["data"], {name: row for row, name in enumerate(family.names)}
    decided = [(vote, _loser(vote)) for vote in votes if vote.winner is not None and vote.prompt is not None]
    return {
        "prompt": [vote.prompt for vote, _ in decided],
        "chosen": [str(data[str(vote.prompt)][place[str(vote.winner)]]) for vote, _ in decided],
        "rejected": [str(data[str(vote.prompt)][place[loser]]) for vote, loser in decided],
    }


def write_votes(session: Session, path: str | Path, form: str = "arena") -> None:
    """Writes `votes_table` to a .jsonl, .csv, .tsv or .parquet file.

    - `session`: whose answers they are.
    - `path`: an existing file is replaced.
    - `form`: arena or trl.

    >>> import askwise, tempfile
    >>> session = askwise.best_item(["old", "new"], seed=1)
    >>> session.tell("new", session.ask())
    >>> path = Path(tempfile.mkdtemp()) / "battles.jsonl"
    >>> write_votes(session, path)
    >>> read_votes(path)[0].winner
    'new'
    """
    write_table(votes_table(session, form), path)


def _loser(vote: Vote) -> str:
    return vote.second if vote.winner == vote.first else vote.first
