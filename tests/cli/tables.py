"""A small table as a file."""

from __future__ import annotations

import csv

ROWS = [{"name": f"car {i}", "price": round(5 + 2.3 * i % 17, 2), "mpg": 20 + (7 * i) % 11} for i in range(12)]


def write_csv(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
