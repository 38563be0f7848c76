"""What each system replied to each prompt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from askwise._runtime.streams import stream
from askwise.data.tables import Columns
from askwise.errors import DataError
from askwise.exchange.votes import as_text, text_rows
from askwise.goals.base.contexts import MAX_SCORES
from askwise.goals.base.texts import plural
from askwise.session.events import UNSTORABLE

EMPTY_REPLY = "(an empty reply)"
EXPECTED = "rows with system, prompt and reply, or a column prompt and one column for each system"


@dataclass(frozen=True)
class Runs:
    """Systems, prompts, and the reply of each system to each prompt.

    >>> runs = Runs.of([{"system": name, "prompt": "2 + 2", "reply": said} for name, said in (("a", "4"), ("b", "5"))])
    >>> runs.systems, runs.replies["2 + 2"]
    (('a', 'b'), ['4', '5'])
    """

    systems: tuple[str, ...]  # their names
    replies: Mapping[str, list[str]]  # prompt -> the reply of each system
    incomplete: int = 0  # prompts that were left out, since a system has no reply to them
    unused: int = 0  # prompts that were left out at random, since there are more than can be learned about

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, Any]]) -> Runs:
        """The runs in rows.

        - `rows`: one for each system and prompt, with system, prompt and reply; or one for each prompt, with a column
          for each system.

        >>> Runs.of([{"prompt": "2 + 2", "a": "4", "b": "5"}]).systems
        ('a', 'b')
        """
        found: dict[str, dict[str, str]] = {}
        systems: dict[str, None] = {}
        for number, row in enumerate(rows, 1):
            for system, prompt, reply in _cells(row, number):
                systems[system] = None
                if reply is not None:
                    known = found.setdefault(prompt, {})
                    if known.setdefault(system, reply) != reply:
                        what = f"row {number} is another reply of {system[:60]!r} to {prompt[:60]!r}"
                        raise DataError(f"{what}; give one reply of each system to each prompt")
        if len(systems) < 2:
            raise DataError(f"the runs are of {plural(len(systems), 'system')}; expected two or more, in {EXPECTED}")
        whole = {
            prompt: [replies[each] for each in systems] for prompt, replies in found.items() if {*systems} <= {*replies}
        }
        if not whole:
            raise DataError("there is no prompt to which every system has a reply; leave out systems, or add replies")
        return cls(tuple(systems), whole, incomplete=len(found) - len(whole))

    @property
    def name_column(self) -> str:
        """The column of `table` that names the systems: no prompt."""
        name = "system"
        while name in self.replies:
            name += "_"
        return name

    @property
    def table(self) -> Columns:
        """A row for each system, with its replies in the columns of the prompts."""
        return {self.name_column: list(self.systems), **{prompt: list(each) for prompt, each in self.replies.items()}}

    def of_systems(self, names: Sequence[str]) -> Runs:
        """The runs of some systems.

        - `names`: two or more of them.

        >>> Runs.of([{"prompt": "2 + 2", "a": "4", "b": "5", "c": "4"}]).of_systems(["c", "b"]).replies
        {'2 + 2': ['4', '5']}
        """
        for name in names:
            if name not in self.systems:
                raise DataError(f"there is no system {name!r}; the systems are {', '.join(self.systems)}")
        if len(set(names)) < 2:
            raise DataError(f"systems names {len(set(names))} system; expected two or more to compare")
        places = [self.systems.index(name) for name in dict.fromkeys(names)]
        kept = {prompt: [replies[place] for place in places] for prompt, replies in self.replies.items()}
        return replace(self, systems=tuple(dict.fromkeys(names)), replies=kept)

    def sampled(self, seed: int) -> Runs:
        """As many prompts as can be learned about, drawn at random if there are more: the result is about new ones.

        - `seed`: the same seed draws the same prompts.

        >>> Runs.of([{"prompt": "2 + 2", "a": "4", "b": "5"}]).sampled(0).unused
        0
        """
        most, prompts = MAX_SCORES // len(self.systems) - 1, list(self.replies)
        if len(prompts) <= most:
            return self
        drawn = stream(seed, 0, "prompts").choice(len(prompts), most, replace=False)
        kept = {prompts[place]: self.replies[prompts[place]] for place in sorted(drawn.tolist())}
        return replace(self, replies=kept, unused=len(prompts) - most)


def read_runs(path: str | Path) -> Runs:
    """The runs in a JSONL, CSV, TSV or Parquet file.

    - `path`: the file. Its rows are those of `Runs.of`.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "runs.csv"
    >>> _ = path.write_text("prompt,old,new\\n2 + 2,5,4\\n")
    >>> read_runs(path).replies
    {'2 + 2': ['5', '4']}
    """
    rows = text_rows(path)
    if not rows:
        raise DataError(f"{Path(path).name} is empty; expected {EXPECTED}")
    return Runs.of(rows)


def _cells(row: Mapping[str, Any], number: int) -> list[tuple[str, str, str | None]]:
    """System, prompt and reply of a row, of one system or of all; None where there is no reply."""
    prompt = _storable(row.get("prompt"))
    if not prompt.strip():
        raise DataError(f"row {number} has no prompt; expected {EXPECTED}")
    if "system" not in row:  # an empty cell of a wide table is a reply that is not there
        others = {str(name): _storable(value) for name, value in row.items() if name != "prompt"}
        return [(name, prompt, reply if reply.strip() else None) for name, reply in others.items()]
    if row["system"] in (None, "") or "reply" not in row:
        raise DataError(f"row {number} has no {'reply' if row['system'] else 'system'}; expected {EXPECTED}")
    reply = _storable(row["reply"])
    return [(str(row["system"]), prompt, None if row["reply"] is None else reply if reply.strip() else EMPTY_REPLY)]


def _storable(value: Any) -> str:
    """A text that every study can keep: models may write anything."""
    return "" if value is None else UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", as_text(value))
