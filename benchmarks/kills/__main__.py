"""Whether anything acknowledged is lost when processes are killed.

Processes that write to a study are killed by kill -9 at random moments, and after each kill the study is compared with
what was acknowledged. `python -m benchmarks.kills [--store postgresql] [--count 1000] [--seed 0] [--json]`

The moments are within ask, tell, skip, undo, a checkpoint, opening and closing; one writer is killed at a time, or
several. With --store postgresql the database server is killed too, with all its processes, and recovers. Calls that got
no reply are repeated with the same key. The exit code is 1 if anything was lost, doubled or reordered.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from contextlib import closing, nullcontext

from benchmarks.kills.postgres import PostgresServer
from benchmarks.kills.run import run

COUNTS = {"sqlite": 1000, "postgresql": 200}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", choices=list(COUNTS), default="sqlite")
    parser.add_argument("--count", type=int, default=None, help="kills; 1,000 on SQLite and 200 on PostgreSQL")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    count = COUNTS[options.store] if options.count is None else options.count
    try:
        server = closing(PostgresServer()) if options.store == "postgresql" else nullcontext()
    except FileNotFoundError as error:
        parser.error(str(error))
    start = time.monotonic()
    with server as running, tempfile.TemporaryDirectory() as folder:
        found = run(count, options.seed, folder, running).result()
    result = {"store": options.store, "seed": options.seed, **found, "seconds": round(time.monotonic() - start, 1)}
    if options.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name:21} {value}")
    return 1 if any(found[part] for part in ("lost", "doubled", "reordered", "failures")) else 0


if __name__ == "__main__":
    sys.exit(main())
