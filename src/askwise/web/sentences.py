"""What participants read when something ends or cannot be done: plain sentences, no ids of people or questions.

Each is English as a text; the catalogues of `texts` have it in other languages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from hashlib import sha256

from askwise.session.contradictions import listing
from askwise.session.events import Event
from askwise.simulate.forecast import Forecast
from askwise.storage.crowd import CheckQuestion, CrowdSettings
from askwise.web.texts import ENGLISH, Catalogue, Told, catalogue

STUDY_PAUSED = Told("refused.paused")
STUDY_CLOSED = Told("refused.closed")
ALREADY_ANSWERED = Told("refused.answered_before")
NOT_YOURS = Told("refused.not_yours")
NOTHING_TO_UNDO = Told("refused.nothing_to_undo")
ALREADY_UNDONE = Told("refused.already_undone")
KEY_USED = Told("refused.key_used")  # only programs choose keys
USUAL_TEXTS = {  # by kind of question: what it may be called in the catalogues
    "pair": ("usual.pair", "usual.better"),
    "triple": ("usual.triple",),
    "set": ("usual.set",),
    "best-worst": ("usual.best_worst",),
    "same": ("usual.same",),
    "label": ("usual.label",),
    "number": ("usual.number",),
    "atom": ("usual.atom",),
}


def contradiction(words: Sequence[str], shared: bool) -> Told:
    """Why an answer is refused that contradicts others.

    - `words`: the answer and those that it contradicts.
    - `shared`: whether others answer in the same log; nothing is said about their answers.

    >>> contradiction(["milk over tea", "tea over milk"], shared=False)
    'This answer (milk over tea) contradicts what you said before: tea over milk. Choose another one, or take one back.'
    """
    if shared:
        return Told("refused.contradiction_shared")
    said, *others = words
    return Told("refused.contradiction", said=said, others=listing(others))


def ending(kind: str, answers: int, quota: float, shared: bool) -> Told:
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
        return Told("done.quota", count=quota)
    if kind == "budget":
        return Told("done.budget")
    if kind == "exhausted":
        return Told("done.exhausted_shared" if shared else "done.exhausted")
    return Told("done.settled") if shared else Told("done.settled_after", count=answers)


def quota_reached(quota: float) -> Told:
    """Why no further answer is taken.

    >>> quota_reached(4)
    'You have given all 4 answers we asked for. Undo one to change it.'
    """
    return Told("refused.quota", count=quota)


def forecast_text(found: Forecast, texts: Catalogue) -> str:
    """How many questions are to come.

    >>> forecast_text(Forecast(12, 8, 20), catalogue("en")), forecast_text(Forecast(12, 8, 20), catalogue("de"))
    ('about 12 more questions (8 to 20)', 'noch etwa 12 Fragen (8 bis 20)')
    >>> forecast_text(Forecast(48, None, None), catalogue("en"))
    'about 48 more questions'
    """
    if found.likely is None:
        assert found.low is not None  # else nothing would be known
        return texts.text("forecast.at_least", count=found.low)
    about = texts.text("forecast.about", count=found.likely)
    if found.low is None or found.low == found.high:
        return about
    if found.high is None:
        return texts.text("forecast.from", about=about, low=found.low)
    return texts.text("forecast.range", about=about, low=found.low, high=found.high)


def question_text(event: Event, texts: Catalogue) -> str:
    """The text of a question. The usual one is translated; what the owner wrote is shown as it is.

    >>> event = {"kind": "pair", "text": "Which do you prefer: tea or milk?",
    ...          "options": [{"name": "tea"}, {"name": "milk"}]}
    >>> question_text(event, catalogue("de"))
    'Was ist Ihnen lieber: tea oder milk?'
    """
    if texts.language == ENGLISH:
        return str(event["text"])
    context, gap, asked = event["text"].rpartition("\n\n")
    names = [option["name"] for option in event["options"]]
    for key in USUAL_TEXTS.get(event["kind"], ()):
        if asked == _asked(key, names, catalogue(ENGLISH)):
            return f"{context}{gap}{_asked(key, names, texts)}"
    return str(event["text"])


def shown_first(instructions: str | None, settings: CrowdSettings, texts: Catalogue) -> str | None:
    """What people read before the first question: the owner's instructions and, where no consent page has it, what
    happens to their answers.

    >>> shown_first("Be quick.", CrowdSettings(retention="Deleted in 2030."), catalogue("en"))
    'Be quick.\\n\\nWhat happens to your answers\\nDeleted in 2030.'
    """
    if settings.consent is not None or settings.retention is None:
        return instructions
    notice = f"{texts.text('consent.retention')}\n{settings.retention}"
    return notice if not instructions else f"{instructions}\n\n{notice}"


def instructed_check(texts: Catalogue, participant: str, number: int) -> CheckQuestion:
    """A check that says which answer to choose, another one each time.

    >>> check = instructed_check(catalogue("en"), "ann", 0)
    >>> check.options, check.answer in check.text
    (('red', 'blue', 'green', 'yellow'), True)
    """
    words = tuple(texts.text("usual.check_options").split(","))
    right = words[int(sha256(f"{participant} {number}".encode()).hexdigest(), 16) % len(words)]
    return CheckQuestion(texts.text("usual.check", right=right), words, right)


def _asked(key: str, names: Sequence[str], texts: Catalogue) -> str:
    *others, last = names or [""]
    listed = f"{', '.join(others)}{texts.text('or')}{last}" if others else last
    first, second = (*names, "", "")[:2]
    return texts.text(key, names=listed, first=first, second=second)


def certainty_text(sentence: str | None, texts: Catalogue) -> str | None:
    """How sure a result is, from the English sentence of its goal.

    >>> certainty_text("We are 63 % sure that these are the top 3.", catalogue("de"))
    'Wir sind zu 63 % sicher, dass das die besten 3 sind.'
    """
    if sentence is None or texts.language == ENGLISH:
        return sentence
    careful = catalogue(ENGLISH).text("certainty.careful")
    rest = sentence.removesuffix(f" {careful}")
    warned = f" {texts.text('certainty.careful')}" if rest != sentence else ""
    for key, values in _matches("certainty.", rest):
        if "claim" in values:
            claims = _matches("claim.", values["claim"])
            values["claim"] = next((texts.text(claim, **more) for claim, more in claims), values["claim"])
        return texts.text(key, **values) + warned
    return sentence


def _matches(prefix: str, sentence: str) -> list[tuple[str, dict[str, str]]]:
    """The keys whose English text fits a sentence, the most special one first, with what stands for placeholders."""
    found = [(key, match.groupdict()) for key, pattern in _patterns(prefix) if (match := pattern.fullmatch(sentence))]
    return sorted(found, key=lambda each: sum(map(len, each[1].values())))


@cache
def _patterns(prefix: str) -> list[tuple[str, re.Pattern[str]]]:
    texts = {key: text for key, text in catalogue(ENGLISH).texts.items() if key.startswith(prefix)}
    return [
        (key, re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+)", re.escape(text)), re.DOTALL))
        for key, text in texts.items()
        if isinstance(text, str)
    ]
