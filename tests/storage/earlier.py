"""Study files that earlier versions of askwise wrote, and what those versions said about them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

STUDIES = Path(__file__).parent / "studies"
NAMES = sorted(path.stem for path in STUDIES.glob("*.askwise"))


def copy_of(name: str, folder: Path) -> tuple[Path, dict]:
    """A copy of the study file, since opening a file may change it, and what the earlier version said about it."""
    path = folder / f"{name}.askwise"
    shutil.copy(STUDIES / path.name, path)
    return path, json.loads((STUDIES / f"{name}.json").read_text())
