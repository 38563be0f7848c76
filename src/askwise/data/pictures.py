"""Pictures as vectors: by their pixels, colours and edges, or by a network in an .onnx file."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from askwise.data.media import short_path
from askwise.data.models import onnx_session, run_onnx, unit_length
from askwise.errors import DataError, SettingError
from askwise.types import Floats

THUMBNAIL = 8  # pixels a side, whose colours count
EDGE_PIXELS = 64  # a side, of the picture whose edges count
EDGE_CELLS = 4  # a side
EDGE_DIRECTIONS = 8
COLOUR_LEVELS = 4  # of red, green and blue each
NETWORK_PIXELS = 224  # a side, where a network does not say
NETWORK_MEAN = np.array([0.485, 0.456, 0.406])  # of ImageNet, with which networks for pictures are trained
NETWORK_SCALE = np.array([0.229, 0.224, 0.225])
MAX_PICTURES_AT_ONCE = 16


class PillowImage(Protocol):
    """An image of Pillow."""

    @property
    def size(self) -> tuple[int, int]: ...
    def convert(self, *args: Any, **keywords: Any) -> Any: ...


Picture = Path | bytes | NDArray[Any] | PillowImage


def is_picture(value: object) -> TypeGuard[Picture]:
    """Whether a value is a picture: a path, bytes, a Pillow image or an array of two or three dimensions.

    >>> is_picture(Path("tea.png")), is_picture("red wine"), is_picture(np.zeros((8, 8, 3)))
    (True, False, True)
    """
    return isinstance(value, Path | bytes) or hasattr(value, "convert") or getattr(value, "ndim", 0) in (2, 3)


def embed_pictures(pictures: Sequence[Picture], model: str | None = None) -> Floats:
    """(N, D): by `picture_vector`, or by the network in the .onnx file `model`.

    >>> embed_pictures([np.zeros((8, 8, 3)), np.full((9, 7), 255)]).shape
    (2, 384)
    """
    opened = (_opened(picture, place) for place, picture in enumerate(pictures))
    if model is None:
        return np.array([picture_vector(each) for each in opened])
    path = Path(model)
    if path.suffix.lower() != ".onnx" or not path.is_file():
        raise SettingError(
            f"pictures need the path of an .onnx file as their model, got {model!r}; leave it out for none"
        )
    return _by_network(list(opened), path)


def picture_vector(picture: Any) -> Floats:
    """(D,): the colours of a small copy of a picture, how often each colour occurs, and the directions of its edges.
    Each of the three has length 1 at most."""
    small = np.asarray(picture.resize((THUMBNAIL, THUMBNAIL)), dtype=float) / 127.5 - 1
    colours = np.asarray(picture.resize((EDGE_PIXELS, EDGE_PIXELS)), dtype=int) * COLOUR_LEVELS // 256
    codes = (colours * [1, COLOUR_LEVELS, COLOUR_LEVELS**2]).sum(axis=2).ravel()
    shares = np.bincount(codes, minlength=COLOUR_LEVELS**3) / codes.size
    return np.concatenate([small.ravel() / np.sqrt(small.size), np.sqrt(shares), _edges(picture)])


def _edges(picture: Any) -> Floats:
    """How strong edges of each direction are in each cell of the picture."""
    grey = np.asarray(picture.convert("L").resize((EDGE_PIXELS, EDGE_PIXELS)), dtype=float)
    down, right = np.gradient(grey)
    direction = (np.arctan2(down, right) % np.pi / np.pi * EDGE_DIRECTIONS).astype(int) % EDGE_DIRECTIONS
    cell = np.arange(EDGE_PIXELS) * EDGE_CELLS // EDGE_PIXELS
    place = (cell[:, None] * EDGE_CELLS + cell[None, :]) * EDGE_DIRECTIONS + direction
    strength = np.bincount(place.ravel(), np.hypot(down, right).ravel(), EDGE_CELLS**2 * EDGE_DIRECTIONS)
    return unit_length(np.sqrt(strength)[None])[0]


def _by_network(pictures: Sequence[Any], path: Path) -> Floats:
    session = onnx_session(path)
    first = session.get_inputs()[0]
    if len(first.shape) != 4:
        raise SettingError(f"{path.name} does not read pictures: its input has shape {first.shape}; expected 4 axes")
    colours_last = first.shape[3] == 3
    sides = [size if isinstance(size, int) else NETWORK_PIXELS for size in first.shape[1:3] if colours_last] or [
        size if isinstance(size, int) else NETWORK_PIXELS for size in first.shape[2:]
    ]
    found = []
    for start in range(0, len(pictures), MAX_PICTURES_AT_ONCE):
        some = [each.resize((sides[1], sides[0])) for each in pictures[start : start + MAX_PICTURES_AT_ONCE]]
        scaled = (np.stack([np.asarray(each, dtype=float) for each in some]) / 255 - NETWORK_MEAN) / NETWORK_SCALE
        given = scaled if colours_last else scaled.transpose(0, 3, 1, 2)
        made = run_onnx(session, {first.name: given.astype(np.float32)}, path)
        while made.ndim > 2:
            made = made.mean(axis=1 if made.ndim == 3 else -1)
        found.append(made)
    return unit_length(np.vstack(found))


def _opened(picture: Any, place: int) -> Any:
    """A picture in red, green and blue."""
    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise SettingError("pictures need Pillow; install it with: pip install 'askwise[embed]'") from None
    if hasattr(picture, "convert"):
        return picture.convert("RGB")
    try:
        if isinstance(picture, Path | bytes):
            return Image.open(picture if isinstance(picture, Path) else io.BytesIO(picture)).convert("RGB")
        return Image.fromarray(np.clip(np.asarray(picture), 0, 255).astype(np.uint8)).convert("RGB")
    except FileNotFoundError:
        raise DataError(f"there is no picture {short_path(picture)}; give the path of a file") from None
    except Exception:  # a reader of damaged pictures may raise anything
        told = short_path(picture) if isinstance(picture, Path) else f"number {place + 1}"
        raise DataError(f"picture {told} has no pixels that can be read; give a PNG, JPEG, GIF or WebP file") from None
