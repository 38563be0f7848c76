"""What is pressed or typed is recorded as what it says: an answer first, then a key, then a command."""

from __future__ import annotations

import pytest

import askwise
from askwise.cli.keys import COMMANDS, keyboard_for
from askwise.errors import AnswerError
from askwise.types import Option, Question

ROWS = {"name": list("abcdefgh"), "x": [float(i) for i in range(8)], "y": [float(3 * i % 8) for i in range(8)]}


def label_question(*labels):
    return Question("q1", "label", (Option("x"),), labels, "Which label fits x?")


def pair(left, right, ties=False):
    return Question("q1", "pair", (Option(left), Option(right)), ("left", "right", "equal")[: 2 + ties], "Which?")


LABELS = [
    ("0", "1"),
    ("1", "0"),
    ("0", "1", "2"),
    ("2", "1", "3"),
    (0, 1),
    (1.0, 2.0),
    ("1.0", "1"),
    (1.0, "1"),
    ("s", "u"),
    ("S", "q"),
    ("q", "yes"),
    ("c", "w"),
    ("right", "left"),
    ("10", "1"),
    ("11", "10"),
    ("+1", "-1"),
    ("2nd", "1st"),
    ("A", "a"),
    ("é", "e"),
    ("ja", "nein", "weiß nicht"),
    ("猫", "黒猫", "犬"),
    ("not sure", "no", "yes"),
    ("skip", "undo", "why", "quit"),
    (":)", ":("),
    (":s", "s"),
    tuple(f"label {i}" for i in range(30)),
]


@pytest.mark.parametrize("labels", LABELS, ids=str)
def test_a_label_wins_over_keys_and_commands(labels):
    """Typed in full it is that label; no key and no command that is shown is the beginning of another label."""
    for single in (False, True):
        found = keyboard_for(label_question(*labels), single)
        for label in labels:
            assert found.find_response(str(label)) == label
            assert type(found.find_response(str(label))) is type(label)
            assert found.find_command(str(label)) is None
        for key, said in found.keys.items():
            others = [str(label) for label in labels if label is not said]
            assert not any(other.startswith(key) for other in others), (key, said)
        assert [said for _, said in found.key_labels] == list(labels)
        if single:
            assert not any(str(label).startswith(typed) for label in labels for typed in found.commands)


@pytest.mark.parametrize("labels", LABELS, ids=str)
def test_every_command_stays_in_reach_and_the_help_is_true(labels):
    for single in (False, True):
        found = keyboard_for(label_question(*labels), single)
        told = dict(reversed(part.split(" ", 1)) for part in found.help.split("   "))
        assert list(told) == list(COMMANDS.values())
        for letter, what in COMMANDS.items():
            assert found.find_command(told[what]) == letter


def test_labels_of_one_letter_are_their_own_keys():
    for labels in (("0", "1"), ("1", "0"), ("0", "1", "2"), ("A", "a"), ("s", "u"), ("猫", "犬"), (2, 1)):
        assert [key for key, _ in keyboard_for(label_question(*labels)).key_labels] == [str(label) for label in labels]


def test_numbers_stand_for_places_only_where_no_label_says_otherwise():
    shown = {labels: [key for key, _ in keyboard_for(label_question(*labels)).key_labels] for labels in LABELS}
    assert shown["ja", "nein", "weiß nicht"] == ["1", "2", "3"]
    assert shown["10", "1"] == ["a", "b"]  # 1 is the beginning of 10
    assert shown["+1", "-1"] == ["a", "b"]
    assert shown["2nd", "1st"] == ["a", "b"]
    assert shown["right", "left"] == ["1 →", "2 ←"]
    assert [key for key, _ in keyboard_for(label_question("1st", "2nd")).key_labels] == ["1", "2"]
    many = shown[tuple(f"label {i}" for i in range(30))]
    assert many[-1] == "type"  # there are more labels than keys


def test_the_names_of_items_win_too():
    for left, right in (("2", "1"), ("s", "u"), ("1", "10"), ("B", "b"), ("3 cookies", "1 cookie")):
        for ties in (False, True):
            found = keyboard_for(pair(left, right, ties))
            assert (found.find_response(left), found.find_response(right)) == ("left", "right")
            assert (found.find_response("left"), found.find_response("right")) == ("left", "right")
            assert (found.keys["←"], found.keys["→"]) == ("left", "right")
            assert found.find_command(left) is None
            assert all(found.keys.get(key) in (None, "left") for key in (left[0], left))
            assert found.keys.get(right) in (None, "right")
    assert keyboard_for(pair("tea", "milk")).key_labels == [("1 ←", "left"), ("2 →", "right")]
    odd = Question("q1", "triple", tuple(map(Option, "321")), ("3", "2", "1"), "Which one is the odd one out?")
    assert keyboard_for(odd).keys == {"3": "3", "2": "2", "1": "1"}
    same = Question("q1", "same", (Option("a"), Option("b")), ("same", "different"), "Do a and b belong together?")
    assert keyboard_for(same).key_labels == [("1 ←", "same"), ("2 →", "different")]
    assert keyboard_for(same).find_command("s") == "s"


