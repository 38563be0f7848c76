"""Tables and pictures as files."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def write_table(rows: Sequence[Any], path: Path) -> Path:
    """Named tuples or mappings as CSV, their field names on top."""
    records: list[Mapping[str, Any]] = [row if isinstance(row, Mapping) else row._asdict() for row in rows]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(name for record in records for name in record)))
        writer.writeheader()
        writer.writerows(records)
    return path


def save(figure: Any, stem: Path) -> list[Path]:
    """A picture as PNG and PDF."""
    paths = [stem.with_suffix(suffix) for suffix in (".png", ".pdf")]
    for path in paths:
        figure.savefig(path, dpi=150)
    return paths
