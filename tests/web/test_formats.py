"""The form takes every kind of table, and learns from texts by models of the server alone."""

from __future__ import annotations

import io
import json

import pandas as pd
import pytest

from askwise.errors import DataError, SettingError
from askwise.web.create import read_upload
from askwise.web.form import form_fields, page_sentence

TABLE = {
    "name": ["tea", "milk", "wine"],
    "price": ["$1", "$2", "$1,234"],
    "note": ["hot leaf", "cold cow", "red grape"],
}


def uploads():
    sheet = io.BytesIO()
    pd.DataFrame(TABLE).to_excel(sheet, index=False)
    return {
        "t.xlsx": sheet.getvalue(),
        "t.json": json.dumps(TABLE).encode(),
        "t.csv": pd.DataFrame(TABLE).to_csv(index=False).encode(),
    }


@pytest.mark.parametrize("name", ["t.xlsx", "t.json", "t.csv"])
def test_every_table_can_be_uploaded(name):
    recipe, found = read_upload("best_item", {"embed": ["note"], "embed_model": "ngrams"}, name, uploads()[name])
    assert recipe["data"]["price"] == TABLE["price"]
    assert found["features"] == ["price", "note (embedded) (2 of 1024 numbers)"]
    assert "Texts read as numbers and dates: price ('$1,234' is 1234)." in found["words"]


def test_lists_and_first_lines():
    assert read_upload("best_item", {}, "t.txt", b"tea\nmilk\n")[1]["rows"] == 2
    words = read_upload("best_item", {}, "t.csv", b"tea\nmilk\nwine\n")[1]["words"]
    assert words[-1] == "The first line, 'tea', was taken for the names of columns."


def test_the_form_offers_texts_to_learn_from():
    (field,) = [field for field in form_fields() if field.name == "embed"]
    assert (field.label, field.kind, field.advanced) == ("Columns of texts to learn from", "list", True)
    assert not [field for field in form_fields() if field.name in ("embed_model", "readings")]


def test_models_in_files_of_the_server_are_refused(tmp_path):
    for model in (str(tmp_path), "/etc/model.onnx", 5):
        with pytest.raises(SettingError, match=r"embed_model is .*; expected 'wordllama' or 'ngrams'"):
            read_upload("best_item", {"embed": ["note"], "embed_model": model}, "t.json", json.dumps(TABLE).encode())
    with pytest.raises(SettingError, match="has no option --readings"):
        read_upload("best_item", {"readings": {}}, "t.json", json.dumps(TABLE).encode())


def test_pictures_are_not_read_from_the_server(tmp_path):
    (tmp_path / "a.png").write_bytes(b"secret")
    table = {"name": ["a", "b"], "image": [str(tmp_path / "a.png")] * 2}
    with pytest.raises(Exception, match=r"is not at hand; embed pictures with askwise new"):
        read_upload("best_item", {"embed": ["image"]}, "t.json", json.dumps(table).encode())
    with pytest.raises(Exception, match=r"is not at hand"):
        read_upload("best_item", {"embed": "name", "image": "name"}, "t.json", json.dumps(table).encode())


def test_sentences_for_the_page():
    with pytest.raises(DataError) as refused:
        read_upload("best_item", {}, "t.csv", b"Swift,8.6\nCamry,18.2\n")
    assert page_sentence(str(refused.value)).endswith("put a line with names above it, change that name.")


@pytest.mark.parametrize("file", ["cars.csv", "my cars.csv"])
def test_a_file_keeps_its_name_at_the_start_of_a_sentence(file):
    assert page_sentence(f"{file} has no rows; expected some") == f"{file} has no rows; expected some."
