"""Models on this machine: texts and pictures become vectors, nothing is downloaded, and studies open without them."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import askwise
from askwise.data import models
from askwise.data.encoding import encode, encode_like
from askwise.errors import DataError, SettingError
from askwise.goals import goal_of

onnx = pytest.importorskip("onnx")
TEXTS = ["red wine", "white wine", "green tea", "black tea", "red wine again", "more green tea"]
TABLE = {"text": TEXTS, "price": [5, 6, 1, 2, 5, 1]}


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def refuse(*_args, **_kwargs):
        raise AssertionError("nothing is ever downloaded")

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    models.text_model.cache_clear()
    yield
    models.text_model.cache_clear()


def test_the_default_model_knows_meanings_and_not_only_letters():
    pytest.importorskip("wordllama")
    wine, beer, car = askwise.embed(["a glass of wine", "a pint of beer", "my car broke down"])
    assert wine @ beer > 3 * abs(wine @ car)
    assert np.linalg.norm(wine) == pytest.approx(1)
    assert askwise.embed(["", "tea"])[0].tolist() == [0.0] * 256
    series = pd.Series(TEXTS)
    assert np.array_equal(askwise.embed(series), askwise.embed(TEXTS))


def test_a_missing_model_is_named_in_one_sentence(monkeypatch):
    monkeypatch.setattr(models, "find_spec", lambda _: None)
    with pytest.raises(
        SettingError, match=r"no model for texts is installed; install one with: pip install 'askwise\[em"
    ):
        askwise.embed(TEXTS)
    assert askwise.embed(TEXTS, model="ngrams").shape == (6, 1024)


def static_model(folder: Path) -> tuple[Path, np.ndarray]:
    """A folder as model2vec writes it: a vector for each word."""
    from safetensors.numpy import save_file
    from tokenizers import Tokenizer, pre_tokenizers
    from tokenizers import models as kinds

    words = {"[UNK]": 0, "red": 1, "white": 2, "wine": 3, "green": 4, "black": 5, "tea": 6}
    tokenizer = Tokenizer(kinds.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    folder.mkdir()
    tokenizer.save(str(folder / "tokenizer.json"))
    vectors = np.random.default_rng(0).normal(size=(7, 5)).astype(np.float32)
    save_file({"embeddings": vectors}, folder / "model.safetensors")
    return folder, vectors


def unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def test_a_folder_of_token_vectors_is_a_model(tmp_path):
    folder, vectors = static_model(tmp_path / "m")
    found = askwise.embed(["red wine", "green tea"], model=str(folder))
    assert found == pytest.approx(np.array([unit(vectors[[1, 3]].mean(axis=0)), unit(vectors[[4, 6]].mean(axis=0))]))


def network(path: Path, vectors: np.ndarray) -> None:
    """A network that looks tokens up: (N, L) -> (N, L, D)."""
    helper = onnx.helper
    table = onnx.numpy_helper.from_array(vectors, "table")
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["made"])],
        "g",
        [helper.make_tensor_value_info("input_ids", onnx.TensorProto.INT64, ["n", "l"])],
        [helper.make_tensor_value_info("made", onnx.TensorProto.FLOAT, ["n", "l", vectors.shape[1]])],
        [table],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def test_a_network_reads_tokens_and_padding_counts_nothing(tmp_path):
    pytest.importorskip("onnxruntime")
    folder, vectors = static_model(tmp_path / "m")
    exact = askwise.embed(["red wine", "tea"], model=str(folder))
    network(folder / "model.onnx", vectors)
    models.text_model.cache_clear()
    for given in (folder, folder / "model.onnx"):
        assert askwise.embed(["red wine", "tea"], model=str(given)) == pytest.approx(exact, abs=1e-6)


def picture_network(path: Path, colours_last: bool) -> None:
    """A network that takes the mean of each colour."""
    helper, axes = onnx.helper, [1, 2] if colours_last else [2, 3]
    shape = ["n", 6, 4, 3] if colours_last else ["n", 3, 6, 4]
    graph = helper.make_graph(
        [helper.make_node("ReduceMean", ["x"], ["made"], axes=axes, keepdims=0)],
        "g",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("made", onnx.TensorProto.FLOAT, ["n", 3])],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


@pytest.mark.parametrize("colours_last", [True, False])
def test_a_network_sees_pictures(colours_last, tmp_path):
    pytest.importorskip("onnxruntime")
    picture_network(tmp_path / "p.onnx", colours_last)
    red = np.zeros((10, 12, 3))
    red[..., 0] = 255
    found = askwise.embed([red], model=str(tmp_path / "p.onnx"))[0]
    assert found == pytest.approx(unit((np.array([1, 0, 0]) - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]), abs=1e-5)


def picture(colour: tuple[int, int, int], stripes: str) -> np.ndarray:
    made = np.tile(np.array(colour), (32, 32, 1))
    if stripes == "across":
        made[::4] = 255 - made[::4]
    else:
        made[:, ::4] = 255 - made[:, ::4]
    return made.astype(np.uint8)


def test_pictures_alike_in_colours_or_edges_have_similar_vectors(tmp_path):
    from PIL import Image

    kinds = [((200, 30, 30), "across"), ((190, 40, 30), "across"), ((30, 30, 200), "across"), ((200, 30, 30), "down")]
    arrays = [picture(*kind) for kind in kinds]
    vectors = askwise.embed(arrays)
    near, colour, edges = (np.linalg.norm(vectors[0] - other) for other in vectors[1:])
    assert near < 0.5 * min(colour, edges)
    paths = [tmp_path / f"{place}.png" for place in range(4)]
    for path, array in zip(paths, arrays, strict=True):
        Image.fromarray(array).save(path)
    assert np.array_equal(askwise.embed(paths), vectors)
    assert np.array_equal(askwise.embed([path.read_bytes() for path in paths]), vectors)
    assert np.array_equal(askwise.embed([Image.open(path) for path in paths]), vectors)
    table = {"name": list("abcd"), "image": [str(path) for path in paths]}
    session = askwise.clusters(table, embed="image", seed=1)
    assert goal_of(session).summary(session).features == ["image (embedded) (3 of 384 numbers)"]


@pytest.mark.parametrize(
    ("data", "model", "words"),
    [
        ("tea", None, "data is 'tea'; expected a list of texts or pictures"),
        ([], None, "there is nothing to embed"),
        (["tea", 5], None, "the list holds 5; expected only texts, or only pictures"),
        ([None], None, "the list holds None; expected only texts"),
        (["tea"], "nowhere", "there is no model 'nowhere'; give 'wordllama' or 'ngrams', a folder with a model"),
        ([Path("none.png")], None, r"there is no picture none\.png; give the path of a file"),
        ([b"<svg/>"], None, "picture number 1 has no pixels that can be read; give a PNG"),
        ([b"x"], "ngrams", r"pictures need the path of an \.onnx file as their model, got 'ngrams'"),
    ],
)
def test_what_cannot_be_embedded_is_refused(data, model, words):
    with pytest.raises((DataError, SettingError), match=words):
        askwise.embed(data, model)


def test_folders_without_a_model_are_refused(tmp_path):
    with pytest.raises(SettingError, match=r"holds no model; expected an \.onnx or a \.safetensors file and tokenizer"):
        askwise.embed(TEXTS, model=str(tmp_path))
    (tmp_path / "a.onnx").write_bytes(b"odd")
    with pytest.raises(SettingError, match=r"there is no tokenizer\.json beside a\.onnx"):
        askwise.embed(TEXTS, model=str(tmp_path))
    folder, _ = static_model(tmp_path / "m")
    (folder / "a.onnx").write_bytes(b"odd")
    with pytest.raises(SettingError, match=r"a\.onnx is not an ONNX model, or it is damaged; copy it again"):
        askwise.embed(TEXTS, model=str(folder))
    (folder / "a.onnx").unlink()
    (folder / "model.safetensors").write_bytes(b"odd")
    with pytest.raises(SettingError, match=r"model\.safetensors in the folder .* is damaged; copy it again"):
        askwise.embed(TEXTS, model=str(folder))
    (folder / "tokenizer.json").write_bytes(b"odd")
    static_model(tmp_path / "n")
    (tmp_path / "n" / "tokenizer.json").write_text("{}")
    with pytest.raises(SettingError, match=r"tokenizer\.json is not a tokenizer, or it is damaged"):
        askwise.embed(TEXTS, model=str(tmp_path / "n"))


def test_a_study_opens_without_its_model(tmp_path, monkeypatch):
    folder, _ = static_model(tmp_path / "m")
    session = askwise.classifier(TABLE, embed="text", embed_model=str(folder), seed=1, draws=40)
    assert goal_of(session).summary(session).features == ["price", "text (embedded) (5 numbers)"]
    session.tell("yes", session.ask())
    askwise.save(session, tmp_path / "s.askwise")
    for file in folder.iterdir():
        file.unlink()
    models.text_model.cache_clear()
    opened = askwise.open(tmp_path / "s.askwise")
    assert opened.ask() == session.ask()
    assert goal_of(opened).items(opened.recipe["data"]) == goal_of(session).items(session.recipe["data"])
    with pytest.raises(SettingError, match="holds no model"):  # a new text needs it
        opened.add_items({"text": ["red tea"], "price": [3]})
    assert len(opened.pursued["data"]["text"]) == 6


def test_new_texts_are_embedded_as_the_first_ones_were():
    session = askwise.best_item(TABLE, embed=["text"], embed_model="ngrams", seed=1)
    session.add_items({"text": ["red wine again, please"], "price": [3]})
    data = session.pursued["data"]
    vectors = np.array(data["text (embedded)"])
    assert np.argmin(np.linalg.norm(vectors[:6] - vectors[6], axis=1)) == 4
    with pytest.raises(DataError, match="the new rows lack the column 'text'; give the columns 'text', 'price'"):
        session.add_items({"price": [3]})
    items = goal_of(session).items(session.recipe["data"])
    assert np.allclose(encode_like(TABLE, items.encoding), items.features, atol=1e-5)


def test_only_what_is_named_is_learned_from():
    given = {"embed": "text", "embed_model": "ngrams", "seed": 1}
    session = askwise.best_item(TABLE, features=["text"], **given)
    assert [column.name for column in goal_of(session).items(session.recipe["data"]).encoding] == ["text (embedded)"]
    again = askwise.from_json(session.to_json())
    assert again.ask() == session.ask()
    askwise.change_goal(session, "ranking")
    assert goal_of(session).summary(session).features == ["text (embedded) (5 of 1024 numbers)"]
    assert json.loads(session.to_json())["recipe"]["options"]["features"] == ["text (embedded)"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"embed": "story"}, "embed= names the column 'story', but the table has only 'text', 'price'"),
        ({"embed": "price"}, "column 'price' holds no texts to embed; columns of numbers are features as they are"),
        ({"embed": "text", "embed_model": 5}, "embed_model is 5; expected a text"),
    ],
)
def test_columns_that_cannot_be_embedded_are_refused(options, words):
    with pytest.raises((DataError, SettingError), match=words):
        askwise.best_item(TABLE, **options)


def test_texts_that_are_all_the_same_tell_nothing():
    with pytest.raises(DataError, match=r"'text \(embedded\)' is constant"):
        askwise.best_item({"name": list("abc"), "text": ["tea"] * 3}, embed="text", embed_model="ngrams")
    assert encode({"name": list("abc"), "x": [1, 2, 3]}).columns == ("x",)
