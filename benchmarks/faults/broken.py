"""Broken table files: a small table, written well, then spoiled in one way or two."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

Table = dict[str, list[Any]]
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
# cells that readers trip over: numbers at the edge, digits of other scripts, dates that never were, texts that look
# like something else
CELLS: tuple[Any, ...] = (
    "", " ", "\t", "NA", "nan", "inf", "-inf", "1e999", "1e308", "-1e308", "5e-324", "1e-400", "0", "-0", "007", "+5",
    "1,5", "1.", ".5", "1_000", "0x10", "٣", "²", "½", "9" * 400, "9" * 5000, "0" * 5000, "1e5000", "true", "False",
    "2024-02-30", "0001-01-01", "9999-12-31", "2024-05-01T25:00", "2024-05-01T12:00:00+99:00", "0000-00-00",
    "2024-01-01T00:00:00.123456789Z", "é", "日本", "\u202e", "\u2028", "\x85", "\0", "a\0b", "\x1b[31m", "\ufeff",
    "=1+1", "[bold]", "[/]", "{x}", "{0}", "%s", "</script>", "a\nb", "a\rb", '"', "'", ",", ";", "x" * 200_000,
    "http://x/y.png", "../../etc/passwd", "/", ".", "left", "right", "number", "missing", "#1", "None", "$1,234", "€",
    "1.234,5", "12 %", "1h 30min", "5 kg", "3 m", "03.04.2024", "31.02.2024", "0.0.0000", "[1, 2]", "[1 2 3]", "[]",
)  # fmt: skip
HEADERS = (
    "", " ", "name", "Name", "image", "id", "column 1", "column 2", "x=1", "a,b", "a\nb", "\0", "é", "[bold]", "{rows}",
    "x" * 5000, "missing", "label", "response", "question", "\ufeffname", "nan", "1", "2.5", "#", "?", "%", "\u2028",
)  # fmt: skip
JSON_CELLS: tuple[str, ...] = (
    "null", "true", "NaN", "Infinity", "-Infinity", "1e999", "1e308", "5e-324", str(10**400), "1" + "0" * 5000, "-0.0",
    '""', '" "', '"\\ud800"', '"\\udfff\\ud800"', '"\\u0000"', '"a\\nb"', '"\u2028"', '"\\u2028"', "[]", "[1]", "{}",
    '{"a": 1}', "[[[[1]]]]", "[" * 3000 + "]" * 3000, '"' + "x" * 200_000 + '"', '"2024-02-30"', '"0001-01-01"',
    '"9999-12-31"', '"٣"', '"1"', "123456789012345678901234567890", "1.0", '"[bold]"', '"{x}"',
)  # fmt: skip
JSON_LINES = (
    "", "null", "1", "[]", "{}", '{"name"', "{'name': 1}", '{"name": "a"} {"name": "b"}', '{"": 1}', '{"a": 1, "a": 2}',
    "[" * 100_000, '{"a":' * 50_000, '{"\\ud800": 1}', "\0", "\x1e", "// comment", '{"name": "a",}', "\ufeff{}", "NaN",
)  # fmt: skip
ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "latin-1", "cp037", "utf-7", "shift-jis", "cp1252")


def small_table(rng: random.Random) -> Table:
    """Names, numbers, a category; sometimes dates, truths, gaps, or nothing but numbers."""
    count = rng.randint(3, 8)
    made: Table = {"name": [f"item {i}" for i in range(count)]} if rng.random() < 0.8 else {}
    for place in range(rng.randint(1, 3)):
        made[f"x{place}"] = [round(rng.gauss(0, 3), 2) for _ in range(count)]
    if rng.random() < 0.4:
        made["count"] = [rng.randint(0, 99) for _ in range(count)]
    if rng.random() < 0.5:
        made["kind"] = [rng.choice("ab") for _ in range(count)]
    if rng.random() < 0.2:
        made["seen"] = [f"2024-05-{rng.randint(1, 28):02}" for _ in range(count)]
    if rng.random() < 0.2:
        made["good"] = [rng.random() < 0.5 for _ in range(count)]
    for column in list(made):
        if column != "name" and rng.random() < 0.15:
            made[column][rng.randrange(count)] = None
    return made


def separated(table: Table, delimiter: str) -> list[list[str]]:
    rows = zip(*table.values(), strict=True)
    return [list(table), *(["" if cell is None else str(cell) for cell in row] for row in rows)]


def text_of(rows: list[list[str]], delimiter: str, end: str = "\n") -> str:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, lineterminator=end).writerows(rows)
    return out.getvalue()


def spoiled_rows(rows: list[list[str]], rng: random.Random) -> str:
    """Changes cells, headers or rows in place, and says how."""
    kinds = (
        "cell",
        "cell",
        "cell",
        "cell",
        "column",
        "column",
        "header",
        "header",
        "ragged",
        "gone",
        "wide",
        "same",
        "long",
    )
    kind = rng.choice(kinds)
    if len(rows) == 1:
        return "no rows"
    if kind == "cell":
        cell = rng.choice(CELLS)
        row, column = rng.randrange(1, len(rows)), rng.randrange(len(rows[0]))
        rows[row][column] = cell
        return f"cell {cell[:30]!r} in {rows[0][column]!r}"
    if kind == "column":
        cells, column = [rng.choice(CELLS) for _ in range(2)], rng.randrange(len(rows[0]))
        for row in rows[1:]:
            row[column] = rng.choice(cells)
        return f"column {rows[0][column]!r} of {[cell[:20] for cell in cells]}"
    if kind == "header":
        for _ in range(rng.randint(1, 2)):
            rows[0][rng.randrange(len(rows[0]))] = rng.choice(HEADERS)
        return f"header {[name[:20] for name in rows[0]]}"
    if kind == "ragged":
        rows[rng.randrange(len(rows))].extend(["1"] * rng.randint(1, 2))
    elif kind == "gone":
        del rows[rng.randint(1, 3) :]
    elif kind == "wide":
        for place, row in enumerate(rows):
            row.extend(f"w{j}" if place == 0 else str(rng.random()) for j in range(300))
    elif kind == "same":
        rows[1:] = [rows[1]] * (len(rows) - 1)
    else:
        rows.extend([f"more {i}" if j == 0 else str(i * j) for j in range(len(rows[0]))] for i in range(25))
    return kind


def spoiled_bytes(content: bytes, rng: random.Random) -> tuple[bytes, str]:
    """The bytes of a file, damaged."""
    kind = rng.choice(("flip", "flip", "cut", "insert", "zeros", "empty", "noise", "twice", "head"))
    place = rng.randrange(max(len(content), 1))
    if kind == "flip":
        found = bytearray(content)
        for _ in range(rng.randint(1, 8)):
            found[rng.randrange(len(found))] ^= 1 << rng.randrange(8)
        return bytes(found), "flipped bits"
    parts = {
        "cut": content[:place],
        "insert": content[:place] + rng.randbytes(rng.randint(1, 40)) + content[place:],
        "zeros": content[:place] + bytes(len(content[place : place + 64])) + content[place + 64 :],
        "empty": b"",
        "noise": rng.randbytes(500),
        "twice": content * 2,
        "head": rng.choice((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"PAR1", b"\0", b"PK\x03\x04")) + content,
    }
    return parts[kind], kind


def write_separated(path: Path, rng: random.Random) -> str:
    delimiter = "\t" if path.suffix == ".tsv" else rng.choice((",", ",", ";", "\t"))
    rows = separated(small_table(rng), delimiter)
    said = [spoiled_rows(rows, rng) for _ in range(rng.choice((0, 1, 1, 1, 2)))]
    text = text_of(rows, delimiter, rng.choice(("\n", "\n", "\r\n", "\r")))
    if rng.random() < 0.1:
        text = text.replace('"', "") + rng.choice(('"', '"\n"', '\n"a', "\n\n\n", ""))
        said.append("quotes")
    encoding = rng.choice(("utf-8", "utf-8", "utf-8", "utf-8", "utf-8", "utf-8-sig", rng.choice(ENCODINGS)))
    content = text.encode(encoding, "replace")
    if rng.random() < 0.2:
        content, how = spoiled_bytes(content, rng)
        said.append(how)
    path.write_bytes(content)
    return f"{encoding}, {'; '.join(said)}"


def write_lines(path: Path, rng: random.Random) -> str:
    table, said = small_table(rng), []
    rows = [
        {name: json.dumps(cell) for name, cell in zip(table, row, strict=True)}
        for row in zip(*table.values(), strict=True)
    ]
    for _ in range(rng.randint(0, 2)):
        cell, column = rng.choice(JSON_CELLS), rng.choice(list(table))
        chosen = rows if rng.random() < 0.3 else [rng.choice(rows)]
        for row in chosen:
            row[column] = cell
        said.append(f"{cell[:30]} in {column}")
    if rng.random() < 0.2:
        rng.choice(rows).pop(rng.choice(list(table)), None)
        said.append("a gap")
    lines = ["{" + ", ".join(f"{json.dumps(name)}: {cell}" for name, cell in row.items()) + "}" for row in rows]
    if rng.random() < 0.4:
        line = rng.choice(JSON_LINES)
        lines.insert(rng.randrange(len(lines) + 1), line)
        said.append(f"line {line[:30]!r}")
    content = rng.choice(("\n", "\n", "\r\n")).join(lines).encode("utf-8", "surrogatepass")
    if rng.random() < 0.15:
        content, how = spoiled_bytes(content, rng)
        said.append(how)
    path.write_bytes(content)
    return "; ".join(said)


def write_json(path: Path, rng: random.Random) -> str:
    """A list of objects, an object of lists, or something else, in one JSON text."""
    said = write_lines(path, rng)
    lines = [line for line in path.read_bytes().split(b"\n") if line.strip()]
    kind = rng.choice(("rows", "rows", "lines", "columns", "names"))
    if kind == "rows":
        path.write_bytes(b"[" + b",".join(lines) + b"]")
    elif kind == "columns":
        table = small_table(rng)
        table[rng.choice(list(table))] = [rng.choice(CELLS) for _ in range(rng.randint(0, 8))]
        path.write_text(json.dumps(table))
    elif kind == "names":
        path.write_text(json.dumps([rng.choice((*CELLS, 1, None, [])) for _ in range(rng.randint(0, 5))]))
    return f"{kind}; {said}"


def write_list(path: Path, rng: random.Random) -> str:
    items = [rng.choice(CELLS) if rng.random() < 0.3 else f"item {place}" for place in range(rng.randint(0, 8))]
    path.write_bytes("\n".join(items).encode(rng.choice(("utf-8", "utf-8", "utf-16", "latin-1")), "replace"))
    return f"lines {[item[:20] for item in items]}"


def write_spreadsheet(path: Path, rng: random.Random) -> str:
    """A sheet whose cells are odd, or a damaged file."""
    from openpyxl import Workbook
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    table, said, book = small_table(rng), [], Workbook()
    rows: list[list[Any]] = [list(table), *map(list, zip(*table.values(), strict=True))]
    for _ in range(rng.randint(0, 2)):
        cell = rng.choice(
            (*CELLS, 1e300, True, dt.datetime(1900, 1, 1), dt.time(1), dt.timedelta(days=3), "=A1", "#N/A")
        )
        rows[rng.randrange(len(rows))][rng.randrange(len(table))] = cell
        said.append(f"cell {str(cell)[:30]!r}")
    for row in rows[: rng.choice((None, None, None, 0, 1))]:
        book.active.append(
            [ILLEGAL_CHARACTERS_RE.sub("", cell)[:32_000] if isinstance(cell, str) else cell for cell in row]
        )
    if rng.random() < 0.2:
        book.create_sheet(rng.choice(("Notes", "日本", "a b"))).append(["x"])
        said.append("another sheet")
    book.save(path)
    if rng.random() < 0.3:
        content, how = spoiled_bytes(path.read_bytes(), rng)
        path.write_bytes(content)
        said.append(how)
    return "; ".join(said)


def write_folder(path: Path, rng: random.Random) -> str:
    """Pictures with odd names, with or without a table beside them."""
    path.mkdir()
    names = ["a.png", "b.png", "c.JPG", "d.svg"][: rng.randint(0, 4)]
    odd = rng.choice(
        (b"\xff.png", b"a\nb.png", b"x" * 250 + b".png", b" .png", b"a.jpg", b".png", b"[b].png", b"-.gif")
    )
    if rng.random() < 0.6:
        names.append(os.fsdecode(odd))
    for name in names:
        (path / name).write_bytes(rng.choice((PNG, b"", b"<svg/>", rng.randbytes(50))))
    said = [f"pictures {names}"]
    if rng.random() < 0.3:
        special: dict[str, Callable[[Path], Any]] = {
            "a folder": Path.mkdir, "a fifo": os.mkfifo, "a loop": lambda p: p.symlink_to(p),
            "a dangling link": lambda p: p.symlink_to("nowhere"),
        }  # fmt: skip
        how = rng.choice(list(special))
        special[how](path / "odd.png")
        said.append(how)
    if rng.random() < 0.6:
        suffix = rng.choice((".csv", ".jsonl", ".tsv"))
        cells = [*names, "odd.png", "none.png", "/etc/hostname", ".", "", "a\0b", "x" * 5000, "http://x/y.png", "../a"]
        shown = [rng.choice(cells[: len(names) or 1] if rng.random() < 0.7 else cells) for _ in range(4)]
        rows = [["name", rng.choice(("image", "file")), "x"]]
        rows += [
            [f"i{place}", name.encode("utf-8", "replace").decode(), str(place)] for place, name in enumerate(shown)
        ]
        write = (lambda: text_of(rows, "\t" if suffix == ".tsv" else ",")) if suffix != ".jsonl" else (
            lambda: "\n".join(json.dumps(dict(zip(rows[0], row, strict=True))) for row in rows[1:])
        )  # fmt: skip
        content = write().encode()
        if rng.random() < 0.2:
            content, how = spoiled_bytes(content, rng)
            said.append(how)
        (path / f"table{suffix}").write_bytes(content)
        said.append(f"table of {[name[:20] for name in shown]}")
        if rng.random() < 0.1:
            (path / "other.csv").write_text("name,x\na,1\nb,2\n")
            said.append("another table")
    return "; ".join(said)
