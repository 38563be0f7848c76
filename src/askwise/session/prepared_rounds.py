"""Rounds that are computed ahead: one for each answer that may come, so that nobody waits for the next question."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from askwise.errors import ContradictionError
from askwise.session.event_log import EventLog, ValidEvent
from askwise.session.round import Round
from askwise.types import Response


@dataclass
class PreparedRounds:
    """The rounds after answers that may come next. A session forgets them when its answers or its goal change.

    >>> from askwise import best_item
    >>> session = best_item(["tea", "coffee", "water"], seed=1)
    >>> question = session.ask()
    >>> session.prepare()
    >>> len(session.prepared.rounds)
    2
    """

    rounds: dict[tuple[Any, ...], Round] = field(default_factory=dict)  # by position, question, response and person

    def find(self, log: EventLog, valid: ValidEvent) -> Round | None:
        """The round after that answer, which comes next in the log; None if it was not prepared."""
        return self.rounds.get((len(log.events), valid.event["question"], valid.canonical, valid.event.get("who")))

    def add(
        self,
        round: Round,
        log: EventLog,
        response: Response,
        who: str | None,
        known: Round | None = None,
        question: str | None = None,
    ) -> Round:
        """The round after that answer to an open question, computed unless it is here.

        :param round: The present round.
        :param log: Its events.
        :param response: The answer.
        :param who: Who will give it.
        :param known: The same round, computed in another session of this recipe, where the answers were the same.
        :param question: The question; None: the first open one.
        """
        valid = log.tell_event(response, question, who)
        assert valid is not None
        assert valid.answer is not None
        place = len(log.events), valid.event["question"], valid.canonical, valid.event.get("who")
        if place not in self.rounds:
            beliefs = round.beliefs
            told = {**beliefs.told, valid.event["question"]: (beliefs.revision, valid.answer)}
            self.rounds[place] = round.after(log.copy(), valid) if known is None else known.with_answers(told)
        return self.rounds[place]

    def add_all(self, round: Round, log: EventLog, who: str | None) -> None:
        """One round for each possible answer to the first open question, the likeliest first; none for numbers."""
        for id in log.open_questions()[:1]:
            for response in round.likely(log.ask_events[id]):
                with suppress(ContradictionError):  # which will be refused, if it comes
                    self.add(round, log, response, who)
