"""Runs every peer on its task, one process and one thread at a time, and writes the page.

`python -m benchmarks.peers.run [--seeds 100] [--minutes 60] [--only NAME ...]`: makes an environment for each set of
peers under `.peers/`, does what `results.jsonl` still lacks, and stops starting runs when the minutes are over. Call it
again to go on. `--list` says what is there and what the rest will take.

`--cpu` instead times a few people of every peer, one after the other on this machine, and keeps these times in
`times.jsonl` in place of those before: the page compares CPU by them alone, since the other runs come from several
machines. Give it a processor (`nice -n -10` as root); it takes about ten minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.peers import page
from benchmarks.peers.worker import QUESTIONS

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
RESULTS = HERE / "results.jsonl"
TIMES = HERE / "times.jsonl"
RUNS_PER_PROCESS = 25
TIMED_PEOPLE, TIMED_SAMPLES = 3, 20  # of each peer; a sampler's run takes milliseconds
ONE_THREAD = dict.fromkeys(("MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
ONE_THREAD |= {"XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false", "PYTHONWARNINGS": "ignore"}


class Peer(NamedTuple):
    """Who, in which environment (its requirements are in NAME.txt; "" is our own), by which module, how many seeds."""

    name: str
    environment: str
    module: str
    seeds: int = 100


PEERS = (  # the cheap and the important first
    Peer("askwise", "", "ours"),
    Peer("askwise qbc", "", "ours"),
    Peer("askwise random", "", "ours"),
    Peer("choix", "learn", "bradley_terry"),
    Peer("askwise by exact", "", "ours"),
    Peer("askwise classifier", "", "ours"),
    Peer("askwise classifier random", "", "ours", 50),
    Peer("scikit-activeml margin", "learn", "activeml"),
    Peer("scikit-activeml QBC", "learn", "activeml", 50),
    Peer("modAL margin", "old", "modal"),
    Peer("modAL QBC", "old", "modal", 50),
    Peer("nutpie long", "sampler", "nuts_nutpie", 1),
    Peer("askwise sampler", "", "ours", 50),
    Peer("askwise sampler from scratch", "", "ours", 50),
    Peer("nutpie", "sampler", "nuts_nutpie", 50),
    Peer("BlackJAX", "sampler", "nuts_blackjax", 50),
    Peer("COBRAS", "old", "cobras", 24),
    Peer("askwise clusters", "", "ours", 24),
    Peer("askwise clusters trust 1", "", "ours", 24),
    Peer("askwise cluster_of", "", "ours", 24),
    Peer("BoTorch EUBO linear", "gp", "pairwise_gp"),
    Peer("naive NumPy", "", "naive"),
    Peer("BoTorch EUBO", "gp", "pairwise_gp"),
)


def interpreter(environment: str) -> str:
    """The Python of an environment, made first if it is missing or its requirements have changed."""
    if not environment:
        return sys.executable
    folder, wanted = ROOT / ".peers" / environment, HERE / f"{environment}.txt"
    python, made = str(folder / "bin" / "python"), folder / "made.txt"
    if not made.exists() or made.read_text() != wanted.read_text():
        print(f"making .peers/{environment}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", wanted], check=True)
        made.write_text(wanted.read_text())
    return python


def lines(path: Path | None = None) -> list[dict[str, Any]]:
    """The runs that are kept in the file, by default `RESULTS`."""
    path = path or RESULTS
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def missing(peer: Peer, most: int) -> list[int]:
    done = {line["seed"] for line in lines() if line["peer"] == peer.name}
    return [seed for seed in range(min(peer.seeds, most)) if seed not in done]


def runs(peer: Peer, seeds: list[int]) -> Iterator[dict[str, Any]]:
    """The results of one process, as they come."""
    yield from printed_lines(peer.environment, f"benchmarks.peers.{peer.module}", peer.name, *map(str, seeds))


def printed_lines(environment: str, module: str, *arguments: str) -> Iterator[dict[str, Any]]:
    """The JSON lines that a module prints in an environment, as they come."""
    command = [interpreter(environment), "-m", module, *arguments]
    where = {"cwd": ROOT, "env": os.environ | ONE_THREAD}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **where) as process:
        try:
            for line in process.stdout or ():
                yield json.loads(line)
        finally:
            process.terminate()  # where we were stopped


def machine() -> str:
    known = Path("/proc/cpuinfo")
    lines = known.read_text().splitlines() if known.exists() else []
    names = [line.split(":")[1].split()[:2] for line in lines if line.startswith("model name")] or [
        [platform.machine()]
    ]
    return f"{' '.join(names[0])}, {os.cpu_count()} cores"


def run_peers(chosen: list[Peer], most: int, end: float) -> None:
    """Appends a line for each finished run. A peer that cannot be installed or breaks is named, and left out."""
    for peer in chosen:
        try:
            while time.monotonic() < end and (seeds := missing(peer, most)[:RUNS_PER_PROCESS]):
                finished = 0
                for line in runs(peer, seeds):
                    with RESULTS.open("a") as file:
                        at = {"at": f"{date.today()}, {machine()}"}
                        file.write(json.dumps(line | at, separators=(",", ":")) + "\n")
                    finished += 1
                    print(f"{peer.name}: seed {line['seed']}, {line['cpu_ms']:.1f} CPU ms", flush=True)
                    if time.monotonic() > end:
                        break
                if not finished:
                    print(f"{peer.name}: did not run", flush=True)
                    break
        except subprocess.CalledProcessError as error:
            print(f"{peer.name}: could not be installed ({error})", flush=True)


def time_peers(chosen: Sequence[Peer]) -> None:
    """Times all of them in one run, one after the other, and replaces `TIMES` when every one has been timed.

    A peer that cannot be timed stops the run, since times of two runs are not compared.
    """
    found = []
    for peer in chosen:
        count = TIMED_SAMPLES if peer.name in page.SAMPLERS else TIMED_PEOPLE
        timed = list(runs(peer, list(range(count))))
        if len(timed) < count:
            raise SystemExit(f"{peer.name} did not run, so the times of before are kept")
        at = f"{date.today()}, {machine()}"
        found += [{name: line[name] for name in ("peer", "seed", "cpu_ms", "with")} | {"at": at} for line in timed]
        print(f"{peer.name}: {', '.join(format(line['cpu_ms'], '.1f') for line in timed)} CPU ms", flush=True)
    half = TIMES.with_suffix(".part")
    half.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in found))
    half.replace(TIMES)


def print_progress(chosen: list[Peer], most: int) -> None:
    """What is there, and what the rest takes at the speed so far."""
    for peer in chosen:
        spent = [line["cpu_ms"] for line in lines() if line["peer"] == peer.name]
        left = len(missing(peer, most))
        each = sum(spent) / len(spent) / 1000 * (1 if peer.name in page.SAMPLERS else QUESTIONS) if spent else 0
        print(f"{peer.name:26} {len(spent):4} runs, {left:4} to go, about {left * each / 60:.1f} CPU minutes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=100, help="at most so many of each peer")
    parser.add_argument("--minutes", type=float, default=24 * 60, help="start no run after so many")
    parser.add_argument("--only", nargs="+", choices=[peer.name for peer in PEERS], metavar="PEER")
    parser.add_argument("--cpu", action="store_true", help="time a few people of every peer in one run")
    parser.add_argument("--list", action="store_true", help="say what is left to do")
    options = parser.parse_args()
    chosen = [peer for peer in PEERS if not options.only or peer.name in options.only]
    if options.list:
        return print_progress(chosen, options.seeds)
    if options.cpu:
        time_peers([peer for peer in PEERS if peer.name != page.REFERENCE])
    else:
        run_peers(chosen, options.seeds, time.monotonic() + 60 * options.minutes)
    page.write(lines(), {peer.name: peer.seeds for peer in PEERS}, lines(TIMES))


if __name__ == "__main__":
    main()
