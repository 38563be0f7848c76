"""Installs the built package in empty environments without the repository, and uses it there.

`python -m release.check_package dist` takes the wheel and the source distribution of that folder, as `make wheel` makes
them. It tries the wheel with the newest dependencies, the wheel with the lowest versions that it allows, and the source
distribution. The exit code is 1 if one of them fails.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from email.parser import HeaderParser
from pathlib import Path

from packaging.requirements import Requirement

FIRST_USE = Path(__file__).with_name("first_use.py")
EXTRAS = "web"  # what first_use.py needs


def lowest_versions(wheel: Path) -> list[str]:
    """The lowest version that the wheel allows of each dependency, with those of its extras: `numpy==1.26`.

    - `wheel`: the file.
    """
    with zipfile.ZipFile(wheel) as files:
        name = next(name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        head = HeaderParser().parsestr(files.read(name).decode())
    found = {}
    for line in head.get_all("Requires-Dist", []):
        each = Requirement(line)
        bounds = [bound.version for bound in each.specifier if bound.operator == ">="]
        if each.name != "askwise":
            assert len(bounds) == 1, f"{line} has no lowest version"
            found[each.name] = bounds[0]
    return [f"{name}=={bound}" for name, bound in sorted(found.items())]


def contents(wheel: Path) -> dict[str, bytes]:
    """The files of a wheel.

    - `wheel`: the file.
    """
    with zipfile.ZipFile(wheel) as files:
        return {name: files.read(name) for name in files.namelist()}


def use_package(python: Path, folder: Path) -> str:
    """What a stranger's first use prints; AssertionError if it fails.

    - `python`: of the environment with askwise.
    - `folder`: an empty folder to work in.
    """
    program = shutil.copy(FIRST_USE, folder)
    run = subprocess.run([python, "-I", program], cwd=folder, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def check(what: str, package: Path, constraints: list[str]) -> bool:
    """Whether the package installs in an empty environment and can be used there.

    - `what`: how to call this check.
    - `package`: a wheel or a source distribution.
    - `constraints`: exact versions of some dependencies.
    """
    print(f"== {what}", flush=True)
    with tempfile.TemporaryDirectory() as place:
        root, work = Path(place), Path(place) / "work"
        work.mkdir()
        venv.create(root / "env", with_pip=True)
        python = root / "env" / "bin" / "python"
        (root / "versions.txt").write_text("\n".join(constraints))
        wanted = f"askwise[{EXTRAS}] @ {package.resolve().as_uri()}"
        pip = [python, "-m", "pip", "--disable-pip-version-check", "-qq"]
        try:
            subprocess.run([*pip, "install", wanted, "--constraint", root / "versions.txt"], check=True)
            print(use_package(python, work), end="", flush=True)
        except (AssertionError, subprocess.CalledProcessError) as failed:
            print(f"{failed}\nFAILED: {what}", flush=True)
            return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="with one wheel and one source distribution")
    folder = parser.parse_args().folder
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    passed = [
        check("the wheel with the newest dependencies", wheel, []),
        check("the wheel with the lowest versions of its dependencies", wheel, lowest_versions(wheel)),
        check("the source distribution", source, []),
    ]
    sys.exit(not all(passed))


if __name__ == "__main__":
    main()
