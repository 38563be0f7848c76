"""What writers reported about their calls, and whether the log of the study agrees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

CLOSED_BY = ("tell", "skip")


@dataclass
class Call:
    """One call with a key of its own: tell, skip or undo."""

    kind: str
    key: str
    question: str
    response: str | None
    started: int  # nanoseconds, of the first attempt
    ended: int | None = None  # when it was acknowledged
    refused: bool = False  # as an answer that cannot be taken
    attempts: int = 0

    @property
    def in_doubt(self) -> bool:
        """Whether the caller got no reply."""
        return self.ended is None and not self.refused


@dataclass
class Ledger:
    """All calls on one study, and the keys of those that its log contradicts."""

    calls: dict[str, Call] = field(default_factory=dict)
    asked: dict[str, str] = field(default_factory=dict)  # questions that `ask` returned: the text of each
    lost: set[str] = field(default_factory=set)
    doubled: set[str] = field(default_factory=set)
    reordered: set[str] = field(default_factory=set)
    refused_but_there: set[str] = field(default_factory=set)
    refused_then_present: set[str] = field(default_factory=set)  # in doubt, and there: no harm

    @property
    def acknowledged(self) -> int:
        return len(self.asked) + sum(call.ended is not None for call in self.calls.values())

    def record(self, line: Mapping[str, Any]) -> None:
        """Records one message of a writer."""
        if line["kind"] == "ask":
            if line["mark"] == "end":
                self.asked |= line["questions"]
            return
        if line["key"] is None:  # opening, closing, checkpoints and errors have none
            return
        if line["mark"] == "begin":
            parts = (line[part] for part in ("kind", "key", "question", "response", "at"))
            self.calls.setdefault(line["key"], Call(*parts))
        call = self.calls[line["key"]]
        call.attempts += line["mark"] == "begin"
        if line["mark"] == "end" and call.ended is None:
            call.ended = line["at"]
        call.refused = call.refused or line["mark"] == "refused"

    def in_doubt(self) -> list[Call]:
        return [call for call in self.calls.values() if call.in_doubt]

    def compare(self, log: Sequence[Mapping[str, Any]]) -> None:
        """Looks for every call in the log."""
        places: dict[str, list[int]] = {}
        for place, event in enumerate(log):
            places.setdefault(event.get("key", f"event {place}"), []).append(place)
        for call in self.calls.values():
            there = [log[place] for place in places.get(call.key, [])]
            as_called = [event for event in there if _same(call, event)]
            if call.ended is not None and not as_called:
                self.lost.add(call.key)
            if call.in_doubt and there:
                self.refused_then_present.add(call.key)
            if call.refused and call.attempts == 1 and there:
                self.refused_but_there.add(call.key)
        self._compare_questions(log)
        self.doubled |= {key for key, found in places.items() if len(found) > 1} | set(self._uncalled(log))
        self.reordered |= set(self._reordered({key: found[0] for key, found in places.items()}))

    def _compare_questions(self, log: Sequence[Mapping[str, Any]]) -> None:
        """A question that was returned is in the log, once, with the same text."""
        asked = [event for event in log if event["event"] == "ask"]
        texts = {event["question"]: event["text"] for event in asked}
        self.lost |= {id for id, text in self.asked.items() if texts.get(id) != text}
        self.doubled |= {id for id, count in Counter(event["question"] for event in asked).items() if count > 1}

    def _uncalled(self, log: Sequence[Mapping[str, Any]]) -> Iterable[str]:
        """Answers, skips and undos that nobody called for, and second ones to a question that was not open."""
        closed: set[str] = set()
        for place, event in enumerate(log):
            kind, question = event["event"], event.get("question", "")
            if kind in (*CLOSED_BY, "undo") and event.get("key") not in self.calls:
                yield f"event {place}"
            if kind in CLOSED_BY and question in closed:
                yield f"event {place}"
            closed = closed | {question} if kind in CLOSED_BY else closed - {question} if kind == "undo" else closed

    def _reordered(self, place: Mapping[str, int]) -> Iterable[str]:
        """Calls that stand before one that was acknowledged when they had not even begun."""
        there = [call for call in self.calls.values() if call.key in place]
        by_end = sorted((call for call in there if call.ended is not None), key=lambda call: call.ended or 0)
        last, seen = -1, 0  # the latest place of all calls that were over by then
        for call in sorted(there, key=lambda call: call.started):
            while seen < len(by_end) and (by_end[seen].ended or 0) < call.started:
                last = max(last, place[by_end[seen].key])
                seen += 1
            if place[call.key] < last:
                yield call.key


def _same(call: Call, event: Mapping[str, Any]) -> bool:
    known = event["event"], event.get("question"), event.get("response")
    return known == (call.kind, call.question, call.response)
