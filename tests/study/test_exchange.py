"""What leaves a study: tables that say what happened, files that are whole, and copies that are the same study."""

from __future__ import annotations

import csv
import json
import os
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import expit, softmax

import askwise
from askwise.encode import encode
from askwise.errors import DataError, SettingError, StudyError
from askwise.study import close
from askwise.study.address import Address
from askwise.study.collected import take, understand
from askwise.study.draws import drawn
from askwise.study.exchange import (
    answers_table,
    copy,
    draws_table,
    predictions_table,
    read_log,
    to_netcdf,
    write_log,
)
from askwise.study.files import write
from askwise.study.read import read_table
from askwise.study.store import Store
from tests.helpers import generator

TABLE = {
    "name": list("abcdefgh"),
    "size": generator(960).normal(size=8).tolist(),
    "kind": ["car", "van", "car", "bus", "van", "bus", "car", "van"],
}
SMALL = {"draws": 24, "seed": 4}
GOALS = {
    "best_item": lambda: askwise.best_item(TABLE, **SMALL),
    "names alone": lambda: askwise.best_item(TABLE["name"], ties=True, **SMALL),
    "appeal of their own": lambda: askwise.ranking(TABLE, individual=0.5, **SMALL),
    "classifier": lambda: askwise.classifier(TABLE, ("no", "yes"), **SMALL),
    "classifier of three": lambda: askwise.classifier(TABLE, ("red", 2, "blue"), **SMALL),
    "clusters": lambda: askwise.clusters(TABLE, **SMALL),
    "hierarchy": lambda: askwise.hierarchy(TABLE, **SMALL),
    "best_column": lambda: askwise.best_column(
        {"name": ["Ann", "Ben"], "x": [1, None], "y": [None, 2]}, repeat=True, **SMALL
    ),
}
COLUMNS = {
    "best_item": [
        *(f"utility[{name}]" for name in "abcdefgh"),
        *(f"weight[{name}]" for name in ("size", "kind=bus", "kind=car", "kind=van")),
    ],
    "names alone": [f"utility[{name}]" for name in "abcdefgh"],
    "classifier": [f"weight[{name}]" for name in ("size", "kind=bus", "kind=car", "kind=van", "intercept")],
    "clusters": [f"cluster[{name}]" for name in "abcdefgh"],
    "hierarchy": ["tree"],
    "best_column": ["entry[Ann x x]", "entry[Ann x y]", "entry[Ben x x]", "entry[Ben x y]", "noise"],
}


def respond(session, turns):
    for turn in range(turns):
        question = session.ask()
        session.tell(1.5 * turn if question.kind == "number" else question.responses[turn % len(question.responses)])
    return session


@pytest.fixture
def talked():
    """A session in which everything happened."""
    session = GOALS["best_item"]()
    questions = [session.ask()]
    session.tell("left", who="Ann", seconds=2.5, key="k1")
    questions.append(session.ask())
    session.skip(who="Ben", reason="too alike")
    questions.append(session.ask())
    session.tell("right")
    session.undo()
    session.tell(questions[2].options[0].name, question="q3")
    questions.append(session.ask())
    session.tell("left")
    session.undo()  # open again, and answered no more
    return session, questions


# ---------------------------------------------------------------------- tables


def test_answers_say_what_happened(talked):
    session, (one, two, three, four) = talked
    table = answers_table(session)
    assert table["question"] == ["q1", "q2", "q3", "q3", "q4"]
    assert table["status"] == ["answered", "skipped", "undone", "answered", "undone"]
    chosen = [one.options[0], None, three.options[1], three.options[0], four.options[0]]
    assert table["response"] == [option and option.name for option in chosen]
    asked = [one, two, three, three, four]
    assert table["a"] == [question.options[0].name for question in asked]
    assert table["b"] == [question.options[1].name for question in asked]
    assert "c" not in table
    assert table["text"] == [question.text for question in asked]
    assert table["kind"] == ["pair"] * 5
    assert table["gain"] == [question.gain for question in asked]
    assert table["who"] == ["Ann", "Ben", None, None, None]
    assert table["seconds"] == [2.5, None, None, None, None]
    assert table["time"] == [event["time"] for event in session.log if event["event"] in ("tell", "skip")]


@pytest.mark.parametrize("goal", GOALS)
def test_answers_can_be_told_again(goal, tmp_path):
    session = respond(GOALS[goal](), 6)
    write(answers_table(session), tmp_path / "answers.csv")
    again = GOALS[goal]()
    for row in pl.read_csv(tmp_path / "answers.csv").iter_rows(named=True):
        assert again.ask().id == row["question"]
        again.tell(row["response"], question=row["question"])
    assert len(again.answers) == 6
    for one, two in zip(again.answers, session.answers, strict=True):
        assert np.array_equal(one.atom, two.atom)
        assert one.response == two.response


