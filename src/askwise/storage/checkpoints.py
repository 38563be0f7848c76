"""Posteriors as bytes: arrays and plain numbers, never pickled, and only what differs from the prior."""

from __future__ import annotations

import io
import json
from dataclasses import fields, is_dataclass, replace
from hashlib import sha256
from typing import Any
from zipfile import BadZipFile

import numpy as np

from askwise.posteriors import Posterior
from askwise.session.beliefs import Beliefs, TrailEntry

# what earlier versions called a part of a posterior
RENAMED = {
    "judged": "learns_scale",
    "centres": "log_medians",
    "widths": "log_widths",
    "told": "answers",
    "trial": "pilot",
    "tried": "pilot_answers",
    "votes": "evidence",
}
STORED_EVERY = 5  # one in so many of the posteriors kept for undo goes into a checkpoint


def dump_posteriors(beliefs: Beliefs, prior: Posterior) -> bytes | None:
    """The posteriors of the latest answers, or None if they hold something that is neither number nor array.

    >>> from askwise.losses import zero_one
    >>> from askwise.posteriors.enumerated import Enumerated
    >>> from askwise.structures.finite import Finite
    >>> from askwise.types import Answer
    >>> prior = Enumerated.prior(Finite([[0, 0], [1, 1]]), np.arange(2), zero_one, beta=3.0)
    >>> beliefs = Beliefs(prior, seed=7).tell("q1", Answer(0, 1))
    >>> [kept] = load_posteriors(dump_posteriors(beliefs, prior), prior)
    >>> kept.answers, bool((kept.posterior.log_weights == beliefs.posterior.log_weights).all())
    (1, True)
    """
    arrays: dict[str, Any] = {}
    try:
        trail = [
            [kept.answers, _parts(kept.posterior, prior, arrays), dict(kept.reliability)]
            for kept in beliefs.trail[::-STORED_EVERY][::-1]
        ]
    except TypeError:
        return None
    content = io.BytesIO()
    np.savez(content, trail=np.array(json.dumps(trail)), **arrays)
    return sha256(content.getvalue()).digest() + content.getvalue()


def load_posteriors(content: bytes, prior: Posterior) -> tuple[TrailEntry, ...] | None:
    """The posteriors that `dump_posteriors` wrote, bit for bit; None if they are damaged."""
    digest, kept = content[:32], content[32:]
    if sha256(kept).digest() != digest:
        return None
    try:
        with np.load(io.BytesIO(kept), allow_pickle=False) as arrays:
            trail = json.loads(str(arrays["trail"]))
            return tuple(TrailEntry(answers, _whole(node, prior, arrays), trusted) for answers, node, trusted in trail)
    except (AttributeError, EOFError, KeyError, OSError, TypeError, ValueError, BadZipFile):
        return None


def _parts(value: Any, like: Any, arrays: dict[str, Any]) -> Any:
    """The value as JSON can hold it, its arrays set aside; {} where the prior has the very same object."""
    if value is like:
        return {}
    if isinstance(value, np.ndarray):
        name = f"a{len(arrays)}"
        arrays[name] = value
        return {"array": name}
    if type(value) is tuple and isinstance(like, tuple) and len(value) == len(like):
        return {"items": [_parts(part, other, arrays) for part, other in zip(value, like, strict=True)]}
    names = _names(value)
    if names:
        return {"parts": {name: _parts(getattr(value, name), getattr(like, name, None), arrays) for name in names}}
    if isinstance(value, np.generic):
        return {"value": value.item()}
    if value is None or isinstance(value, bool | int | float | str):
        return {"value": value}
    raise TypeError(type(value).__name__)


def _whole(node: Any, like: Any, arrays: Any) -> Any:
    if "array" in node:
        return arrays[node["array"]]
    if "items" in node:
        return tuple(_whole(part, other, arrays) for part, other in zip(node["items"], like, strict=True))
    if "parts" in node:
        known = _names(like)
        named = {name if name in known else RENAMED[name]: part for name, part in node["parts"].items()}
        parts = {name: _whole(part, getattr(like, name), arrays) for name, part in named.items()}
        return type(like)(**parts) if isinstance(like, tuple) else replace(like, **parts)
    return node.get("value", like)


def _names(value: Any) -> tuple[str, ...]:
    """The parts of a dataclass or a named tuple."""
    if is_dataclass(value):
        return tuple(field.name for field in fields(value) if field.init)
    return getattr(value, "_fields", ())
