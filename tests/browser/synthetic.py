"""Questions of every kind as the API sends them, with names and values of many lengths, for the tests of the layout."""

from __future__ import annotations

import re

NAMES = ["tea", "a walk with a friend", "Bordeaux Supérieur, Château de la Rivière, 2019, by the glass", "no. 7"]
VALUES = ["3", "12,500 kg", "red", "a note of some length about it", "yes"]
COLUMNS = ["price", "weight", "colour", "note", "organic"]
GRADES = ("slightly", "clearly", "much")
GRADED = [f"left, {grade}" for grade in reversed(GRADES)], [f"right, {grade}" for grade in GRADES]
LABELS = ["surely no", "probably no", "probably yes", "surely yes"]
SIZES = {"desk": (1280, 800), "phone": (390, 844), "small phone": (360, 640)}
KINDS = {  # kind as the API calls it, options, responses (None: the names), text
    "pair": ("pair", 2, ["left", "right"]),
    "ties": ("pair", 2, ["left", "right", "equal"]),
    "graded": ("pair", 2, [*GRADED[0], *GRADED[1]]),
    "graded with ties": ("pair", 2, [*GRADED[0], "equal", *GRADED[1]]),
    "best of three": ("set", 3, None),
    "best of four": ("set", 4, None),
    "best of six": ("set", 6, None),
    "best and worst of four": ("best-worst", 4, None),
    "best and worst of six": ("best-worst", 6, None),
    "same": ("same", 2, ["same", "different"]),
    "triple": ("triple", 3, None),
    "label": ("label", 1, ["cold", "hot"]),
    "graded label": ("label", 1, LABELS),
    "labels of one letter": ("label", 1, ["f", "g", "h"]),
    "twelve labels": ("label", 1, [f"label {number}" for number in range(12)]),
    "number": ("number", 2, ["number"]),
}
TEXTS = {
    "pair": "Which do you prefer: {names}?",
    "set": "Which do you like best: {names}?",
    "best-worst": "Which do you like best, and which least: {names}?",
    "triple": "Which is the odd one out: {names}?",
}


def question(name, turn, fields=0, pictured=False, long_text=False, short=False):
    """The question of that kind with that number; each has other names and values, none of them long if they are
    `short`."""
    kind, count, responses = KINDS[name]
    options = [option(turn, place, fields, pictured, long_text, short) for place in range(count)]
    names = [each["name"] for each in options]
    listed = f"{', '.join(names[:-1])} or {names[-1]}"
    text = TEXTS.get(kind, "").format(names=listed)
    if kind == "same":
        text = f"Do {names[0]} and {names[1]} belong together?"
    elif kind == "label":
        text = f"Which label fits {names[0]}?"
    elif kind == "number":
        text = f"What is {names[0]} x {names[1]}?"
    said = names if responses is None else responses
    if kind == "best-worst":
        said = [f"{best} > {worst}" for best in names for worst in names if best != worst]
    return {
        "id": f"q{turn}", "kind": kind, "text": text, "options": options, "responses": said, "fallback": False,
        "answer_names": {}, "who": None,
    }  # fmt: skip


def option(turn, place, fields, pictured, long_text, short):
    names, values = (NAMES[:2], VALUES[:3]) if short else (NAMES, VALUES)
    name = f"{names[(turn + place) % len(names)]} {'abcdef'[place]}"
    row = {COLUMNS[column]: values[(turn + place + column) % len(values)] for column in range(fields)}
    body = "\n\n".join(["A paragraph that says something."] * (1 + 7 * ((turn + place) % 3))) if long_text else None
    html = None if body is None else "".join(f"<p>{line}</p>" for line in body.split("\n\n"))
    return {
        "name": name, "image": f"{(turn + place) % 6}.png" if pictured else None, "row": place, "fields": row,
        "body": body, "body_html": html, "audio": None, "video": None,
    }  # fmt: skip


class FakeServer:
    """Answers the requests of a page in place of the server: one question of a kind after the other."""

    def __init__(self, page, kind):
        self.kind = kind
        self.turn = 0
        self.sent = []  # path and body of each request that says something
        page.route(re.compile(r"/api/v1/s/[^/]+/p/[^/]+(/answers|/skips|/undo)?$"), self.handle)
        page.route(re.compile(r"/api/v1/s/[^/]+/p/[^/]+/why/"), lambda route: route.fulfill(json=[]))

    def handle(self, route):
        if route.request.method == "GET" and route.request.url.endswith("/answers"):
            route.fulfill(json=[])
            return
        if route.request.method == "POST":
            path = route.request.url.rsplit("/", 1)[1]
            self.turn += -1 if path == "undo" else 1
            self.sent.append((path, route.request.post_data_json))
        route.fulfill(json=self.state())

    def question(self):
        return question(self.kind, self.turn)

    def state(self):
        """What the participant's page shows."""
        known = {
            "study": "s",
            "title": "s",
            "goal": "best_item",
            "state": "open",
            "answers": self.turn + 1,
            "why": True,
        }
        numbers = {"quota": None, "diameter": 0.5, "start": 1.0, "forecast": None}
        flags = dict.fromkeys(("ordered", "shared", "behind", "held", "catching_up"), False)
        rest = dict.fromkeys(("instructions", "done", "done_kind", "estimate", "result", "certainty"))
        return {**known, **numbers, **flags, **rest, "preload": [], "question": self.question()}