def test_reasons_and_fallbacks_are_told():
    session = GOALS["best_item"]()
    session.ask()
    session.skip(reason="both unknown")
    session.ask()
    session.tell("left")
    session.conversation.asked["q2"]["info"] = {"reserve": True}  # as a server notes it
    table = answers_table(session)
    assert table["reason"] == ["both unknown", None]
    assert table["fallback"] == [False, True]


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_a_spreadsheet_runs_nothing(suffix, tmp_path):
    risky = ["=1+1", '=HYPERLINK("http://x")', "+x", "-x", "@sum", "\tx", "\rx", "=a,b"]
    tame = ["-3.5", "+7", "tea", "a=b", "'", None]
    write({"=name": [*risky, *tame], "number": list(range(14))}, tmp_path / f"x{suffix}")
    with (tmp_path / f"x{suffix}").open(newline="") as file:
        header, *rows = csv.reader(file, delimiter="," if suffix == ".csv" else "\t")
    assert header == ["'=name", "number"]
    assert [row[0] for row in rows] == [f"'{cell}" for cell in risky] + ["-3.5", "+7", "tea", "a=b", "'", ""]


def test_answers_about_names_that_look_like_formulas_come_back(tmp_path):
    names = ["=1+1", "@x", "tea", "milk"]
    session = askwise.best_item(names, seed=1, draws=8)
    while len(session.answers) < 5:
        session.ask()
        session.tell("left")
    write(answers_table(session), tmp_path / "x.csv")
    told = read_table(tmp_path / "x.csv")
    again = askwise.best_item(names, seed=1, draws=8)
    good, bad = understand(again, {"left": told["a"], "right": told["b"], "winner": told["response"]})
    assert not bad
    assert sum(take(again, good, b"x")) == 5
    assert {(tuple(a.atom), a.response) for a in again.answers} == {
        (tuple(a.atom), a.response) for a in session.answers
    }


def test_answers_of_nobody_are_an_empty_table():
    assert {len(column) for column in answers_table(GOALS["best_item"]()).values()} == {0}


@pytest.mark.parametrize("goal", COLUMNS)
def test_draws_have_the_names_of_the_table(goal):
    session = respond(GOALS[goal](), 3)
    table = draws_table(session, 30)
    assert list(table) == COLUMNS[goal]
    assert {len(column) for column in table.values()} == {30}
    assert draws_table(session, 30) == table  # the same every time


@pytest.mark.parametrize("goal", ["best_item", "appeal of their own"])
def test_utilities_are_features_times_weights_and_what_is_an_item_s_own(goal):
    session = respond(GOALS[goal](), 5)
    draws, items = pd.DataFrame(draws_table(session, 50)), encode(TABLE)
    weights = draws[[f"weight[{column}]" for column in items.columns]].to_numpy()
    own = 0.5 * drawn(session, 50)[:, 4:] if goal == "appeal of their own" else 0.0
    utilities = draws[[f"utility[{name}]" for name in items.names]].to_numpy()
    assert utilities == pytest.approx(weights @ items.features.T + own)


@pytest.mark.parametrize("goal", ["classifier", "classifier of three"])
def test_predictions_are_what_the_draws_say(goal):
    session = respond(GOALS[goal](), 6)
    draws, items = pd.DataFrame(draws_table(session)), encode(TABLE)
    features = [*items.columns, "intercept"]
    points = np.column_stack([items.features, np.ones(8)])
    if goal == "classifier":
        labels = ["no", "yes"]
        chances = expit(draws[[f"weight[{name}]" for name in features]].to_numpy() @ points.T)
        expected = np.column_stack([1 - chances.mean(axis=0), chances.mean(axis=0)])
    else:
        labels = ["red", 2, "blue"]
        scores = [draws[[f"weight[{label} x {name}]" for name in features]].to_numpy() @ points.T for label in labels]
        expected = softmax(scores, axis=0).mean(axis=1).T
    table = predictions_table(session)
    assert list(table) == ["name", "label", *(f"probability[{label}]" for label in labels)]
    assert np.column_stack([table[f"probability[{label}]"] for label in labels]) == pytest.approx(expected, abs=1e-5)
    assert table["name"] == TABLE["name"]
    assert table["label"] == [labels[place] for place in expected.argmax(axis=1)]


