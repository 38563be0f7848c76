"""The answers as a dataframe of whatever library is installed."""

from __future__ import annotations

import narwhals as nw
import pytest

import askwise
from askwise.errors import SettingError
from askwise.exchange import frames
from askwise.exchange.answers import answers_table


@pytest.fixture(scope="module")
def session():
    found = askwise.classifier({"name": list("abcd"), "size": [1.0, 2.0, 3.0, 4.0]}, labels=(1, "two"), seed=1)
    for label in (1, "two"):
        found.tell(label, found.ask(), who="Ann", seconds=2.0)
    found.skip(found.ask(), reason="unclear")
    return found


@pytest.mark.parametrize("library", frames.LIBRARIES)
def test_each_library(session, library, monkeypatch):
    pytest.importorskip(library)
    monkeypatch.setattr(frames, "find_spec", lambda name: name if name == library else None)
    frame = session.answers_frame()
    assert type(frame).__module__.split(".")[0] == library
    columns = nw.from_native(frame)
    assert list(columns.columns) == list(answers_table(session))
    assert columns["response"].to_list()[:2] == ["1", "two"]
    assert columns["status"].to_list() == ["answered", "answered", "skipped"]
    assert columns["seconds"].to_list()[:2] == [2.0, 2.0]


def test_no_answers_yet():
    assert len(askwise.best_item(["tea", "coffee"], seed=1).answers_frame()) == 0


def test_without_a_library_the_error_names_some(session, monkeypatch):
    monkeypatch.setattr(frames, "find_spec", lambda _: None)
    with pytest.raises(SettingError, match=r"needs pandas, polars or pyarrow; install one with: pip install pandas"):
        session.answers_frame()
