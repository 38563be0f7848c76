"""Answers that contradict each other, where no answer is taken to be wrong: which they are, in words."""

from __future__ import annotations

from collections.abc import Sequence

from askwise.errors import ContradictionError
from askwise.posteriors import RefusesContradictions
from askwise.session.beliefs import Beliefs
from askwise.session.event_log import EventLog, ValidEvent
from askwise.session.events import PAIR, SIDES, Event, match_response
from askwise.types import Response

MAX_LISTED_ANSWERS = 8


def check_answer(beliefs: Beliefs, log: EventLog, valid: ValidEvent) -> None:
    """Refuses an answer that contradicts others, and names those of a smallest contradiction.

    - `beliefs`: before the answer.
    - `log`: their events.
    - `valid`: the answer.
    """
    posterior = beliefs.posterior
    if valid.answer is None or not isinstance(posterior, RefusesContradictions):
        return
    try:
        posterior.check_answer(valid.answer)
    except ContradictionError as error:
        told = list(beliefs.told)
        ids = [told[place] for place in error.others]
        events = [valid.event, *(log.closing_events[id] for id in ids)]
        said, *others = (answer_in_words(log.ask_events[event["question"]], event["response"]) for event in events)
        listed = listing([f"{id} ({words})" for id, words in zip(ids, others, strict=True)])
        what, which = ("answer", "it") if len(ids) == 1 else ("answers", "one of them")
        sentence = f"this answer ({said}) contradicts {what} {listed}; undo {which}, or make a study with noise"
        raise ContradictionError(sentence, error.others, (said, *others)) from None


def listing(parts: Sequence[str]) -> str:
    """Some of the parts, and how many more there are.

    >>> listing(["q3 (tea over milk)", "q7 (milk over water)"])
    'q3 (tea over milk) and q7 (milk over water)'
    """
    shown = list(parts)
    if len(shown) > MAX_LISTED_ANSWERS:
        shown[MAX_LISTED_ANSWERS:] = [f"{len(shown) - MAX_LISTED_ANSWERS} more"]
    return " and ".join(part for part in (", ".join(shown[:-1]), shown[-1]) if part)


def answer_in_words(question: Event, response: Response) -> str:
    """An answer in a few words.

    >>> pair = {"question": "q1", "kind": "pair", "options": [{"name": "tea"}, {"name": "milk"}],
    ...         "responses": ["left", "right"], "codes": [["left", 1], ["right", -1], ["milk", -1]]}
    >>> answer_in_words(pair, "milk"), answer_in_words({"kind": "label", "options": [{"name": "Rex"}]}, "dog")
    ('milk over tea', 'Rex: dog')
    """
    names = [option["name"] for option in question["options"]]
    if question["kind"] != PAIR:
        return f"{', '.join(names)}: {response}"
    side = SIDES[str(match_response(question, response).canonical)]
    return f"{names[side]} over {names[1 - side]}"
