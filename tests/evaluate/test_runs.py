"""Runs and votes in files: what is read, what is written, and what is refused in one sentence."""

from __future__ import annotations

import json

import numpy as np
import pytest

import askwise
from askwise.errors import DataError, SettingError
from askwise.evaluate import Runs, VoteOracle, read_runs, start
from askwise.evaluate.replay import authors
from askwise.exchange.votes import Vote, read_votes, text_rows, votes_of, write_votes

ROWS = [
    {"system": system, "prompt": f"prompt {n}", "reply": f"{system} says 0{n}"} for n in range(4) for system in "abc"
]


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_long_and_wide_files_give_the_same_runs(tmp_path):
    long = read_runs(write(tmp_path / "long.jsonl", ROWS))
    lines = ["prompt,a,b,c", *(f"prompt {n},a says 0{n},b says 0{n},c says 0{n}" for n in range(4))]
    (tmp_path / "wide.csv").write_text("\n".join(lines), encoding="utf-8")
    assert read_runs(tmp_path / "wide.csv") == long
    assert long.replies["prompt 2"] == ["a says 02", "b says 02", "c says 02"]


def test_numbers_and_chats_stay_what_they_are(tmp_path):
    chat = [{"role": "user", "content": "2 + 2"}]
    rows = [{"system": s, "prompt": chat, "reply": [{"role": "assistant", "content": f"00{s}"}]} for s in "ab"]
    assert read_runs(write(tmp_path / "chats.jsonl", rows)).replies == {"2 + 2": ["00a", "00b"]}
    (tmp_path / "numbers.csv").write_text("prompt,a,b\n2 + 2,04,4.0\n", encoding="utf-8")
    assert read_runs(tmp_path / "numbers.csv").replies == {"2 + 2": ["04", "4.0"]}


def test_prompts_without_a_reply_of_everybody_are_left_out_and_counted():
    runs = Runs.of([*ROWS, {"system": "a", "prompt": "more", "reply": "x"}])
    assert (len(runs.replies), runs.incomplete) == (4, 1)


def test_of_many_prompts_random_ones_are_used():
    runs = Runs.of([{"prompt": str(n), "a": "x", "b": "y"} for n in range(4000)])
    used = runs.sampled(3)
    assert (len(used.replies), used.unused) == (2999, 1001)
    assert used == runs.sampled(3) != runs.sampled(4)


def test_a_prompt_may_be_called_like_a_column():
    runs = Runs.of([{"system": s, "prompt": prompt, "reply": s} for s in "ab" for prompt in ("system", "name")])
    assert start(runs).problem.family.names == ("a", "b")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"system": "a", "prompt": "p", "reply": "x"}], "the runs are of 1 system;"),
        ([{"system": "a", "reply": "x"}], "row 1 has no prompt"),
        ([{"system": "", "prompt": "p", "reply": "x"}], "row 1 has no system"),
        ([*ROWS, {**ROWS[0], "reply": "other"}], "row 13 is another reply of 'a' to 'prompt 0'"),
        ([{"prompt": "p", "a": "x", "b": ""}, {"prompt": "q", "a": "", "b": "y"}], "there is no prompt to which every"),
    ],
)
def test_broken_runs_are_refused(rows, message, tmp_path):
    with pytest.raises(DataError, match=message):
        read_runs(write(tmp_path / "runs.jsonl", rows))


def test_broken_files_are_refused(tmp_path):
    (tmp_path / "runs.jsonl").write_text('{"system": "a"}\nnonsense\n')
    with pytest.raises(DataError, match=r"line 2 of runs\.jsonl is not a JSON object; expected one"):
        text_rows(tmp_path / "runs.jsonl")
    with pytest.raises(DataError, match="cannot be read"):
        text_rows(tmp_path / "none.jsonl")
    (tmp_path / "latin.csv").write_bytes(b"prompt,a,b\n\xff,x,y\n")
    with pytest.raises(DataError, match="it is not UTF-8 text"):
        text_rows(tmp_path / "latin.csv")


def told(session):
    """A session in which each judge has said something."""
    for who, (context, i, j), winner in (
        ("ann", (0, 0, 1), "a"), ("bot", (0, 0, 1), "b"), ("bot", (1, 1, 2), "equal"), ("bot", (3, 0, 2), "c"),
    ):  # fmt: skip
        session.tell(winner, session.pose(np.array([context, i, j])), who=who)
    return session


def test_votes_survive_the_way_through_every_file(tmp_path):
    session = told(start(Runs.of(ROWS), ties=True))
    votes = votes_of(session)
    assert [(vote.winner, vote.prompt, vote.who) for vote in votes] == [
        ("a", "prompt 0", "ann"), ("b", "prompt 0", "bot"), (None, "prompt 1", "bot"), ("c", "prompt 3", "bot"),
    ]  # fmt: skip
    for ending in ("jsonl", "csv", "tsv", "parquet"):
        write_votes(session, tmp_path / f"battles.{ending}")
        assert read_votes(tmp_path / f"battles.{ending}") == votes
    write_votes(session, tmp_path / "preferences.jsonl", "trl")
    again = read_votes(tmp_path / "preferences.jsonl", authors(session))
    assert [(vote.winner, vote.prompt) for vote in again] == [("a", "prompt 0"), ("b", "prompt 0"), ("c", "prompt 3")]


