"""The wheel and the source distribution, built once, and an environment in which the wheel is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]


class BuiltPackage(NamedTuple):
    """The files that were built."""

    wheel: Path
    source: Path
    wheel_of_source: Path


@pytest.fixture(scope="session")
def package(tmp_path_factory):
    """Built without isolation, by what is installed here."""
    direct, by_source = tmp_path_factory.mktemp("direct"), tmp_path_factory.mktemp("by_source")
    build = [sys.executable, "-m", "build", "--no-isolation", str(ROOT), "--outdir"]
    for more in ([direct, "--wheel"], [by_source]):  # without a choice: the source, and the wheel from it
        subprocess.run([*build, *more], check=True, capture_output=True)
    (wheel,), (source,), (other,) = direct.glob("*.whl"), by_source.glob("*.tar.gz"), by_source.glob("*.whl")
    return BuiltPackage(wheel, source, other)


@pytest.fixture(scope="session")
def installed(package, tmp_path_factory):
    """The Python of an environment with the wheel and the dependencies of this one, but without the repository.

    The code that was compiled here is there, too: `make package-check` and the tests of `askwise warm` compile it."""
    place = tmp_path_factory.mktemp("environment")
    venv.create(place, with_pip=False, symlinks=True)
    python = place / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", "--no-compile", "-q"]
    subprocess.run([*pip, package.wheel], check=True, capture_output=True)
    (own,) = place.glob("lib/python*/site-packages")
    for path in (own / "askwise").rglob("*.py"):
        source = ROOT / "src" / path.relative_to(own)
        os.utime(path, ns=(source.stat().st_atime_ns, source.stat().st_mtime_ns))  # numba compares it
        (path.parent / "__pycache__").mkdir(exist_ok=True)
        for compiled in source.parent.glob(f"__pycache__/{source.stem}.*.nb?"):
            shutil.copy(compiled, path.parent / "__pycache__")
    # paths in a .pth file are searched last, and the .pth files in them, such as that of the repository, are not read
    (own / "dependencies.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    return python
