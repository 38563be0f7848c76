"""Odd words for the command line: values of options, names of files, tables of answers."""

from __future__ import annotations

import random

from askwise.cli.app import whole_command
from askwise.goals import GOALS

ODD = (
    "", " ", "-1", "0", "1", "2", "3", "nan", "inf", "-inf", "1e400", "1e-400", "99999999999999999999", "0.5", "1.5",
    "é", "\udcff", "a,b", ",", ",,", "[bold]", "[/]", "{}", "{rows}", "x" * 5000, "-", "None", "true", "\x1b[31m",
    "name", "x", "tea", "tea,tea", "x,name", "random", "select", "ndbal", "mean", "max", "exact", "impute", "\n",
    "a\tb", "FOLDER", "FOLDER/t.csv", "FOLDER/a.csv", "utf-16", "rot13", "hex", "postgresql://x:y@127.0.0.1:1/z",
    "no,yes", "1,1", "a,,b", "no,no", "\u202e", "/dev/null", "/dev/full", "FOLDER/x.askwise",
)  # fmt: skip
# what each command needs, and what keeps it short; demo, reproduce and serve run for long
REQUIRED_WORDS: dict[str, tuple[str, ...]] = {
    "new": ("best-item", "FOLDER/t.csv", "-o", "FOLDER/n.askwise"),
    "ask": ("STUDY", "--no-forecast"),
    "tell": ("STUDY", "--from", "FOLDER/a.csv"),
    "next": ("STUDY",),
    "plan": ("STUDY", "--people", "2", "--seconds", "1", "--workers", "1"),
    "goal": ("STUDY", "classifier"),
    "status": ("STUDY",),
    "report": ("STUDY", "-o", "FOLDER/r.html"),
    "export": ("STUDY", "FOLDER/e.csv"),
    "import": ("FOLDER/a.csv",),
    "copy": ("STUDY", "FOLDER/c.askwise"),
    "simulate": ("classify", "--questions", "2", "--runs", "1", "--workers", "1", "--dim", "2"),
}
WEIGHTS = {"new": 8, "goal": 3, "simulate": 2}
NAMES = (
    b"\xff.askwise", b"a b.askwise", b"a#b.askwise", b"a?b.askwise", b"a%b.askwise", b"a%20b.askwise", b"a\nb.askwise",
    b"-x.askwise", b"--help", b"x" * 250 + b".askwise", b"x" * 300, b"x" * 5000, "日本.askwise".encode(), b".askwise",
    b"askwise", b"", b".", b"..", b"no/such/x.askwise", b"a:b.askwise", b"'q\".askwise", b"\x1b[31m.askwise", b"x.csv",
    b"x.JSON", b"x.nc", b"x.parquet", b"x.jsonl", b"x.html", b"postgresql://", b"postgresql://h:abc/x#y", b"postgres://[",
    b"postgresql://127.0.0.1:1/x#y", b"\\x.askwise", b"a&b=c.askwise", b"[b].askwise", b"file:x?mode=ro", b":memory:",
)  # fmt: skip
ANSWER_TABLES = (
    "", "item,label\n", "item,label\ntea,yes\n", "item,label\ntea,maybe\n", "item,label\nnobody,yes\n",
    "item,label\ntea,1\n", "item,label\ntea,0\nmilk,1\n", "item,label\ntea,\n", "item,label\n,yes\n", "question\nq1\n",
    "question,response\nq1,yes\n", "question,response\nq2,yes\n", "question,response\nq99,yes\n",
    "question,response\n,\n",
    "question,response,seconds\nq2,yes,nan\n", "question,response,seconds\nq2,yes,-1\n",
    "item,label,who\ntea,yes,\x00\n",
    "question,response,seconds\nq2,yes,inf\n", "question,response,seconds\nq2,yes,abc\n", "item,label\ntea,yes,1\n",
    "question,response,who\nq2,no,\udcff\n", "item,label,question,response\ntea,yes,q2,no\n", "label,item\nyes,tea\n",
    "item,label\ntea,yes\ntea,no\n", "item,label\n" + "tea,yes\n" * 50, "item,label,seconds\ntea,yes,1e400\n",
    "item;label\ntea;yes\n", "item,label\ntea,true\n", "item,label\n1,yes\n", "\ufeffitem,label\ntea,yes\n",
)  # fmt: skip


def odd_words(rng: random.Random) -> tuple[str, list[str]]:
    """A command and its words; STUDY and FOLDER stand for what the case makes."""
    names = [name for name in REQUIRED_WORDS for _ in range(WEIGHTS.get(name, 1))]
    name = rng.choice(names)
    words = list(REQUIRED_WORDS[name])
    if name == "new":
        words[0] = rng.choice(sorted(GOALS)).replace("_", "-")
        words += {"top-k": ["--k", "2"], "cluster-of": ["--item", "tea"]}.get(words[0], [])
    parameters = whole_command(name).params
    options = [each for each in parameters if each.param_type_name == "option" and each.name != "help"]
    for option in rng.sample(options, min(len(options), rng.choice((1, 1, 2, 3)))):
        words.append(option.opts[-1])
        if not option.is_flag:
            words.append(rng.choice(ODD))
    if rng.random() < 0.15:
        words[rng.randrange(len(words))] = rng.choice(ODD)
    if rng.random() < 0.05:
        words.append(rng.choice(("--nonsense", "--", "more", "-x", "--json=1")))
    return name, words
