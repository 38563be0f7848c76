"""Options of every kind that make no sense are refused with one sentence, wherever they enter."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from inspect import signature

import numpy as np
import pytest

import askwise
from askwise import options
from askwise.distances.labels import Disagreement
from askwise.errors import AskwiseError, SettingError
from askwise.goals import GOALS, goals
from askwise.goals.base.options import declared
from askwise.posteriors.enumerated import Enumerated
from askwise.structures.finite import Finite

NAMES = ["tea", "coffee", "water", "milk"]
TABLE = {"name": NAMES, "x": [1.0, 2.0, 4.0, 3.0], "y": [2.0, 1.0, 1.0, 3.0]}
REQUIRED = {
    **{goal: {**kind.example, "data": TABLE, "draws": 4} for goal, kind in goals().items()},
    "best_column": {"data": {"name": NAMES[:2], "x": [1.0, None], "y": [None, 3.0]}, "draws": 4},
    "cluster_of": {"data": TABLE, "item": "tea", "draws": 4},
    "segment_of": {"data": TABLE, "column": "x", "item": "tea", "draws": 4},
    "segments": {"data": TABLE, "column": "x", "draws": 4},
    "matrix": {"data": {"name": NAMES[:2], "x": [1.0, None], "y": [None, 3.0]}, "draws": 4},
}
# no option of any goal can be one of these; each is made anew
ODD = {
    "object": object,
    "array": lambda: np.array([0, 1]),
    "deep array": lambda: np.zeros((3, 3, 3)),
    "complex": lambda: 1j,
    "NaN": lambda: math.nan,
    "infinity": lambda: math.inf,
    "sNaN": lambda: Decimal("sNaN"),
    "huge": lambda: 10**400,
    "NaT": lambda: np.datetime64("NaT", "s"),
    "duration": lambda: np.timedelta64(3, "s"),
    "bytes": lambda: bytearray(b"a"),
    "a list of lists": lambda: [[]],
    "a mapping": lambda: {"a": 1},
    "a set": lambda: {1, 2},
    "a surrogate": lambda: "\ud800",
}
# what a few options may be all the same
RIGHT = {("rows", "array"), ("labels", "array"), ("labels", "a set"), ("costs", "array"), ("rows", "a set")}


@pytest.mark.parametrize("goal", sorted(GOALS))
def test_every_option_of_a_goal_refuses_what_it_cannot_be(goal):
    for option in list(signature(GOALS[goal]).parameters)[1:]:
        for kind, make in ODD.items():
            if (option, kind) in RIGHT:
                continue
            with pytest.raises(AskwiseError, match=r"^[^\n]{15,400}$"):
                GOALS[goal](**{**REQUIRED[goal], option: make()})


@pytest.mark.parametrize("goal", sorted(GOALS))
def test_numbers_of_numpy_are_kept_as_plain_ones(goal):
    given = {"budget": np.int64(5), "epsilon": np.float32(0.5), "seed": np.uint8(3), "repeat": np.True_, "draws": 4.0}
    session = GOALS[goal](**{**REQUIRED[goal], **given})
    kept = {option: session.recipe["options"][option] for option in given}
    assert kept == {"budget": 5, "epsilon": 0.5, "seed": 3, "repeat": True, "draws": 4}
    assert [type(value) for value in kept.values()] == [int, float, int, bool, int]
    assert askwise.from_json(session.to_json()).recipe == json.loads(json.dumps(session.recipe))


@pytest.mark.parametrize(
    "labels", [(math.nan, 1), (None, "a"), (True, 1), (1, 1.0), (1, "1"), ("a", "a "), [["a"], "b"], np.array("ab"), 7]
)
def test_labels_that_cannot_be_told_apart_are_refused(labels):
    with pytest.raises(SettingError, match=r"label"):
        askwise.classifier(TABLE, labels)


def test_labels_may_differ_in_case_and_be_numbers():
    assert askwise.classifier(TABLE, ("A", "a"), draws=4).ask().responses == ("A", "a")
    assert askwise.classifier(TABLE, np.array([0, 1]), draws=4).recipe["options"]["labels"] == [0, 1]
    assert askwise.classifier(TABLE, (False, True), draws=4).recipe["options"]["labels"] == [False, True]


def test_a_recipe_stays_as_it_was_saved():
    session = askwise.best_item(NAMES, draws=4, seed=1)
    state = json.loads(session.to_json())
    state["recipe"]["options"]["budget"] = 20.0  # as a version that took any number has written it
    again = askwise.from_json(json.dumps(state))
    assert repr(again.recipe["options"]["budget"]) == "20.0"
    assert again.config.stop.rules[1].answers == 20


@pytest.mark.parametrize("value", [kind for kind in ODD if kind != "a surrogate"])
@pytest.mark.parametrize(
    "call",
    [
        askwise.Budget,
        askwise.DiameterBelow,
        lambda value: askwise.DiameterBelow(0.1, delta=value),
        askwise.noise_beta,
        askwise.davidson,
        askwise.any_of,
        lambda value: askwise.save(value, "x"),
        askwise.to_sklearn,
        lambda value: askwise.change_goal(value, "ranking"),
        askwise.from_json,
    ],
)
def test_other_public_names_refuse_in_one_sentence(call, value):
    with pytest.raises(AskwiseError, match=r"^[^\n]{15,400}$"):
        call(ODD[value]())


def by_hand() -> dict[str, object]:
    family = Finite([[0, 0], [0, 1], [1, 1]])
    problem = askwise.Problem(family, Disagreement(family, np.arange(2)), askwise.zero_one, beta=2.0)
    return {"problem": problem, "prior": Enumerated.prior(family, np.arange(3), askwise.zero_one, beta=2.0), "draws": 4}


@pytest.mark.parametrize("option", list(signature(askwise.Session).parameters))
def test_a_session_by_hand_refuses_odd_options(option):
    for make in ODD.values():
        given = make()
        if option in ("problem", "prior", "stop", "describe", "remake") and given is object:
            continue
        with pytest.raises(AskwiseError, match=r"^[^\n]{15,400}$"):
            askwise.Session(**{**by_hand(), option: given})


@pytest.mark.parametrize("field", ["family", "distance", "loss", "beta"])
def test_a_problem_refuses_odd_parts(field):
    problem = by_hand()["problem"]
    parts = {name: getattr(problem, name) for name in ("family", "distance", "loss", "beta")}
    for kind, make in ODD.items():
        if (field, kind) != ("beta", "infinity"):
            with pytest.raises(AskwiseError, match=r"^[^\n]{15,400}$"):
                askwise.Problem(**{**parts, field: make()})


@pytest.mark.parametrize("kind", ODD)
def test_a_session_is_as_it_was_after_a_refusal(kind):
    session = askwise.best_item(NAMES, draws=4, seed=1)
    make = ODD[kind]
    for call in (
        lambda: session.take_up(make()),
        lambda: session.take_up({"goal": make(), "options": {}}),
        lambda: session.take_up({"goal": "ranking", "options": make()}),
        lambda: session.branch(seed=make()),
        lambda: session.branch(seed=1, effort=make()),
        lambda: session.branch(seed=1, rule=make()),
        lambda: session.ask(make()),
        lambda: session.ask(eligible=make()),
        lambda: askwise.change_goal(session, make()),
        lambda: askwise.change_goal(session, "top_k", k=make()),
    ):
        with pytest.raises(AskwiseError, match=r"^[^\n]{15,400}$"):
            call()
    assert session.log == []


@pytest.mark.parametrize(
    ("goal", "option", "value"),
    [
        ("best_column", "costs", 5e-324),
        ("best_item", "individual", 1e308),
        ("best_item", "prior_scale", 1e308),
        ("best_item", "prior_scale", 5e-324),
        ("classifier", "draws", 1e160),
        ("classifier", "fairness_weight", 1e308),
        ("hierarchy", "strength", 1e308),
        ("matrix", "entry_range", 5e-324),
        ("top_k", "draws", 10**7),
    ],
)
def test_numbers_that_nothing_can_be_computed_with_are_refused(goal, option, value):
    given = {**REQUIRED[goal], option: value}
    if goal == "classifier":
        given |= {"data": {**TABLE, "sex": ["f", "m", "f", "m"]}, "fair_on": "sex"}
    with pytest.raises(SettingError, match=r"^(costs must be|[a-z_]+ is )"):
        GOALS[goal](**given)


def test_half_of_a_letter_is_no_path():
    with pytest.raises(askwise.AskwiseError, match="is no file"):
        askwise.save(askwise.best_item(NAMES, draws=4), "\ud800.askwise")


def test_who_is_a_text():
    session = askwise.best_item(NAMES, draws=4, seed=1)
    session.ask()
    with pytest.raises(SettingError, match=r"^who is array\(\[0, 1\]\); expected a text$"):
        session.prepare(np.array([0, 1]))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: options.number("x", 3, above=3), "x is 3; expected a number above 3"),
        (lambda: options.number("x", True), "x is True; expected a number"),
        (lambda: options.number("x", "1", at_least=0, at_most=1), "x is '1'; expected a number from 0 to 1"),
        (lambda: options.whole_number("x", 1.5), "x is 1.5; expected a whole number"),
        (lambda: options.whole_number("x", 0, at_least=1, at_most=9), "x is 0; expected a whole number from 1 to 9"),
        (
            lambda: options.whole_number("x", 2**63, at_least=1),
            "x is 9223372036854775808; expected a whole number from 1 to 9223372036854775807",
        ),
        (lambda: options.flag("x", 2), "x is 2; expected True or False"),
        (lambda: options.number("x", 10**5000), "x is a int that cannot be shown; expected a number"),
        (lambda: options.text("x", np.zeros((2, 2))), "x is array([[0., 0... [0., 0.]]); expected a text"),
    ],
)
def test_sentences(call, sentence):
    with pytest.raises(SettingError) as refused:
        call()
    assert str(refused.value) == sentence


def test_plain_values():
    found = options.number("x", Decimal("0.5")), options.whole_number("x", np.float64(2)), options.flag("x", 1)
    assert found == (0.5, 2, True)
    assert [type(value) for value in found] == [float, int, bool]


def test_options_are_found_whatever_a_plug_in_says_about_annotations():
    """From Python 3.14 on, a class keeps its annotations as a function, unless its module asks for texts."""
    code = """
from askwise.goals.base.options import HasOptions, option
from askwise.types import Capability

class Mine(HasOptions):
    k: int = option(help="How many items.")

class HasPrice(Capability):
    price: float
"""
    for head in ("", "from __future__ import annotations"):
        made: dict = {"__name__": __name__}
        exec(compile(head + code, "plugin", "exec", dont_inherit=True), made)
        assert list(declared(made["Mine"])) == ["k"]
        assert not isinstance("a text", made["HasPrice"])
