"""The headline figures, measured again: python -m benchmarks.measure [NAME ...] [--again] [--list]

Runs the benchmark behind each headline figure of docs/measurements.md and keeps what it printed in `.measure/`. It
takes hours and can be interrupted: what is finished is not run again, and benchmarks that keep their own lines go on
within. `--again` measures anew; names choose some. `make peers` compares with other libraries.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(".measure")


class Measurement(NamedTuple):
    """One benchmark."""

    words: str  # of the command, after `python -m benchmarks.`
    about: str
    keeps_lines: bool = False  # whether it has an option --store for results on the way


MEASUREMENTS = {
    "speed": Measurement("round", "CPU of one question"),
    "first": Measurement("first", "CPU and seconds of the first use of each goal"),
    "people": Measurement("trust --jobs 2", "certificates of people of seven kinds, beside straight lines", True),
    "labels": Measurement("labels --jobs 2", "labels of real data, beside margin loops of scikit-learn", True),
    "clusters": Measurement("clusters", "one cluster and all clusters"),
    "real-people": Measurement("real_people --jobs 2", "predictions of real people's answers, beside peers"),
    "crowd": Measurement("crowd --people 60 --crowds 3", "questions of people who come later", True),
    "questions": Measurement("questions --people 14", "sets, best and worst, and grades beside pairs", True),
    "groups": Measurement("group", "groups that decide together, beside pooled and separate studies"),
    "evaluations": Measurement("evals", "calls until the best model is found, beside other orders", True),
    "calibration": Measurement("calibration --jobs 2", "posteriors against simulated truths", True),
    "load": Measurement("serve --people 200 --seconds 60", "two hundred people at one server"),
    "behind": Measurement("behind --workers 2", "questions while the server's learner is behind, beside those in time"),
    "servers": Measurement(
        "serve --servers 2 --alternate --kills 3 --people 200 --seconds 60", "two servers, one database, three kills"
    ),
    "kills": Measurement("kills", "answers after a thousand kills"),
    "fuzz": Measurement("fuzz_api", "odd requests to the API"),
    "faults": Measurement("faults", "damaged files, odd input, failing disks"),
}


def measure(name: str, folder: Path = FOLDER) -> Path:
    """Runs one benchmark and keeps the JSON it prints; nothing is kept if it fails."""
    wanted, found = MEASUREMENTS[name], folder / f"{name}.json"
    folder.mkdir(exist_ok=True)
    words = wanted.words.split()
    more = ["--store", str(folder / f"{name}.jsonl")] if wanted.keeps_lines else []
    command = [sys.executable, "-m", f"benchmarks.{words[0]}", *words[1:], *more, "--json"]
    printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    half = found.with_suffix(".part")
    half.write_text(
        json.dumps({"command": f"python -m benchmarks.{wanted.words}", "found": json_values(printed)}, indent=1)
    )
    half.replace(found)
    return found


def json_values(text: str) -> list[Any]:
    """All JSON values of a text, one after the other.

    >>> json_values('{"a": 1}\\n[2,\\n3]\\n')
    [{'a': 1}, [2, 3]]
    """
    found, decoder, text = [], json.JSONDecoder(), text.strip()
    while text:
        value, end = decoder.raw_decode(text)
        found.append(value)
        text = text[end:].strip()
    return found


def forget(name: str, folder: Path = FOLDER) -> None:
    """Forgets what was measured."""
    for ending in ("json", "jsonl"):
        (folder / f"{name}.{ending}").unlink(missing_ok=True)


def run(names: Sequence[str], again: bool, folder: Path = FOLDER) -> list[str]:
    """Measures what is missing, and returns the names of benchmarks that failed."""
    failed = []
    for name in names:
        if again:
            forget(name, folder)
        if (folder / f"{name}.json").exists():
            print(f"{name}: measured before", flush=True)
            continue
        print(f"{name}: {MEASUREMENTS[name].about} ...", flush=True)
        try:
            print(f"{name}: {measure(name, folder)}", flush=True)
        except subprocess.CalledProcessError as error:
            print(f"{name}: failed with exit code {error.returncode}", flush=True)
            failed.append(name)
    return failed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="all unless given")
    parser.add_argument("--again", action="store_true", help="measure anew")
    parser.add_argument("--list", action="store_true", help="only say what there is")
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(MEASUREMENTS))
    if unknown:
        parser.error(f"{unknown[0]!r} is not measured; choose from {', '.join(MEASUREMENTS)}")
    if options.list:
        for name, wanted in MEASUREMENTS.items():
            print(f"{name:12} {wanted.about} (python -m benchmarks.{wanted.words})")
        return
    try:
        failed = run(options.names or list(MEASUREMENTS), options.again)
    except KeyboardInterrupt:
        print("Stopped; the same command goes on from here.")
        raise SystemExit(130) from None
    raise SystemExit(int(bool(failed)))


if __name__ == "__main__":
    main()
