"""askwise example: a list, a table, or one sentence."""

from __future__ import annotations

from askwise.data.examples import EXAMPLES, example_text


def test_without_a_name_every_table_has_a_line(run_command):
    code, out, error = run_command("example")
    assert (code, error) == (0, "")
    lines = out.splitlines()
    assert [line.split()[0] for line in lines[: len(EXAMPLES)]] == list(EXAMPLES)
    assert all(what in line for line, what in zip(lines, EXAMPLES.values(), strict=False))


def test_a_table_is_printed_as_it_ships_and_makes_a_study(run_command, tmp_path):
    code, out, error = run_command("example", "places")
    assert (code, out, error) == (0, example_text("places"), "")
    (tmp_path / "places.csv").write_text(out, encoding="utf-8")
    assert run_command("new", "best-item", "places.csv")[0] == 0


def test_another_name_is_one_sentence(run_command):
    code, out, error = run_command("example", "boats")
    assert (code, out) == (2, "")
    assert error == f"askwise: there is no example 'boats'; the examples are {', '.join(EXAMPLES)}\n"
