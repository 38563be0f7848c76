"""Texts and pictures as vectors, and tables whose columns become features that way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from askwise.data.models import DEFAULT_TEXT_MODEL, text_model
from askwise.data.names import guess_image
from askwise.data.pictures import Picture, embed_pictures, is_picture
from askwise.data.readings import Readings, text_readings
from askwise.data.tables import Columns, is_text, is_vectors, table
from askwise.data.vectors import apply_vector_reading, vector_reading
from askwise.errors import DataError
from askwise.options import parts, shown
from askwise.types import Floats


def embed(data: Sequence[str] | Sequence[Picture], model: str | None = None) -> Floats:
    """(N, D): a vector for each text or picture; those that mean or show the same have similar vectors.

    Give the vectors to a goal as a column of its table, or let the goal embed a column with its option `embed`.

    :param data: A list of texts, or of pictures: paths (`pathlib.Path`), bytes, Pillow images or arrays of pixels.
    :param model: For texts, "wordllama" (the default, of the extra `embed`), "ngrams" (shared letters; needs no model),
        a folder with tokenizer.json and a .safetensors file of token vectors or an .onnx file, or an .onnx file beside
        its tokenizer.json. For pictures, an .onnx file; by default their pixels, colours and edges. Nothing is
        downloaded.

    >>> wine, wines, tea = embed(["red wine", "red wines", "green tea"], model="ngrams")
    >>> bool(wine @ wines > wine @ tea)
    True
    """
    values = parts("data", data, "a list of texts or pictures")
    if not values:
        raise DataError("there is nothing to embed; give at least one text or picture")
    if all(isinstance(value, str) for value in values):
        return text_model(model)(values)
    if all(map(is_picture, values)):
        return embed_pictures(values, model)
    odd = next(value for value in values if not isinstance(value, str) and not is_picture(value))
    raise DataError(
        f"the list holds {shown(odd)}; expected only texts, or only pictures: paths, bytes, images or arrays"
    )


def embedded_name(column: str) -> str:
    """The column that holds the vectors of another one.

    >>> embedded_name("review")
    'review (embedded)'
    """
    return f"{column} (embedded)"


def read_columns(
    columns: Columns, embedded: Sequence[str] = (), model: str | None = None, image: str | None = None
) -> tuple[Columns, dict[str, dict[str, Any]]]:
    """A new table as its study keeps it, and how its columns are read: texts as numbers, and vectors reduced to what
    answers can use.

    - `embedded`: columns of texts or pictures that become vectors.
    - `model`: which makes the vectors; see `embed`.
    - `image`: the column of pictures, by the paths of their files; by default the one called image.

    >>> table = {"note": ["red wine", "red wines", "tea"], "price": ["$1", "$2", "$3"]}
    >>> made, readings = read_columns(table, ["note"], "ngrams")
    >>> list(made), sorted(readings)
    (['note', 'price', 'note (embedded)'], ['note (embedded)', 'price'])
    """
    image = guess_image(columns) if image is None else image
    readings: dict[str, dict[str, Any]] = dict(text_readings(columns))
    raw: dict[str, Any] = {column: values for column, values in columns.items() if is_vectors(values)}
    for column in embedded:
        if column not in columns:
            raise DataError(
                f"embed= names the column {column!r}, but the table has only {', '.join(map(repr, columns))}"
            )
        name = embedded_name(column)
        if name not in raw:
            raw[name] = _embed_column(columns[column], column, model, column == image)
        readings.pop(column, None)
    made = dict(columns)
    for name, values in raw.items():
        readings[name] = vector_reading(values)
        made[name] = apply_vector_reading(name, values, readings[name])
    for column in embedded:
        pictures = {"pictures": True, "model": model} if column == image else {"model": model or DEFAULT_TEXT_MODEL}
        readings[embedded_name(column)] |= {"of": column, **pictures}
    return made, readings


def apply_readings(columns: Columns, readings: Readings) -> Columns:
    """Other rows of a table in the form that its study keeps: with vectors for texts, and these reduced, as before.

    >>> apply_readings({"price": ["$5"]}, {"price": {"kind": "amount", "decimal": ".", "unit": "$"}})
    {'price': ['$5']}
    """
    made = dict(columns)
    for name, reading in readings.items():
        if reading["kind"] != "vector":
            continue
        source = reading.get("of")
        if name not in made and source in made:
            made[name] = _embed_column(made[source], source, reading["model"], "pictures" in reading)
        if name in made:
            made[name] = apply_vector_reading(name, made[name], reading)
    return made


def _embed_column(values: list[Any], column: str, model: str | None, pictures: bool) -> list[Any]:
    """The vectors of a column's texts or pictures; None where there is none."""
    known = [value for value in values if value is not None]
    if not known or not is_text(known):
        raise DataError(f"column {column!r} holds no texts to embed; columns of numbers are features as they are")
    vectors = embed([Path(value) for value in known] if pictures else known, model)
    found = iter(vectors)
    return [None if value is None else next(found) for value in values]


def with_embedded_pictures(columns: Columns, column: str, files: Mapping[str, bytes], model: str | None) -> Columns:
    """The table with the vectors of its pictures, whose files are already read.

    >>> with_embedded_pictures({"image": ["tea.png"]}, "image", {}, None)
    Traceback (most recent call last):
    askwise.errors.DataError: the picture 'tea.png' of column 'image' is not at hand; embed pictures with askwise new
    """
    absent = next((value for value in columns[column] if value is not None and value not in files), None)
    if absent is not None:
        raise DataError(f"the picture {absent!r} of column {column!r} is not at hand; embed pictures with askwise new")
    known = [value for value in columns[column] if value is not None]
    found = iter(embed([files[value] for value in known], model))
    vectors = [None if value is None else next(found) for value in columns[column]]
    return table({**columns, embedded_name(column): vectors})