def test_a_word_with_two_meanings_is_refused():
    swapped = keyboard_for(pair("right", "left"))
    for word in ("left", "right"):
        with pytest.raises(AnswerError, match=f"'{word}' can mean 2 of the answers; use the key of one instead: 1"):
            swapped.find_response(word)
    assert swapped.find_response("1") == "left"
    with pytest.raises(AnswerError, match="'Strasse' can mean 2"):
        keyboard_for(label_question("STRASSE", "strasse")).find_response("Strasse")
    with pytest.raises(AnswerError, match="'equal' can mean 2"):
        keyboard_for(pair("equal", "tea", ties=True)).find_response("equal")


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        (["0", "1"], ["1", "0"]),
        (["0", "1", "2"], ["2", "1", "0"]),
        (["s", "u"], ["s", "u"]),
        (["q", "w"], ["w", "q", "W"]),
        (["10", "1"], ["1", "10"]),
        (["A", "a"], ["a", "A"]),
        (["1.0", "1"], ["1", "1.0"]),
        (["right", "left"], ["left", "right"]),
        (["not sure", "é"], ["é", "e\u0301", "NOT SURE"]),
    ],
)
def test_piped_labels_are_recorded_as_they_are(labels, told, run_command, tmp_path):
    askwise.save(askwise.classifier(ROWS, labels, draws=16, epsilon=0.001), tmp_path / "x.askwise")
    code, _, error = run_command("ask", "x.askwise", stdin="".join(f"{label}\n" for label in told))
    assert (code, error) == (0, "")
    meant = {"W": "w", "e\u0301": "é", "NOT SURE": "not sure"}
    recorded = [event["response"] for event in askwise.open("x.askwise").log if event["event"] == "tell"]
    assert recorded == [meant.get(label, label) for label in told]


def test_piped_commands(run_command, tmp_path):
    askwise.save(askwise.classifier(ROWS, ["s", "u", "spam"], draws=16), tmp_path / "x.askwise")
    code, out, _ = run_command("ask", "x.askwise", stdin="s\n:s\n:u\n\nspam\n:u\n:w\nw\n:q\nu\n")
    assert code == 0
    assert ":s can't tell   :u undo   w why this question   q quit" in out
    assert [event["event"] for event in askwise.open("x.askwise").log if event["event"] != "ask"] == [
        "tell",
        "skip",
        "undo",
        "tell",
        "undo",
    ]
    assert out.count("what each answer would settle") == 2
    assert "1 answer kept" in out


def test_a_piped_key_where_numbers_are_labels_is_refused(run_command, tmp_path):
    askwise.save(askwise.classifier(ROWS, ["10", "20"], draws=16), tmp_path / "x.askwise")
    code, _, error = run_command("ask", "x.askwise", stdin="1\n")
    assert code == 2
    assert "response '1' is not one of '10', '20'" in error


def test_piped_names_of_items(run_command, tmp_path):
    askwise.save(askwise.best_item(["1", "2", "s", "u"], draws=16), tmp_path / "x.askwise")
    for _ in range(3):
        session = askwise.open("x.askwise")
        left, right = (option.name for option in session.ask().options)
        assert run_command("ask", "x.askwise", stdin=f"{right}\n")[0] == 0
        told = [event for event in askwise.open("x.askwise").log if event["event"] == "tell"]
        assert told[-1]["response"] == "right", (left, right)


def test_a_piped_number(run_command, tmp_path):
    session = askwise.best_column({"name": ["a", "b"], "p": [1.0, None], "q": [None, 2.0]}, draws=8)
    askwise.save(session, tmp_path / "x.askwise")
    code, _, error = run_command("ask", "x.askwise", stdin="s\nu\n1\n")
    assert (code, error) == (0, "")
    assert [event["event"] for event in askwise.open("x.askwise").log][-3:-1] == ["undo", "tell"]
    assert askwise.open("x.askwise").answers[0].response == 1.0