def test_clusters_trees_and_entries_follow_the_answers():
    clusters = askwise.clusters(TABLE["name"], noise=0.001, **SMALL)
    question = clusters.pose([0, 3])
    clusters.tell("same", question)
    draws = draws_table(clusters, 200)
    together = np.mean([one == two for one, two in zip(draws["cluster[a]"], draws["cluster[d]"], strict=True)])
    assert together > 0.95
    hierarchy = askwise.hierarchy(["cat", "dog", "an eel"], noise=0.0, **SMALL)
    hierarchy.ask()
    hierarchy.tell("an eel")
    assert set(draws_table(hierarchy, 20)["tree"]) == {"((cat,dog),'an eel');"}
    session = GOALS["best_column"]()
    structures, draws = drawn(session, 20), draws_table(session, 20)
    assert draws["entry[Ben x x]"] == structures["matrix"][:, 1, 0].tolist()
    assert draws["noise"] == pytest.approx(1 / np.sqrt(structures["precision"]))


def test_a_session_built_by_hand_has_numbered_features():
    session = askwise.best_item({"x": [1.0, 2.0, 4.0]}, rule=lambda *args: None, draws=20)
    assert list(draws_table(session, 5))[-1] == "weight[feature 1]"


def test_what_has_no_names_or_labels_is_refused():
    with pytest.raises(SettingError, match="only a classifier predicts labels"):
        predictions_table(GOALS["best_item"]())
    with pytest.raises(SettingError, match="draws must be at least 1, got 0"):
        draws_table(GOALS["best_item"](), 0)


# ---------------------------------------------------------------------- files

ODD = {"name": ['say "hi", you', "two\nlines", "tea\tµ"], "x": [1.5, None, 3.0], "label": ["red", 2, None]}


def test_every_kind_of_file_holds_the_same(tmp_path):
    for ending in ("csv", "tsv", "jsonl", "parquet"):
        write(ODD, tmp_path / f"t.{ending}")
    texts = {**ODD, "label": ["red", "2", None]}
    assert pl.read_csv(tmp_path / "t.csv").to_dict(as_series=False) == texts
    assert pl.read_csv(tmp_path / "t.tsv", separator="\t").to_dict(as_series=False) == texts
    assert pl.read_parquet(tmp_path / "t.parquet").to_dict(as_series=False) == texts
    lines = (tmp_path / "t.jsonl").read_text(encoding="utf-8").splitlines()
    assert {name: [json.loads(line)[name] for line in lines] for name in ODD} == ODD
    assert sorted(os.listdir(tmp_path)) == ["t.csv", "t.jsonl", "t.parquet", "t.tsv"]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_nothing_is_half_written(ending, tmp_path):
    path = tmp_path / f"t.{ending}"
    path.write_text("before")
    with pytest.raises((TypeError, ValueError)):
        write({"x": [1, 2, 3], "y": [1, float("nan"), object()]} | ({"z": [1]} if ending == "csv" else {}), path)
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == [path.name]


def test_places_that_cannot_be_written(tmp_path):
    with pytest.raises(SettingError, match=r"t\.xls ends in \.xls; a table is written as \.csv, \.tsv, \.jsonl, \.par"):
        write(ODD, tmp_path / "t.xls")
    with pytest.raises(SettingError, match="ends in nothing"):
        write(ODD, tmp_path / "t")
    with pytest.raises(StudyError, match=r"t\.csv cannot be written: No such file or directory"):
        write(ODD, tmp_path / "none" / "t.csv")


# ---------------------------------------------------------------------- ArviZ


@pytest.fixture(scope="module")
def arviz():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it announces its next version
        return pytest.importorskip("arviz", reason="NOT RUN: ArviZ is missing; pip install 'askwise[arviz]'")


@pytest.mark.parametrize("answers", [0, 4])
@pytest.mark.parametrize("goal", GOALS)
def test_arviz_reads_the_draws(goal, answers, arviz, tmp_path):
    session = respond(GOALS[goal](), answers)
    to_netcdf(session, tmp_path / "draws.nc", 40)
    assert os.listdir(tmp_path) == ["draws.nc"]
    data = arviz.from_netcdf(tmp_path / "draws.nc")
    assert data.attrs["goal"] == session.recipe["goal"]
    assert data.attrs["inference_library"] == "askwise"
    for name, column in draws_table(session, 40).items():
        variable, _, place = name.rstrip("]").partition("[")
        values = data.posterior[variable]
        assert values.dims[:2] == ("chain", "draw")
        names = dict(zip(values.dims[2:], place.split(" x "), strict=False))
        assert values.sel(names).to_numpy()[0].tolist() == column
    told = answers_table(session)
    assert data.observed_data["answer"].to_numpy().tolist() == told["question"]
    assert list(map(str, data.observed_data["response"].to_numpy().tolist())) == list(map(str, told["response"]))
    stats = session.posterior.diagnostics()
    assert {name: float(data.sample_stats[name]) for name in stats} == pytest.approx(dict(stats))


