"""What participants read when something ends or cannot be done: plain sentences, no ids of people or questions."""

from __future__ import annotations

from collections.abc import Sequence

from askwise.session.contradictions import listing

STUDY_PAUSED = "The study is paused. What you answered before is kept."
STUDY_CLOSED = "The study is closed and takes no more answers. What you answered before is kept."
ALREADY_ANSWERED = "You already answered this question. Here is the next one."
NOT_YOURS = "This question is not open for you any more. Nothing was saved; please answer the next one."
NOTHING_TO_UNDO = "There is nothing to take back."
ALREADY_UNDONE = "There is no answer of yours to this question. Perhaps it was already taken back."
KEY_USED = "this key was used before; use another one"  # only programs choose keys


def contradiction(words: Sequence[str], shared: bool) -> str:
    """Why an answer is refused that contradicts others.

    - `words`: the answer and those that it contradicts.
    - `shared`: whether others answer in the same log; nothing is said about their answers.

    >>> contradiction(["milk over tea", "tea over milk"], shared=False)
    'This answer (milk over tea) contradicts what you said before: tea over milk. Choose another one, or take one back.'
    """
    if shared:
        return "This answer contradicts earlier ones of this study. Nothing was saved; choose another one, or skip."
    said, *others = words
    told = f"This answer ({said}) contradicts what you said before: {listing(others)}."
    return f"{told} Choose another one, or take one back."


def ending(kind: str, answers: int, quota: float, shared: bool) -> str:
    """Why the questions end, for the person who answered them.

    - `kind`: settled, budget, exhausted or quota.
    - `answers`: of this person.
    - `quota`: their answers at most.
    - `shared`: whether others answer in the same log.

    >>> ending("settled", 12, 40, shared=False)
    'Settled after 12 answers. We are confident enough to stop.'
    >>> ending("quota", 2, 2, shared=True)
    'You have given all 2 answers we asked for.'
    """
    if kind == "quota":
        return (
            "You have given the answer we asked for."
            if quota == 1
            else f"You have given all {quota} answers we asked for."
        )
    if kind == "budget":
        return "That was the last question."
    if kind == "exhausted":
        return "Every question is answered." if shared else "You have answered every question."
    after = "" if shared else f" after {answers} answer{'' if answers == 1 else 's'}"
    return f"Settled{after}. We are confident enough to stop."


def quota_reached(quota: float) -> str:
    """Why no further answer is taken.

    >>> quota_reached(4)
    'You have given all 4 answers we asked for. Undo one to change it.'
    """
    return f"{ending('quota', 0, quota, shared=False)} Undo {'it' if quota == 1 else 'one'} to change it."
