"""Questions and replies as JSON, for programs in any language."""

from __future__ import annotations

import json
import sys
from typing import Any

from askwise.options import shown
from askwise.oracles.protocol import RefusedReply, Reply
from askwise.types import Question

OPTION_PARTS = ("name", "image", "row", "body", "body_format", "audio", "video")
REPLY = '{"question": "q1", "response": "left"}'


def question_message(question: Question) -> dict[str, Any]:
    """A question as plain values. `error` says why the last reply to it was refused, if one was.

    >>> from askwise.types import Option
    >>> question_message(Question("q1", "label", (Option("x"),), ("yes", "no"), "Is x good?"))["responses"]
    ['yes', 'no']
    """
    return {
        "id": question.id,
        "kind": question.kind,
        "text": question.text,
        "options": [
            {part: getattr(option, part) for part in OPTION_PARTS} | {"fields": dict(option.fields)}
            for option in question.options
        ],
        "responses": list(question.responses),
        "answer_names": dict(question.answer_names),
        **({} if question.who is None else {"who": question.who}),
        **({"error": question.info["error"]} if "error" in question.info else {}),
    }


def read_reply(line: str) -> tuple[str, Reply]:
    """The question that a line answers, and the reply. Other lines are refused.

    >>> read_reply('{"question": "q1", "response": "left", "cost": 2, "note": "shorter"}')
    ('q1', Reply(response='left', cost=2, note='shorter'))
    >>> read_reply("left")
    Traceback (most recent call last):
    askwise.oracles.protocol.RefusedReply: the line 'left' is not JSON; expected {"question": "q1", "response": "left"}
    """
    said = line.strip() if len(line.strip()) <= 60 else f"{line.strip()[:60]}..."
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise RefusedReply(f"the line {said!r} is not JSON; expected {REPLY}") from None
    if not isinstance(found, dict) or not isinstance(found.get("question"), str) or "response" not in found:
        raise RefusedReply(f"the line {said!r} lacks question or response; expected {REPLY}")
    cost, note = found.get("cost"), found.get("note")
    number = isinstance(cost, int | float) and not isinstance(cost, bool) and 0 <= cost <= sys.float_info.max
    if cost is not None and not number:
        raise RefusedReply(f"the cost of {found['question']} is {shown(cost)}; expected a number, such as 0.02")
    if note is not None and not isinstance(note, str):
        raise RefusedReply(f"the note of {found['question']} is no text; expected a remark, or leave it out")
    return found["question"], Reply(found["response"], cost, note)