def test_only_answers_in_force_are_observed(talked, arviz, tmp_path):
    to_netcdf(talked[0], tmp_path / "draws.nc", 10)
    assert arviz.from_netcdf(tmp_path / "draws.nc").observed_data["answer"].to_numpy().tolist() == ["q1", "q3"]


def test_without_arviz(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(SettingError, match=r"pip install 'askwise\[arviz\]'"):
        to_netcdf(GOALS["best_item"](), tmp_path / "draws.nc")


# ---------------------------------------------------------------------- whole studies


def test_a_study_through_json(talked, tmp_path):
    session, _ = talked
    write_log(session, tmp_path / "study.json")
    recipe, log = read_log(tmp_path / "study.json")
    assert recipe == session.recipe
    assert log == session.log
    Store.create(Address.of(tmp_path / "new.askwise"), recipe, {}, log)
    opened = askwise.open(tmp_path / "new.askwise")
    assert opened.to_json() == session.to_json()
    assert opened.ask() == session.ask()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text[:-9], "is not a study written by askwise"),
        (lambda text: "[1, 2]", "is not a study written by askwise"),
        (lambda text: text.replace('"askwise": 1', '"askwise": 99'), "written by a newer askwise"),
        (lambda text: text.replace('"goal": "best_item"', '"goal": "worst_item"'), "a goal or an option"),
        (lambda text: text.replace('"event": "tell"', '"event": "sing"'), "not 'sing'"),
        (lambda text: text.replace('"question": "q1"', '"question": "q9"', 1), "there is no question 'q1'"),
        (lambda text: text.replace('"log": [', '"log": ["x", '), "is not a study written by askwise"),
    ],
)
def test_what_is_not_a_study_is_refused(change, words, talked, tmp_path):
    path = tmp_path / "study.json"
    text = talked[0].to_json()
    path.write_text(change(text))
    assert path.read_text() != text
    with pytest.raises(DataError, match=words):
        read_log(path)


def test_logs_that_cannot_be_read_or_written(tmp_path):
    with pytest.raises(StudyError, match=r"none\.json cannot be read: No such file"):
        read_log(tmp_path / "none.json")
    with pytest.raises(StudyError, match="built by hand or with a function of your own"):
        write_log(askwise.best_item(["tea", "milk"], rule=lambda *args: None), tmp_path / "x.json")


def content(address):
    """Everything in a study but when and where it was made."""
    store = Store.at(Address.of(address))
    record = store.record()
    found = (
        record.recipe,
        record.digest,
        store.events(record.study, 0),
        store.images(record.study),
        store.checkpoint(record.study),
    )
    store.close()
    return found


@pytest.fixture
def original(talked, tmp_path):
    path = tmp_path / "one.askwise"
    session, _ = talked
    Store.create(Address.of(path), session.recipe, {"a.png": b"\x89PNG", "b.png": bytes(range(256))}, session.log)
    close(askwise.open(path))  # leaves a checkpoint
    return path


def test_a_copy_is_the_same_study(original, place, tmp_path):
    copy(original, place)
    assert content(place) == content(original)
    assert content(original)[4] is not None
    back = tmp_path / "back.askwise"
    copy(place, back)
    assert content(back) == content(original)
    assert askwise.open(back).ask() == askwise.open(original).ask()


def test_a_copy_without_a_name_keeps_the_old_one(original, database):
    copy(original, database)
    assert Store.at(Address.of(database)).names() == ["one"]


def test_a_copy_replaces_nothing(original, place):
    copy(original, place)
    with pytest.raises(StudyError, match="already"):
        copy(original, place)
    assert content(place) == content(original)


def test_a_study_that_was_changed_is_not_copied(original, tmp_path):
    store = Store.at(Address.of(original))
    with store.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE events SET body = replace(body, 'Ann', 'Eve')")
    store.close()
    with pytest.raises(StudyError, match="was changed after it was written"):
        copy(original, tmp_path / "two.askwise")
    assert not (tmp_path / "two.askwise").exists()
    with pytest.raises(StudyError, match="there is no study"):
        copy(tmp_path / "none.askwise", tmp_path / "two.askwise")
