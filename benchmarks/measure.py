"""Every command of docs/measurements.md, run again: python -m benchmarks.measure [NAME ...] [--again] [--list]

Runs each `python -m benchmarks.X` command of the page, exactly once and with the same options, and keeps what it
printed in `.measure/`: the headline figures first. It takes days on two cores and can be interrupted: what is finished
is not run again, and benchmarks that keep their own lines go on within. `--again` measures anew; names choose some.
A test compares this list with the page, one to one. `make peers` compares with other libraries.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(".measure")


class Measurement(NamedTuple):
    """One command of the page."""

    words: str  # after `python -m benchmarks.`, as on the page
    about: str
    store: str = ""  # its option for a file of results on the way
    more: str = ""  # options that change no figure, such as the number of processes
    json: bool = True  # whether it has the option --json; without, the lines it prints are kept


MEASUREMENTS = {
    # behind the headlines
    "people": Measurement(
        "trust --botorch 15",
        "certificates of people of seven kinds, beside straight lines and BoTorch",
        "--store",
        "--jobs 2",
    ),
    "labels": Measurement("labels", "labels of real data, beside margin loops of scikit-learn", "--store", "--jobs 2"),
    "clusters-learned": Measurement("clusters --study learned", "one cluster and all clusters with learned trust"),
    "real-people": Measurement("real_people", "predictions of real people's answers", more="--jobs 2"),
    "real-people-peers": Measurement(
        "real_people --shape linear --botorch", "the same beside regressions and BoTorch", more="--jobs 2"
    ),
    "peers-cpu": Measurement(
        "peers.run --cpu", "CPU of a question, all libraries on this machine; writes docs/peers.md", json=False
    ),
    "speed": Measurement("round", "CPU of one question"),
    "first-once": Measurement("first --times 1", "CPU and seconds of the first use of each goal"),
    "load": Measurement("serve --people 200 --seconds 60", "two hundred people at one server"),
    "kills": Measurement("kills --seed 1", "answers after a thousand kills"),
    "kills-postgresql": Measurement("kills --seed 1 --store postgresql", "answers after kills of the database, too"),
    "fuzz": Measurement("fuzz_api --examples 90", "odd requests to the API"),
    # in the order of the page
    "speed-paper": Measurement("round --times 40", "CPU of one question, more rounds"),
    "speed-curves": Measurement("round --times 40 --curves", "how the CPU of a question grows"),
    "first": Measurement("first", "seconds to the first question in a terminal"),
    "large": Measurement("large open clusters fit", "large studies"),
    "large-labels": Measurement("large labels", "labels of many rows"),
    "large-items": Measurement("large items", "choices between many items"),
    "load-100": Measurement("serve --people 100 --seconds 45", "a hundred people at one server"),
    "load-kills": Measurement("serve --people 40 --seconds 40 --kills 3", "a server that is killed"),
    "behind": Measurement(
        "behind", "questions while the server's learner is behind, beside those in time", more="--workers 2"
    ),
    "overview": Measurement("overview --people 1000", "the owner's page of a thousand people"),
    "overview-200": Measurement("overview --people 200", "the owner's page of two hundred people"),
    "servers": Measurement("serve --servers 2 --people 200 --seconds 60", "two servers whose people stay with one"),
    "servers-kills": Measurement("serve --servers 2 --kills 3 --people 200 --seconds 60", "the same and three kills"),
    "alternating-40": Measurement(
        "serve --servers 2 --alternate --kills 2 --people 40 --seconds 40", "alternating servers, two kills"
    ),
    "alternating-50": Measurement(
        "serve --servers 2 --alternate --people 50 --seconds 25", "alternating servers, fifty people"
    ),
    "alternating-100": Measurement("serve --servers 2 --alternate --people 100 --seconds 60", "a hundred people"),
    "alternating-200": Measurement("serve --servers 2 --alternate --people 200 --seconds 60", "two hundred people"),
    "alternating-kills": Measurement(
        "serve --servers 2 --alternate --kills 3 --people 200 --seconds 60", "the same and three kills"
    ),
    "alternating-cluster-50": Measurement(
        "serve --servers 2 --alternate --cluster 2 --people 50 --seconds 25", "alternating servers and a cluster"
    ),
    "alternating-cluster-200": Measurement(
        "serve --servers 2 --alternate --cluster 2 --people 200 --seconds 40", "the same with two hundred people"
    ),
    "cluster": Measurement("serve --cluster 2 --people 60 --seconds 25", "a learner on a Dask cluster"),
    "pool-5": Measurement("pool --rows 100000 --shape linear", "a question to a pool of 10⁵ rows"),
    "pool-6": Measurement("pool --rows 1000000 --shape linear", "a question to a pool of 10⁶ rows"),
    "pool-7": Measurement("pool --rows 10000000 --shape linear", "a question to a pool of 10⁷ rows"),
    "pool-8": Measurement("pool --rows 100000000 --shape linear", "a question to a pool of 10⁸ rows, 4 GB"),
    "pool-shapes": Measurement("pool --rows 1000000", "a pool with a learned shape"),
    "pool-labels-linear": Measurement("pool --rows 1000000 --labels 3 --shape linear", "a pool with three labels"),
    "pool-labels": Measurement("pool --rows 1000000 --labels 3", "a pool with three labels and a learned shape"),
    "pool-loss-6": Measurement("pool --rows 1000000 --shape linear --audits 100", "what screening 10⁶ rows loses"),
    "pool-loss-7": Measurement("pool --rows 10000000 --shape linear --audits 100", "what screening 10⁷ rows loses"),
    "pool-loss-shapes": Measurement("pool --rows 1000000 --audits 40", "what screening loses with a learned shape"),
    "batches": Measurement("batches", "what batches cost in answers", more="--workers 2"),
    "batches-structures": Measurement("batches --structures", "what batches cost where draws are chains"),
    "first-questions": Measurement("first_questions", "the first questions of best_item", more="--workers 2"),
    "pdbal": Measurement("columns --first 10 --seeds 24 --rules expected pdbal variance", "pdbal on matrices"),
    "numbers": Measurement("numbers", "integrals over answers that are numbers"),
    "top-ranking": Measurement("errors top_ranking", "the best items in order, by strategy", more="--workers 2"),
    "cluster-of": Measurement("clusters --seeds 24", "one cluster, by strategy"),
    "clusters": Measurement("clusters --goal clusters --seeds 20", "all clusters, by strategy"),
    "clusters-speed": Measurement("clusters --speed-only", "CPU of a question about clusters"),
    "clusters-trust": Measurement("clusters --study trust", "fixed trust in features", more="--workers 1"),
    "segments": Measurement("errors segments", "segments, by strategy", more="--workers 2"),
    "structures": Measurement("structures --only segments top_ranking", "the same two beside their targets"),
    "segments-stated": Measurement("segments", "certificates of segments", more="--workers 2"),
    "segments-told": Measurement("segments --told", "the same with the noise told", more="--workers 2"),
    "segments-010": Measurement("segments --epsilon 0.01", "the same with a smaller epsilon", more="--workers 2"),
    "segments-005": Measurement("segments --epsilon 0.005", "the same with the smallest epsilon", more="--workers 2"),
    "segment-of": Measurement("segments --goal segment_of", "certificates of one segment", more="--workers 2"),
    "hierarchy": Measurement("hierarchy --seeds 20 --runs", "hierarchies, by strategy"),
    "columns": Measurement("columns --first 10", "the best column, by strategy"),
    "matrix": Measurement("matrix --first 100", "matrices, by strategy"),
    "fairness": Measurement("fairness --seeds 20", "fair labels of arrests"),
    "fairness-recid": Measurement("fairness --seeds 20 --data recid", "fair labels of recidivism"),
    "labels-5": Measurement("labels --seeds 5", "labels of real data, five seeds", "--store", "--jobs 2"),
    "embed": Measurement("embed --seeds 5", "embedded texts", more="--workers 2"),
    "embed-directions": Measurement("embed --seeds 5 --directions 8 16 32 64", "directions kept", more="--workers 2"),
    "stopping": Measurement("stopping", "the stopping test", json=False),
    "stopping-3000": Measurement("stopping --runs 3000", "the stopping test, more rounds", json=False),
    "calibration": Measurement(
        "calibration --people 168", "posteriors against simulated truths", "--store", "--jobs 2"
    ),
    "warnings": Measurement("trust --shape linear", "warnings about straight lines", "--store", "--jobs 2"),
    "few": Measurement("few", "studies of few items", json=False),
    "few-again": Measurement(
        'few "best of 8, deviation 4" --first 60 --people 180', "one of them with more people", json=False
    ),
    "grades": Measurement("grades", "graded answers and people who prefer a side", more="--workers 2"),
    "grades-64": Measurement("grades --seeds 64", "the check of grades", more="--workers 2"),
    "grades-laptops": Measurement("grades --seeds 8 --table laptops --only graded", "grades of laptops"),
    "noiseless": Measurement("assumptions noiseless", "answers that are never wrong", json=False),
    "closeness": Measurement("assumptions closeness", "classifiers that are only close", json=False),
    "margin": Measurement("assumptions margin --people 6", "noise of which only a bound is known", json=False),
    "effects": Measurement("effects", "how often a column is called clear"),
    "groups": Measurement("group", "groups that decide together, beside pooled and separate studies", "--runs"),
    "groups-learned": Measurement("group --shape default --seeds 13", "the same with the learned shape", "--runs"),
    "evals-replay": Measurement("evals --parts replay --seeds 30", "best of several systems, real votes", "--store"),
    "evals-clusters": Measurement("evals --parts clusters --seeds 200", "votes that share a prompt", "--store"),
    "evals-judges": Measurement("evals --parts judges --seeds 60", "judges beside people", "--store"),
    "crowd": Measurement("crowd --people 60 --crowds 3", "questions of people who come later", "--store"),
    "questions": Measurement(
        "questions --people 14", "sets, best and worst, and grades beside pairs", "--store", "--workers 2"
    ),
    "faults": Measurement("faults --seed 0", "damaged files, odd input, failing disks"),
}


def measure(name: str, folder: Path = FOLDER) -> Path:
    """Runs one command and keeps what it prints, JSON where it can; nothing is kept if it fails."""
    wanted, found = MEASUREMENTS[name], folder / f"{name}.json"
    folder.mkdir(exist_ok=True)
    words = shlex.split(wanted.words)
    more = [*wanted.more.split(), *([wanted.store, str(folder / f"{name}.jsonl")] if wanted.store else [])]
    command = [sys.executable, "-m", f"benchmarks.{words[0]}", *words[1:], *more, *(["--json"] if wanted.json else [])]
    printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    half = found.with_suffix(".part")
    values = json_values(printed) if wanted.json else printed.splitlines()
    half.write_text(json.dumps({"command": f"python -m benchmarks.{wanted.words}", "found": values}, indent=1))
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
            print(f"{name:18} {wanted.about} (python -m benchmarks.{wanted.words})")
        return
    try:
        failed = run(options.names or list(MEASUREMENTS), options.again)
    except KeyboardInterrupt:
        print("Stopped; the same command goes on from here.")
        raise SystemExit(130) from None
    raise SystemExit(int(bool(failed)))


if __name__ == "__main__":
    main()
