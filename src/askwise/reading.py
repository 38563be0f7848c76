"""What can be read off a session at any moment: its estimate, the certificate, the reason to stop, why a question.

Nothing here changes anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from askwise.certificate import Certificate, Estimate
from askwise.conversation import Conversation, Event
from askwise.outlook import Outlook, outlook
from askwise.posteriors import Posterior
from askwise.problem import Problem
from askwise.threads import one_thread
from askwise.turn import Aim, Turn
from askwise.types import Answer, Question, Sample

Recipe = Mapping[str, Any]  # a goal, its data and its options


class Reading:
    """The side of a session that only looks."""

    aim: Aim
    turn: Turn
    conversation: Conversation
    recipe: Recipe | None

    @one_thread
    def why(self, question: str | Question | None = None) -> list[Outlook]:
        """What each answer to the open question, or to the one named, would settle, and how likely it is."""
        id = self.conversation.to_answer(question)
        asked = self.conversation.asked[id]
        found = outlook(self.problem, self.sample, np.asarray(asked["atom"]), self.aim.describe)
        named = {self.conversation.code(id, said): said for said in asked["responses"]} if asked["codes"] else {}
        return [replace(one, response=named.get(one.response, one.response)) for one in found]

    @property
    def done(self) -> bool:
        """True when there is a reason to stop. Asking on is allowed all the same, while there are questions."""
        return self.reason is not None

    @property
    def reason(self) -> str | None:
        """Why it is time to stop, or None."""
        return self.turn.reason(self.conversation)

    def estimate(self) -> Estimate:
        """What is closest on average to what is still plausible."""
        return self.turn.estimate

    def certificate(self) -> Certificate:
        """What may be claimed about the estimate."""
        return self.turn.certificate

    @property
    def pursued(self) -> Recipe | None:
        """The goal pursued now, its data and options; None if the session was built by hand."""
        changes = [event for event in self.log if event["event"] == "goal"]
        if self.recipe is None or not changes:
            return self.recipe
        return {**self.recipe, "goal": changes[-1]["goal"], "options": changes[-1]["options"]}

    @property
    def people(self) -> Mapping[str, float]:
        """How far the answers of each of several people are trusted: from 0, a guess, to 1. Empty with one person."""
        return self.turn.people

    @property
    def problem(self) -> Problem:
        """What can be true and what is wanted."""
        return self.aim.problem

    @property
    def posterior(self) -> Posterior:
        """What is believed after the answers in force."""
        return self.turn.posterior

    @property
    def answers(self) -> list[Answer]:
        """The evidence in force, in the order it came."""
        return self.turn.answers

    @property
    def sample(self) -> Sample:
        """The draws of this turn, shared by scoring, stopping and the estimate."""
        return self.turn.sample

    @property
    def diameter(self) -> float:
        """How undecided we still are, in the goal's own units: the mean distance of two structures still plausible."""
        return self.turn.diameter

    @property
    def log(self) -> list[Event]:
        """Everything that happened, in order."""
        return self.conversation.log

    def to_json(self) -> str:
        """Everything needed to go on elsewhere: `askwise.from_json` reads it back. No pickle."""
        state = {"askwise": 1, "recipe": self.recipe, "log": self.log}
        return json.dumps(state, allow_nan=False, default=lambda number: number.item())  # NumPy's numbers