def test_recorded_votes_answer_once_each_and_skip_what_nobody_voted_on():
    runs = Runs.of(ROWS)
    votes = [Vote("a", "b", "b", "prompt 0"), Vote("b", "a", "a", "prompt 0"), Vote("a", "c", None)]
    session = start(runs, ties=True)
    oracle = VoteOracle(votes, session)
    for expected in ("b", "a", None):
        question = session.pose((0, 0, 1))
        said = oracle(question)
        names = [runs.systems[option.row] for option in question.options]
        assert (None if said is None else names[["left", "right"].index(said)]) == expected
    assert [oracle(session.pose((2, 0, 2))) for _ in range(2)] == ["equal", None]


def test_recorded_votes_that_were_given_are_not_given_again_when_the_study_goes_on():
    votes = [Vote("a", "b", "b", "prompt 0"), Vote("b", "a", "a", "prompt 0")]
    session = start(Runs.of(ROWS))
    question = session.pose((0, 0, 1))
    session.tell(VoteOracle(votes, session)(question), question, who="votes")
    again = VoteOracle(votes, session)
    said = [again(session.pose((0, 0, 1))), again(session.pose((0, 0, 1)))]
    assert said[1] is None
    assert votes_of(session)[0].winner == "b"
    question = session.question(session.log[-2]["question"])
    assert question.options[("left", "right").index(said[0])].row == 0


def test_a_tie_that_was_skipped_is_not_given_again_when_the_study_goes_on():
    runs = Runs.of([{"prompt": str(place), "a": "one", "b": "two"} for place in range(3)])
    session, votes = start(runs, seed=1), [Vote("a", "b", None), Vote("a", "b", "b")]
    session.skip(session.ask(), who="votes")
    oracle, question = VoteOracle(votes, session), session.ask()
    assert question.options[("left", "right").index(oracle(question))].body == "two"
    assert oracle(question) is None


def test_what_a_model_writes_may_be_anything():
    odd = Runs.of(
        [{"system": "a", "prompt": "p\0", "reply": "x\0\ud800y"}, {"system": "b", "prompt": "p\0", "reply": " "}]
    )
    assert odd.replies == {"p\ufffd": ["x\ufffd\ufffdy", "(an empty reply)"]}
    start(odd).ask()
    wide = Runs.of([{"prompt": "p", "a": " ", "b": "1"}, {"prompt": "q", "a": "2", "b": "3"}])
    assert (list(wide.replies), wide.incomplete) == (["q"], 1)  # an empty cell of a wide table is no reply
    with pytest.raises(DataError, match="row 1 has no prompt"):
        Runs.of([{"prompt": "  ", "a": "1", "b": "2"}])
    with pytest.raises(DataError, match="all systems gave the same replies"):
        start(Runs.of([{"prompt": "p", "a": "1", "b": "1"}]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prompt,a,b\np,x,y, and z\n", "line 2 of runs.csv has 4 values, the header has 3; correct the line"),
        ("prompt,a,a\np,x,y\n", "two columns of runs.csv are called 'a'"),
        ('prompt,a,b\np,"x,y\n', "a quote that opens in line 2 of runs.csv or below is never closed"),
        (f"prompt,a,b\np,x,{'y' * 140_000}\n", "a text in line 2 of runs.csv or below has more than 131,072 letters"),
    ],
)
def test_a_broken_csv_file_is_refused(tmp_path, text, message):
    (tmp_path / "runs.csv").write_text(text)
    with pytest.raises(DataError, match=message):
        read_runs(tmp_path / "runs.csv")


def test_semicolons_separate_values_too_and_texts_stay_texts(tmp_path):
    (tmp_path / "runs.csv").write_text("prompt;a;b\n2 + 2;04;4,0\n")
    assert read_runs(tmp_path / "runs.csv").replies == {"2 + 2": ["04", "4,0"]}


def test_names_in_votes_may_be_numbers_and_ties_may_be_written_large(tmp_path):
    rows = [{"model_a": 1, "model_b": 2, "winner": 1}, {"model_a": 1, "model_b": 2, "winner": "Tie"}]
    assert [vote[:3] for vote in read_votes(write(tmp_path / "votes.jsonl", rows))] == [
        ("1", "2", "1"),
        ("1", "2", None),
    ]


def test_preferences_between_whole_conversations_need_no_prompt(tmp_path):
    asked = {"role": "user", "content": "2 + 2"}
    row = {side: [asked, {"role": "assistant", "content": text}] for side, text in (("chosen", "4"), ("rejected", "5"))}
    whose = {("2 + 2", "4"): "new", ("2 + 2", "5"): "old"}
    assert read_votes(write(tmp_path / "votes.jsonl", [row]), whose) == [Vote("new", "old", "new", "2 + 2")]


def test_broken_votes_are_refused(tmp_path):
    for row, message in (
        ({"model_a": "a", "model_b": "a", "winner": "tie"}, "row 1 of votes.jsonl compares 'a' with 'a'"),
        ({"model_a": "a", "model_b": "b", "winner": "c"}, "has the winner 'c'; expected model_a, model_b or tie"),
        ({"a": 1}, "expected model_a, model_b, winner or prompt, chosen, rejected"),
        ({"prompt": "p", "chosen": "x", "rejected": "y"}, "nothing says whose they are"),
        ({"model_a": "a", "model_b": "b", "winner": None}, "has the winner ''; expected model_a, model_b or tie"),
    ):
        with pytest.raises(DataError, match=message):
            read_votes(write(tmp_path / "votes.jsonl", [row]))
    with pytest.raises(DataError, match="has no votes"):
        read_votes(write(tmp_path / "votes.jsonl", []))
    with pytest.raises(SettingError, match="this study has none; write arena battles"):
        write_votes(askwise.best_item(["a", "b"]), tmp_path / "votes.jsonl", "trl")
