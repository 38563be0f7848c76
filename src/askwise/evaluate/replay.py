"""Recorded votes that answer in place of a judge."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from askwise.exchange.votes import Vote, read_votes
from askwise.oracles.protocol import Oracle
from askwise.oracles.registry import OracleSettings, oracle_named
from askwise.session import Session
from askwise.types import Question, Response

PREFIX = "votes:"


class VoteOracle:
    """Answers each question with a recorded vote about the same two systems and the same prompt; skips others.

    A vote without a prompt answers a question about any prompt. Each vote is given once, in the order recorded, also
    if the study goes on later. A tie is a skip where the study knows no ties.

    :param votes: The recorded votes.
    :param session: The session whose questions are answered.
    :param name: Under which they are recorded.

    >>> from askwise.evaluate import Runs, start
    >>> session = start(Runs.of([{"prompt": "2 + 2", "a": "4", "b": "5"}]))
    >>> oracle = VoteOracle([Vote("a", "b", "a", "2 + 2")], session)
    >>> question = session.ask()
    >>> question.options[("left", "right").index(oracle(question))].body, oracle(question)
    ('4', None)
    """

    def __init__(self, votes: Sequence[Vote], session: Session, name: str = "votes"):
        family: Any = session.problem.family
        self.name, self.systems, self.prompts = name, family.names, family.contexts
        self._left: dict[tuple[str | None, frozenset[str]], list[Vote]] = {}
        self._lock = threading.Lock()
        for vote in reversed(votes):
            self._left.setdefault((vote.prompt, frozenset(vote[:2])), []).append(vote)
        log = session.event_log
        for event in log.closed(name):  # a tie may be a skip
            self._next_vote(log.question(event["question"]))

    def __call__(self, question: Question) -> Response | None:
        vote = self._next_vote(question)
        if vote is None:
            return None
        if vote.winner is None:
            return "equal" if "equal" in question.responses else None
        return ("left", "right")[self._shown(question).index(vote.winner)]

    def _shown(self, question: Question) -> list[str]:
        return [self.systems[int(option.row or 0)] for option in question.options]

    def _next_vote(self, question: Question) -> Vote | None:
        pair = frozenset(self._shown(question))
        with self._lock:
            for prompt in (self.prompts[int(question.atom[0])], None):
                if self._left.get((prompt, pair)):
                    return self._left[prompt, pair].pop()
        return None


def judge_named(name: str, session: Session, settings: OracleSettings | None = None) -> Oracle:
    """The judge of that name: `votes:FILE` for recorded votes, else what `askwise answer --with` takes.

    - `name`: such as votes:battles.jsonl, openai:MODEL or "python judge.py".
    - `session`: from `start`, which it is to judge.
    - `settings`: what a model needs to know.

    >>> from askwise.evaluate import Runs, start
    >>> judge_named("python3 judge.py", start(Runs.of([{"prompt": "2 + 2", "a": "4", "b": "5"}]))).words
    ['python3', 'judge.py']
    """
    if not name.startswith(PREFIX):
        return oracle_named(name, settings)
    path = Path(name.removeprefix(PREFIX))
    return VoteOracle(read_votes(path, authors(session)), session, path.stem)


def authors(session: Session) -> dict[tuple[str, str], str]:
    """Whose each reply is, by prompt and reply; replies that several systems gave are left out.

    - `session`: from `start`.

    >>> from askwise.evaluate import Runs, start
    >>> authors(start(Runs.of([{"prompt": "2 + 2", "a": "4", "b": "5", "c": "4"}])))
    {('2 + 2', '5'): 'b'}
    """
    family: Any = session.problem.family
    assert session.recipe is not None
    data, found = session.recipe["data"], {}
    for prompt in family.contexts:
        for system, reply in zip(family.names, data[prompt], strict=True):
            if data[prompt].count(reply) == 1:
                found[prompt, reply] = system
    return found
